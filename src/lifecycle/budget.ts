/** What has been used of a ceiling, and what is left of it. */
import type { Cost, Memory } from './memory.ts';
import type { Budget, BudgetLevel, Ceiling } from './policy.ts';

export const noCost: Cost = { turns: 0, inputTokens: 0, outputTokens: 0, dollars: 0, elapsedMs: 0 };

/** `dollars` is `null` where that of one of them is not known. */
export function addCosts(a: Cost, b: Cost): Cost {
  return combine(a, b, (one, other) => one + other);
}

/** Never below zero. */
export function subtractCosts(a: Cost, b: Cost): Cost {
  return combine(a, b, (one, other) => Math.max(0, one - other));
}

/** What is never less than either: of a process that died, what it told last counts. */
export function largerCost(a: Cost, b: Cost): Cost {
  return combine(a, b, Math.max);
}

function combine(a: Cost, b: Cost, by: (one: number, other: number) => number): Cost {
  return {
    turns: by(a.turns, b.turns),
    inputTokens: by(a.inputTokens, b.inputTokens),
    outputTokens: by(a.outputTokens, b.outputTokens),
    dollars: a.dollars === null || b.dollars === null ? null : by(a.dollars, b.dollars),
    elapsedMs: by(a.elapsedMs, b.elapsedMs),
  };
}

/** What all runs of the thread have used. */
export function totalCost(memory: Memory): Cost {
  return memory.runs.reduce((sum, { cost }) => addCosts(sum, cost), noCost);
}

/** The sum of costs as a ceiling counts it: what has no known price adds no dollars. */
export function pricedCost(costs: readonly Cost[]): Cost {
  const sum = costs.reduce(addCosts, noCost);
  return { ...sum, dollars: costs.reduce((dollars, cost) => dollars + (cost.dollars ?? 0), 0) };
}

/** One ceiling with what has been used of it. */
export interface Use {
  readonly kind: keyof Ceiling;
  readonly used: number;
  readonly most: number;
}

/** Of each ceiling that is set. What has no known price counts as nothing. */
export function usesOf(cost: Cost, ceiling: Ceiling): readonly Use[] {
  const uses: readonly { readonly kind: keyof Ceiling; readonly used: number; readonly most: number | null }[] = [
    { kind: 'maxTurns', used: cost.turns, most: ceiling.maxTurns },
    { kind: 'maxTokens', used: cost.inputTokens + cost.outputTokens, most: ceiling.maxTokens },
    { kind: 'maxDollars', used: cost.dollars ?? 0, most: ceiling.maxDollars },
    { kind: 'wallTimeMs', used: cost.elapsedMs, most: ceiling.wallTimeMs },
  ];
  return uses.flatMap(({ kind, used, most }) => (most === null ? [] : [{ kind, used, most }]));
}

/** The share of a ceiling that is used; 1 and more where it is reached. */
export function shareOf({ used, most }: Use): number {
  return most <= 0 ? Number.POSITIVE_INFINITY : used / most;
}

/** The ceiling of which most is used; `null` where none is set. */
export function nearest(uses: readonly Use[]): Use | null {
  return uses.reduce<Use | null>((top, use) => (top === null || shareOf(use) > shareOf(top) ? use : top), null);
}

/** What the runs of the thread have used of its ceilings. */
export function threadUses(memory: Memory, ceiling: Ceiling): readonly Use[] {
  return usesOf(pricedCost(memory.runs.map(({ cost }) => cost)), ceiling);
}

/** What the runs of the repository have used today of its ceilings. */
export function dayUses(memory: Memory, ceiling: Ceiling): readonly Use[] {
  return usesOf(memory.spentToday ?? noCost, ceiling);
}

/** What has been used of the ceilings of a thread and of its repository's day; empty where none is set. */
export interface UsedCeilings {
  readonly thread: readonly Use[];
  readonly day: readonly Use[];
}

export function usedCeilings(memory: Memory, budget: Pick<Budget, 'thread' | 'day'>): UsedCeilings {
  return { thread: threadUses(memory, budget.thread), day: dayUses(memory, budget.day) };
}

/**
 * What a run may use in all until a ceiling is reached, with what it has used already. `spent` is what the ceiling has counted
 * so far, of the run too.
 */
export function leftFor(ceiling: Ceiling, spent: Cost, own: Cost): Ceiling {
  const left = (most: number | null, counted: number, used: number) =>
    most === null ? null : Math.max(0, most - counted + used);
  return {
    maxTurns: left(ceiling.maxTurns, spent.turns, own.turns),
    maxTokens: left(ceiling.maxTokens, spent.inputTokens + spent.outputTokens, own.inputTokens + own.outputTokens),
    maxDollars: left(ceiling.maxDollars, spent.dollars ?? 0, own.dollars ?? 0),
    wallTimeMs: left(ceiling.wallTimeMs, spent.elapsedMs, own.elapsedMs),
  };
}

export function hasCeiling(ceiling: Ceiling): boolean {
  return Object.values(ceiling).some((most) => most !== null);
}

const names: Readonly<Record<keyof Ceiling, string>> = {
  maxTurns: 'turns',
  maxTokens: 'tokens',
  maxDollars: 'dollars',
  wallTimeMs: 'minutes',
};

/** The key of the configuration that sets a ceiling. */
export function keyOf(level: BudgetLevel, kind: keyof Ceiling): string {
  const key = {
    maxTurns: 'max_turns',
    maxTokens: 'max_tokens',
    maxDollars: 'max_dollars',
    wallTimeMs: 'wall_time_minutes',
  };
  return `budget.${level === 'run' ? '' : `${level}.`}${key[kind]}`;
}

/** A ceiling by its name: `turns`, `tokens`, `dollars`, `minutes`. */
export function nameOf(kind: keyof Ceiling): string {
  return names[kind];
}

/** An amount as people read it: `1,200 tokens`, `$1.20`, `12 minutes`. */
export function formatAmount(kind: keyof Ceiling, amount: number): string {
  if (kind === 'maxDollars') return `$${amount.toFixed(2)}`;
  if (kind === 'wallTimeMs') return formatTime(amount);
  return `${amount.toLocaleString('en-US')} ${amount === 1 ? names[kind].slice(0, -1) : names[kind]}`;
}

function formatTime(ms: number): string {
  return ms < 120_000 ? `${Math.round(ms / 100) / 10} seconds` : `${Math.round(ms / 60_000)} minutes`;
}
