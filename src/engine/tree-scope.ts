/** What of a run's changes its plan does not cover: the same words for the run, for the log and for people. */
import { denyingRule } from '../agent/permissions.ts';
import type { ScopeEntry } from '../lifecycle/facts.ts';
import type { Policy } from '../lifecycle/policy.ts';
import { parsePlan } from '../plan/plan-file.ts';
import { compareScope } from '../plan/scope.ts';
import type { FileChange } from '../workspace/workspace.ts';

export interface ScopeRules {
  readonly policy: Policy;
  /** The approved plan's text. */
  readonly plan: string;
}

/** All that differs from where the run began, held against the plan: one item each, e.g. "`src/a.ts` (create)". */
export function outsideOf({ policy, plan }: ScopeRules, changes: readonly FileChange[]): readonly string[] {
  return [...tellStopping(policy, readPlan(plan).files, changes), ...tellDenied(policy, changes)];
}

/**
 * What one commit changes at paths that the plan does not name, undone later or not: every commit is pushed. A planned file
 * may be deleted by one step and made anew by another.
 */
export function outsideOfCommit({ policy, plan }: ScopeRules, changes: readonly FileChange[]): readonly string[] {
  const { files } = readPlan(plan);
  const planned = new Set(files.map(({ path }) => path));
  const unnamed = changes.filter(({ path, from }) => !planned.has(path) || (from !== null && !planned.has(from)));
  return [...tellStopping(policy, files, unnamed), ...tellDenied(policy, changes)];
}

/** The plan changes through review alone. */
export function changesOfPlan({ policy }: ScopeRules, changes: readonly FileChange[]): readonly string[] {
  const { path } = policy.plan;
  return changes
    .filter((change) => change.path === path || change.from === path)
    .map(({ change }) => `\`${path}\` (${change})`);
}

function tellStopping(policy: Policy, files: readonly ScopeEntry[], changes: readonly FileChange[]): readonly string[] {
  const { outside, forbidden } = compareScope(files, changes, policy.scope.allow, policy.plan.path);
  const stopping = policy.scope.mode === 'block' ? outside : forbidden;
  return stopping.map(({ path, change }) => `\`${path}\` (${change})`);
}

/** What a rule denies no commit holds, whether a tool has changed it or a command, and whatever the plan names. */
function tellDenied({ permissions, plan }: Policy, changes: readonly FileChange[]): readonly string[] {
  return changes.flatMap(({ path, from, change }) => {
    // The plan is the host's to take out.
    if (path === plan.path) return [];
    const rule = denyingRule(permissions, from === null ? [path] : [from, path]);
    return rule === null ? [] : [`\`${path}\` (${change}, denied by the rule ${rule})`];
  });
}

/** A plan that cannot be read names nothing: everything is outside of its scope. */
export function readPlan(
  text: string,
): Pick<Extract<ReturnType<typeof parsePlan>, { plan: unknown }>['plan'], 'files' | 'steps' | 'verify'> {
  const parsed = parsePlan(text);
  return 'plan' in parsed ? parsed.plan : { files: [], steps: [], verify: [] };
}
