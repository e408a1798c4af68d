/** One child process for one run: started with nothing but the search path, ended with everything that it started. */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wallTimeLeftMs } from '../agent/budget.ts';
import {
  type ChildMessage,
  type HostMessage,
  type Rejection,
  type RunResult,
  type RunSpec,
  type TreeReport,
  temporaryPrefix,
} from '../agent/run-protocol.ts';
import { compileCacheFolder } from '../compile-cache.ts';
import type { Cost } from '../lifecycle/memory.ts';
import type { Ceiling } from '../lifecycle/policy.ts';
import { type CostInPassing, createCostInPassing } from './cost-in-passing.ts';
import type { Logger } from './log.ts';
import { parseChildMessage } from './run-messages.ts';

export type RunEnd =
  | { readonly kind: 'ended'; readonly result: RunResult; readonly spent: Cost }
  /** Its process ended without a last word, or said something that cannot be understood. */
  | { readonly kind: 'crashed'; readonly detail: string }
  /** Told to stop. */
  | { readonly kind: 'killed' }
  /** Told to pause: it goes on later from its last stored turn. */
  | { readonly kind: 'suspended' };

export interface HostedRun {
  readonly end: Promise<RunEnd>;
  /** Ends every process of the run at once. Resolves when they are gone and nothing of theirs is being handled. */
  kill(): Promise<void>;
  /** The same, but the run is to go on later. */
  suspend(): Promise<void>;
  /** Suspends at the end of the turn that is being worked on, or after `graceMs`. */
  drain(graceMs: number): Promise<void>;
}

/** Makes a message durable. Throws where it cannot; the run then counts as crashed. */
export interface RunKeeper {
  reply(message: Extract<ChildMessage, { kind: 'reply' }>): Promise<void>;
  turn(message: Extract<ChildMessage, { kind: 'turn' }>): Promise<void>;
  /** What a run that has used `spent` may use in all of what its repository has left for the day. */
  readonly dayLeft?: (spent: Cost) => Promise<Ceiling>;
  /** `null` where the step is kept, else what stands against it. */
  stepDone(message: Extract<ChildMessage, { kind: 'step_done' }>): Promise<Rejection | null>;
  /** Changes nothing. */
  readTree(): Promise<TreeReport>;
  /** Changes nothing: one line a commit, newest first. */
  history(message: Extract<ChildMessage, { kind: 'history' }>): Promise<string>;
  tasks(message: Extract<ChildMessage, { kind: 'tasks' }>): Promise<void>;
  spent(message: Extract<ChildMessage, { kind: 'spent' }>): Promise<void>;
  audit(message: Extract<ChildMessage, { kind: 'audit' }>): Promise<void>;
}

export interface HostOptions {
  /** The module that the child runs. */
  readonly childPath: string;
  readonly spec: RunSpec;
  /** `PATH` of the child: beside the folders of compiled code and of temporary files its only environment variable. */
  readonly searchPath: string;
  readonly keeper: RunKeeper;
  readonly log: Logger;
  /** How long after its wall-time budget the child may still be there. 30,000 by default. */
  readonly overtimeMs?: number;
}

/** Messages of a child that may wait to be handled; it waits itself for the answer to most of what it says. */
const maxWaiting = 10_000;
/** Characters of what a child writes beside the channel that go into the log. */
const maxWrittenCharacters = 256 * 1024;

/** How long a child that has said its last word may take to exit, in milliseconds. */
const exitGraceMs = 3000;

/** A child process and what is known of its end so far. */
interface Hosting {
  readonly options: HostOptions;
  readonly child: ChildProcess;
  /** How the run ends: the first word stands, and ends the process. */
  conclusion: RunEnd | null;
  isDraining: boolean;
  spent: Cost;
  readonly startedAt: number;
  readonly passing: CostInPassing;
}

/** Starts the child and hands it its run. Never throws: a child that cannot be started has crashed. */
export function hostRun(options: HostOptions): HostedRun {
  const temporary = makeTemporary();
  const child = startChild(options, temporary);
  const hosting: Hosting = {
    options,
    child,
    conclusion: null,
    isDraining: false,
    spent: options.spec.spent,
    startedAt: performance.now(),
    passing: createCostInPassing(),
  };
  const end = listenToTheEnd(hosting);
  send(child, { kind: 'start', spec: options.spec });
  const endAs = async (conclusion: RunEnd) => {
    conclude(hosting, conclusion);
    await end;
  };
  return {
    end,
    kill: () => endAs({ kind: 'killed' }),
    suspend: () => endAs({ kind: 'suspended' }),
    drain: async (graceMs) => {
      hosting.isDraining = true;
      const timer = setTimeout(() => conclude(hosting, { kind: 'suspended' }), graceMs);
      await end;
      clearTimeout(timer);
    },
  };
}

