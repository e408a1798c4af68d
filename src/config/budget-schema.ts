/** The part of `.github/planwright.yml` that says how much may be used: by a run, a thread, and a repository in a day. */
import { z } from 'zod';
import type { Ceiling, Policy, RunCeiling } from '../lifecycle/policy.ts';

const dollars = z.number().positive().max(1_000_000);
const ceilingOf = (whose: string, maxTokens: number) =>
  z.strictObject({
    max_turns: z.int().min(1).max(1_000_000).optional().describe(`Turns of the model that ${whose} may take.`),
    max_tokens: z.int().min(10_000).max(1_000_000_000_000).default(maxTokens).describe(`Tokens that ${whose} may use.`),
    max_dollars: dollars.optional().describe(`US dollars that ${whose} may cost.`),
    wall_time_minutes: z.int().min(1).max(1_000_000).optional().describe(`Minutes that ${whose} may take.`),
  });

export const budget = z.strictObject({
  max_turns: z.int().min(1).max(1000).default(80).describe('Turns of the model that one run may take.'),
  max_tokens: z
    .int()
    .min(10_000)
    .max(1_000_000_000)
    .default(2_000_000)
    .describe('Tokens that one run may use, input and output together, cached input included.'),
  wall_time_minutes: z.int().min(1).max(1440).default(30).describe('Minutes that one run may take.'),
  max_dollars: dollars.optional().describe('US dollars that one run may cost. Needs a model whose price is known.'),
  max_attempts: z
    .int()
    .min(1)
    .max(20)
    .default(3)
    .describe('Runs in a row that may end without a result before the thread waits for /retry.'),
  thread: ceilingOf('the runs of one issue together', 10_000_000).prefault({}),
  day: ceilingOf('the runs of the repository together in one day (UTC)', 50_000_000).prefault({}),
});

export function toBudget(budget: BudgetConfig): Policy['budget'] {
  return {
    ...toRunCeiling(budget),
    thread: toCeiling(budget.thread),
    day: toCeiling(budget.day),
    maxAttempts: budget.max_attempts,
  };
}

type BudgetConfig = z.output<typeof budget>;

function toRunCeiling({ max_turns, max_tokens, max_dollars, wall_time_minutes }: BudgetConfig): RunCeiling {
  return {
    maxTurns: max_turns,
    maxTokens: max_tokens,
    maxDollars: max_dollars ?? null,
    wallTimeMs: wall_time_minutes * 60_000,
  };
}

function toCeiling({ max_turns, max_tokens, max_dollars, wall_time_minutes }: BudgetConfig['day']): Ceiling {
  return {
    maxTurns: max_turns ?? null,
    maxTokens: max_tokens,
    maxDollars: max_dollars ?? null,
    wallTimeMs: wall_time_minutes === undefined ? null : wall_time_minutes * 60_000,
  };
}
