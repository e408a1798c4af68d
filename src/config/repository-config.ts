/** `.github/planwright.yml` on the default branch: what a repository decides about its threads. */
import { z } from 'zod';
import { parseRule } from '../agent/permission-rules.ts';
import type { Policy } from '../lifecycle/policy.ts';
import { statusLabels } from '../lifecycle/state.ts';
import { parseCheckedYaml } from '../plan/checked-yaml.ts';
import { repositoryPathPattern, repositoryPathRule } from '../plan/repository-path.ts';
import { schemaKeys } from '../plan/schema-keys.ts';
import { isProtected, isQuickPattern, quickPatternRule } from '../plan/scope.ts';
import { hostNameRule, isHostName } from '../sandbox/host-name.ts';
import { budget, toBudget } from './budget-schema.ts';

/** Where the configuration stands, from the root of the repository. */
export const repositoryConfigPath = '.github/planwright.yml';

const maxCharacters = 65_536;
const ownLabels = new Set<string>(Object.values(statusLabels).flatMap((label) => label ?? []));

const command = z
  .string()
  .max(1000)
  .regex(/^[^\n\r]*\S[^\n\r]*$/, 'a command in one line');
const pattern = z
  .string()
  .max(300)
  .regex(/^[^!/\s]\S*$/, 'a glob pattern without leading "!" or "/" and without blanks')
  .refine(isQuickPattern, quickPatternRule);
const team = z
  .string()
  .max(140)
  .regex(/^[A-Za-z0-9][A-Za-z0-9-]*\/[A-Za-z0-9_.-]+$/, 'a team as "organization/team-slug", without "@"');
const login = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, 'the login of a user, without "@"');

const rulePattern = /^[A-Za-z_]+(?:\([^\n\r]+\))?$/;
const permissionRule = z
  .string()
  .max(300)
  .regex(rulePattern, 'a rule as "Tool" or "Tool(pattern)"')
  .superRefine((text, context) => {
    const read = parseRule(text);
    if (!rulePattern.test(text) || !('mistake' in read)) return;
    const { expected, remedy } = read.mistake;
    context.addIssue({ code: 'custom', message: expected, params: { remedy } });
  });
const denyingRule = permissionRule.refine((text) => text !== 'ExitPlanMode' && text !== 'exit_plan_mode', {
  error: 'a rule that leaves plan mode a way out',
  params: { remedy: 'remove it: the plan is presented with this call, and people decide on it' },
});

const trigger = z.strictObject({
  label: z
    .string()
    .max(50)
    .regex(/^\S(?:[^\n\r]*\S)?$/, "a label's name in one line, without blanks around it")
    .refine((label) => !ownLabels.has(label.toLowerCase()), 'a label that Planwright does not set itself')
    .default('plan')
    .describe('The label that starts a thread when a writer sets it on an issue.'),
});

const plan = z.strictObject({
  path: z
    .string()
    .regex(repositoryPathPattern, repositoryPathRule)
    .refine((path) => path.endsWith('.md') && !isProtected(path), 'a Markdown file outside of the protected paths')
    .default('plan.md')
    .describe('The plan file. Where the base branch already has a file there, the number of the issue is added.'),
  keep: z
    .enum(['remove', 'keep', 'archive'])
    .default('remove')
    .describe('What becomes of the plan file in the last commit of an implementation.'),
  shell: z
    .boolean()
    .default(false)
    .describe('Whether a plan run has a shell, over a checkout that nothing can write to, without network.'),
});

const approval = z
  .strictObject({
    required: z.int().min(1).max(20).default(1).describe('How many approvals open the gate.'),
    users: z
      .array(login)
      .min(1)
      .max(100)
      .optional()
      .describe(
        'Logins whose approval counts, if they are writers. With neither users nor teams, that of every writer.',
      ),
    teams: z
      .array(team)
      .min(1)
      .max(20)
      .optional()
      .describe("Teams, as `organization/team-slug`, whose members' approval counts as well, if they are writers."),
    code_owners: z
      .boolean()
      .default(false)
      .describe(
        'Whether every planned path that has owners in CODEOWNERS needs the approval of one of them, which then counts as well.',
      ),
    not_by_requester: z
      .boolean()
      .default(false)
      .describe(
        'Whether the approvals of those who asked for the plan, by the label, `/plan` or `/replan`, do not count.',
      ),
    stale: z
      .enum(['warn', 'block', 'replan'])
      .default('block')
      .describe('What happens when planned files changed on the base branch since the plan was written.'),
    allow_empty_plan: z
      .boolean()
      .default(false)
      .describe('Whether approving the placeholder that stands in for a missing plan starts an implementation.'),
    require_resolved_threads: z
      .boolean()
      .default(true)
      .describe(
        'Whether an unresolved conversation keeps the plan from being approved, if a person whose approval counts began it and has not approved.',
      ),
  })
  .refine(
    ({ required, users, teams, code_owners }) =>
      users === undefined || teams !== undefined || code_owners || distinctLogins(users) >= required,
    {
      error: 'as many users as approvals are required, or more',
      path: ['users'],
    },
  );

