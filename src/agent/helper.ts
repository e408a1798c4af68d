/**
 * A helper of a run: a conversation of its own that looks at the code and ends with a report. It has the run's phase, its
 * budget and, of its tools, those that only look. More would serve nobody: two that write in one tree undo each other's
 * work, a question of a helper has nobody to wait for its answer, and a helper of a helper nobody to read its report.
 */
import type Anthropic from '@anthropic-ai/sdk';
import type { BetaContentBlock, BetaContentBlockParam, BetaMessageParam } from '@anthropic-ai/sdk/resources/beta.js';
import type { RunBudget } from './budget.ts';
import { createOfferedTools } from './call-results.ts';
import { keepReply, toRequest } from './conversation.ts';
import type { HostChannel } from './host-channel.ts';
import { type AfterReply, type LoopPorts, runLoop } from './loop.ts';
import { helperPrompt } from './prompts.ts';
import { fence } from './quote-text.ts';
import { createRepeatGuard } from './repeat-guard.ts';
import type { Patience, RunSpec } from './run-protocol.ts';
import { nextStep } from './stop-reason.ts';
import { boundText } from './tools/bounded-text.ts';
import { CallRefused, type ToolDefinition } from './tools/definition.ts';
import { type Help, type HelperTask, maxHelperTurns } from './tools/delegate.ts';
import { createTurnOrder } from './tools/turn-order.ts';

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

/** Every reply counts for the run, and its host knows of it at once: a crash loses no cost. */
function replyHandler(
  { spec, budget, host }: HelperPorts,
  tools: readonly ToolDefinition[],
  work: Work,
): Pick<LoopPorts<HelperEnd>, 'handle' | 'order'> {
  const order = createTurnOrder();
  const offered = createOfferedTools(tools, spec.phase, host);
  const guard = createRepeatGuard(offered.isChange);
  const unlessOver = (otherwise: AfterReply<HelperEnd>): AfterReply<HelperEnd> => {
    if (budget.state().kind === 'exhausted') return failed("the run's budget is used up");
    return work.turns < maxHelperTurns ? otherwise : failed(`it has used its ${maxHelperTurns} turns`);
  };
  return {
    order,
    handle: async (reply, runCalls) => {
      work.turns += 1;
      budget.add(reply.usage);
      host.spent(budget.spent());
      const kept = keepReply(reply);
      if (kept !== null) work.messages.push(kept);
      const text = textOf(reply.content);
      if (text !== '') work.said = text;
      const calls = reply.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
      // Like an implementation, it is done once it calls nothing.
      const step = nextStep({
        phase: 'implement',
        stopReason: reply.stop_reason,
        calls: calls.length,
        hasPlan: false,
        wasNudged: false,
        wasContinued: false,
        explanation: reply.stop_details?.explanation ?? null,
      });
      if (step.kind === 'finish')
        return text === '' ? failed('it said nothing') : { kind: 'end', result: { kind: 'report', text } };
      if (step.kind === 'say') return failed('its reply was cut at the output limit');
      if (step.kind === 'fail') return failed(step.detail);
      if (step.kind === 'resume') return unlessOver({ kind: 'resume' });
      const circle = guard.refuse(calls);
      if (circle !== null) return failed(circle);
      order.begin(calls.map(({ id, name }) => ({ id, isOffered: offered.has(name) })));
      const results = offered.results(calls, await runCalls());
      const warning = work.turns === maxHelperTurns - 1 ? [{ type: 'text', text: lastTurn } as const] : [];
      say(work, ...results, ...warning);
      return unlessOver({ kind: 'go_on' });
    },
  };
}

async function converse(
  ports: HelperPorts,
  tools: readonly ToolDefinition[],
  { kind, task }: HelperTask,
  signal: AbortSignal,
): Promise<HelperEnd & { readonly said: string }> {
  const { client, spec, patience, budget, host } = ports;
  const work: Work = { messages: [], turns: 0, said: '' };
  if (budget.state().kind === 'exhausted') return { kind: 'failed', detail: "the run's budget is used up", said: '' };
  say(work, { type: 'text', text: task });
  const end = await runLoop<HelperEnd>({
    client,
    model: spec.model,
    system: helperPrompt(kind),
    patience,
    tools,
    log: { toSend: () => toRequest(work.messages) },
    host,
    signal,
    ...replyHandler(ports, tools, work),
  }).catch((error: unknown): HelperEnd => {
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
