import type { Kysely } from 'kysely';
import type { PgBoss } from 'pg-boss';
import type { GitHub } from '../github/github.ts';
import { formatThreadKey } from '../github/identifiers.ts';
import type { Workspaces } from '../workspace/workspace.ts';
import type { Logger } from './log.ts';
import { runQueue, sendRun, threadQueue } from './queue.ts';
import { activeRuns, moveRun, runsToKeep } from './run-store.ts';
import type { Schema } from './schema.ts';
import { forgetDeliveries } from './thread-deliveries.ts';
import { readThreadRecord, threadsToSweep, threadsWithProblems, wake, wakeKnown } from './threads.ts';

export interface SweepPorts {
  readonly db: Kysely<Schema>;
  readonly boss: PgBoss;
  readonly github: Pick<GitHub, 'candidates'>;
  readonly workspaces: Pick<Workspaces, 'sweep'>;
  readonly log: Logger;
}

/** Longer than GitHub lets anyone send a delivery again: 3 days, 7 on an Enterprise Server. */
const keepDeliveriesDays = 30;

/**
 * Takes over what a process that is gone has left. This process alone has the database, so whatever is marked as being
 * worked on is not: the queues are emptied and filled again from the tables. Must come before any worker.
 */
export async function takeOver({ db, boss, log }: SweepPorts): Promise<void> {
  await boss.deleteAllJobs(threadQueue);
  await boss.deleteAllJobs(runQueue);
  const runs = await activeRuns(db);
  for (const run of runs) {
    if (run.status === 'stopping') {
      await moveRun(db, run.id, ['stopping'], 'cancelled');
    } else {
      await sendRun(boss, { run: run.id, attempt: 0 });
    }
  }
  const threads = await threadsToSweep(db, true);
  for (const thread of threads) {
    await wakeKnown(db, boss, thread);
  }
  log.info({ threads: threads.length, runs: runs.length }, 'taken up where the last process left off');
}

/** Looks again at every thread that is not at rest, and at issues that no delivery told of. */
export async function sweep(ports: SweepPorts): Promise<void> {
  const { db, boss, log } = ports;
  for (const thread of await threadsToSweep(db, false)) {
    await wakeKnown(db, boss, thread);
  }
  // One that is being worked on already is passed over by the worker that takes the job; one that GitHub lets nobody look
  // at is offered again once a look goes through.
  const leftAlone = await threadsWithProblems(db);
  for (const run of await activeRuns(db)) {
    if (!leftAlone.has(run.thread)) await sendRun(boss, { run: run.id, attempt: 0 });
  }
  await findCandidates(ports);
  await forgetDeliveries(db, keepDeliveriesDays);
  await ports.workspaces.sweep(await runsToKeep(db));
  log.debug('swept');
}

async function findCandidates({ db, boss, github, log }: SweepPorts): Promise<void> {
  try {
    for (const thread of await github.candidates()) {
      const known = await readThreadRecord(db, formatThreadKey(thread));
      if (known === null || known.problem === null) await db.transaction().execute((tx) => wake(tx, boss, thread));
    }
  } catch (error) {
    log.warn({ err: error }, 'the issues with the trigger label could not be listed; the next sweep asks again');
  }
}
