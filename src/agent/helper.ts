/**
 * A helper of a run: a conversation of its own that looks at the code and ends with a report. It has the run's phase, its
 * budget and, of its tools, those that only look. More would serve nobody: two that write in one tree undo each other's
 * work, a question of a helper has nobody to wait for its answer, and a helper of a helper nobody to read its report.
 */
import type Anthropic from '@anthropic-ai/sdk';
import type {
  BetaContentBlock,
  BetaContentBlockParam,
  BetaMessage,
  BetaMessageParam,
  BetaToolUseBlock,
} from '@anthropic-ai/sdk/resources/beta.js';
import type { RunBudget } from './budget.ts';
import { callsIn, createOfferedTools, makeCalls, type OfferedTools } from './call-results.ts';
import { keepReply, toRequest } from './conversation.ts';
import type { HostChannel } from './host-channel.ts';
import { type AfterReply, type LoopPorts, type RunCalls, runLoop } from './loop.ts';
import { helperPrompt } from './prompts.ts';
import { fence } from './quote-text.ts';
import { createRepeatGuard, type RepeatGuard } from './repeat-guard.ts';
import type { Patience, RunSpec } from './run-protocol.ts';
import { type NextStep, nextStep } from './stop-reason.ts';
import { boundText } from './tools/bounded-text.ts';
import { CallRefused, type ToolDefinition } from './tools/definition.ts';
import { type Help, type HelperTask, maxHelperTurns } from './tools/delegate.ts';
import { createTurnOrder, type TurnOrder } from './tools/turn-order.ts';

const MAX_REPORT_BYTES = 8_000;

const lastTurn = 'One turn is left: write your report now, without a call.';

export interface HelperPorts {
  readonly client: Anthropic;
  readonly spec: Pick<RunSpec, 'phase' | 'model'>;
  readonly patience: Patience;
  readonly budget: RunBudget;
  readonly host: HostChannel;
}

type HelperEnd =
  | { readonly kind: 'report'; readonly text: string }
  | { readonly kind: 'failed'; readonly detail: string };

/** What a helper has said, and what it still may. */
interface Work {
  readonly messages: BetaMessageParam[];
  turns: number;
  /** The newest text that it wrote; empty where it wrote none. */
  said: string;
}

interface Desk extends Pick<HelperPorts, 'budget' | 'host'> {
  readonly work: Work;
  readonly order: TurnOrder;
  readonly offered: OfferedTools;
  readonly guard: RepeatGuard;
}

type Calls = readonly BetaToolUseBlock[];

function say(work: Work, ...content: BetaContentBlockParam[]): void {
  work.messages.push({ role: 'user', content });
}

function textOf(content: readonly BetaContentBlock[]): string {
  return content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n')
    .trim();
}

function failed(detail: string): AfterReply<HelperEnd> {
  return { kind: 'end', result: { kind: 'failed', detail } };
}

const budgetUsed = "the run's budget is used up";

function endIfOver({ budget, work }: Desk, otherwise: AfterReply<HelperEnd>): AfterReply<HelperEnd> {
  if (budget.state().kind === 'exhausted') return failed(budgetUsed);
  return work.turns < maxHelperTurns ? otherwise : failed(`it has used its ${maxHelperTurns} turns`);
}

/** Every reply counts for the run, and the host knows of it at once: a crash loses no cost. */
function listen({ budget, host, work }: Desk, reply: BetaMessage): void {
  work.turns += 1;
  budget.add(reply.usage);
  host.spent(budget.spent());
  const kept = keepReply(reply);
  if (kept !== null) work.messages.push(kept);
  work.said = textOf(reply.content) || work.said;
}

/** Like an implementation, a helper is done once it calls nothing. */
function followUp(reply: BetaMessage, calls: Calls): NextStep {
  return nextStep({
    phase: 'implement',
    stopReason: reply.stop_reason,
    calls: calls.length,
    hasPlan: false,
    wasNudged: false,
    wasContinued: false,
    explanation: reply.stop_details?.explanation ?? null,
  });
}

async function runTools(desk: Desk, calls: Calls, runCalls: RunCalls): Promise<AfterReply<HelperEnd>> {
  const { guard, work } = desk;
  const circle = guard.refuse(calls);
  if (circle !== null) return failed(circle);
  const next = endIfOver(desk, { kind: 'go_on' });
  if (next.kind === 'end') return next;
  const results = await makeCalls(desk, calls, runCalls);
  const warning = work.turns === maxHelperTurns - 1 ? [{ type: 'text', text: lastTurn } as const] : [];
  say(work, ...results, ...warning);
  return next;
}

async function handle(desk: Desk, reply: BetaMessage, runCalls: RunCalls): Promise<AfterReply<HelperEnd>> {
  listen(desk, reply);
  const calls = callsIn(reply);
  const step = followUp(reply, calls);
  switch (step.kind) {
    case 'run_tools':
      return runTools(desk, calls, runCalls);
    case 'resume':
      return endIfOver(desk, { kind: 'resume' });
    case 'say':
      return failed('its reply was cut at the output limit');
    case 'fail':
      return failed(step.detail);
    case 'finish': {
      const text = textOf(reply.content);
      return text === '' ? failed('it said nothing') : { kind: 'end', result: { kind: 'report', text } };
    }
  }
}

async function converse(
  ports: HelperPorts,
  tools: readonly ToolDefinition[],
  { kind, task }: HelperTask,
  signal: AbortSignal,
): Promise<HelperEnd & { readonly said: string }> {
  const { client, spec, patience, budget, host } = ports;
  const work: Work = { messages: [], turns: 0, said: '' };
  if (budget.state().kind === 'exhausted') return { kind: 'failed', detail: budgetUsed, said: '' };
  say(work, { type: 'text', text: task });
  const order = createTurnOrder();
  const offered = createOfferedTools(tools, spec.phase, host);
  const desk: Desk = { budget, host, work, order, offered, guard: createRepeatGuard(offered.isChange) };
  const loop: LoopPorts<HelperEnd> = {
    client,
    model: spec.model,
    system: helperPrompt(kind),
    patience,
    tools,
    order,
    log: { toSend: () => toRequest(work.messages) },
    host,
    signal,
    handle: (reply, runCalls) => handle(desk, reply, runCalls),
    countCut: budget.addCut,
    whenSpent: () => (budget.state().kind === 'exhausted' ? { kind: 'failed', detail: budgetUsed } : null),
  };
  const end = await runLoop(loop).catch((error: unknown): HelperEnd => {
    signal.throwIfAborted();
    host.audit('helper_failed', error instanceof Error ? error.name : 'unknown');
    return { kind: 'failed', detail: 'it broke off' };
  });
  return { ...end, said: work.said };
}

function bounded(label: string, text: string): string {
  return fence(label, boundText(text, 'ask a helper for the part that is missing', MAX_REPORT_BYTES));
}

/** Helpers of a run. Whatever becomes of one, its answer is bounded, and the others go on. */
export function createHelp(ports: HelperPorts): Help {
  return async (task, tools, signal) => {
    const end = await converse(ports, tools, task, signal);
    if (end.kind === 'report') return bounded(`the report of a helper (${task.kind})`, end.text);
    const said = end.said === '' ? '' : `\n${bounded(`what the helper (${task.kind}) had said`, end.said)}`;
    throw new CallRefused(`expected a report of the helper, got none: ${end.detail}${said}`);
  };
}
