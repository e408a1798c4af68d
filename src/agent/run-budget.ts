import type { Cost } from '../lifecycle/memory.ts';
import { addUsage, type BudgetState, readBudget, type Usage } from './budget.ts';
import type { RunSpec } from './run-protocol.ts';

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
