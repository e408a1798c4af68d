import type { BranchFacts, Facts, PullRequestFacts } from './facts.ts';

/** The branch of a thread's first, second, … attempt: `planwright/issue-42`, `planwright/issue-42-2`, … */
export function branchName(issue: number, attempt: number): string {
  return attempt === 1 ? `planwright/issue-${issue}` : `planwright/issue-${issue}-${attempt}`;
}

/** The thread's own pull request: the newest attempt's, in whatever state. */
export function currentPullRequest(facts: Facts): PullRequestFacts | null {
  return facts.pullRequests.at(-1) ?? null;
}

/** The pull request from a branch; `null` before there is one. */
export function pullRequestFrom(facts: Facts, branch: string): PullRequestFacts | null {
  return facts.pullRequests.find((pullRequest) => pullRequest.branch === branch) ?? null;
}

/**
 * The branch that work without an open pull request goes to: the first name that no pull request has used and that is
 * free or ours. A branch of that name with somebody else's commits is never touched.
 */
export function branchForNewWork(facts: Facts): string {
  const used = new Set(facts.pullRequests.map((pullRequest) => pullRequest.branch));
  const foreign = new Set(facts.branches.filter((branch) => !isPlanBranch(branch)).map((branch) => branch.name));
  for (let attempt = 1; ; attempt += 1) {
    const name = branchName(facts.issue.number, attempt);
    if (!used.has(name) && !foreign.has(name)) return name;
  }
}

/** A plan that was pushed but whose pull request was never opened. */
export function orphanedPlanBranch(facts: Facts): BranchFacts | null {
  const name = branchForNewWork(facts);
  return facts.branches.find((branch) => branch.name === name) ?? null;
}

function isPlanBranch(branch: BranchFacts): boolean {
  return branch.head.trailers?.phase === 'plan';
}

/** The base commit that the plan was written against, from the newest commit of this app that says so. */
export function recordedBase(pullRequest: PullRequestFacts): string | null {
  return pullRequest.commits.findLast((commit) => commit.trailers !== null)?.trailers?.base ?? null;
}

/** Whether a commit of the run stands on the pull request. */
export function holdsCommitOf({ commits }: PullRequestFacts, run: string | null): boolean {
  return commits.some(({ trailers }) => trailers?.run === run);
}

/** Whether the pull request holds an implementation: a plan that was written anew after one has taken its code out. */
export function holdsCode(pullRequest: PullRequestFacts): boolean {
  return pullRequest.commits.findLast((commit) => commit.trailers !== null)?.trailers?.phase === 'implement';
}

/** Whether a plan can be written anew there: code is taken out for it only where no commit of a person's is among it. */
export function mayPlanAnew(pullRequest: PullRequestFacts): boolean {
  return !holdsCode(pullRequest) || pullRequest.commits.every((commit) => commit.trailers !== null);
}
