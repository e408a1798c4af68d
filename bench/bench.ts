/**
 * `npm run bench`: what a plan run costs in time, memory and tokens beside a bare loop over the same script. Prints one
 * JSON document, and ends with 1 where a bound is broken, which it names.
 */
import { mkdtempSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { removeTree } from '../src/workspace/tree-files.ts';
import { bounds, brokenBounds } from './bounds.ts';
import { type Bench, playRound, type Round, readFixedPart } from './measure.ts';
import { ask, startChild } from './processes.ts';
import type { HostOrder } from './product-host.ts';
import { generateRepository } from './repository.ts';
import { type Summary, summarize } from './summary.ts';

interface Wanted {
  readonly turns: readonly number[];
  readonly rounds: number;
  /** A folder with a new database; `null` to make one. */
  readonly dataDir: string | null;
}

function readArguments(): Wanted {
  const { values } = parseArgs({
    options: {
      turns: { type: 'string', default: '20,100' },
      rounds: { type: 'string', default: '3' },
      database: { type: 'string' },
    },
  });
  const turns = values.turns.split(',').map(Number);
  const rounds = Number(values.rounds);
  if ([rounds, ...turns].every((number) => Number.isInteger(number)) && rounds >= 1 && Math.min(...turns) >= 3) {
    return { turns, rounds, dataDir: values.database ?? null };
  }
  throw new Error('expected --turns N,… of at least 3 each and --rounds N of at least 1');
}

async function measure({ turns, rounds }: Wanted, bench: Bench, folder: string) {
  const repository = generateRepository(join(folder, 'one'), 'one', Math.max(...turns));
  const other = generateRepository(join(folder, 'other'), 'another', 3);
  const summaries: Summary[] = [];
  const fixedParts = new Set([await readFixedPart(bench, other)]);
  for (const count of turns) {
    const played: Round[] = [];
    for (let round = 0; round < rounds; round += 1) played.push(await playRound(bench, count, repository));
    for (const { fixedPart } of played) fixedParts.add(JSON.stringify(fixedPart));
    summaries.push(summarize(count, played));
  }
  const judged = {
    fixedOverheadTokens: Math.max(...summaries.map(({ product }) => product.fixedTokens)),
    hasSameFixedPartInTwoRepositories: fixedParts.size === 1,
    runs: summaries,
  };
  return { rounds, ...judged, bounds, broken: brokenBounds(judged) };
}

/** In a process that is gone before the measuring begins: making one takes far more memory than having it open. */
async function makeDatabase(folder: string): Promise<string> {
  const dataDir = join(folder, 'data');
  const maker = startChild('product-host.ts');
  await ask(maker, { kind: 'make', dataDir } satisfies HostOrder);
  maker.kill('SIGKILL');
  return dataDir;
}

async function main(): Promise<number> {
  const wanted = readArguments();
  const folder = mkdtempSync(join(tmpdir(), 'planwright-bench-'));
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => removeTree(folder));
  const dataDir = wanted.dataDir ?? (await makeDatabase(folder));
  const [model, host] = ['model-server.ts', 'product-host.ts'].map((module) => {
    const child = startChild(module);
    cleanup.defer(() => void child.kill('SIGKILL'));
    return child;
  });
  if (model === undefined || host === undefined) throw new Error('expected two processes, got fewer');
  await ask(host, { kind: 'open', dataDir, folder } satisfies HostOrder);
  const document = await measure(wanted, { model, host, nextRun: 0 }, folder);
  const [processor] = cpus();
  const machine = { node: process.version, processors: cpus().length, processor: processor?.model ?? 'unknown' };
  process.stdout.write(`${JSON.stringify({ machine, ...document }, null, 2)}\n`);
  for (const line of document.broken) process.stderr.write(`broken: ${line}\n`);
  return document.broken.length === 0 ? 0 : 1;
}

process.exitCode = await main();