const scope = z.strictObject({
  mode: z
    .enum(['block', 'warn'])
    .default('block')
    .describe(
      'What becomes of changes that the plan does not name: block refuses them and pushes nothing that holds one, and the run may propose an amendment of the plan, which is reviewed; warn shows them.',
    ),
  allow: z
    .array(pattern)
    .max(100)
    .default([])
    .describe(
      'Glob patterns of files that may change beside those of the plan, e.g. lock files. They match no protected path, and a leading dot only where they write one.',
    ),
});

const permissionRules = z.array(permissionRule).max(100).default([]);
const denyingRules = z.array(denyingRule).max(100).default([]);
const permissions = z.strictObject({
  mode: z
    .enum(['auto', 'ask'])
    .default('auto')
    .describe(
      'What becomes of a call that changes something and that no rule names: auto carries it out, within the scope of the plan; ask asks a writer. Plan mode is the same in both.',
    ),
  allow: permissionRules.describe('Calls that are carried out without a question, e.g. `Bash(npm test:*)`.'),
  ask: permissionRules.describe('Calls that wait for a writer, who answers with `/allow` or `/deny`.'),
  deny: denyingRules.describe('Calls that are refused, whatever else names them.'),
});

const sandbox = z.strictObject({
  hosts: z
    .array(z.string().max(253).refine(isHostName, hostNameRule))
    .max(50)
    .default([])
    .describe(
      'Hosts that the commands of an implementation may reach by HTTPS or HTTP, if whoever runs Planwright allows them as well, e.g. `registry.example.com`. Everything else is out of reach.',
    ),
});

const repositoryConfigSchema = z.strictObject({
  trigger: trigger.prefault({}),
  plan: plan.prefault({}),
  approval: approval.prefault({}),
  scope: scope.prefault({}),
  checks: z
    .array(command)
    .max(20)
    .default([])
    .describe("Commands that run after every implementation, beside the plan's own."),
  permissions: permissions.prefault({}),
  sandbox: sandbox.prefault({}),
  budget: budget.prefault({}),
});

export type RepositoryConfig = z.output<typeof repositoryConfigSchema>;

/** That of a repository without the file. */
export const defaultConfig: RepositoryConfig = repositoryConfigSchema.parse({});

/** GitHub's logins do not differ by case. */
function distinctLogins(users: readonly string[]): number {
  return new Set(users.map((user) => user.toLowerCase())).size;
}

/** What is wrong with a configuration; with the trigger label where that names one all the same. */
export interface Misconfigured {
  readonly problems: readonly string[];
  readonly triggerLabel?: string;
}

/**
 * Reads the configuration; `null` stands for a repository without one. Each problem names line and key.
 */
export function parseRepositoryConfig(text: string | null): { readonly config: RepositoryConfig } | Misconfigured {
  if (text !== null && text.length > maxCharacters) {
    return { problems: [`line 1: expected at most ${maxCharacters} characters, got ${text.length}; shorten the file`] };
  }
  const checked = parseCheckedYaml(text ?? '', repositoryConfigSchema);
  return 'problems' in checked ? { ...checked, ...readTrigger(text ?? '') } : { config: checked.value };
}

const triggerAlone = z.object({ trigger: trigger.prefault({}) });

/** A mistake under another key does not hide the label by which people ask. */
function readTrigger(text: string): Pick<Misconfigured, 'triggerLabel'> {
  const read = parseCheckedYaml(text, triggerAlone);
  if ('problems' in read || read.value.trigger.label === defaultConfig.trigger.label) return {};
  return { triggerLabel: read.value.trigger.label };
}

/** @param planPath the plan file of the thread at hand: `plan.path`, or another where the base branch has that file. */
export function toPolicy(config: RepositoryConfig, planPath: string): Policy {
  const { trigger, plan, approval, scope, checks, permissions, sandbox, budget } = config;
  return {
    triggerLabel: trigger.label,
    plan: { path: planPath, keep: plan.keep, shell: plan.shell },
    approval: {
      required: approval.required,
      users: approval.users ?? null,
      teams: approval.teams?.map((team) => team.toLowerCase()) ?? null,
      codeOwners: approval.code_owners,
      notByRequester: approval.not_by_requester,
      stale: approval.stale,
      allowEmptyPlan: approval.allow_empty_plan,
      requireResolvedThreads: approval.require_resolved_threads,
    },
    scope: { mode: scope.mode, allow: scope.allow },
    checks,
    permissions,
    hosts: sandbox.hosts,
    budget: toBudget(budget),
  };
}

/** One key of the configuration for people to read; `default` is written as in YAML, `null` where the key has none. */
export interface ConfigurationKey {
  readonly key: string;
  readonly default: string | null;
  readonly meaning: string;
}

/** Every key that takes a value, in the order of the schema. */
export function configurationKeys(): readonly ConfigurationKey[] {
  return schemaKeys(repositoryConfigSchema)
    .filter((entry) => !entry.isGroup)
    .map(({ key, default: value, meaning }) => ({ key, default: formatDefault(value), meaning }));
}

function formatDefault(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The published JSON Schema; `repository-config.schema.json` holds the same. */
export function repositoryConfigJsonSchema(): object {
  return {
    title: 'Configuration of Planwright for a repository',
    ...z.toJSONSchema(repositoryConfigSchema, { io: 'input' }),
  };
}
