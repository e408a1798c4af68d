/** What an implementation may take, before it begins: a guess by the plan's size, and never more than its ceiling. */
import type { ApprovedCeiling, Cost } from './memory.ts';

export interface Estimate {
  readonly files: number;
  readonly turns: number;
  readonly tokens: number;
  /** US dollars; `null` where the price is not known. */
  readonly dollars: number | null;
}

/** To look around, to run the checks and to mend what they find. */
const turnsBeside = 6;
/** To read a file, to change it, and to look at what came of it. */
const turnsOfFile = 3;

/** Each file takes its turns, and a turn costs what one of the plan has cost on average. `null` without a plan's turn. */
export function estimateImplementation(files: number, plan: Cost, most: ApprovedCeiling): Estimate | null {
  if (plan.turns === 0) return null;
  const turns = Math.min(most.maxTurns, turnsBeside + turnsOfFile * files);
  const share = turns / plan.turns;
  const tokens = Math.min(most.maxTokens, Math.round(share * (plan.inputTokens + plan.outputTokens)));
  const dollars =
    plan.dollars === null ? null : Math.min(most.maxDollars ?? Number.POSITIVE_INFINITY, share * plan.dollars);
  return { files, turns, tokens, dollars };
}
