import { type Kysely, sql } from 'kysely';
import { fromKysely, type PgBoss } from 'pg-boss';
import type { ThreadRef } from '../github/github.ts';
import { formatThreadKey } from '../github/identifiers.ts';
import type { ThreadState } from '../lifecycle/state.ts';
import { sendWake } from './queue.ts';
import { activeStatuses } from './run-store.ts';
import type { Schema } from './schema.ts';

/** States that end only by something a person does on GitHub, which a delivery or `candidates` tells of. */
const restStates: readonly ThreadState[] = ['inactive', 'abandoned', 'completed', 'failed'];

/** Whether a state, as a row holds it, ends only by something that a person does. */
export function isAtRest(state: string): boolean {
  return restStates.some((each) => each === state);
}

export interface ThreadRecord {
  readonly key: string;
  readonly ref: ThreadRef;
  readonly pullRequest: number | null;
  readonly wakes: number;
  readonly seenWakes: number;
  readonly retryWake: number;
  readonly state: string;
  readonly problem: string | null;
}

/** Asks for a look at the thread, making its row when it is new. Inside a transaction, all or nothing of it happens. */
export async function wake(db: Kysely<Schema>, boss: PgBoss, thread: ThreadRef): Promise<string> {
  const key = formatThreadKey(thread);
  const { installation, repository, issue } = thread;
  const names = { installation, owner: repository.owner, name: repository.name };
  const { wakes } = await db
    .insertInto('thread')
    .values({
      key,
      ...names,
      repository: repository.id,
      issue,
      pull_request: null,
      wakes: 1,
      woken_at: now,
      problem: null,
    })
    .onConflict((known) =>
      known.column('key').doUpdateSet({ ...names, wakes: sql<number>`thread.wakes + 1`, woken_at: now }),
    )
    .returning('wakes')
    .executeTakeFirstOrThrow();
  await sendWake(boss, { thread: key, wake: wakes, attempt: 0 }, { db: fromKysely(db) });
  return key;
}

/** Asks for a look at a thread that has a row. Returns the wake that the look has to cover. */
export async function wakeKnown(db: Kysely<Schema>, boss: PgBoss, key: string): Promise<number> {
  const { wakes } = await db
    .updateTable('thread')
    .set({ wakes: sql<number>`wakes + 1`, woken_at: now })
    .where('key', '=', key)
    .returning('wakes')
    .executeTakeFirstOrThrow();
  await sendWake(boss, { thread: key, wake: wakes, attempt: 0 }, { db: fromKysely(db) });
  return wakes;
}

/** `null` where nothing has asked for a look at the thread yet. */
export async function readThreadRecord(db: Kysely<Schema>, key: string): Promise<ThreadRecord | null> {
  const row = await db.selectFrom('thread').selectAll().where('key', '=', key).executeTakeFirst();
  if (row === undefined) return null;
  return {
    key: row.key,
    ref: {
      installation: Number(row.installation),
      repository: { id: Number(row.repository), owner: row.owner, name: row.name },
      issue: row.issue,
    },
    pullRequest: row.pull_request,
    wakes: row.wakes,
    seenWakes: row.seen_wakes,
    retryWake: row.retry_wake,
    state: row.state,
    problem: row.problem,
  };
}

/** What a complete look at a thread has found. */
export interface Finding {
  readonly seenWakes: number;
  readonly state: ThreadState;
  readonly owner: string;
  readonly name: string;
  readonly pullRequest: number | null;
}

/** Notes a complete look: everything that asked for one up to `seenWakes` has had it. */
export async function recordFinding(db: Kysely<Schema>, key: string, finding: Finding): Promise<void> {
  await db
    .updateTable('thread')
    .set({
      seen_wakes: sql<number>`greatest(seen_wakes, ${finding.seenWakes}::integer)`,
      reconciled_at: now,
      state: finding.state,
      owner: finding.owner,
      name: finding.name,
      pull_request: finding.pullRequest,
      problem: null,
    })
    .where('key', '=', key)
    .execute();
}

/** Notes what GitHub refuses. The thread is left alone until a delivery or a restart asks for another look. */
export async function recordProblem(
  db: Kysely<Schema>,
  key: string,
  problem: string,
  seenWakes: number,
): Promise<void> {
  await db
    .updateTable('thread')
    .set({ problem, seen_wakes: sql<number>`greatest(seen_wakes, ${seenWakes}::integer)`, reconciled_at: now })
    .where('key', '=', key)
    .execute();
}

/** Notes that the look is tried again later, for every wake up to `wake`. */
export async function recordRetry(db: Kysely<Schema>, key: string, wake: number): Promise<void> {
  await db.updateTable('thread').set({ retry_wake: wake }).where('key', '=', key).execute();
}

/**
 * Keys of the threads that a sweep looks at: not at rest, or with a run or a delivery that waits; and not left alone for
 * a problem, unless `withProblems`.
 */
export async function threadsToSweep(db: Kysely<Schema>, withProblems: boolean): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('thread')
    .select('key')
    .where((is) =>
      is.or([
        is('state', 'not in', restStates),
        is('key', 'in', is.selectFrom('run').select('thread').where('status', 'in', activeStatuses)),
        is(
          'key',
          'in',
          is
            .selectFrom('delivery')
            .select('thread')
            .where('state', 'in', ['stored', 'failed'])
            .where('thread', 'is not', null)
            .$castTo<{ thread: string }>(),
        ),
      ]),
    )
    .$if(!withProblems, (query) => query.where('problem', 'is', null))
    .orderBy('key')
    .execute();
  return rows.map((row) => row.key);
}

/** Keys of the threads that are left alone for a problem until something happens. */
export async function threadsWithProblems(db: Kysely<Schema>): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('thread').select('key').where('problem', 'is not', null).execute();
  return new Set(rows.map((row) => row.key));
}

const now = sql<Date>`now()`;
