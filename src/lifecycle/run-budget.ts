/** What one run may use: its own ceiling, and what is left for it of its thread's and of its repository's day. */
import { leftFor, noCost, pricedCost } from './budget.ts';
import type { Approval, ApprovedCeiling, Memory, RunMemory } from './memory.ts';
import type { Budget, Policy } from './policy.ts';

export function budgetOf(policy: Policy, memory: Memory, run: Pick<RunMemory, 'cost' | 'approval'>): Budget {
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
