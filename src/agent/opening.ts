/** How a run begins: with a brief, or where an earlier process of it stopped. */
import type { BetaMessageParam } from '@anthropic-ai/sdk/resources/beta.js';
import type { Task } from '../lifecycle/memory.ts';
import { isEmptyPlan } from '../plan/plan-file.ts';
import type { RunBrief } from './brief.ts';
import { answerInterrupted, deliver, failedResult, heldCall, inputsOf, parkedCall } from './conversation.ts';
import type { HeldCall } from './held-call.ts';
import { whyTooLarge } from './input-limit.ts';
import { type Reminder, writeReminder } from './reminders.ts';
import { renderBrief } from './render-brief.ts';
import type { RunResult, RunSpec } from './run-protocol.ts';
import { maxDeviations } from './run-state.ts';
import { askedQuestions, askUserQuestionInput } from './tools/ask-user-question.ts';
import { askedForPlanMode, enterPlanModeInput } from './tools/enter-plan-mode.ts';
import { exitPlanModeInput, type LintText, presentedPlan } from './tools/exit-plan-mode.ts';
import { type AmendmentPorts, proposeAmendmentInput, proposedAmendment } from './tools/propose-amendment.ts';
import { updateTasksInput } from './tools/update-tasks.ts';

export type Opening =
  /** Ask the model, after saying this. */
  | { readonly kind: 'ask'; readonly say: readonly BetaMessageParam[] }
  /** A call waits for a writer, or has got its word. */
  | { readonly kind: 'held'; readonly held: HeldCall }
  /** The last reply called no tool: it ended its turn. */
  | { readonly kind: 'after_end' }
  /** The run had parked, and its host did not hear of it. */
  | { readonly kind: 'ended'; readonly result: RunResult };

const reminders: Readonly<Record<RunBrief['kind'], Reminder | null>> = {
  request: 'full',
  changes_requested: 're-entry',
  replan: 're-entry',
  answered: 'sparse',
  declined: null,
  permission: null,
  continued: 'sparse',
  approved: 'exit',
  code_changes_requested: null,
};

function reminderFor(spec: RunSpec, brief: RunBrief): Reminder | null {
  const reminder = reminders[brief.kind];
  if (reminder === null || reminder === 'exit') return reminder;
  if (spec.phase === 'implement') return null;
  if (reminder === 'sparse') return spec.conversation.length === 0 ? 'full' : 'sparse';
  return spec.plan !== null && !isEmptyPlan(spec.plan) ? 're-entry' : 'full';
}

/** What answers a call that asks people something. Everything else interrupts it, and must not read as an answer. */
const answering: Readonly<Record<string, readonly RunBrief['kind'][]>> = {
  ask_user_question: ['answered'],
  enter_plan_mode: ['declined', 'replan'],
};

function tell(conversation: RunSpec['conversation'], brief: RunBrief, text: string): BetaMessageParam {
  const call = parkedCall(conversation);
  if (call === null || (answering[call.name] ?? [brief.kind]).includes(brief.kind)) return deliver(conversation, text);
  return { role: 'user', content: [failedResult(call.id, unanswered), { type: 'text', text }] };
}

const unanswered =
  'Nobody has answered this: the work was interrupted before. Ask again where it still matters. What is wanted now follows.';

function withBrief(spec: RunSpec, brief: RunBrief): Opening {
  const call = brief.kind === 'permission' ? heldCall(spec.conversation) : null;
  if (brief.kind === 'permission' && call?.id === brief.call) return { kind: 'held', held: { call, word: brief } };
  const reminder = reminderFor(spec, brief);
  const text = renderBrief(brief, spec);
  const excess = whyTooLarge(text);
  if (excess !== null) return { kind: 'ended', result: { kind: 'failed', reason: 'input_too_large', detail: excess } };
  const said = tell(spec.conversation, brief, text);
  if (reminder === null) return { kind: 'ask', say: [said] };
  return {
    kind: 'ask',
    say: [said, { role: 'user', content: [{ type: 'text', text: writeReminder(reminder, spec.planPath) }] }],
  };
}

