/**
 * What came over the channel, checked: the child works on text that strangers wrote, and what it says is held to no more than it
 * can have to say. What this stops:
 * 1. A message that is no message, or one that is only the host's to say: that work is ready.
 * 2. A line of the audit log about what the host alone does: an approval, a token, a push.
 * 3. Costs below nothing, which would give back a budget.
 * 4. More than the database, or people, could take in.
 */
import { z } from 'zod';
import { type ChildMessage, runEvents } from '../agent/run-protocol.ts';
import { messagesSchema } from './conversation-store.ts';
import { costSchema, resultSchema, taskSchema } from './run-record.ts';

/** Characters of JSON that a turn may have, and any other message: the largest plan with all that is said of it. */
const maxTurnCharacters = 64 * 1024 * 1024;
const maxCharacters = 8 * 1024 * 1024;

const seq = z.number().int();
const spent = costSchema.refine(
  (cost) => Object.values(cost).every((value) => (value ?? 0) >= 0),
  'expected no less than 0',
);
const said = { seq, messages: messagesSchema, plan: z.string().nullable(), spent };

const childMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('turn'), ...said }),
  z.object({ kind: z.literal('reply'), ...said }),
  z.object({ kind: z.literal('step_done'), seq, title: z.string() }),
  z.object({ kind: z.literal('read_tree'), seq }),
  z.object({
    kind: z.literal('history'),
    seq,
    path: z.string().max(1000).nullable(),
    limit: z.number().int().min(1).max(100),
  }),
  z.object({ kind: z.literal('tasks'), tasks: z.array(taskSchema) }),
  z.object({ kind: z.literal('spent'), spent }),
  z.object({ kind: z.literal('audit'), event: z.enum(runEvents), detail: z.string() }),
  z.object({ kind: z.literal('ended'), seq, result: resultSchema, spent }),
]) satisfies z.ZodType<ChildMessage>;

/** @throws on anything that no run says */
export function parseChildMessage(raw: unknown): ChildMessage {
  const message = childMessage.parse(raw);
  const most = message.kind === 'turn' || message.kind === 'reply' ? maxTurnCharacters : maxCharacters;
  const { length } = JSON.stringify(message);
  if (length > most) throw new Error(`expected a message of at most ${most} characters, got ${length}`);
  return message;
}
