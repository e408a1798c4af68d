import { type Actor, actingAccount, hasRole, requireAccess } from '../access.ts';
import { tellAboutReview } from '../events.ts';
import { type Forge, now } from '../forge.ts';
import { ForgeError } from '../forge-error.ts';
import type { PullRequestIssue } from '../lookup.ts';
import { nodeId } from '../node-id.ts';
import { reviewCommentShape, reviewShape } from '../shapes/review.ts';
import type { Account, Repository, Review, ReviewComment, ReviewThread } from '../state.ts';
import { record } from '../timeline.ts';
import { requireBody } from './issues.ts';
import { addThread, type LineComment, newComment, preparePosition } from './review-threads.ts';

export type ReviewEvent = 'APPROVE' | 'REQUEST_CHANGES' | 'COMMENT';

const STATES = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const;

export interface ReviewText {
  /** `null` leaves the review pending: only its author sees it, until `submitPending`. */
  readonly event: ReviewEvent | null;
  readonly body?: string | undefined;
  /** The commit that it is about; the head by default. */
  readonly commit?: string | undefined;
  readonly comments?: readonly LineComment[] | undefined;
}

/**
 * @throws {ForgeError} 422 for a verdict on one's own pull request, for a change request or comment that says nothing,
 *   for lines outside the diff, and while the author has a pending review
 */
export function submitReview(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  pull: PullRequestIssue,
  text: ReviewText,
): Review {
  requireAccess(actor, repository, { permissions: ['pull_requests'], access: 'write', role: 'read' });
  const comments = text.comments ?? [];
  requireVerdict(actor, pull, text.event, text.body ?? '', comments.length);
  requireUnlocked(actor, repository, pull);
  const author = actingAccount(actor);
  if (pull.pullRequest.reviews.some((each) => each.state === 'PENDING' && each.author?.id === author.id)) {
    throw new ForgeError(422, 'User can only have one pending review per pull request');
  }
  const commit = text.commit ?? pull.pullRequest.headSha;
  const positions = comments.map((comment) => preparePosition(repository, pull, commit, comment));
  const review = newReview(forge, author, text.body ?? '', commit);
  pull.pullRequest.reviews.push(review);
  comments.forEach((comment, index) => {
    const position = positions[index];
    if (position !== undefined) addThread(forge, author, pull, review, comment, position);
  });
  if (text.event !== null) settleReview(forge, actor, repository, pull, review, text.event);
  return review;
}

/** Pending until it is settled, and on no list yet. */
function newReview(forge: Forge, author: Account, body: string, commit: string): Review {
  const id = forge.nextId();
  return {
    id,
    nodeId: nodeId('review', id),
    author,
    state: 'PENDING',
    body,
    commit,
    submittedAt: null,
    lastEditedAt: null,
  };
}

function requireVerdict(
  actor: Actor,
  pull: PullRequestIssue,
  event: ReviewEvent | null,
  body: string,
  comments: number,
): void {
  requireBody('PullRequestReview', body);
  const own = pull.author?.id === actingAccount(actor).id;
  if (own && event === 'APPROVE') throw unprocessable('Can not approve your own pull request');
  if (own && event === 'REQUEST_CHANGES') throw unprocessable('Can not request changes on your own pull request');
  const isBlank = body.trim() === '' && comments === 0;
  if (isBlank && event === 'COMMENT') throw unprocessable('Body is required when submitting a comment review');
  if (isBlank && event === 'REQUEST_CHANGES') throw unprocessable('Body is required when requesting changes');
}

/** GitHub's 422 whose only detail is a sentence. */
function unprocessable(sentence: string): ForgeError {
  return new ForgeError(422, `Unprocessable Entity: "${sentence}"`);
}

/** @throws {ForgeError} 403 on a locked conversation for whoever may not write */
function requireUnlocked(actor: Actor, repository: Repository, pull: PullRequestIssue): void {
  if (!pull.locked || actor.kind === 'installation' || hasRole(repository, actor.account, 'write')) return;
  throw new ForgeError(403, 'Unable to create review because the conversation is locked.');
}

/** Gives a pending review its verdict. @throws {ForgeError} 422 where it is not pending, or not the actor's */
export function submitPending(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  pull: PullRequestIssue,
  review: Review,
  verdict: { readonly event: ReviewEvent; readonly body?: string | undefined },
): void {
  requireAccess(actor, repository, { permissions: ['pull_requests'], access: 'write', role: 'read' });
  if (review.state !== 'PENDING' || review.author?.id !== actingAccount(actor).id) {
    throw unprocessable('Can not submit a review that is not pending');
  }
  const body = verdict.body ?? review.body;
  requireVerdict(actor, pull, verdict.event, body, commentsOf(pull, review).length);
  review.body = body;
  settleReview(forge, actor, repository, pull, review, verdict.event);
}

