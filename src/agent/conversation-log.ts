import type { BetaMessageParam } from '@anthropic-ai/sdk/resources/beta.js';
import type { Cost } from '../lifecycle/memory.ts';
import { toRequest } from './conversation.ts';
import type { HostChannel } from './host-channel.ts';

/** The conversation of a run as it grows. What is appended is sent with the next request and stored with the next turn. */
export interface ConversationLog {
  readonly messages: readonly BetaMessageParam[];
  append(...messages: readonly BetaMessageParam[]): void;
  /** Makes what was appended durable before the calls of its last reply, which change something, are run. */
  storeReply(plan: string | null, spent: Cost): Promise<void>;
  /** Makes what was appended since then durable: the turn is complete. */
  store(plan: string | null, spent: Cost): Promise<void>;
  /** Makes durable what was said to the model in a turn that is given up; a reply to it is dropped, as if never asked for. */
  storeUnanswered(plan: string | null, spent: Cost): Promise<void>;
  toSend(): BetaMessageParam[];
}

/** Begins with what is stored already, which is not stored again. */
export function createConversationLog(stored: readonly BetaMessageParam[], host: HostChannel): ConversationLog {
  const messages = [...stored];
  let storedCount = stored.length;
  let sent: readonly BetaMessageParam[] = [];
  const takeFresh = () => {
    const fresh = messages.slice(storedCount);
    storedCount = messages.length;
    return fresh;
  };
  return {
    messages,
    append: (...more) => {
      messages.push(...more);
    },
    storeReply: (plan, spent) => host.reply({ messages: takeFresh(), plan, spent }),
    store: (plan, spent) => host.turn({ messages: takeFresh(), plan, spent }),
    storeUnanswered: async (plan, spent) => {
      const fresh = takeFresh();
      const said = fresh.slice(0, fresh.findLastIndex(({ role }) => role === 'user') + 1);
      if (said.length > 0) await host.turn({ messages: said, plan, spent });
    },
    toSend: () => {
      sent = keepSame(sent, toRequest(messages));
      return [...sent];
    },
  };
}

/**
 * What is as it was in the request before is the same object: the vendor's client looks for what is new by comparing the two,
 * and writes out every message that is another object to do so.
 */
function keepSame(before: readonly BetaMessageParam[], now: readonly BetaMessageParam[]): readonly BetaMessageParam[] {
  return now.map((message, index) => {
    const old = before[index];
    return old !== undefined && isSame(old, message) ? old : message;
  });
}

function isSame(a: BetaMessageParam, b: BetaMessageParam): boolean {
  if (a.role !== b.role || !Array.isArray(a.content) || !Array.isArray(b.content)) return false;
  const { content } = b;
  return a.content.length === content.length && a.content.every((block, index) => block === content[index]);
}
