import type { Kysely } from 'kysely';
import { fromKysely, type PgBoss } from 'pg-boss';
import type { RunOrder } from '../lifecycle/actions.ts';
import type { FailureReason } from '../lifecycle/memory.ts';
import { permissionsAtEntry } from '../lifecycle/plan-mode-permissions.ts';
import type { Permissions } from '../lifecycle/policy.ts';
import { type AuditLine, audit, insertLine, logLine } from './audit-log.ts';
import type { Logger } from './log.ts';
import { sendRun } from './queue.ts';
import type { HostedRun } from './run-host.ts';
import { activeRuns, failEndedRun, insertRun, moveRun, readMemory, readRun, readRuns, settleRun } from './run-store.ts';
import type { Schema } from './schema.ts';
import { wakeKnown } from './threads.ts';

/** What a decision does with runs. Each returns whether memory changed; doing it twice changes nothing. */
export interface Runs {
  /** Runs that this process hosts, by id. */
  readonly hosted: Map<string, HostedRun>;
  /** @param live the repository's permissions as they are now */
  start(thread: string, order: RunOrder, live: Permissions): Promise<boolean>;
  /** Returns once no process of the run is left. Afterwards it makes no request and nothing of it is pushed. */
  stop(run: string, why: string): Promise<boolean>;
  settle(run: string, as: 'published' | 'withdrawn' | 'superseded'): Promise<boolean>;
  /** What the run made cannot be published. */
  fail(run: string, reason: FailureReason, detail: string): Promise<void>;
  /** The thread is over: stops the run at work, and gives up whatever was not published yet. */
  abandon(thread: string, why: string): Promise<void>;
  /** Ends the thread's process but keeps the run: GitHub does not let this app act there now. */
  suspend(thread: string): Promise<void>;
  /** Offers the thread's suspended run to the workers again. */
  resume(thread: string): Promise<void>;
}

interface Ports {
  readonly db: Kysely<Schema>;
  readonly boss: PgBoss;
  readonly log: Logger;
}

/** The runs in the tables; those that this process hosts are entered by whoever hosts them. */
export function createRuns(db: Kysely<Schema>, boss: PgBoss, log: Logger): Runs {
  const ports = { db, boss, log };
  const hosted = new Map<string, HostedRun>();
  const activeOf = async (thread: string) => (await activeRuns(db)).filter((run) => run.thread === thread);
  return {
    hosted,
    start: (thread, order, live) => start(ports, thread, order, live),
    stop: (run, why) => stop(ports, hosted, run, why),
    settle: (run, as) => settle(db, run, as),
    fail: async (run, reason, detail) => {
      await failEndedRun(db, run, { kind: 'failed', reason, detail });
      const thread = (await readRun(db, run))?.thread ?? '';
      log.warn({ thread, run, reason, detail }, 'run failed');
      await audit({ db, log }, { thread, run, event: 'run_failed', detail: reason });
    },
    abandon: async (thread, why) => {
      for (const run of await activeOf(thread)) await stop(ports, hosted, run.id, why);
      for (const run of (await readMemory(db, thread)).runs) await settle(db, run.id, 'withdrawn');
    },
    suspend: async (thread) => {
      for (const run of await activeOf(thread)) {
        await hosted.get(run.id)?.suspend();
        await moveRun(db, run.id, ['running'], 'queued');
      }
    },
    resume: async (thread) => {
      for (const run of await activeOf(thread)) {
        await sendRun(boss, { run: run.id, attempt: 0 });
      }
    },
  };
}

async function start({ db, boss, log }: Ports, thread: string, order: RunOrder, live: Permissions): Promise<boolean> {
  const line = await db.transaction().execute(async (tx): Promise<AuditLine | null> => {
    const run = await insertRun(tx, thread, order, permissionsAtEntry(order, await readRuns(tx, thread), live));
    if (run === null) return null;
    await sendRun(boss, { run, attempt: 0 }, { db: fromKysely(tx) });
    const detail = `${order.phase} on ${order.branch}, ${order.occasion.kind}: ${order.causes.join(', ')}`;
    const queued = { thread, run, event: 'run_queued', detail };
    await insertLine(tx, queued);
    return queued;
  });
  if (line !== null) logLine(log, line);
  return line !== null;
}

async function stop(
  { db, boss, log }: Ports,
  hosted: ReadonlyMap<string, HostedRun>,
  id: string,
  why: string,
): Promise<boolean> {
  const run = await readRun(db, id);
  if (run === null) return false;
  const isStopping = (await moveRun(db, id, ['queued', 'running'], 'stopping')) || run.status === 'stopping';
  if (!isStopping) return false;
  await hosted.get(id)?.kill();
  await db.transaction().execute(async (tx) => {
    if (await moveRun(tx, id, ['stopping'], 'cancelled')) await wakeKnown(tx, boss, run.thread);
  });
  await audit({ db, log }, { thread: run.thread, run: id, event: 'run_stopped', detail: why });
  return true;
}

async function settle(db: Kysely<Schema>, id: string, as: 'published' | 'withdrawn' | 'superseded'): Promise<boolean> {
  const run = await readRun(db, id);
  if (run === null || run.isSettled) return false;
  if (as === 'withdrawn') await moveRun(db, id, ['finished', 'parked'], 'cancelled');
  if (as === 'superseded') {
    const detail = 'The plan file changed while the run was at work.';
    await failEndedRun(db, id, { kind: 'failed', reason: 'superseded', detail });
  }
  return settleRun(db, id);
}
