import type { BetaUsage } from '@anthropic-ai/sdk/resources/beta.js';
import type { Cost } from '../lifecycle/memory.ts';
import type { RunSpec } from './run-protocol.ts';

const WARNING_SHARE = 0.8;

type Usage = Pick<
  BetaUsage,
  'input_tokens' | 'output_tokens' | 'cache_creation_input_tokens' | 'cache_read_input_tokens'
>;

/** What is left of a run's budget. `warning` and `detail` are one sentence. */
export type BudgetState =
  | { readonly kind: 'within' }
  | { readonly kind: 'near'; readonly warning: string }
  | { readonly kind: 'exhausted'; readonly detail: string };

/**
 * Adds one reply of the model. Input counts whole: what was read from the cache and what was written to it too.
 * Source: https://platform.claude.com/docs/en/build-with-claude/prompt-caching#tracking-cache-performance
 */
export function addUsage(cost: Cost, usage: Usage): Cost {
  const cached = (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0);
  return {
    ...cost,
    turns: cost.turns + 1,
    inputTokens: cost.inputTokens + usage.input_tokens + cached,
    outputTokens: cost.outputTokens + usage.output_tokens,
  };
}

/** Compares what a run has used with what it may use. `elapsedMs` counts from the start of its process. */
export function readBudget(cost: Cost, elapsedMs: number, budget: RunSpec['budget']): BudgetState {
  const uses = [
    { name: 'turns', used: cost.turns, most: budget.maxTurns },
    { name: 'tokens', used: cost.inputTokens + cost.outputTokens, most: budget.maxTokens },
    { name: 'milliseconds', used: elapsedMs, most: budget.wallTimeMs },
  ];
  const spent = uses.find(({ used, most }) => used >= most);
  if (spent !== undefined) {
    return { kind: 'exhausted', detail: `The run has used ${spent.used} of its ${spent.most} ${spent.name}.` };
  }
  const near = uses.find(({ used, most }) => used >= most * WARNING_SHARE);
  if (near === undefined) return { kind: 'within' };
  const share = Math.floor((100 * near.used) / near.most);
  return { kind: 'near', warning: `${share} % of this run's ${near.name} are used. Come to an end soon.` };
}

/** What a run has used so far, and what it may still use. */
export interface RunBudget {
  readonly spent: () => Cost;
  readonly state: () => BudgetState;
  add(usage: Usage): void;
  /** One sentence, the first time it is asked for once four fifths are used; else `null`. */
  warning(): string | null;
}

/** `elapsedMs` counts from the start of the run's process. */
export function createRunBudget(spec: RunSpec, elapsedMs: () => number): RunBudget {
  let spent = spec.spent;
  const state = () => readBudget(spent, elapsedMs(), spec.budget);
  let hasWarned = spent.turns > 0 && state().kind === 'near';
  return {
    spent: () => spent,
    state,
    add: (usage) => {
      spent = addUsage(spent, usage);
    },
    warning: () => {
      const left = state();
      if (left.kind !== 'near' || hasWarned) return null;
      hasWarned = true;
      return left.warning;
    },
  };
}
