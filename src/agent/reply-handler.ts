import type {
  BetaContentBlockParam,
  BetaMessage,
  BetaMessageParam,
  BetaToolResultBlockParam,
  BetaToolUseBlock,
} from '@anthropic-ai/sdk/resources/beta.js';
import type { Cost } from '../lifecycle/memory.ts';
import { isEmptyPlan } from '../plan/plan-file.ts';
import { addUsage, type BudgetState, readBudget } from './budget.ts';
import { failedResult, keepReply } from './conversation.ts';
import type { Conversation } from './conversation-log.ts';
import type { HostChannel } from './host-channel.ts';
import type { AfterReply, RunCalls } from './loop.ts';
import { type NextStep, nextStep } from './outcome.ts';
import { reminderAfter, writeReminder } from './reminders.ts';
import { createRepeatGuard } from './repeat-guard.ts';
import type { RunSpec } from './run-protocol.ts';
import type { RunState } from './run-state.ts';
import type { ToolDefinition } from './tools/definition.ts';
import { readKind } from './tools/kinds.ts';
import type { TurnOrder } from './tools/turn-order.ts';

export interface ReplyPorts {
  readonly spec: RunSpec;
  readonly tools: readonly ToolDefinition[];
  readonly state: RunState;
  readonly order: TurnOrder;
  readonly log: Conversation;
  readonly host: HostChannel;
  /** Milliseconds since the run's process began. */
  readonly elapsedMs: () => number;
  /** Runs the checks of an implementation that says it is done. */
  readonly finish: (budget: BudgetState) => Promise<AfterReply>;
}

export interface ReplyHandler {
  readonly spent: () => Cost;
  readonly budget: () => BudgetState;
  readonly handle: (reply: BetaMessage, runCalls: RunCalls) => Promise<AfterReply>;
  /** Goes on after a reply that was stored before a crash and called no tool. */
  readonly goOnAfterEnd: () => Promise<AfterReply>;
}

interface Chances {
  wasNudged: boolean;
  wasContinued: boolean;
}

function user(...content: BetaContentBlockParam[]): BetaMessageParam {
  return { role: 'user', content };
}

export function createReplyHandler(ports: ReplyPorts): ReplyHandler {
  const { spec, tools, state, order, log, host } = ports;
  const kinds = new Map(tools.map((tool) => [tool.name, readKind(tool.kind)]));
  const isChange = (name: string) => ['resource', 'plan'].includes(kinds.get(name) ?? 'resource');
  const guard = createRepeatGuard(isChange);
  const chances: Chances = { wasNudged: false, wasContinued: false };
  let spent = spec.spent;
  const budget = () => readBudget(spent, ports.elapsedMs(), spec.budget);
  let hasWarned = spec.spent.turns > 0 && budget().kind === 'near';

  const append = (reply: BetaMessage) => {
    const kept = keepReply(reply);
    if (kept !== null) log.append(kept);
  };
  const endIfSpent = (otherwise: AfterReply): AfterReply => {
    const left = budget();
    if (left.kind !== 'exhausted') return otherwise;
    return { kind: 'end', result: { kind: 'failed', reason: 'budget', detail: left.detail } };
  };
  const remind = (): readonly BetaContentBlockParam[] => {
    const left = budget();
    const texts = spec.phase === 'plan' ? [writeReminder(reminderAfter(spent.turns), spec.planPath)] : [];
    if (left.kind === 'near' && !hasWarned) {
      hasWarned = true;
      texts.push(`Reminder: ${left.warning}`);
    }
    return texts.map((text) => ({ type: 'text', text }));
  };
  const tidy = (call: BetaToolUseBlock, result: BetaContentBlockParam | undefined): BetaToolResultBlockParam => {
    if (!kinds.has(call.name)) {
      host.audit('call_refused', `${call.name.slice(0, 60)} is not offered in the ${spec.phase} phase`);
      const name = JSON.stringify(call.name.slice(0, 60));
      return failedResult(
        call.id,
        `Error: expected an offered tool, got ${name}; offered are ${[...kinds.keys()].join(', ')}`,
      );
    }
    const kept = result?.type === 'tool_result' ? result : failedResult(call.id, 'Error: the call was not answered');
    if (kept.is_error && isChange(call.name)) host.audit('call_failed', call.name);
    return kept;
  };

  const runTools = async (
    reply: BetaMessage,
    calls: readonly BetaToolUseBlock[],
    runCalls: RunCalls,
  ): Promise<AfterReply> => {
    const circle = guard.refuse(calls);
    if (circle !== null) return { kind: 'end', result: { kind: 'failed', reason: 'repeated_calls', detail: circle } };
    order.begin(calls.map(({ id, name }) => ({ id, isOffered: kinds.has(name) })));
    const answer = await runCalls();
    const blocks = typeof answer?.content === 'string' ? [] : (answer?.content ?? []);
    const results = calls.map((call) =>
      tidy(
        call,
        blocks.find((block) => block.type === 'tool_result' && block.tool_use_id === call.id),
      ),
    );
    calls.forEach((call, index) => {
      if (isChange(call.name)) guard.changed(call, results[index]?.is_error !== true);
    });
    append(reply);
    const { parked } = state;
    if (parked === null) log.append(user(...results, ...remind()));
    else log.append(user(...results.filter((result) => result.tool_use_id !== parked.call)));
    await log.store(state.plan, spent);
    return parked === null ? endIfSpent({ kind: 'go_on' }) : { kind: 'end', result: parked.result };
  };

  const say = async (
    step: Extract<NextStep, { kind: 'say' }>,
    calls: readonly BetaToolUseBlock[],
  ): Promise<AfterReply> => {
    if (step.why === 'nudge') chances.wasNudged = true;
    else chances.wasContinued = true;
    const results = calls.map(({ id }) =>
      failedResult(id, 'Error: the reply was cut at the output limit; this call did not run'),
    );
    log.append(user(...results, { type: 'text', text: step.text }));
    await log.store(state.plan, spent);
    return endIfSpent({ kind: 'go_on' });
  };

  const stepAfter = (stopReason: BetaMessage['stop_reason'], calls: number, explanation: string | null): NextStep => {
    const hasPlan = state.plan !== null && !isEmptyPlan(state.plan);
    return nextStep({ phase: spec.phase, stopReason, calls, hasPlan, explanation, ...chances });
  };

  return {
    spent: () => spent,
    budget,
    handle: async (reply, runCalls) => {
      spent = addUsage(spent, reply.usage);
      const calls = reply.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
      const step = stepAfter(reply.stop_reason, calls.length, reply.stop_details?.explanation ?? null);
      if (step.kind === 'fail') return { kind: 'end', result: { ...step, kind: 'failed' } };
      if (step.kind === 'run_tools') return runTools(reply, calls, runCalls);
      append(reply);
      if (step.kind === 'say') return say(step, calls);
      await log.store(state.plan, spent);
      return step.kind === 'finish' ? ports.finish(budget()) : endIfSpent({ kind: 'resume' });
    },
    goOnAfterEnd: async () => {
      const step = stepAfter('end_turn', 0, null);
      if (step.kind === 'finish') return ports.finish(budget());
      if (step.kind === 'say') return say(step, []);
      if (step.kind === 'fail') return { kind: 'end', result: { ...step, kind: 'failed' } };
      throw new Error(`expected an answer to the end of a turn, got ${step.kind}`);
    },
  };
}
