/** The attempts of a thread: its branches and the pull requests from them. */
import { branchName } from '../lifecycle/branch.ts';
import type { BranchFacts } from '../lifecycle/facts.ts';
import { Unreadable } from './github.ts';
import { commitOf, isOurs, type Viewpoint } from './observe-facts.ts';
import type { Pager } from './observe-pages.ts';
import { attemptsPerQuery } from './observe-query.ts';
import type { AttemptsAnswer, BlobAnswer, BranchAnswer, PullRequestAnswer } from './observe-schema.ts';

export interface Attempt {
  readonly branch: string;
  readonly ref: BranchAnswer;
  /** Opened by this app from this repository, oldest first. */
  readonly pullRequests: readonly PullRequestAnswer[];
}

/** The names that a query for the attempts `first`, `first + 1`, … asks for, as its variables. */
export function attemptVariables(issue: number, first: number): Readonly<Record<string, string>> {
  const names = Array.from({ length: attemptsPerQuery }, (_, index) => branchName(issue, first + index));
  return Object.fromEntries(
    names.flatMap((name, index) => [
      [`ref${index + 1}`, `refs/heads/${name}`],
      [`head${index + 1}`, name],
    ]),
  );
}

/** The attempts in a query's answer, in order. */
export async function readAttempts(
  answer: AttemptsAnswer,
  first: number,
  view: Viewpoint,
  pager: Pager,
): Promise<readonly Attempt[]> {
  const found = [
    { ref: answer.branch1, pullRequests: answer.pullRequests1 },
    { ref: answer.branch2, pullRequests: answer.pullRequests2 },
    { ref: answer.branch3, pullRequests: answer.pullRequests3 },
  ];
  return Promise.all(
    found.map(async ({ ref, pullRequests }, index) => {
      const branch = branchName(view.issue, first + index);
      const all = await pager.pullRequests(branch, pullRequests);
      return { branch, ref, pullRequests: all.nodes.filter((each) => isOurs(each, view)) };
    }),
  );
}

/** True where the last attempt that was asked for is used, so that there may be more. */
export function mayHaveMore(attempts: readonly Attempt[]): boolean {
  const last = attempts.at(-1);
  return last !== undefined && (last.ref !== null || last.pullRequests.length > 0);
}

/** The branches that are there. */
export function branchesOf(attempts: readonly Attempt[], view: Viewpoint): readonly BranchFacts[] {
  return attempts.flatMap(({ branch, ref }) =>
    ref === null ? [] : [{ name: branch, head: commitOf(ref.target, branch, view) }],
  );
}

/**
 * The plan file at the pull request's head: the configured path, or the thread's own where the base has a file there.
 * @throws {Unreadable} where the branch and the pull request were read at different commits
 */
export function planBlobOf(attempt: Attempt, pullRequest: PullRequestAnswer, isOwnPath: boolean): BlobAnswer {
  if (attempt.ref === null) return null;
  if (pullRequest.state === 'OPEN' && attempt.ref.target.oid !== pullRequest.headRefOid) {
    throw new Unreadable('expected the plan at the head of the pull request, got that of another commit; look again');
  }
  const entry = isOwnPath ? attempt.ref.target.ownPlan : attempt.ref.target.plan;
  return entry?.object ?? null;
}

/** The path of a thread's own plan file, beside the configured one: `plan.md` gives `plan-42.md`. */
export function ownPlanPath(path: string, issue: number): string {
  const match = /^(.*[^/])(\.[^./]+)$/.exec(path);
  return `${match?.[1] ?? path}-${issue}${match?.[2] ?? ''}`;
}