/** What a plan is held against that a run which was cut off had presented. */
export interface OpeningLints {
  readonly plan: LintText;
  readonly amendment: AmendmentPorts;
}

/** What the parked call of a stored conversation stands for; `null` where there is none, or its input is unreadable. */
async function parkedResult(spec: RunSpec, lints: OpeningLints): Promise<RunResult | null> {
  const call = parkedCall(spec.conversation);
  if (call?.name === 'exit_plan_mode') {
    const input = exitPlanModeInput.safeParse(call.input);
    return input.success ? presentedPlan(input.data, spec.plan, spec, lints.plan) : null;
  }
  if (call?.name === 'propose_amendment') {
    const input = proposeAmendmentInput.safeParse(call.input);
    return input.success ? proposedAmendment(input.data, lints.amendment) : null;
  }
  if (call?.name === 'ask_user_question') {
    const input = askUserQuestionInput.safeParse(call.input);
    return input.success ? askedQuestions(input.data) : null;
  }
  const input = enterPlanModeInput.safeParse(call?.input);
  return input.success ? askedForPlanMode(input.data) : null;
}

/** How the run begins. Neither a brief nor a conversation is a fault of the host, and ends it. */
export async function openRun(spec: RunSpec, lints: OpeningLints): Promise<Opening> {
  if (spec.brief !== null) return withBrief(spec, spec.brief);
  const last = spec.conversation.at(-1);
  if (last === undefined) {
    const detail = 'Expected a brief or a conversation to go on with, got neither.';
    return { kind: 'ended', result: { kind: 'failed', reason: 'crashed', detail } };
  }
  const answer = answerInterrupted(spec.conversation);
  if (answer !== null) return { kind: 'ask', say: [answer] };
  const result = await parkedResult(spec, lints);
  if (result !== null) return { kind: 'ended', result };
  const call = heldCall(spec.conversation);
  if (call !== null) return { kind: 'held', held: { call, word: null } };
  const hasCalls = typeof last.content !== 'string' && (last.content ?? []).some((block) => block.type === 'tool_use');
  return last.role === 'assistant' && !hasCalls ? { kind: 'after_end' } : { kind: 'ask', say: [] };
}

/** Whether the tree is as the conversation left it. */
function goesOn({ brief }: RunSpec): boolean {
  return brief === null || keepsTree[brief.kind];
}

/** An approval of an amended plan has its own word on that: `resumed`. */
const keepsTree: Readonly<Record<RunBrief['kind'], boolean>> = {
  request: false,
  changes_requested: false,
  replan: false,
  answered: true,
  permission: true,
  continued: true,
  declined: true,
  approved: false,
  code_changes_requested: false,
};

function checklists(spec: RunSpec) {
  return inputsOf(spec.conversation, 'update_tasks').flatMap((input) => {
    const parsed = updateTasksInput.safeParse(input);
    return parsed.success ? [parsed.data] : [];
  });
}

/** The checklist of a run that goes on, so that no step is told twice. */
export function tasksSoFar(spec: RunSpec): readonly Task[] {
  if (spec.brief?.kind === 'approved') return spec.brief.resumed?.tasks ?? [];
  return goesOn(spec) ? (checklists(spec).at(-1)?.tasks ?? []) : [];
}

/** What was told of deviations since the work began: with a checklist on which nothing is done. */
export function deviationsSoFar(spec: RunSpec): readonly string[] {
  const isResumed = spec.brief?.kind === 'approved' && (spec.brief.resumed ?? { work: 'lost' }).work !== 'lost';
  if (!goesOn(spec) && !isResumed) return [];
  const told = checklists(spec);
  const first = told.findLastIndex(({ tasks }) => tasks.every(({ status }) => status !== 'done'));
  const all = told.slice(Math.max(0, first)).flatMap(({ deviations }) => deviations ?? []);
  return [...new Set(all)].slice(0, maxDeviations);
}
