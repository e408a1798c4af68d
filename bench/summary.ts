/** Several rounds as one: times and memory are their medians, what may not vary is the worst of them. Pure. */
import type { Ratios } from './bounds.ts';
import type { ProductSide, Round, Side } from './measure.ts';

export interface Summary {
  readonly turns: number;
  readonly product: ProductSide;
  readonly bareLoop: Side;
  readonly ratios: Ratios;
}

/** @param rounds at least one */
export function summarize(turns: number, rounds: readonly Round[]): Summary {
  const products = rounds.map(({ product }) => product);
  const worst = products.find(({ storedTurns, ending }) => storedTurns !== turns || ending !== 'plan_ready');
  const product = { ...(worst ?? firstOf(products)), ...mergeSides(products) };
  const bareLoop = { ...firstOf(rounds).bareLoop, ...mergeSides(rounds.map((round) => round.bareLoop)) };
  return {
    turns,
    product,
    bareLoop,
    ratios: {
      timePerTurn: hundredths(product.msPerTurn / bareLoop.msPerTurn),
      peakMemory: hundredths(product.peakMemory.processBytes / bareLoop.peakMemory.processBytes),
      inputTokens: hundredths(product.allRequests.tokens / bareLoop.allRequests.tokens),
    },
  };
}

function mergeSides(sides: readonly Side[]): Pick<Side, 'wallMs' | 'msPerTurn' | 'peakMemory' | 'equalPrefix'> {
  return {
    wallMs: hundredths(median(sides.map(({ wallMs }) => wallMs))),
    msPerTurn: hundredths(median(sides.map(({ msPerTurn }) => msPerTurn))),
    peakMemory: {
      processBytes: median(sides.map(({ peakMemory }) => peakMemory.processBytes)),
      treeBytes: median(sides.map(({ peakMemory }) => peakMemory.treeBytes)),
      treeBeforeBytes: median(sides.map(({ peakMemory }) => peakMemory.treeBeforeBytes)),
    },
    equalPrefix: Math.min(...sides.map(({ equalPrefix }) => equalPrefix)),
  };
}

function firstOf<T>(all: readonly T[]): T {
  const [first] = all;
  if (first === undefined) throw new Error('expected at least one round, got none');
  return first;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

/** Away from zero, so that no bound is met by rounding. */
function hundredths(value: number): number {
  return Math.ceil(value * 100) / 100;
}
