/** What runs have used: their cost, and each day's share of it. Both are kept in one transaction, and never become less. */
import type { Kysely, Updateable } from 'kysely';
import { addCosts, largerCost, noCost, subtractCosts } from '../lifecycle/budget.ts';
import type { Cost, RunMemory } from '../lifecycle/memory.ts';
import { costSchema, parseJson } from './run-record.ts';
import type { RunTable, Schema } from './schema.ts';

/** A day begins at 00:00 UTC, for everybody. */
export function utcDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}

export interface CostChange {
  /** In what the run has to be. */
  readonly from: readonly RunMemory['status'][];
  /** What the run has used by its own word; `null` where it had none. */
  readonly told: Cost | null;
  /** What else becomes of its row. */
  readonly set?: Omit<Updateable<RunTable>, 'cost'>;
  readonly at?: Date;
}

/** Changes a run and what it has used. `false`, and nothing changed, where it is in none of `from`. */
export async function changeRunWithCost(
  tx: Kysely<Schema>,
  id: string,
  { from, told, set = {}, at = new Date() }: CostChange,
): Promise<boolean> {
  const row = await tx
    .selectFrom('run')
    .innerJoin('thread', 'thread.key', 'run.thread')
    .select(['run.cost', 'thread.repository'])
    .where('run.id', '=', id)
    .where('run.status', 'in', from)
    .forUpdate('run')
    .executeTakeFirst();
  if (row === undefined) return false;
  const before = parseJson(costSchema, row.cost);
  const cost = told === null ? before : largerCost(before, told);
  await tx
    .updateTable('run')
    .set({ ...set, cost: JSON.stringify(cost) })
    .where('id', '=', id)
    .execute();
  if (told !== null) await keepShare(tx, { repository: Number(row.repository), run: id, day: utcDay(at) }, cost);
  return true;
}

/** A run's share of a day is what it has used without what it had used on other days. */
async function keepShare(
  tx: Kysely<Schema>,
  place: { readonly repository: number; readonly run: string; readonly day: string },
  cost: Cost,
): Promise<void> {
  const others = await tx
    .selectFrom('spend')
    .select('cost')
    .where('run', '=', place.run)
    .where('day', '!=', place.day)
    .execute();
  const share = JSON.stringify(subtractCosts(cost, sumOf(others)));
  await tx
    .insertInto('spend')
    .values({ ...place, cost: share })
    .onConflict((known) => known.columns(['repository', 'day', 'run']).doUpdateSet({ cost: share }))
    .execute();
}

function sumOf(rows: readonly { readonly cost: string }[]): Cost {
  return rows.reduce((sum, row) => addCosts(sum, parseJson(costSchema, row.cost)), noCost);
}

/**
 * What each run of the thread's repository has used on the day. One whose price is not known has a share of its own, so
 * that it does not hide what the others cost.
 */
export async function sharesOfDay(db: Kysely<Schema>, thread: string, at = new Date()): Promise<readonly Cost[]> {
  const rows = await db
    .selectFrom('spend')
    .innerJoin('thread', 'thread.repository', 'spend.repository')
    .select('spend.cost')
    .where('thread.key', '=', thread)
    .where('spend.day', '=', utcDay(at))
    .execute();
  return rows.map(({ cost }) => parseJson(costSchema, cost));
}
