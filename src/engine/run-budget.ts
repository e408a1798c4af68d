import type { RunSpec } from '../agent/run-protocol.ts';
import { leftFor, noCost, pricedCost } from '../lifecycle/budget.ts';
import { priceCeiling } from '../lifecycle/ceiling.ts';
import type { Facts } from '../lifecycle/facts.ts';
import type { Approval, ApprovedCeiling, Memory, RunMemory } from '../lifecycle/memory.ts';
import type { Ceiling, Policy } from '../lifecycle/policy.ts';
import type { PriceOf } from './prices.ts';

/** What a run may use itself, and of what its thread and its repository's day have left. */
export function budgetOf(policy: Policy, memory: Memory, run: Pick<RunMemory, 'cost' | 'approval'>): RunSpec['budget'] {
  const { wallTimeMs, thread, day } = policy.budget;
  return {
    ...approvedCeiling(policy, run.approval),
    wallTimeMs,
    thread: leftFor(thread, pricedCost(memory.runs.map(({ cost }) => cost)), run.cost),
    day: leftFor(day, memory.spentToday ?? noCost, run.cost),
  };
}

/** What was approved, and no more where the configuration has been raised since; where it was lowered, that holds. */
function approvedCeiling({ budget }: Policy, approval: Approval | null): ApprovedCeiling {
  const { maxTurns, maxTokens, maxDollars } = approval?.ceiling ?? budget;
  const dollars = [maxDollars, budget.maxDollars].filter((most) => most !== null);
  return {
    maxTurns: Math.min(maxTurns, budget.maxTurns),
    maxTokens: Math.min(maxTokens, budget.maxTokens),
    maxDollars: dollars.length === 0 ? null : Math.min(...dollars),
  };
}

export function isSet(limit: Ceiling): boolean {
  return Object.values(limit).some((most) => most !== null);
}

/** What is remembered, with whether the price is known that a ceiling in dollars needs. It is asked for only then. */
export async function withPrice(memory: Memory, { policy }: Facts, priceOf: PriceOf): Promise<Memory> {
  if ('problems' in policy || priceCeiling(policy.budget) === null) return memory;
  return (await priceOf(policy.model.id)) === null ? { ...memory, isPriceUnknown: true } : memory;
}
