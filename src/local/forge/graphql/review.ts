import { hasRole } from '../access.ts';
import type { PullRequestIssue } from '../lookup.ts';
import { issuePage } from '../shapes/issue.ts';
import type { Repository, Review } from '../state.ts';
import { writtenFields } from './comment.ts';
import { commitSource } from './commit.ts';
import { connection } from './connection.ts';
import { findObject } from './git-object.ts';
import { pullRequestSource } from './pull-request.ts';
import { reactionFields } from './reaction.ts';
import { reviewCommentSource } from './review-thread.ts';
import { type Args, type Info, listArg, type Source, textArg } from './source.ts';
import { isViewer, requireRead, type View } from './view.ts';

export function reviewSource(view: View, repository: Repository, issue: PullRequestIssue, review: Review): Source {
  const createdAt = review.submittedAt ?? issue.createdAt;
  const written = { ...review, createdAt, updatedAt: review.lastEditedAt ?? createdAt };
  const url = `${issuePage(view.forge, repository, issue)}#pullrequestreview-${review.id}`;
  const self = (): Source => reviewSource(view, repository, issue, review);
  return {
    __typename: 'PullRequestReview',
    ...writtenFields(view, repository, written, url),
    publishedAt: review.submittedAt,
    submittedAt: review.submittedAt,
    state: review.state,
    authorCanPushToRepository: review.author !== null && hasRole(repository, review.author, 'write'),
    commit: () => existingCommit(view, repository, review.commit),
    pullRequest: () => pullRequestSource(view, repository, issue),
    comments: (args, info) => reviewCommentConnection(view, repository, issue, review, args, info),
    onBehalfOf: (args, info) => connection(args, info, { items: [], keyOf: String, present: () => null }),
    ...reactionFields(view, repository, { reactions: [] }, self),
  };
}

/** GitHub answers `null` once the commit is gone, e.g. behind a force-push and collected. */
export function existingCommit(view: View, repository: Repository, sha: string | null): Source | null {
  if (sha === null || findObject(repository, sha)?.type !== 'commit') return null;
  return commitSource(view, repository, sha);
}

function reviewCommentConnection(
  view: View,
  repository: Repository,
  issue: PullRequestIssue,
  review: Review,
  args: Args,
  info: Info,
): Source {
  const items = issue.pullRequest.threads.flatMap((thread) =>
    thread.comments.filter((comment) => comment.reviewId === review.id).map((comment) => ({ thread, comment })),
  );
  return connection(args, info, {
    items,
    keyOf: ({ comment }) => comment.id,
    present: ({ thread, comment }) => reviewCommentSource(view, repository, issue, thread, comment),
  });
}

/** Reviews by `states` and `author`. A pending review is seen by its author alone. */
export function reviewConnection(
  view: View,
  repository: Repository,
  issue: PullRequestIssue,
  reviews: readonly Review[],
  args: Args,
  info: Info,
): Source {
  requireRead(view, repository, 'pullRequest');
  const states = listArg(args, 'states');
  const author = textArg(args, 'author');
  const writersOnly = args.writersOnly === true;
  const items = reviews.filter(
    (review) =>
      isVisible(view, review) &&
      (states === null || states.includes(review.state)) &&
      (author === null || review.author?.login.toLowerCase() === author.toLowerCase()) &&
      (!writersOnly || (review.author !== null && hasRole(repository, review.author, 'write'))),
  );
  return connection(args, info, {
    items,
    keyOf: (review) => review.id,
    present: (review) => reviewSource(view, repository, issue, review),
  });
}

export function isVisible(view: View, review: Review): boolean {
  return review.state !== 'PENDING' || isViewer(view, review.author);
}

/** States that say yes or no. */
export function isOpinion(review: Review): boolean {
  return review.state === 'APPROVED' || review.state === 'CHANGES_REQUESTED' || review.state === 'DISMISSED';
}

/** Each reviewer's last submitted review among those that `counts` keeps. */
export function latestOpinions(issue: PullRequestIssue, counts: (review: Review) => boolean): readonly Review[] {
  const submitted = issue.pullRequest.reviews.filter((review) => review.state !== 'PENDING' && counts(review));
  return submitted.filter(
    (review, index) => !submitted.slice(index + 1).some((later) => later.author?.id === review.author?.id),
  );
}
