import type Anthropic from '@anthropic-ai/sdk';
import type { BetaToolRunner } from '@anthropic-ai/sdk/lib/tools/BetaToolRunner';
import type { BetaMessageParam } from '@anthropic-ai/sdk/resources/beta.js';
import type { RunSpec } from './run-protocol.ts';
import type { ToolDefinition } from './tools/definition.ts';
import { toRunnable } from './tools/offer.ts';
import type { TurnOrder } from './tools/turn-order.ts';

export interface RunnerPorts {
  readonly client: Anthropic;
  readonly model: RunSpec['model'];
  /** The same bytes for all work of its kind. */
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly order: TurnOrder;
  readonly signal: AbortSignal;
}

/** What asks for a summary, and what sends one, has to name it. */
const summaries = 'compact-2026-09-04';

function holdsSummary([first]: readonly BetaMessageParam[]): boolean {
  return Array.isArray(first?.content) && first.content[0]?.type === 'compaction';
}

/**
 * The vendor's tool runner over these messages. Two cache points: the system prompt, for what it and the tools before it
 * are in every other run of the phase, and the last block, for what this conversation has said so far.
 * `asks for a summary`: its first answer is one, of all the messages; the prefix is that of the requests before, so the
 * cache serves it.
 * Source: https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
export function createRunner(
  { client, model, system, tools, order, signal }: RunnerPorts,
  messages: BetaMessageParam[],
  asks: 'for a reply' | 'for a summary' = 'for a reply',
): BetaToolRunner<true> {
  const isAboutSummaries = asks === 'for a summary' || holdsSummary(messages);
  const runner = client.beta.messages.toolRunner(
    {
      model: model.id,
      max_tokens: model.maxOutputTokens,
      system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }],
      tools: tools.map((tool) => toRunnable(tool, order, signal)),
      messages,
      cache_control: { type: 'ephemeral' },
      stream: true,
      thread: false,
      ...(isAboutSummaries ? { betas: [summaries] } : {}),
    },
    { signal },
  );
  if (asks === 'for a summary') runner.compactBeforeNextTurn();
  return runner;
}
