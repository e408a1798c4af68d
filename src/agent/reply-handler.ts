import type {
  BetaContentBlockParam,
  BetaMessage,
  BetaMessageParam,
  BetaToolUseBlock,
} from '@anthropic-ai/sdk/resources/beta.js';
import { isEmptyPlan } from '../plan/plan-file.ts';
import { type BudgetState, endAtCeiling, type RunBudget } from './budget.ts';
import { callsIn, createOfferedTools, makeCalls, type OfferedTools } from './call-results.ts';
import { failedResult, keepReply } from './conversation.ts';
import type { ConversationLog } from './conversation-log.ts';
import type { HostChannel } from './host-channel.ts';
import type { AfterReply, RunCalls } from './loop.ts';
import { reminderAfter, turnsSinceExplained, writeReminder } from './reminders.ts';
import { createRepeatGuard, type RepeatGuard } from './repeat-guard.ts';
import type { RunSpec } from './run-protocol.ts';
import type { RunState } from './run-state.ts';
import { type NextStep, nextStep } from './stop-reason.ts';
import type { ToolDefinition } from './tools/definition.ts';
import type { TurnOrder } from './tools/turn-order.ts';

export interface ReplyPorts {
  readonly spec: RunSpec;
  readonly tools: readonly ToolDefinition[];
  readonly state: RunState;
  readonly order: TurnOrder;
  readonly log: ConversationLog;
  readonly host: HostChannel;
  readonly budget: RunBudget;
  /** Runs the checks of an implementation that says it is done. */
  readonly finish: (budget: BudgetState) => Promise<AfterReply>;
}

export interface ReplyHandler {
  readonly handle: (reply: BetaMessage, runCalls: RunCalls) => Promise<AfterReply>;
  /** Goes on after a reply that was stored before a crash and called no tool. */
  readonly goOnAfterEnd: () => Promise<AfterReply>;
  /** Tells that the model has no more before it what it has looked at. */
  readonly forgetLooks: () => void;
}

interface Desk extends ReplyPorts {
  readonly offered: OfferedTools;
  readonly guard: RepeatGuard;
  /** What the run is given once and no more: the reminder in all, the continuation of a cut reply until one is whole. */
  readonly chances: { wasNudged: boolean; wasContinued: boolean };
}

type Calls = readonly BetaToolUseBlock[];

const notRun = 'Error: the reply was cut at the output limit; this call did not run';

function user(...content: BetaContentBlockParam[]): BetaMessageParam {
  return { role: 'user', content };
}

function append({ log }: Desk, reply: BetaMessage): void {
  const kept = keepReply(reply);
  if (kept !== null) log.append(kept);
}

async function store({ log, state, budget }: Desk): Promise<void> {
  await log.store(state.plan, budget.spent());
}

function endIfSpent({ budget }: Desk, otherwise: AfterReply): AfterReply {
  const result = endAtCeiling(budget);
  return result === null ? otherwise : { kind: 'end', result };
}

function remind({ spec, budget, log }: Desk): readonly BetaContentBlockParam[] {
  const due = spec.phase === 'plan' ? reminderAfter(turnsSinceExplained(log.messages, spec.planPath)) : null;
  const ofMode = due === null ? [] : [writeReminder(due, spec.planPath)];
  const warning = budget.warning();
  const ofBudget = warning === null ? [] : [`Reminder: ${warning}`];
  return [...ofMode, ...ofBudget].map((text) => ({ type: 'text', text }));
}

function followUp(
  { spec, state, chances }: Desk,
  reply: Pick<BetaMessage, 'stop_reason' | 'stop_details'>,
  calls: Calls,
) {
  return nextStep({
    phase: spec.phase,
    stopReason: reply.stop_reason,
    calls: calls.length,
    hasPlan: state.plan !== null && !isEmptyPlan(state.plan),
    explanation: reply.stop_details?.explanation ?? null,
    ...chances,
  });
}

function fail(step: Extract<NextStep, { kind: 'fail' }>): AfterReply {
  return { kind: 'end', result: { kind: 'failed', reason: step.reason, detail: step.detail } };
}

/**
 * Runs the calls of a reply, and stores both: at once where nothing of a call outlives a crash, else the reply first, so
 * that no call is made twice. Of a parked turn, the call that waits stays unanswered.
 */
async function runTools(desk: Desk, reply: BetaMessage, calls: Calls, runCalls: RunCalls): Promise<AfterReply> {
  const { budget, guard, host, offered, log, state } = desk;
  desk.chances.wasContinued = false;
  const circle = guard.refuse(calls);
  if (circle !== null) return fail({ kind: 'fail', reason: 'repeated_calls', detail: circle });
  append(desk, reply);
  if (calls.some(({ name }) => offered.isLasting(name))) await log.storeReply(state.plan, budget.spent());
  else host.spent(budget.spent());
  const results = await makeCalls(desk, calls, runCalls);
  calls.forEach((call, index) => {
    if (offered.isChange(call.name)) guard.changed(call, results[index]?.is_error !== true);
  });
  const { parked } = state;
  if (parked === null) log.append(user(...results, ...remind(desk)));
  else log.append(user(...results.filter((result) => result.tool_use_id !== parked.call)));
  await store(desk);
  return parked === null ? endIfSpent(desk, { kind: 'go_on' }) : { kind: 'end', result: parked.result };
}

async function say(desk: Desk, step: Extract<NextStep, { kind: 'say' }>, calls: Calls): Promise<AfterReply> {
  if (step.why === 'nudge') desk.chances.wasNudged = true;
  else desk.chances.wasContinued = true;
  const results = calls.map(({ id }) => failedResult(id, notRun));
  desk.log.append(user(...results, { type: 'text', text: step.text }));
  await store(desk);
  return endIfSpent(desk, { kind: 'go_on' });
}

async function handle(desk: Desk, reply: BetaMessage, runCalls: RunCalls): Promise<AfterReply> {
  desk.budget.add(reply.usage);
  const calls = callsIn(reply);
  const step = followUp(desk, reply, calls);
  if (step.kind === 'fail') return fail(step);
  if (step.kind === 'run_tools') return runTools(desk, reply, calls, runCalls);
  append(desk, reply);
  if (step.kind === 'say') return say(desk, step, calls);
  // Stored with the turn that it is a part of: by itself it would read as one that has ended.
  if (step.kind === 'resume') return endIfSpent(desk, { kind: 'resume' });
  await store(desk);
  return desk.finish(desk.budget.state());
}

async function goOnAfterEnd(desk: Desk): Promise<AfterReply> {
  const step = followUp(desk, { stop_reason: 'end_turn', stop_details: null }, []);
  if (step.kind === 'finish') return desk.finish(desk.budget.state());
  if (step.kind === 'say') return say(desk, step, []);
  if (step.kind === 'fail') return fail(step);
  throw new Error(`expected an answer to the end of a turn, got ${step.kind}`);
}

/** Takes each complete reply of the model: decides what follows, runs its calls, stores the turn. */
export function createReplyHandler(ports: ReplyPorts): ReplyHandler {
  const offered = createOfferedTools(ports.tools, ports.spec.phase, ports.host);
  const chances = { wasNudged: false, wasContinued: false };
  const desk: Desk = { ...ports, offered, guard: createRepeatGuard(offered.isChange), chances };
  return {
    handle: (reply, runCalls) => handle(desk, reply, runCalls),
    goOnAfterEnd: () => goOnAfterEnd(desk),
    forgetLooks: desk.guard.forgetLooks,
  };
}
