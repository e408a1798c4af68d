/** Plays one script twice: by the product, as the engine hosts it, and by a bare loop of calls of the vendor's client. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { BareOrder } from './bare-loop.ts';
import { childPath } from './child-path.ts';
import type { ModelOrder, ModelReport } from './model-server.ts';
import { ask, type Memory, startChild, watchMemory } from './processes.ts';
import type { HostOrder, HostReport } from './product-host.ts';
import type { GeneratedRepository } from './repository.ts';
import type { RequestFigures } from './request-figures.ts';
import { issue, planScript } from './script.ts';

export interface Bench {
  readonly model: ChildProcess;
  readonly host: ChildProcess;
  nextRun: number;
}

export interface Side extends Omit<RequestFigures, 'fixedPart' | 'requests'> {
  readonly wallMs: number;
  readonly msPerTurn: number;
  readonly peakMemory: Memory;
}

type FixedPart = NonNullable<RequestFigures['fixedPart']>;

export type ProductSide = Side & Pick<HostReport, 'storedTurns' | 'ending'>;

export interface Round {
  readonly product: ProductSide;
  readonly bareLoop: Side;
  readonly fixedPart: FixedPart;
}

async function playProduct({ model, host }: Bench, number: number, turns: number, repository: GeneratedRepository) {
  const label = `product-${number}`;
  const script = planScript(turns, repository.head);
  const { url } = await ask<ModelReport>(model, { kind: 'play', label, script } satisfies ModelOrder);
  const memory = watchMemory(host.pid ?? 0, (commandLine) => commandLine.includes(childPath));
  const report = await ask<HostReport>(host, { kind: 'run', number, repository, url } satisfies HostOrder);
  const peakMemory = memory.stop();
  const { figures } = await ask<ModelReport>(model, { kind: 'report', label } satisfies ModelOrder);
  if (figures === null) throw new Error('expected figures of the run, got none');
  return { report, figures, peakMemory };
}

/** The system prompt and the tools alone. */
export async function readFixedPart(bench: Bench, repository: GeneratedRepository): Promise<string> {
  bench.nextRun += 1;
  const { figures } = await playProduct(bench, bench.nextRun, 3, repository);
  return JSON.stringify(figures.fixedPart);
}

type BareTask = FixedPart & Pick<BareOrder, 'request' | 'checkout'>;

async function playBare(model: ChildProcess, label: string, turns: number, order: BareTask) {
  const script = planScript(turns, '0'.repeat(40));
  const { url } = await ask<ModelReport>(model, { kind: 'play', label, script } satisfies ModelOrder);
  const startedAt = performance.now();
  const child = startChild('bare-loop.ts');
  const memory = watchMemory(child.pid ?? 0, (commandLine) => commandLine.includes('bare-loop.ts'));
  child.send({ ...order, url } satisfies Record<keyof BareOrder, unknown>);
  const [code] = await once(child, 'exit');
  const wallMs = performance.now() - startedAt;
  const peakMemory = memory.stop();
  if (code !== 0) throw new Error(`expected the bare loop to end with 0, got ${code}`);
  const { figures } = await ask<ModelReport>(model, { kind: 'report', label } satisfies ModelOrder);
  if (figures === null) throw new Error('expected figures of the bare loop, got none');
  return { wallMs, figures, peakMemory };
}

/** Both sides after each other. The bare loop is given the system prompt and the tools of the product. */
export async function playRound(bench: Bench, turns: number, repository: GeneratedRepository): Promise<Round> {
  bench.nextRun += 1;
  const number = bench.nextRun;
  const { report, figures, peakMemory } = await playProduct(bench, number, turns, repository);
  const { fixedPart } = figures;
  if (fixedPart === null) throw new Error('expected the same system prompt and tools in every request, got others');
  const bare = await playBare(bench.model, `bare-${number}`, turns, {
    ...fixedPart,
    request: `${issue.title}\n\n${issue.body}`,
    checkout: report.checkout,
  });
  const product = sideOf(turns, report.wallMs, peakMemory, figures);
  const bareLoop = sideOf(turns, bare.wallMs, bare.peakMemory, bare.figures);
  return {
    product: { ...product, storedTurns: report.storedTurns, ending: report.ending },
    bareLoop,
    fixedPart,
  };
}

function sideOf(
  turns: number,
  wallMs: number,
  peakMemory: Memory,
  { fixedPart, requests, ...figures }: RequestFigures,
): Side {
  if (requests !== turns) throw new Error(`expected ${turns} requests, got ${requests}`);
  return { wallMs, msPerTurn: wallMs / turns, peakMemory, ...figures };
}
