/** A review that its author gathers comment by comment before giving a verdict, as on GitHub's pages. */
import { type Actor, actingAccount } from '../access.ts';
import type { Forge } from '../forge.ts';
import { notFound } from '../forge-error.ts';
import type { PullRequestIssue } from '../lookup.ts';
import type { Repository, Review } from '../state.ts';
import { addThread, type LineComment, preparePosition } from './review-threads.ts';
import { type ReviewEvent, submitPending, submitReview } from './reviews.ts';

export function findPendingReview(actor: Actor, pull: PullRequestIssue): Review | null {
  const { id } = actingAccount(actor);
  return pull.pullRequest.reviews.find((each) => each.state === 'PENDING' && each.author?.id === id) ?? null;
}

/**
 * Adds a comment on the head to the actor's pending review, which is begun where there is none.
 * @throws {ForgeError} as `submitReview` does
 */
export function addPendingComment(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  pull: PullRequestIssue,
  comment: LineComment,
): Review {
  const pending = findPendingReview(actor, pull);
  if (pending === null) return submitReview(forge, actor, repository, pull, { event: null, comments: [comment] });
  const { headSha } = pull.pullRequest;
  const position = preparePosition(repository, pull, headSha, comment);
  pending.commit = headSha;
  addThread(forge, actingAccount(actor), pull, pending, comment, position);
  return pending;
}

/** The verdict on the head, with the comments gathered so far. @throws {ForgeError} as `submitReview` does */
export function finishReview(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  pull: PullRequestIssue,
  verdict: { readonly event: ReviewEvent; readonly body: string },
): Review {
  const pending = findPendingReview(actor, pull);
  if (pending === null) return submitReview(forge, actor, repository, pull, verdict);
  const before = pending.commit;
  pending.commit = pull.pullRequest.headSha;
  try {
    submitPending(forge, actor, repository, pull, pending, verdict);
  } catch (error) {
    pending.commit = before;
    throw error;
  }
  return pending;
}

/** Takes back one comment that nobody else has seen. The review goes with its last one. @throws {ForgeError} 404 */
export function discardPendingComment(actor: Actor, pull: PullRequestIssue, commentId: number): void {
  const pending = findPendingReview(actor, pull);
  const { threads } = pull.pullRequest;
  const isIt = (id: number, reviewId: number): boolean => id === commentId && reviewId === pending?.id;
  const thread = threads.find((each) => each.comments.some((comment) => isIt(comment.id, comment.reviewId)));
  if (pending === null || thread === undefined) throw notFound();
  pull.pullRequest.threads = threads.filter((each) => each !== thread);
  const isEmpty = !pull.pullRequest.threads.some((each) =>
    each.comments.some((comment) => comment.reviewId === pending.id),
  );
  if (isEmpty) pull.pullRequest.reviews = pull.pullRequest.reviews.filter((each) => each !== pending);
}
