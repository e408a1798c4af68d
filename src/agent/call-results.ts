import type {
  BetaMessage,
  BetaMessageParam,
  BetaToolResultBlockParam,
  BetaToolUseBlock,
} from '@anthropic-ai/sdk/resources/beta.js';
import type { Phase } from '../lifecycle/memory.ts';
import { failedResult } from './conversation.ts';
import type { HostChannel } from './host-channel.ts';
import type { RunCalls } from './loop.ts';
import type { ToolDefinition } from './tools/definition.ts';
import { readKind } from './tools/kinds.ts';
import type { TurnOrder } from './tools/turn-order.ts';

/** The tools of a run, asked by the names that a model gives. */
export interface OfferedTools {
  has(name: string): boolean;
  /** Whether a call of it is meant to change something; a tool that is not offered would be. */
  isChange(name: string): boolean;
  /** Whether what a call of it does, or costs, outlives the process: then no call may be made twice. */
  isLasting(name: string): boolean;
  /** One result for each call, in their order; a call of a tool that is not offered is told what is. */
  results(calls: readonly BetaToolUseBlock[], answer: BetaMessageParam | null): readonly BetaToolResultBlockParam[];
}

const LONGEST_NAME = 60;

function resultsIn(answer: BetaMessageParam | null): readonly BetaToolResultBlockParam[] {
  if (answer === null || typeof answer.content === 'string') return [];
  return (answer.content ?? []).flatMap((block) => (block.type === 'tool_result' ? [block] : []));
}

/** Refused and failed changes are told to the host's log, by name and without content. */
export function createOfferedTools(
  tools: readonly ToolDefinition[],
  phase: Phase,
  host: Pick<HostChannel, 'audit'>,
): OfferedTools {
  const kinds = new Map(tools.map((tool) => [tool.name, readKind(tool.kind)]));
  const isChange = (name: string) => ['resource', 'plan'].includes(kinds.get(name) ?? 'resource');
  const isLasting = (name: string) => ['resource', 'task', 'delegate'].includes(kinds.get(name) ?? '');
  const refuse = (call: BetaToolUseBlock): BetaToolResultBlockParam => {
    const name = call.name.slice(0, LONGEST_NAME);
    host.audit('call_refused', `${name} is not offered in the ${phase} phase`);
    const offered = [...kinds.keys()].join(', ');
    return failedResult(
      call.id,
      `Error: expected an offered tool, got ${JSON.stringify(name)}; offered are ${offered}`,
    );
  };
  return {
    has: (name) => kinds.has(name),
    isChange,
    isLasting,
    results: (calls, answer) => {
      const given = resultsIn(answer);
      return calls.map((call) => {
        if (!kinds.has(call.name)) return refuse(call);
        const result =
          given.find((block) => block.tool_use_id === call.id) ??
          failedResult(call.id, 'Error: the call was not answered');
        if (result.is_error === true && isChange(call.name)) host.audit('call_failed', call.name);
        return result;
      });
    },
  };
}

/** The calls of a reply, as the model wrote them. */
export function callsIn({ content }: Pick<BetaMessage, 'content'>): readonly BetaToolUseBlock[] {
  return content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
}

/** Has the calls of a turn made in their order. One result for each. */
export async function makeCalls(
  { offered, order }: { readonly offered: OfferedTools; readonly order: TurnOrder },
  calls: readonly BetaToolUseBlock[],
  runCalls: RunCalls,
): Promise<readonly BetaToolResultBlockParam[]> {
  order.begin(calls.map(({ id, name }) => ({ id, isOffered: offered.has(name) })));
  return offered.results(calls, await runCalls());
}
