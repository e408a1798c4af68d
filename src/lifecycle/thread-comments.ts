/** What people, and this app, have written in a thread: oldest first. */
import { currentPullRequest } from './branch.ts';
import type { Comment, Facts } from './facts.ts';
import { compareTimes } from './time.ts';

/** On the issue and on its current pull request. */
export function currentComments(facts: Facts): readonly Comment[] {
  return [...facts.issue.comments, ...(currentPullRequest(facts)?.comments ?? [])].sort(compareComments);
}

/** On the issue and on every pull request that it has had. */
export function allComments({ issue, pullRequests }: Facts): readonly Comment[] {
  return [...issue.comments, ...pullRequests.flatMap(({ comments }) => comments)].sort(compareComments);
}

/** On the issue and on its current pull request, after this one. */
export function commentsSince(facts: Facts, asked: Comment): readonly Comment[] {
  return currentComments(facts).filter((comment) => compareComments(comment, asked) > 0);
}

/** Comments of an issue and of a pull request are numbered in one row. */
export function compareComments(a: Comment, b: Comment): number {
  return compareTimes(a.createdAt, b.createdAt) || a.id - b.id;
}
