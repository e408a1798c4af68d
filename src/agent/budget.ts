import type { BetaUsage } from '@anthropic-ai/sdk/resources/beta.js';
import { formatAmount, nameOf, nearest, shareOf, type Use, usesOf } from '../lifecycle/budget.ts';
import type { Cost, Outcome } from '../lifecycle/memory.ts';
import type { BudgetLevel, Ceiling } from '../lifecycle/policy.ts';
import type { Price, RunSpec } from './run-protocol.ts';

const WARNING_SHARE = 0.8;
const PRICED_TOKENS = 1_000_000;

type Tokens = Pick<
  BetaUsage,
  'input_tokens' | 'output_tokens' | 'cache_creation_input_tokens' | 'cache_read_input_tokens'
>;

/** What a reply says that it has used. */
export type Usage = Tokens & {
  readonly iterations?: readonly (Tokens & { readonly type: string })[] | null | undefined;
};

/** What is left of a run's budget. `warning` and `detail` are one sentence. */
export type BudgetState =
  | { readonly kind: 'within' }
  | { readonly kind: 'near'; readonly warning: string }
  | { readonly kind: 'exhausted'; readonly level: BudgetLevel; readonly detail: string };

/** A run that ends because a ceiling is reached: its work is kept. */
export function budgetReached({ level, detail }: { readonly level: BudgetLevel; readonly detail: string }) {
  return { kind: 'budget_reached', level, detail } as const satisfies Outcome;
}

/** How a run ends that has reached a ceiling; `null` where it has not. */
export function endAtCeiling(budget: RunBudget) {
  const left = budget.state();
  return left.kind === 'exhausted' ? budgetReached(left) : null;
}

/**
 * Adds one reply of the model. Input counts whole: what was read from the cache and what was written to it too. The usage of
 * a compaction stands in its iteration alone.
 * Source: https://platform.claude.com/docs/en/build-with-claude/prompt-caching#tracking-cache-performance
 */
export function addUsage(cost: Cost, usage: Usage, price: Price | null): Cost {
  const parts = [usage, ...(usage.iterations ?? []).filter(({ type }) => type === 'compaction')];
  return parts.reduce((sum, part) => addTokens(sum, part, price), { ...cost, turns: cost.turns + 1 });
}

function addTokens(cost: Cost, used: Tokens, price: Price | null): Cost {
  const counted = countTokens(used);
  const { input, output, read, written, isKnown } = counted;
  return {
    ...cost,
    inputTokens: cost.inputTokens + input + written + read,
    outputTokens: cost.outputTokens + output,
    dollars: cost.dollars === null || price === null || !isKnown ? null : cost.dollars + dollarsOf(price, counted),
  };
}

interface Counted {
  readonly input: number;
  readonly output: number;
  readonly read: number;
  readonly written: number;
  readonly isKnown: boolean;
}

/** What a service tells wrongly, or not at all, takes nothing back: then it is not known what was used. */
function countTokens(used: Tokens): Counted {
  const told = [
    used.input_tokens,
    used.output_tokens,
    used.cache_read_input_tokens ?? 0,
    used.cache_creation_input_tokens ?? 0,
  ];
  const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;
  const [input = 0, output = 0, read = 0, written = 0] = told.map((value) => (isCount(value) ? value : 0));
  return { input, output, read, written, isKnown: told.every(isCount) };
}

function dollarsOf(price: Price, counted: Counted): number {
  const { input, output, cacheRead, cacheWrite } = price;
  const amounts = [
    counted.input * input,
    counted.output * output,
    counted.read * cacheRead,
    counted.written * cacheWrite,
  ];
  return amounts.reduce((sum, amount) => sum + amount / PRICED_TOKENS, 0);
}

const whose: Readonly<Record<BudgetLevel, string>> = {
  run: 'of a run',
  thread: 'left to its thread',
  day: 'left to the repository for the day',
};

/** Compares what a run has used, over all of its processes, with what it may use. */
export function readBudget(cost: Cost, budget: RunSpec['budget']): BudgetState {
  const levels = { run: budget, thread: budget.thread, day: budget.day };
  const hasPriceCeiling = Object.values(levels).some(({ maxDollars }) => maxDollars !== null);
  if (cost.dollars === null && hasPriceCeiling) return { kind: 'exhausted', level: 'run', detail: priceNotKnown };
  const tops = (['run', 'thread', 'day'] as const).flatMap((level) => {
    const use = nearest(usesOf(cost, levels[level]));
    return use === null ? [] : [{ level, use }];
  });
  const top = tops.toSorted((a, b) => shareOf(b.use) - shareOf(a.use))[0];
  if (top === undefined || shareOf(top.use) < WARNING_SHARE) return { kind: 'within' };
  if (shareOf(top.use) >= 1) return { kind: 'exhausted', level: top.level, detail: describeUse(top.level, top.use) };
  const share = Math.floor(100 * shareOf(top.use));
  const what =
    top.level === 'run' ? `this run's ${nameOf(top.use.kind)}` : `the ${nameOf(top.use.kind)} ${whose[top.level]}`;
  return { kind: 'near', warning: `${share} % of ${what} are used. Come to an end soon.` };
}

const priceNotKnown =
  'A ceiling in dollars is set, and what the run has cost is not known: its model has no known price, or did not tell what it used.';

function describeUse(level: BudgetLevel, { kind, used, most }: Use): string {
  return `The run has used ${formatAmount(kind, used)}, and the ceiling ${whose[level]} is ${formatAmount(kind, most)}.`;
}

/** How long the run may still take, by whichever ceiling is reached first. */
export function wallTimeLeftMs({ budget, spent }: Pick<RunSpec, 'budget' | 'spent'>): number {
  const ceilings = [budget, budget.thread, budget.day].flatMap(({ wallTimeMs }) => wallTimeMs ?? []);
  return Math.max(0, Math.min(...ceilings) - spent.elapsedMs);
}

/** What a run has used so far, and what it may still use. */
export interface RunBudget {
  readonly spent: () => Cost;
  readonly state: () => BudgetState;
  add(usage: Usage): void;
  /** Adds what a reply has used that broke off: no turn comes of it. */
  addCut(usage: Usage): void;
  /** One sentence, the first time it is asked for once four fifths are used; else `null`. */
  warning(): string | null;
}

/**
 * @param elapsedMs since the start of this process
 * @param dayLeft what the host has said last of the day's ceiling, of which other runs use their share meanwhile
 */
export function createRunBudget(
  spec: Pick<RunSpec, 'spent' | 'budget' | 'model'>,
  elapsedMs: () => number,
  dayLeft: () => Ceiling | null = () => null,
): RunBudget {
  const { price } = spec.model;
  let used = spec.spent;
  const spent = () => ({ ...used, elapsedMs: Math.round(spec.spent.elapsedMs + elapsedMs()) });
  const state = () => {
    const known = price === null ? { ...spent(), dollars: null } : spent();
    return readBudget(known, { ...spec.budget, day: dayLeft() ?? spec.budget.day });
  };
  let hasWarned = spec.spent.turns > 0 && state().kind === 'near';
  return {
    spent,
    state,
    add: (usage) => {
      used = addUsage(used, usage, price);
    },
    addCut: (usage) => {
      used = { ...addUsage(used, usage, price), turns: used.turns };
    },
    warning: () => {
      const left = state();
      if (left.kind !== 'near' || hasWarned) return null;
      hasWarned = true;
      return left.warning;
    },
  };
}
