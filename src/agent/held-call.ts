/**
 * The call that a run was parked with, so that a writer says whether it may be made. It is made exactly as it was asked about,
 * before the model is asked anything more.
 *
 * It is made once at the most: that it was allowed is stored before it runs, and its result after it. A process that dies in
 * between leaves a call that was begun and has no result; like every other such call it is not made again, and the model is
 * told that it may have had an effect. Before it was begun, the writer's word is what the run begins with once more.
 */
import type { BetaToolUseBlockParam } from '@anthropic-ai/sdk/resources/beta.js';
import type { Quoted } from './brief.ts';
import type { RunBudget } from './budget.ts';
import type { CallGate } from './call-gate.ts';
import { failedResult } from './conversation.ts';
import type { ConversationLog } from './conversation-log.ts';
import type { HostChannel } from './host-channel.ts';
import type { AfterReply } from './loop.ts';
import { fenceQuoted } from './quote-text.ts';
import type { RunState } from './run-state.ts';
import type { ToolDefinition } from './tools/definition.ts';

export interface HeldCall {
  readonly call: BetaToolUseBlockParam;
  /** The writer's; `null` where the host has not heard of the question yet. */
  readonly word: { readonly isAllowed: boolean; readonly note: Quoted | null } | null;
}

export interface HeldPorts {
  readonly gate: CallGate;
  /** What the phase offers. */
  readonly tools: readonly ToolDefinition[];
  readonly state: RunState;
  readonly log: ConversationLog;
  readonly host: HostChannel;
  readonly budget: RunBudget;
  readonly signal: AbortSignal;
}

const goOn: AfterReply = { kind: 'go_on' };
const notMade = 'Error: this call was not made; make it again where it is still needed';

export async function takeUp({ call, word }: HeldCall, ports: HeldPorts): Promise<AfterReply> {
  const { gate, tools, host } = ports;
  // The phase decides first, as for every call: no word brings in what it does not offer.
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) return answer(ports, call, notMade);
  if (word === null) {
    const asks = await gate.asks(tool, call.input, call.id);
    return asks === null ? answer(ports, call, notMade) : { kind: 'end', result: asks };
  }
  if (!word.isAllowed) {
    host.audit('call_denied', `${call.name}, by a writer`);
    return answer(ports, call, `A writer denied this call${reasonOf(word.note)}`);
  }
  host.audit('call_allowed', `${call.name}, by a writer`);
  return make(tool, call, word.note, ports);
}

function reasonOf(note: Quoted | null): string {
  return note === null ? '.' : `:\n${fenceQuoted(note)}`;
}

function answer({ log }: HeldPorts, call: BetaToolUseBlockParam, text: string): AfterReply {
  log.append({ role: 'user', content: [failedResult(call.id, text)] });
  return goOn;
}

async function make(
  tool: ToolDefinition,
  { id, input }: BetaToolUseBlockParam,
  note: Quoted | null,
  { gate, state, log, budget, signal }: HeldPorts,
): Promise<AfterReply> {
  log.append({ role: 'user', content: [{ type: 'text', text: `A writer allowed this call${reasonOf(note)}` }] });
  await log.storeReply(state.plan, budget.spent());
  const result = await gate.makeAllowed(tool, input, { id, signal }).then(
    (content) => ({ type: 'tool_result', tool_use_id: id, content }) as const,
    (error: unknown) => {
      signal.throwIfAborted();
      return failedResult(id, `Error: ${error instanceof Error ? error.message : String(error)}`);
    },
  );
  log.append({ role: 'user', content: [result] });
  await log.store(state.plan, budget.spent());
  return state.parked === null ? goOn : { kind: 'end', result: state.parked.result };
}
