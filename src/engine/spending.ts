/** What runs have used: their cost, and each day's share of it. Both are kept in one transaction, and never become less. */
import { type Kysely, sql, type Updateable } from 'kysely';
import { z } from 'zod';
import { addCosts, largerCost, noCost, subtractCosts } from '../lifecycle/budget.ts';
import type { Cost, RunMemory } from '../lifecycle/memory.ts';
import { costSchema, parseJson } from './run-record.ts';
import type { RunTable, Schema } from './schema.ts';

/** A day begins at 00:00 UTC, for everybody. */
function utcDay(at: Date): string {
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

/**
 * Changes a run and what it has used. `false`, and nothing changed, where it is in none of `from`. It is asked for with
 * every turn, so it takes no more than a look and a change.
 */
export async function changeRunWithCost(
  tx: Kysely<Schema>,
  id: string,
  { from, told, set = {}, at = new Date() }: CostChange,
): Promise<boolean> {
  const day = utcDay(at);
  const row = await tx
    .selectFrom('run')
    .select(['cost', costOfOtherDays(id, day).as('others')])
    .where('id', '=', id)
    .where('status', 'in', from)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return false;
  const before = parseJson(costSchema, row.cost);
  const cost = told === null ? before : largerCost(before, told);
  const changed = { ...set, cost: JSON.stringify(cost) };
  if (told === null) await tx.updateTable('run').set(changed).where('id', '=', id).execute();
  else await changeWithShare(tx, { run: id, day }, changed, subtractCosts(cost, sumOf(row.others)));
  return true;
}

/** Their costs in JSON, as one array. */
function costOfOtherDays(run: string, day: string) {
  return sql<string>`(select '[' || coalesce(string_agg(cost, ','), '') || ']' from spend where run = ${run} and day <> ${day})`;
}

/** A run's share of a day is what it has used without what it had used on other days. */
async function changeWithShare(
  tx: Kysely<Schema>,
  { run, day }: { readonly run: string; readonly day: string },
  changed: Updateable<RunTable>,
  cost: Cost,
): Promise<void> {
  const share = JSON.stringify(cost);
  await tx
    .with('changed', (query) => query.updateTable('run').set(changed).where('id', '=', run).returning('thread'))
    .insertInto('spend')
    .columns(['repository', 'day', 'run', 'cost'])
    .expression((is) =>
      is
        .selectFrom('thread')
        .innerJoin('changed', 'changed.thread', 'thread.key')
        .select([
          'repository',
          sql<string>`${day}`.as('day'),
          sql<string>`${run}`.as('run'),
          sql<string>`${share}`.as('cost'),
        ]),
    )
    .onConflict((known) => known.columns(['repository', 'day', 'run']).doUpdateSet({ cost: share }))
    .execute();
}

function sumOf(costs: string): Cost {
  return parseJson(z.array(costSchema), costs).reduce(addCosts, noCost);
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
