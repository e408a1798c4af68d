import type { BetaMessageParam } from '@anthropic-ai/sdk/resources/beta.js';
import type { Cost } from '../lifecycle/memory.ts';
import { toRequest } from './conversation.ts';
import type { HostChannel } from './host-channel.ts';

/** The conversation of a run as it grows. What is appended is sent with the next request and stored with the next turn. */
export interface ConversationLog {
  readonly messages: readonly BetaMessageParam[];
  append(...messages: readonly BetaMessageParam[]): void;
  /** Makes what was appended since the last turn durable. */
  store(plan: string | null, spent: Cost): Promise<void>;
  toSend(): BetaMessageParam[];
}

/** Begins with what is stored already, which is not stored again. */
export function createConversationLog(stored: readonly BetaMessageParam[], host: HostChannel): ConversationLog {
  const messages = [...stored];
  let storedCount = stored.length;
  return {
    messages,
    append: (...more) => {
      messages.push(...more);
    },
    store: async (plan, spent) => {
      const fresh = messages.slice(storedCount);
      storedCount = messages.length;
      await host.turn({ messages: fresh, plan, spent });
    },
    toSend: () => toRequest(messages),
  };
}