function startChild({ childPath, searchPath }: HostOptions, temporary: string | null): ChildProcess {
  const child = fork(childPath, [], {
    execPath: process.execPath,
    execArgv: [],
    env: {
      PATH: searchPath,
      NODE_COMPILE_CACHE: compileCacheFolder,
      ...(temporary === null ? {} : { TMPDIR: temporary }),
    },
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  if (temporary !== null) child.once('close', () => rmSync(temporary, { recursive: true, force: true }));
  return child;
}

/** Of one child, and gone with it, whatever ends it. On a disk that is full there is none. */
function makeTemporary(): string | null {
  try {
    return mkdtempSync(join(tmpdir(), temporaryPrefix));
  } catch {
    return null;
  }
}

function conclude(hosting: Hosting, conclusion: RunEnd): void {
  hosting.conclusion ??= conclusion;
  killGroup(hosting.child);
}

/** Handles one message after the other. Resolves once the child is gone and nothing it said is being handled. */
function listenToTheEnd(hosting: Hosting): Promise<RunEnd> {
  const { options, child } = hosting;
  const { promise: end, resolve } = Promise.withResolvers<RunEnd>();
  const overtime = setTimeout(
    () => conclude(hosting, { kind: 'ended', result: outOfTime, spent: spentByNow(hosting) }),
    wallTimeLeftMs(options.spec) + (options.overtimeMs ?? 30_000),
  );
  let handling: Promise<void> = Promise.resolve();
  const afterwards = (work: () => Promise<void>) => {
    handling = handling.then(work).catch((error: unknown) => {
      options.log.error({ err: error }, 'a message of the run could not be kept');
      conclude(hosting, { kind: 'crashed', detail: 'What the run did could not be stored.' });
    });
  };
  const flush = () => hosting.passing.flush(options.keeper);
  let waiting = 0;
  child.on('message', (raw) => {
    waiting += 1;
    if (waiting > maxWaiting)
      conclude(hosting, { kind: 'crashed', detail: 'Its process said more than can be heard.' });
    if (hosting.conclusion !== null) return;
    afterwards(async () => {
      waiting -= 1;
      await handle(hosting, raw, () => afterwards(flush));
    });
  });
  logWritten(child, options.log);
  child.on('error', (error) =>
    conclude(hosting, { kind: 'crashed', detail: `Its process could not be used: ${error.message}` }),
  );
  child.on('exit', () => killGroup(child));
  child.on('close', (code, signal) => {
    clearTimeout(overtime);
    afterwards(flush);
    handling.then(() => {
      const detail = signal === null ? `exit code ${code}` : `signal ${signal}`;
      resolve(hosting.conclusion ?? { kind: 'crashed', detail: `Its process ended without a result: ${detail}.` });
    }, noop);
  });
  return end;
}

function logWritten(child: ChildProcess, log: Logger): void {
  let left = maxWrittenCharacters;
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (left > 0) log.warn({ text: text.slice(0, Math.min(4000, left)) }, 'run says');
    left -= text.length;
  });
}

async function handle(hosting: Hosting, raw: unknown, flush: () => void): Promise<void> {
  const { options, child, passing } = hosting;
  if (hosting.conclusion !== null) return;
  const message = parseChildMessage(raw);
  if (message.kind === 'ended') {
    hosting.conclusion = { kind: 'ended', result: message.result, spent: message.spent };
    send(child, { kind: 'stored', seq: message.seq });
    setTimeout(() => killGroup(child), exitGraceMs).unref();
    return;
  }
  if (message.kind === 'spent') {
    hosting.spent = message.spent;
    passing.told(message, flush);
    return;
  }
  const said = await keep(options.keeper, message);
  if ('spent' in message) {
    hosting.spent = message.spent;
    passing.isKept();
  }
  if (message.kind === 'turn' && hosting.isDraining) conclude(hosting, { kind: 'suspended' });
  else if (said !== null) send(child, said);
}

const outOfTime: RunResult = {
  kind: 'budget_reached',
  level: 'run',
  detail: 'The run took longer than its ceiling of time allows, and was ended from outside.',
};

/** What the child has told last, with the time that its process has taken. */
function spentByNow({ options, spent, startedAt }: Hosting): Cost {
  const elapsedMs = Math.round(options.spec.spent.elapsedMs + performance.now() - startedAt);
  return { ...spent, elapsedMs: Math.max(spent.elapsedMs, elapsedMs) };
}

async function dayLeft(keeper: RunKeeper, spent: Cost): Promise<{ readonly dayLeft?: Ceiling }> {
  return keeper.dayLeft === undefined ? {} : { dayLeft: await keeper.dayLeft(spent) };
}

type Kept = Exclude<ChildMessage, { kind: 'ended' | 'spent' }>;

/** What the child is answered; `null` for what it does not wait for. */
async function keep(keeper: RunKeeper, message: Kept): Promise<HostMessage | null> {
  switch (message.kind) {
    case 'reply':
      await keeper.reply(message);
      return { kind: 'stored', seq: message.seq };
    case 'turn':
      await keeper.turn(message);
      return { kind: 'stored', seq: message.seq, ...(await dayLeft(keeper, message.spent)) };
    case 'step_done': {
      const rejection = await keeper.stepDone(message);
      return rejection === null
        ? { kind: 'stored', seq: message.seq }
        : { kind: 'rejected', seq: message.seq, ...rejection };
    }
    case 'read_tree':
      return { kind: 'tree', seq: message.seq, ...(await keeper.readTree()) };
    case 'history':
      return { kind: 'history', seq: message.seq, text: await keeper.history(message) };
    case 'tasks':
      await keeper.tasks(message);
      return null;
    case 'audit':
      await keeper.audit(message);
      return null;
  }
}

/** A child that is gone is noticed by its exit; the failed write says nothing more. */
function send(child: ChildProcess, message: HostMessage): void {
  if (child.connected) child.send(message, noop);
}

/** The child leads a process group of its own: the signal reaches whatever it has started. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function noop(): void {}
