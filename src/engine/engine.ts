/** Everything that runs in the background, wired: inbox, looks, runs, sweep, catching up. */
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import type { Environment } from '../config/environment.ts';
import type { GitHub } from '../github/github.ts';
import type { Workspaces } from '../workspace/workspace.ts';
import { catchUpIntervalMs, createCatchUp } from './catch-up.ts';
import type { Database } from './database.ts';
import { createInbox, type Inbox } from './inbox.ts';
import type { Logger } from './log.ts';
import { createLookBoard } from './look-board.ts';
import { priceReader } from './prices.ts';
import { createJobQueues, type RunJob, runQueue, threadQueue, type WakeJob } from './queue.ts';
import { type ReconcilePorts, reconcile } from './reconcile.ts';
import { type WorkerPorts, workOn } from './run-worker.ts';
import { createRuns } from './runs.ts';
import { sweep, takeOver } from './sweep.ts';

export interface EngineOptions {
  readonly environment: Pick<Environment, 'model' | 'prices' | 'sweepIntervalMs' | 'installations' | 'sandboxHosts'>;
  /** Open, with queues that have not been started. */
  readonly database: Database;
  readonly github: GitHub;
  readonly workspaces: Workspaces;
  readonly decide: ReconcilePorts['decide'];
  readonly log: Logger;
  /** The module that a run's child process runs. */
  readonly childPath: string;
  /** `PATH` of the children. */
  readonly searchPath: string;
  /** How many runs are at work at once. 2 by default. */
  readonly maxRuns?: number;
  /** How many threads are looked at at once. 3 by default. */
  readonly maxLooks?: number;
  /** How long after a change of a run's checklist it is shown, in milliseconds. 10,000 by default. */
  readonly checklistDelayMs?: number;
  /** Settles once it is known why no command may run on this host; with `null` where commands can be confined. */
  readonly sandboxFault: Promise<string | null>;
}

/** What is ready, as `/readyz` shows it. */
export interface Readiness {
  /** True once deliveries are taken and while they are. */
  readonly isReady: boolean;
  readonly database: 'ready' | 'starting' | 'failed';
  readonly queue: 'ready' | 'starting' | 'draining';
  /** `unknown` until it has been tried, shortly after the start. */
  readonly sandbox: 'available' | 'missing' | 'unknown';
  /** Why no command runs; `null` where commands can run, or it is not known yet. */
  readonly sandboxFault: string | null;
  /** Why the last look at a thread could not be completed; `null` where it could. */
  readonly lastLookError: string | null;
  readonly runs: number;
}

export interface Engine {
  readonly inbox: Inbox;
  /** Takes up what the last process left, then takes jobs. Deliveries may be stored from here on. */
  start(): Promise<void>;
  /** For when deliveries can come in: has those sent again that were missed. Never throws; a timer does it from `start` on. */
  catchUp(): Promise<void>;
  /**
   * Takes nothing new, lets each run end its turn for at most `graceMs` (10,000 by default) and waits for looks that are
   * under way. What is left goes on in the next process. The database stays open.
   */
  stop(graceMs?: number): Promise<void>;
  readiness(): Promise<Readiness>;
}

type Phase = 'starting' | 'running' | 'draining';

const pollSeconds = 1;
/** How long a killed child may take to be gone. */
const killGraceMs = 2000;

/** How long a sweep or a catching up that is under way may hold up a stop. */
const sweepGraceMs = 1000;

