/** Runs in their table. A status moves by compare-and-set, so of two that would move it one does nothing. */
import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { goesOnAsParked, type RunOrder } from '../lifecycle/actions.ts';
import { workToResume } from '../lifecycle/amendment.ts';
import { noCost, pricedCost } from '../lifecycle/budget.ts';
import type { Cost, Memory, Outcome, RunMemory, StepReport, Task } from '../lifecycle/memory.ts';
import type { Permissions } from '../lifecycle/policy.ts';
import { parseRun, type RunRecord } from './run-record.ts';
import type { Schema } from './schema.ts';
import { changeRunWithCost, sharesOfDay } from './spending.ts';

type Status = RunMemory['status'];

/** What a run is in before it has ended; a thread has at most one such run. */
export const activeStatuses: readonly Status[] = ['queued', 'running', 'stopping'];

/** Everything that is remembered of a thread's runs, oldest first, and what its repository has used on the day of `at`. */
export async function readMemory(db: Kysely<Schema>, thread: string, at = new Date()): Promise<Memory> {
  const runs = (await readRuns(db, thread)).map(toMemory);
  const shares = await sharesOfDay(db, thread, at);
  return shares.length === 0 ? { runs } : { runs, spentToday: pricedCost(shares) };
}

/** All of a thread's runs, oldest first. */
export async function readRuns(db: Kysely<Schema>, thread: string): Promise<readonly RunRecord[]> {
  const rows = await db.selectFrom('run').selectAll().where('thread', '=', thread).orderBy('seq').execute();
  return rows.map(parseRun);
}

function toMemory(run: RunRecord): RunMemory {
  const { id, phase, branch, causes, status, head, base, approval, outcome, isSettled, cost, tasks } = run;
  const told = tasks.length === 0 ? {} : { tasks };
  return { id, phase, branch, causes, status, head, base, approval, outcome, isSettled, cost, ...told };
}

/** `null` where there is no such run. */
export async function readRun(db: Kysely<Schema>, id: string): Promise<RunRecord | null> {
  const row = await db.selectFrom('run').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : parseRun(row);
}

/**
 * Keeps the order as a queued run and returns its id; `null` where the thread has an active run already.
 * @param permissions those in force when its thread entered plan mode; `null` where none are remembered
 */
