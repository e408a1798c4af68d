/** The deliveries that are to be asked for again, and how far GitHub's list of them has been read. */
import { type Kysely, sql } from 'kysely';
import type { MissedDelivery, SortedAttempts } from '../github/missed-deliveries.ts';
import type { Schema } from './schema.ts';

/** How far the list has been read: from the newest back to `since`, in one walk or, where it is cut off, in several. */
export interface ListProgress {
  /** Milliseconds since the epoch: everything older is noted. `null` before the first walk has ended. */
  readonly since: number | null;
  /** Where the walk that is under way goes on; `null` where none is. */
  readonly page: string | null;
  /** The newest attempt that the walk under way has seen. */
  readonly newest: number | null;
}

export async function readProgress(db: Kysely<Schema>): Promise<ListProgress> {
  const row = await db.selectFrom('delivery_list').selectAll().executeTakeFirstOrThrow();
  return { since: row.since?.getTime() ?? null, page: row.page, newest: row.newest?.getTime() ?? null };
}

/** Keeps what a page told together with how far the list is read by it: both or neither. */
export async function notePage(db: Kysely<Schema>, sorted: SortedAttempts, progress: ListProgress): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (sorted.arrived.length > 0) await tx.deleteFrom('missed_delivery').where('guid', 'in', sorted.arrived).execute();
    if (sorted.missed.length > 0) await noteMissed(tx, sorted.missed);
    const { since, page, newest } = progress;
    await tx
      .updateTable('delivery_list')
      .set({ since: dateOf(since), page, newest: dateOf(newest) })
      .execute();
  });
}

/** What is noted already keeps its asks and their distance. */
async function noteMissed(tx: Kysely<Schema>, missed: readonly MissedDelivery[]): Promise<void> {
  const guids = missed.map(({ guid }) => guid);
  const stored = await tx.selectFrom('delivery').select('guid').where('guid', 'in', guids).execute();
  const known = new Set(stored.map(({ guid }) => guid));
  const rows = missed
    .filter(({ guid }) => !known.has(guid))
    .map(({ guid, id, deliveredAt, dueAt }) => ({
      guid,
      attempt: id,
      delivered_at: new Date(deliveredAt),
      due_at: new Date(dueAt),
    }));
  if (rows.length === 0) return;
  await tx
    .insertInto('missed_delivery')
    .values(rows)
    .onConflict((noted) => noted.column('guid').doNothing())
    .execute();
}

/** Strikes out what has come, and what GitHub keeps no more. @returns how many have come */
export async function strikeOut(db: Kysely<Schema>, keptSince: number): Promise<number> {
  const came = await db
    .deleteFrom('missed_delivery')
    .where((is) => is('guid', 'in', is.selectFrom('delivery').select('guid')))
    .executeTakeFirst();
  await db.deleteFrom('missed_delivery').where('delivered_at', '<', new Date(keptSince)).execute();
  return Number(came.numDeletedRows);
}

export interface DueDelivery {
  readonly guid: string;
  readonly attempt: string;
  readonly asks: number;
}

/** Those to ask for again, the least often asked for first, then the oldest: GitHub forgets it first. */
export async function dueDeliveries(
  db: Kysely<Schema>,
  now: number,
  maxAsks: number,
  limit: number,
): Promise<readonly DueDelivery[]> {
  return db
    .selectFrom('missed_delivery')
    .select(['guid', 'attempt', 'asks'])
    .where('asks', '<', maxAsks)
    .where('due_at', '<=', new Date(now))
    .orderBy('asks')
    .orderBy('delivered_at')
    .limit(limit)
    .execute();
}

/** Notes, before it is done, that a delivery is asked for. @returns whether nobody else was quicker */
export async function noteAsk(db: Kysely<Schema>, { guid, asks }: DueDelivery, dueAt: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('missed_delivery')
    .set({ asks: asks + 1, due_at: new Date(dueAt) })
    .where('guid', '=', guid)
    .where('asks', '=', asks)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function strikeOutOne(db: Kysely<Schema>, guid: string): Promise<void> {
  await db.deleteFrom('missed_delivery').where('guid', '=', guid).execute();
}

/** Those that were asked for often enough and have not come; each is told once. */
export async function takeGivenUp(db: Kysely<Schema>, now: number, maxAsks: number): Promise<readonly string[]> {
  const rows = await db
    .updateTable('missed_delivery')
    .set({ due_at: sql<Date>`'infinity'` })
    .where('asks', '>=', maxAsks)
    .where('due_at', '<=', new Date(now))
    .returning('guid')
    .execute();
  return rows.map(({ guid }) => guid);
}

function dateOf(time: number | null): Date | null {
  return time === null ? null : new Date(time);
}
