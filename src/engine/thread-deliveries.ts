import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';

/** The newest delivery that has come for the thread, by its sequence number; 0 where none has. */
export async function newestDelivery(db: Kysely<Schema>, thread: string): Promise<number> {
  const row = await db
    .selectFrom('delivery')
    .select('seq')
    .where('thread', '=', thread)
    .orderBy('seq', 'desc')
    .executeTakeFirst();
  return Number(row?.seq ?? 0);
}

/** Marks what came up to `seq` as looked at; its body is needed no more. */
export async function markProcessed(db: Kysely<Schema>, thread: string, seq: number): Promise<void> {
  await db
    .updateTable('delivery')
    .set({ state: 'processed', body: null, reason: null })
    .where('thread', '=', thread)
    .where('seq', '<=', seq)
    .where('state', 'in', ['stored', 'failed'])
    .execute();
}

/** Marks what came up to `seq` as not looked at, with the reason; the sweep will look again. */
export async function markFailed(db: Kysely<Schema>, thread: string, seq: number, reason: string): Promise<void> {
  await db
    .updateTable('delivery')
    .set({ state: 'failed', reason: reason.replaceAll('\u0000', '').slice(0, 1000) })
    .where('thread', '=', thread)
    .where('seq', '<=', seq)
    .where('state', '=', 'stored')
    .execute();
}

/** Forgets deliveries that nobody can send again any more: GitHub keeps them for a few days. */
export async function forgetDeliveries(db: Kysely<Schema>, olderThanDays: number): Promise<void> {
  await db
    .deleteFrom('delivery')
    .where('received_at', '<', (is) => is.val(new Date(Date.now() - olderThanDays * 24 * 60 * 60 * 1000)))
    .where('state', 'in', ['processed', 'ignored'])
    .execute();
}
