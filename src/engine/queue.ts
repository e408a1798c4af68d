import { randomUUID } from 'node:crypto';
import type { Db, PgBoss } from 'pg-boss';

export const threadQueue = 'threads';
export const runQueue = 'runs';

const dayInSeconds = 24 * 60 * 60;

export interface WakeJob {
  readonly thread: string;
  /** The thread's count of wakes when this one was made. */
  readonly wake: number;
  /** How often in a row the look that this job asks for could not be completed. */
  readonly attempt: number;
}

export interface RunJob {
  readonly run: string;
  readonly attempt: number;
}

/**
 * Makes the queues. Handlers never let a job fail: a failed job of a `key_strict_fifo` queue would hold back its key for
 * good. What is to be tried again is a new job; what a killed process left behind is rebuilt from the tables at start.
 */
export async function createJobQueues(boss: PgBoss): Promise<void> {
  const options = {
    notify: true,
    retryLimit: 1000,
    retryDelay: 1,
    expireInSeconds: dayInSeconds - 1,
    heartbeatSeconds: 60,
  };
  await boss.createQueue(threadQueue, { ...options, policy: 'key_strict_fifo', deleteAfterSeconds: 3600 });
  await boss.createQueue(runQueue, { ...options, deleteAfterSeconds: 3600 });
  for (const queue of [threadQueue, runQueue]) {
    // Brings the queue into pg-boss's cache: a look-up inside a transaction would wait for that transaction.
    await boss.findJobs(queue, { id: randomUUID() });
  }
}

export interface Delay {
  readonly db?: Db;
  readonly startAfterSeconds?: number;
}

/** Queues a look. Looks at one thread are taken one at a time, in order. */
export async function sendWake(boss: PgBoss, job: WakeJob, delay: Delay = {}): Promise<void> {
  await boss.send(threadQueue, job, { singletonKey: job.thread, ...sendOptions(delay) });
}

/** Queues a run for a worker. A run that is at work already is passed over by the worker that takes it. */
export async function sendRun(boss: PgBoss, job: RunJob, delay: Delay = {}): Promise<void> {
  await boss.send(runQueue, job, sendOptions(delay));
}

function sendOptions(delay: Delay): { db?: Db; startAfter?: number } {
  return {
    ...(delay.db === undefined ? {} : { db: delay.db }),
    ...(delay.startAfterSeconds === undefined ? {} : { startAfter: delay.startAfterSeconds }),
  };
}

/** Seconds before attempt `attempt` (from 1): 2, 4, 8, … up to a minute, with up to a quarter of jitter. */
export function backoffSeconds(attempt: number, random: () => number = Math.random): number {
  const base = Math.min(60, 2 ** attempt);
  return Math.round(base * (1 + random() / 4));
}
