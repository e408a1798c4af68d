/** What keeps a plan from being approved, whoever reviews it. */
import { holdsCode, recordedBase } from './branch.ts';
import type { Facts, PlanOfRecord, PullRequestFacts } from './facts.ts';
import { certain, type Obstacle, unclear } from './obstacle.ts';
import { nameSome } from './phrases.ts';
import type { Policy } from './policy.ts';

export function unfitFor(facts: Facts, policy: Policy, pullRequest: PullRequestFacts): readonly Obstacle[] {
  const { path } = policy.plan;
  const plan = pullRequest.planOfRecord;
  const shared = sharedHead(pullRequest);
  return [
    ...(pullRequest.state === 'open' ? [] : [certain('The pull request is not open.')]),
    ...(pullRequest.baseBranch === facts.repository.defaultBranch?.name
      ? []
      : [certain(`The pull request's base is ${pullRequest.baseBranch}: point it back at the default branch.`)]),
    ...(holdsCode(pullRequest) ? [certain('The pull request already holds code.')] : []),
    ...(recordedBase(pullRequest) === null
      ? [certain('No commit of this app says what base the plan was written against: `/replan` has it written anew.')]
      : []),
    ...(shared === null ? [] : [shared]),
    ...(plan === null
      ? [certain(`There is no plan at ${path}: put it back, or have it written anew with \`/replan\`.`)]
      : [...unfitPlan(policy, plan), ...unfitFiles(path, pullRequest)]),
  ];
}

function unfitPlan(policy: Policy, plan: PlanOfRecord): readonly Obstacle[] {
  if (plan.isEmpty)
    return policy.approval.allowEmptyPlan
      ? []
      : [certain('No plan has been written yet: request changes to have one written.')];
  return plan.scope === null
    ? [certain("The plan's front matter cannot be read: mend it on the branch, or request changes.")]
    : [];
}

function unfitFiles(path: string, { files }: PullRequestFacts): readonly Obstacle[] {
  // GitHub tells of a move by its new path alone: the old one is gone without being named.
  const isMovedOnto = files.some((file) => file.path === path && file.change === 'RENAMED');
  const others = files.filter((file) => file.path !== path).map((file) => file.path);
  return [
    ...(isMovedOnto ? [certain('Another file was moved onto the plan file: put both back to where they were.')] : []),
    ...(others.length === 0
      ? []
      : [certain(`The pull request changes more than the plan (${nameSome(others)}): take that off its branch.`)]),
  ];
}

/** A check belongs to a commit, not to a pull request: what is said of a shared one would be said of both. */
export function sharedHead({ sharedWith }: PullRequestFacts): Obstacle | null {
  if (sharedWith === 'unknown') {
    return unclear('Whether another open pull request has the same head commit could not be read.');
  }
  if (sharedWith.length === 0) return null;
  const numbers = nameSome(sharedWith.map((number) => `#${number}`));
  return certain(
    `Another open pull request (${numbers}) has the same head commit: push a commit to one of them, or close the other.`,
  );
}

/** Planned files that changed on the base since the plan was written: in the way, or under `stale: warn` to be known. */
export function readFreshness(
  policy: Policy,
  { changedOnBase }: PullRequestFacts,
): { readonly missing: readonly Obstacle[]; readonly warnings: readonly string[] } {
  if (changedOnBase !== 'unknown' && changedOnBase.length === 0) return { missing: [], warnings: [] };
  const what =
    changedOnBase === 'unknown'
      ? unclear('It cannot be told which planned files have changed on the base since the plan was written.')
      : certain(`Planned files have changed on the base since the plan was written: ${nameSome(changedOnBase)}.`);
  return policy.approval.stale === 'warn' ? { missing: [], warnings: [what.why] } : { missing: [what], warnings: [] };
}
