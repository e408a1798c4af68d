import type { LintContext } from './lint-context.ts';
import type { Plan } from './plan-file.ts';

/** Where a simple command of a plan's verification stands. */
export interface CommandPlace {
  readonly plan: Plan;
  readonly context: LintContext;
  /** The folder that it runs in, with a `/` behind; empty for the root. */
  readonly folder: string;
  /** Whether nothing runs before it that could make files. */
  readonly isFirst: boolean;
}

/** Whether the plan changes a file of this path and leaves it there. */
export function isPlanned(plan: Plan, path: string): boolean {
  return plan.files.some((entry) => entry.path === path && entry.change !== 'delete');
}
