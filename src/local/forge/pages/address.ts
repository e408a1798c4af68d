/** Where things are on the pages: the paths that GitHub uses too, so that addresses in comments lead here. */
import { createHash } from 'node:crypto';
import { fullName, isPullRequest } from '../lookup.ts';
import type { Issue, Repository } from '../state.ts';

export function threadPath(repository: Repository, issue: Issue): string {
  return `/${fullName(repository)}/${isPullRequest(issue) ? 'pull' : 'issues'}/${issue.number}`;
}

/** Changes whenever the thread or its checks do; what only one visitor sees, a pending review, leaves it as it is. */
export function threadVersion(repository: Repository, issue: Issue): string {
  const { pullRequest } = issue;
  const checks = repository.checkRuns.filter((run) => run.headSha === pullRequest?.headSha);
  const pending = new Set(pullRequest?.reviews.filter((each) => each.state === 'PENDING').map((each) => each.id));
  const reviews = pullRequest?.reviews.filter((each) => !pending.has(each.id));
  const threads = pullRequest?.threads.filter(
    (each) => !each.comments.some((comment) => pending.has(comment.reviewId)),
  );
  const shown = [{ ...issue, pullRequest: { ...pullRequest, reviews, threads } }, checks];
  return createHash('sha256').update(JSON.stringify(shown)).digest('hex').slice(0, 16);
}

/** The id of an element that shows the lines of one file, for links to it. */
export function fileAnchor(path: string): string {
  return `file-${createHash('sha256').update(path).digest('hex').slice(0, 12)}`;
}