/** The engine, at rest until it is started. Both of its workers and the sweep share the one database. */
export function createEngine(options: EngineOptions): Engine {
  const { database, github, workspaces, decide, log, environment } = options;
  const { db, boss } = database;
  const runs = createRuns(db, boss, log);
  const inbox = createInbox(db, boss, log, environment.installations);
  let phase: Phase = 'starting';
  let lastLookError: string | null = null;
  const timers: NodeJS.Timeout[] = [];
  let sweeping: Promise<void> = Promise.resolve();
  let sandbox: Pick<Readiness, 'sandbox' | 'sandboxFault'> = { sandbox: 'unknown', sandboxFault: null };
  void options.sandboxFault.then((fault) => {
    sandbox = { sandbox: fault === null ? 'available' : 'missing', sandboxFault: fault };
  });

  const onLook = (failure: string | null) => {
    lastLookError = failure;
  };
  const board = createLookBoard();
  const readPrice = priceReader(environment.prices, environment.model.id);
  const sandboxFault = () => options.sandboxFault;
  const sweepPorts = { db, boss, github, workspaces, log };
  const ending = new AbortController();
  const { installations } = environment;
  const catchUp = createCatchUp({ db, github, log, installations, signal: ending.signal });
  const looks: ReconcilePorts = { ...sweepPorts, runs, decide, readPrice, sandboxFault, board, onLook };
  const { childPath, searchPath, checklistDelayMs = 10_000 } = options;
  const { model, sandboxHosts } = environment;
  const work: WorkerPorts = { ...looks, model, sandboxHosts, childPath, searchPath, checklistDelayMs };
  boss.on('error', (error) => log.error({ err: error }, 'the queue reports an error'));
  boss.on('warning', (warning) => log.debug({ warning }, 'the queue warns'));

  const sweepOnce = () => {
    sweeping = sweep(sweepPorts).catch((error: unknown) => {
      lastLookError = error instanceof Error ? error.message : String(error);
      log.error({ err: error }, 'the sweep failed');
    });
    return sweeping;
  };

  return {
    inbox,
    start: async () => {
      await boss.start();
      await createJobQueues(boss);
      await takeOver(sweepPorts);
      await takeJobs<WakeJob>(database, log, threadQueue, options.maxLooks ?? 3, (job) => reconcile(looks, job));
      await takeJobs<RunJob>(database, log, runQueue, options.maxRuns ?? 2, (job) => workOn(work, job));
      phase = 'running';
      timers.push(setInterval(sweepOnce, environment.sweepIntervalMs), setInterval(catchUp, catchUpIntervalMs));
      void sweepOnce();
    },
    catchUp,
    stop: async (graceMs = 10_000) => {
      phase = 'draining';
      ending.abort();
      for (const timer of timers) clearInterval(timer);
      log.info({ runs: runs.hosted.size }, 'stopping');
      const claims = [boss.offWork(threadQueue, { wait: false }), boss.offWork(runQueue, { wait: false })];
      await Promise.all(claims);
      // Neither holds anything that the next process does not find again: GitHub may take its time to answer them.
      const rounds = Promise.all([sweeping, catchUp()]);
      await Promise.race([rounds, setTimeoutPromise(sweepGraceMs, null, { ref: false })]);
      const drained = Promise.all([...runs.hosted.values()].map((run) => run.drain(graceMs)));
      await Promise.race([drained, setTimeoutPromise(graceMs + killGraceMs, null, { ref: false })]);
      await boss.stop({ graceful: true, timeout: graceMs, close: false });
    },
    readiness: async () => ({
      isReady: phase === 'running',
      database: await probe(database),
      queue: phase === 'running' ? 'ready' : phase,
      ...sandbox,
      lastLookError,
      runs: runs.hosted.size,
    }),
  };
}

async function probe({ db }: Database): Promise<Readiness['database']> {
  try {
    await db.selectFrom('thread').select('key').limit(1).execute();
    return 'ready';
  } catch {
    return 'failed';
  }
}

/** A job that fails for good would hold back its thread: what its work cannot even put off is left to the sweep. */
async function takeJobs<Job extends object>(
  { boss }: Database,
  log: Logger,
  queue: string,
  atOnce: number,
  work: (job: Job) => Promise<void>,
): Promise<void> {
  const options = {
    pollingIntervalSeconds: pollSeconds,
    notifyPollingIntervalSeconds: pollSeconds,
    localConcurrency: atOnce,
  };
  await boss.work<Job>(queue, options, async (jobs) => {
    for (const { data } of jobs) {
      await work(data).catch((error: unknown) => log.error({ err: error, job: data }, 'a job ended by an error'));
    }
  });
}
