/**
 * Whether commands can be confined on this host, found out once when the app starts.
 *
 * 1. A sandbox that is missing, or that leaks: what must fail is tried, in a process of its own, and what gets through
 *    means that no command runs. There is no second way to run one.
 * 2. A proof that hangs, dies or says something else: counts as a leak.
 * 3. A data folder that commands can read because of where it lies, e.g. below `/usr`: the proof is made inside of it.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { compileCacheFolder } from '../compile-cache.ts';
import { commandPath } from './programs.ts';

export interface ProofOptions {
  /** Made for the proof and removed after it. */
  readonly folder: string;
  /** How long it may take, in milliseconds. 30,000 by default. */
  readonly timeoutMs?: number;
  /** The module that the proof's process runs: that of the product by default. */
  readonly childPath?: string;
}

const defaultChild = fileURLToPath(new URL('./prove-sandbox.ts', import.meta.url));
const answer = z.strictObject({ fault: z.string().max(1000).nullable() });

/** Answers why no command may run on this host, in one clause; `null` where the sandbox has proved itself. Never throws. */
export async function proveOnce(options: ProofOptions): Promise<string | null> {
  const { folder } = options;
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return await askChild(options);
  } catch (error) {
    return `the proof could not be made: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

function askChild({ folder, timeoutMs = 30_000, childPath = defaultChild }: ProofOptions): Promise<string | null> {
  const child = fork(childPath, [folder], {
    execPath: process.execPath,
    execArgv: [],
    env: { PATH: commandPath, NODE_COMPILE_CACHE: compileCacheFolder },
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const timer = setTimeout(() => resolve(`the proof took longer than ${timeoutMs / 1000} s`), timeoutMs);
  child.once('message', (raw) => {
    const { data } = answer.safeParse(raw);
    resolve(data === undefined ? 'the proof said what nobody understands' : data.fault);
  });
  child.once('error', (error) => resolve(`the proof could not start: ${error.message}`));
  child.once('exit', (code, signal) => resolve(`the proof ended without an answer (${signal ?? `exit code ${code}`})`));
  return promise.finally(() => {
    clearTimeout(timer);
    end(child);
  });
}

/** With everything that it has started. */
function end(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