export function commentsOf(pull: PullRequestIssue, review: Review) {
  return pull.pullRequest.threads.flatMap((thread) =>
    thread.comments.filter((each) => each.reviewId === review.id).map((comment) => ({ thread, comment })),
  );
}

/** The verdict stands: the reviewer is no longer requested, and the apps hear of the review and of each comment. */
function settleReview(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  pull: PullRequestIssue,
  review: Review,
  event: ReviewEvent,
): void {
  review.state = STATES[event];
  review.submittedAt = now(forge);
  pull.updatedAt = review.submittedAt;
  const { requestedReviewers } = pull.pullRequest;
  pull.pullRequest.requestedReviewers = requestedReviewers.filter((each) => each.id !== review.author?.id);
  tellAboutReview(forge, actor, repository, pull, 'pull_request_review', {
    action: 'submitted',
    review: reviewPayload(forge, repository, pull, review),
  });
  for (const { thread, comment } of commentsOf(pull, review)) {
    tellAboutReview(forge, actor, repository, pull, 'pull_request_review_comment', {
      action: 'created',
      comment: reviewCommentShape(forge, repository, pull, thread, comment),
    });
  }
}

/** Webhooks write a review's state in lower case, and an empty body as null. */
function reviewPayload(forge: Forge, repository: Repository, pull: PullRequestIssue, review: Review) {
  const body = review.body === '' ? null : review.body;
  return { ...reviewShape(forge, repository, pull, review), state: review.state.toLowerCase(), body };
}

/**
 * Takes an approval or a change request back.
 * @throws {ForgeError} 422 for any other review
 */
export function dismissReview(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  pull: PullRequestIssue,
  review: Review,
  message: string,
): void {
  requireAccess(actor, repository, { permissions: ['pull_requests'], access: 'write', role: 'write' });
  if (review.state !== 'APPROVED' && review.state !== 'CHANGES_REQUESTED') {
    throw unprocessable(`Can not dismiss a ${review.state.toLowerCase()} pull request review`);
  }
  const previousState = review.state.toLowerCase();
  review.state = 'DISMISSED';
  record(forge, actor, pull, { kind: 'review_dismissed', reviewId: review.id, message, previousState });
  tellAboutReview(forge, actor, repository, pull, 'pull_request_review', {
    action: 'dismissed',
    review: reviewPayload(forge, repository, pull, review),
  });
}

/** A review's body; what it says stays its author's. */
export function editReview(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  pull: PullRequestIssue,
  review: Review,
  body: string,
): void {
  const own = review.author?.id === actingAccount(actor).id;
  if (!own) throw new ForgeError(403, 'Resource not accessible by integration');
  requireAccess(actor, repository, { permissions: ['pull_requests'], access: 'write', role: 'read' });
  requireBody('PullRequestReview', body);
  const from = review.body;
  review.body = body;
  review.lastEditedAt = now(forge);
  tellAboutReview(forge, actor, repository, pull, 'pull_request_review', {
    action: 'edited',
    review: reviewPayload(forge, repository, pull, review),
    changes: { body: { from } },
  });
}

/** Reviews as the actor sees them: pending ones are their author's alone. */
export function visibleReviews(actor: Actor, pull: PullRequestIssue): readonly Review[] {
  const { id } = actingAccount(actor);
  return pull.pullRequest.reviews.filter((each) => each.state !== 'PENDING' || each.author?.id === id);
}

/** As GitHub does, a reply is a COMMENTED review of its own with an empty body. */
export function replyToThread(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  pull: PullRequestIssue,
  thread: ReviewThread,
  body: string,
): ReviewComment {
  requireAccess(actor, repository, { permissions: ['pull_requests'], access: 'write', role: 'read' });
  requireUnlocked(actor, repository, pull);
  requireBody('PullRequestReviewComment', body);
  const [first] = thread.comments;
  if (first === undefined || body.trim() === '') {
    throw new ForgeError(422, 'Unprocessable Entity: "Body can\'t be blank"');
  }
  const author = actingAccount(actor);
  const review = newReview(forge, author, '', pull.pullRequest.headSha);
  const { diffHunk, commit, originalCommit } = first;
  const comment = newComment(forge, author, review, body, { inReplyTo: first.id, diffHunk, commit, originalCommit });
  pull.pullRequest.reviews.push(review);
  thread.comments.push(comment);
  settleReview(forge, actor, repository, pull, review, 'COMMENT');
  return comment;
}
