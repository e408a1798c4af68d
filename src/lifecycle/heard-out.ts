/** Whether all that was said in a review thread has had its run. */
import { reviewsAmong } from './cause.ts';
import { eligibilityOf } from './eligibility.ts';
import type { Facts, PullRequestFacts, ReviewThread } from './facts.ts';
import type { RunMemory } from './memory.ts';

/** False where somebody whose word counts has added one that no run has answered yet: it came while one was at work. */
export function isHeardOut(
  facts: Facts,
  pullRequest: PullRequestFacts,
  runs: readonly RunMemory[],
  { comments }: ReviewThread,
): boolean {
  const { policy } = facts;
  if ('problems' in policy) return false;
  const answered = new Set([
    ...runs.flatMap(({ causes }) => reviewsAmong(causes)),
    ...pullRequest.commits.flatMap(({ trailers }) => trailers?.reviews ?? []),
  ]);
  return comments.every(({ author, reviewId }) => {
    if (author === null || (reviewId !== null && answered.has(reviewId))) return true;
    return eligibilityOf(facts, policy, pullRequest, author).kind === 'not_eligible';
  });
}
