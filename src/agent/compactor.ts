/**
 * Keeps a conversation within what the model reads. The vendor's compaction on demand (`compact-2026-09-04`) is used: this
 * app decides when, the signed summary comes alone and is stored like a turn, and what is kept word for word behind it is
 * this app's choice. The vendor's threshold compaction (`compact_20260112`) happens in the middle of a reply, keeps nothing
 * word for word, and leaves no place for what must be stated anew before the model goes on.
 * Source: https://platform.claude.com/docs/en/build-with-claude/compaction-on-demand
 */
import type { BetaMessage, BetaMessageParam } from '@anthropic-ai/sdk/resources/beta.js';
import type { RunBudget } from './budget.ts';
import { afterSummary } from './compaction.ts';
import { toSummarize } from './conversation.ts';
import type { ConversationLog } from './conversation-log.ts';
import type { HostChannel } from './host-channel.ts';
import type { RunSpec } from './run-protocol.ts';
import type { RunState } from './run-state.ts';

const DEFAULT_COMPACT_AT_TOKENS = 150_000;
const CHARACTERS_PER_TOKEN = 4;

export interface Compactor {
  /** Counts what the model has read for a reply, before the reply is appended. */
  measure(usage: BetaMessage['usage']): void;
  /** What is to be summarized before the next request; `null` where that can be sent as it is. */
  due(): BetaMessageParam[] | null;
  /** The model has refused the conversation as too long. `false` where a summary cannot help: then that is the end. */
  demand(): boolean;
  /** Takes the summary and stores it with what is stated anew. `false` where the answer holds none. */
  take(reply: BetaMessage): Promise<boolean>;
  /** There is no summary. `false` where the conversation cannot go on without one. */
  goOnWithout(why: string): boolean;
}

export interface CompactorPorts {
  readonly spec: RunSpec;
  readonly state: RunState;
  readonly log: ConversationLog;
  readonly host: Pick<HostChannel, 'audit'>;
  readonly budget: Pick<RunBudget, 'add' | 'spent'>;
  /** Called once what the model has looked at is no more before it. */
  readonly forgetLooks: () => void;
}

function estimateTokens(messages: readonly BetaMessageParam[]): number {
  return Math.ceil(JSON.stringify(messages).length / CHARACTERS_PER_TOKEN);
}

/** The block of a summary, as it came; `null` where the vendor could not write one. */
function summaryOf({ content, stop_reason }: BetaMessage): BetaMessageParam | null {
  if (stop_reason !== 'compaction') return null;
  const block = content.find((candidate) => candidate.type === 'compaction');
  return block?.content ? { role: 'assistant', content: [structuredClone(block)] } : null;
}

export function createCompactor({ spec, state, log, host, budget, forgetLooks }: CompactorPorts): Compactor {
  const limit = spec.compactAtTokens ?? DEFAULT_COMPACT_AT_TOKENS;
  /** What the model has counted, up to so many messages of the log. */
  let known: { readonly tokens: number; readonly messages: number } | null = null;
  let isDemanded = false;
  let isGivenUp = false;
  const size = () =>
    known === null ? estimateTokens(log.toSend()) : known.tokens + estimateTokens(log.messages.slice(known.messages));
  return {
    measure: ({ input_tokens, cache_creation_input_tokens: written, cache_read_input_tokens: read }) => {
      known = { tokens: input_tokens + (written ?? 0) + (read ?? 0), messages: log.messages.length };
    },
    due: () => (isDemanded || (!isGivenUp && size() >= limit) ? toSummarize(log.messages) : null),
    demand: () => {
      isDemanded = toSummarize(log.messages) !== null;
      return isDemanded;
    },
    take: async (reply) => {
      budget.add(reply.usage);
      const summary = summaryOf(reply);
      if (summary === null) return false;
      log.append(summary, afterSummary(spec, state, log.messages));
      await log.store(state.plan, budget.spent());
      forgetLooks();
      known = null;
      isDemanded = false;
      isGivenUp = false;
      return true;
    },
    goOnWithout: (why) => {
      host.audit('not_summarized', why);
      isGivenUp = true;
      return !isDemanded;
    },
  };
}
