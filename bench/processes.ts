/** Processes of the bench: how they are started and spoken to, and what they take. Reads /proc, so Linux alone. */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compileCacheFolder } from '../src/compile-cache.ts';

/** Each child has what a run's child has in its environment, and nothing else. */
export function startChild(module: string): ChildProcess {
  return fork(fileURLToPath(new URL(module, import.meta.url)), [], {
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', NODE_COMPILE_CACHE: compileCacheFolder },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

/** Sends an order and waits for its answer. @throws where the child ends before */
export function ask<Answer>(child: ChildProcess, order: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`expected an answer, got the end with ${code}`));
    child.once('exit', ended);
    child.once('message', (answer: Answer) => {
      child.removeListener('exit', ended);
      resolve(answer);
    });
    child.send(order);
  });
}

export interface Memory {
  /** The largest that the process has been, in bytes: its own pages and those it shares. */
  readonly processBytes: number;
  /** The largest sum of the process, its host and all below, each shared page counted once, in bytes. */
  readonly treeBytes: number;
  /** The same sum when the watch began: of the host, with its database, before there was a run. */
  readonly treeBeforeBytes: number;
}

const processEveryMs = 10;
const treeEveryMs = 100;

/**
 * Watches the tree below `root`, and in it the process that `isMeasured` by its command line, until it is stopped.
 * The kernel keeps the peak of a process, so a look every few milliseconds misses next to nothing of it.
 */
export function watchMemory(root: number, isMeasured: (commandLine: string) => boolean): { stop(): Memory } {
  let [processBytes, treeBytes] = [0, 0];
  const treeBeforeBytes = readTree(root);
  let measured: number | null = null;
  const lookAtProcess = () => {
    measured ??= treeOf(root).find((pid) => isMeasured(read(`/proc/${pid}/cmdline`))) ?? null;
    if (measured !== null) processBytes = Math.max(processBytes, kibibytesIn(`/proc/${measured}/status`, 'VmHWM'));
  };
  const lookAtTree = () => {
    treeBytes = Math.max(treeBytes, readTree(root));
  };
  const timers = [setInterval(lookAtProcess, processEveryMs), setInterval(lookAtTree, treeEveryMs)];
  return {
    stop: () => {
      for (const timer of timers) clearInterval(timer);
      return { processBytes, treeBytes, treeBeforeBytes };
    },
  };
}

/** What a process and all below it hold now, each shared page counted once, in bytes. */
function readTree(root: number): number {
  return treeOf(root)
    .map((pid) => kibibytesIn(`/proc/${pid}/smaps_rollup`, 'Pss'))
    .reduce((sum, size) => sum + size, 0);
}

function treeOf(root: number): readonly number[] {
  const children = read(`/proc/${root}/task/${root}/children`).split(' ').filter(Boolean).map(Number);
  return [root, ...children.flatMap(treeOf)];
}

function kibibytesIn(file: string, key: string): number {
  return 1024 * Number(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(read(file))?.[1] ?? 0);
}

/** Empty for a process that is gone. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
