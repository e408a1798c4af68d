/** A run as it stands in its row: the JSON columns are checked on the way in and out, never trusted by their type. */
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { approvalSchema } from '../github/receipt.ts';
import type { Occasion } from '../lifecycle/actions.ts';
import type { Cost, Outcome, RunMemory, StepReport, Task } from '../lifecycle/memory.ts';
import type { Permissions } from '../lifecycle/policy.ts';
import type { RunTable } from './schema.ts';

export const costSchema = z.object({
  turns: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  dollars: z.number().nullable(),
  elapsedMs: z.number(),
}) satisfies z.ZodType<Cost>;

const verificationSchema = z.object({
  command: z.string(),
  result: z.enum(['passed', 'failed', 'not_run']),
  detail: z.string(),
});

const stepSchema = z.object({
  title: z.string(),
  commit: z.string().nullable(),
  files: z.array(z.string()),
}) satisfies z.ZodType<StepReport>;

const reportSchema = z.object({
  steps: z.array(stepSchema),
  files: z.array(z.object({ path: z.string(), planned: z.string().nullable(), actual: z.string().nullable() })),
  verifications: z.array(verificationSchema),
  deviations: z.array(z.string()),
});

const planReady = z.object({
  kind: z.literal('plan_ready'),
  plan: z.string(),
  findings: z.array(z.string()),
  answers: z.array(z.object({ thread: z.string(), changed: z.boolean(), text: z.string() })),
});
const question = z.object({
  kind: z.literal('question'),
  questions: z.array(z.object({ text: z.string(), suggestions: z.array(z.string()) })),
});
const workReady = z.object({ kind: z.literal('work_ready'), commit: z.string(), report: reportSchema });
const planModeAsked = z.object({ kind: z.literal('plan_mode_asked'), reason: z.string() });
const amendment = z.object({
  kind: z.literal('amendment'),
  plan: z.string(),
  reason: z.string(),
  findings: z.array(z.string()),
});
const permissionAsked = z.object({
  kind: z.literal('permission_asked'),
  call: z.string(),
  tool: z.string(),
  what: z.string(),
  rule: z.string().nullable(),
});
const budgetReached = z.object({
  kind: z.literal('budget_reached'),
  level: z.enum(['run', 'thread', 'day']),
  detail: z.string(),
});
const failed = z.object({
  kind: z.literal('failed'),
  reason: z.enum([
    'no_plan',
    'plan_cut_off',
    'no_changes',
    'out_of_scope',
    'refusal',
    'context_exceeded',
    'input_too_large',
    'input_unreadable',
    'repeated_calls',
    'model_error',
    'unknown_stop',
    'superseded',
    'patch_refused',
    'push_refused',
    'workspace',
    'crashed',
    'permission',
  ]),
  detail: z.string(),
});

const outcomeSchema = z.discriminatedUnion('kind', [
  planReady,
  question,
  workReady,
  planModeAsked,
  amendment,
  permissionAsked,
  budgetReached,
  failed,
]) satisfies z.ZodType<Outcome>;

/** What a child may report as its end; only the host can say that work is ready. */
export const resultSchema = z.discriminatedUnion('kind', [
  planReady,
  question,
  planModeAsked,
  amendment,
  permissionAsked,
  budgetReached,
  failed,
  z.object({
    kind: z.literal('work_done'),
    deviations: z.array(z.string()),
    verifications: z.array(verificationSchema),
  }),
]);

const reviews = z.array(z.number());
const occasionSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('request'), text: z.string().nullable() }),
  z.object({ kind: z.literal('reviews'), reviews }),
  z.object({ kind: z.literal('replan'), text: z.string().nullable() }),
  z.object({ kind: z.literal('answer'), comments: z.array(z.number()), isContinued: z.boolean() }),
  z.object({ kind: z.literal('permission'), isAllowed: z.boolean(), text: z.string().nullable() }),
  z.object({ kind: z.literal('continued') }),
  z.object({ kind: z.literal('approval'), reviews, resumes: z.string().nullable() }),
  z.object({ kind: z.literal('declined') }),
  z.object({ kind: z.literal('code_reviews'), reviews }),
]) satisfies z.ZodType<Occasion>;

export const taskSchema = z.object({
  title: z.string(),
  status: z.enum(['pending', 'in_progress', 'done']),
}) satisfies z.ZodType<Task>;

const permissionsSchema = z.object({
  mode: z.enum(['auto', 'ask']),
  allow: z.array(z.string()),
  ask: z.array(z.string()),
  deny: z.array(z.string()),
}) satisfies z.ZodType<Permissions>;

/** A run with what only the engine needs. */
export interface RunRecord extends RunMemory {
  readonly thread: string;
  readonly occasion: Occasion;
  readonly plan: string | null;
  /** The run whose tree it goes on with: mostly its own. */
  readonly workspace: string;
  readonly steps: readonly StepReport[];
  /** The checklist as it was last told. */
  readonly tasks: readonly Task[];
  /** Those in force when its thread entered plan mode; `null` for an implementation. */
  readonly permissions: Permissions | null;
  readonly attempts: number;
}

/** @throws a ZodError where a column does not hold what this version writes */
export function parseRun(row: Selectable<RunTable>): RunRecord {
  return {
    id: row.id,
    thread: row.thread,
    phase: row.phase,
    branch: row.branch,
    causes: parseJson(z.array(z.string()), row.causes),
    occasion: parseJson(occasionSchema, row.occasion),
    status: row.status,
    head: row.head,
    base: row.base,
    approval: row.approval === null ? null : parseJson(approvalSchema, row.approval),
    outcome: row.outcome === null ? null : parseJson(outcomeSchema, row.outcome),
    isSettled: row.is_settled,
    cost: parseJson(costSchema, row.cost),
    plan: row.plan === null ? null : parseJson(z.string(), row.plan),
    workspace: row.workspace,
    steps: parseJson(z.array(stepSchema), row.steps),
    tasks: parseJson(z.array(taskSchema), row.tasks),
    permissions: row.permissions === null ? null : parseJson(permissionsSchema, row.permissions),
    attempts: row.attempts,
  };
}

/** @throws a SyntaxError or a ZodError */
export function parseJson<T>(schema: z.ZodType<T>, text: string): T {
  return schema.parse(JSON.parse(text));
}
