import { z } from 'zod';
import type { ChildMessage } from '../agent/run-protocol.ts';
import { messagesSchema } from './conversation-store.ts';
import { costSchema, resultSchema, taskSchema } from './run-record.ts';

const seq = z.number().int();
const said = { seq, messages: messagesSchema, plan: z.string().nullable(), spent: costSchema };

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
  z.object({ kind: z.literal('spent'), spent: costSchema }),
  z.object({ kind: z.literal('audit'), event: z.string(), detail: z.string() }),
  z.object({ kind: z.literal('ended'), seq, result: resultSchema, spent: costSchema }),
]) satisfies z.ZodType<ChildMessage>;

/** What came over the channel, checked: the child works on text that strangers wrote. Throws on anything else. */
export function parseChildMessage(raw: unknown): ChildMessage {
  return childMessage.parse(raw);
}