export async function insertRun(
  db: Kysely<Schema>,
  thread: string,
  order: RunOrder,
  permissions: Permissions | null = null,
): Promise<string | null> {
  const id = randomBytes(6).toString('hex');
  const parked = continuesParkedWork(order) ? await lastRunOn(db, thread, order.branch) : null;
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('run')
    .values({
      id,
      thread,
      phase: order.phase,
      branch: order.branch,
      causes: JSON.stringify(order.causes),
      occasion: JSON.stringify(order.occasion),
      status: 'queued',
      head: order.head,
      base: order.base,
      approval: order.approval === null ? null : JSON.stringify(order.approval),
      outcome: null,
      cost: JSON.stringify(noCost),
      plan: null,
      workspace: parked?.workspace ?? id,
      steps: JSON.stringify(parked?.steps ?? []),
      tasks: JSON.stringify(parked?.tasks ?? []),
      permissions: permissions === null ? null : JSON.stringify(permissions),
    })
    .onConflict((active) => active.column('thread').where('status', 'in', activeStatuses).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n ? id : null;
}

/** An implementation that parked goes on in the tree it left. */
function continuesParkedWork(order: RunOrder): boolean {
  return order.phase === 'implement' && goesOnAsParked(order.occasion);
}

async function lastRunOn(db: Kysely<Schema>, thread: string, branch: string): Promise<RunRecord | null> {
  const row = await db
    .selectFrom('run')
    .selectAll()
    .where('thread', '=', thread)
    .where('branch', '=', branch)
    .orderBy('seq', 'desc')
    .executeTakeFirst();
  return row === undefined ? null : parseRun(row);
}

/** Moves a run from one of `from` to `to`; `false`, and nothing changed, where it was in none of them. */
export async function moveRun(db: Kysely<Schema>, id: string, from: readonly Status[], to: Status): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('run')
    .set({ status: to, ...(activeStatuses.includes(to) ? {} : { ended_at: sql<Date>`now()` }) })
    .where('id', '=', id)
    .where('status', 'in', from)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Counts one more taking up of the run, or takes one back, and returns how many there have been since its last turn. */
export async function countAttempt(db: Kysely<Schema>, id: string, by: 1 | -1 = 1): Promise<number> {
  const { attempts } = await db
    .updateTable('run')
    .set({ attempts: sql<number>`greatest(attempts + ${by}::integer, 0)` })
    .where('id', '=', id)
    .returning('attempts')
    .executeTakeFirstOrThrow();
  return attempts;
}

export interface Ending {
  readonly outcome: Outcome;
  readonly cost: Cost | null;
}

/** Ends an active run with its outcome. `false` where it is no longer active: a stopped run has no outcome. */
export function endRun(db: Kysely<Schema>, id: string, { outcome, cost }: Ending): Promise<boolean> {
  const set = { status: statusAfter(outcome), outcome: JSON.stringify(outcome), ended_at: new Date() };
  return db.transaction().execute((tx) => changeRunWithCost(tx, id, { from: ['queued', 'running'], told: cost, set }));
}

function statusAfter(outcome: Outcome): Status {
  switch (outcome.kind) {
    case 'plan_ready':
    case 'work_ready':
      return 'finished';
    case 'question':
    case 'plan_mode_asked':
    case 'amendment':
    case 'permission_asked':
    case 'budget_reached':
      return 'parked';
    case 'failed':
      return 'failed';
  }
}

/** Replaces the outcome of a run that has ended: what it made cannot be published. */
export async function failEndedRun(
  db: Kysely<Schema>,
  id: string,
  outcome: Outcome & { kind: 'failed' },
): Promise<void> {
  await db
    .updateTable('run')
    .set({ status: 'failed', outcome: JSON.stringify(outcome) })
    .where('id', '=', id)
    .execute();
}

/** Marks the run's outcome as standing on GitHub. `false` where it was marked before. */
export async function settleRun(db: Kysely<Schema>, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('run')
    .set({ is_settled: true })
    .where('id', '=', id)
    .where('is_settled', '=', false)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Adds a step to those the run has done. */
export async function addStep(db: Kysely<Schema>, id: string, step: StepReport): Promise<void> {
  const steps = (await readRun(db, id))?.steps ?? [];
  await setSteps(db, id, [...steps, step]);
}

/** Replaces the steps that the run has done. */
export async function setSteps(db: Kysely<Schema>, id: string, steps: readonly StepReport[]): Promise<void> {
  await db
    .updateTable('run')
    .set({ steps: JSON.stringify(steps) })
    .where('id', '=', id)
    .execute();
}

/** Keeps what a run has used before its turn is complete. */
export async function storeSpent(db: Kysely<Schema>, id: string, spent: Cost): Promise<void> {
  await db.transaction().execute((tx) => changeRunWithCost(tx, id, { from: ['running'], told: spent }));
}

/** Replaces the checklist of a run. */
export async function setTasks(db: Kysely<Schema>, id: string, tasks: readonly Task[]): Promise<void> {
  await db
    .updateTable('run')
    .set({ tasks: JSON.stringify(tasks) })
    .where('id', '=', id)
    .execute();
}

/** The runs of all threads that have not ended, oldest first. */
export async function activeRuns(db: Kysely<Schema>): Promise<readonly RunRecord[]> {
  const rows = await db.selectFrom('run').selectAll().where('status', 'in', activeStatuses).orderBy('seq').execute();
  return rows.map(parseRun);
}

/**
 * Names of the trees (`RunRecord.workspace`) that may still be needed: of active runs, of a thread's last run while its
 * outcome is not yet on GitHub or waits for an answer, and of those whose amendment is being reviewed or has just been
 * approved. Nothing goes on in the tree of a run that was stopped or failed: what comes after it has a tree of its own. Only
 * where the last push of a thread was refused, the commits stay for whoever wants them.
 */
export async function runsToKeep(db: Kysely<Schema>): Promise<ReadonlySet<string>> {
  const last = db
    .selectFrom('run')
    .select(({ fn }) => fn.max('seq').as('seq'))
    .groupBy('thread');
  const rows = await db
    .selectFrom('run')
    .selectAll()
    .where((is) => {
      const isOpen = is.and([is('is_settled', '=', false), is('status', 'in', ['finished', 'parked'])]);
      const mayBeKept = is.or([isOpen, is('status', '=', 'failed')]);
      return is.or([is('status', 'in', activeStatuses), is.and([mayBeKept, is('seq', 'in', last)])]);
    })
    .execute();
  const needed = rows
    .map(parseRun)
    .filter(
      ({ status, outcome }) => status !== 'failed' || (outcome?.kind === 'failed' && outcome.reason === 'push_refused'),
    );
  return new Set([...needed, ...(await amendmentsToKeep(db))].map((run) => run.workspace));
}

async function amendmentsToKeep(db: Kysely<Schema>): Promise<readonly RunRecord[]> {
  const rows = await db
    .selectFrom('run')
    .innerJoin('thread', 'thread.key', 'run.thread')
    .select('run.thread')
    .distinct()
    .where('run.status', '=', 'parked')
    .where('run.phase', '=', 'implement')
    .where('thread.state', 'not in', ['inactive', 'abandoned', 'completed'])
    .execute();
  const threads = await Promise.all(rows.map(({ thread }) => readRuns(db, thread)));
  return threads.flatMap((runs) => {
    const goesOn = runs.flatMap(({ status, occasion }) =>
      activeStatuses.includes(status) && occasion.kind === 'approval' ? [occasion.resumes] : [],
    );
    return runs.filter((run) => workToResume(runs, run.branch, run.base)?.id === run.id || goesOn.includes(run.id));
  });
}
