import { actingAccount, hasRole } from '../access.ts';
import type { PullRequestIssue } from '../lookup.ts';
import { issuePage } from '../shapes/issue.ts';
import type { Repository, ReviewComment, ReviewThread } from '../state.ts';
import { userSource } from './account.ts';
import { writtenFields } from './comment.ts';
import { connection } from './connection.ts';
import { pullRequestSource } from './pull-request.ts';
import { reactionFields } from './reaction.ts';
import { repositorySource } from './repository.ts';
import { existingCommit, isVisible, reviewSource } from './review.ts';
import { type Args, type Info, numberArg, type Source } from './source.ts';
import { isViewer, requireRead, type View } from './view.ts';

function isPending(issue: PullRequestIssue, comment: ReviewComment): boolean {
  return issue.pullRequest.reviews.some((review) => review.id === comment.reviewId && review.state === 'PENDING');
}

/** Comments of a pending review are seen by their author alone. */
function visibleComments(view: View, issue: PullRequestIssue, thread: ReviewThread): readonly ReviewComment[] {
  const hidden = issue.pullRequest.reviews.filter((review) => !isVisible(view, review)).map((review) => review.id);
  return thread.comments.filter((comment) => !hidden.includes(comment.reviewId));
}

export function threadSource(
  view: View,
  repository: Repository,
  issue: PullRequestIssue,
  thread: ReviewThread,
): Source {
  const mayResolve = view.actor.kind === 'installation' || hasRole(repository, actingAccount(view.actor), 'write');
  const canResolve = mayResolve || isViewer(view, issue.author);
  return {
    __typename: 'PullRequestReviewThread',
    id: thread.nodeId,
    path: thread.path,
    subjectType: thread.subjectType,
    diffSide: thread.side,
    startDiffSide: thread.originalStartLine === null ? null : thread.side,
    line: thread.line,
    startLine: thread.startLine,
    originalLine: thread.originalLine,
    originalStartLine: thread.originalStartLine,
    isOutdated: thread.isOutdated,
    isResolved: thread.isResolved,
    isCollapsed: thread.isResolved || thread.isOutdated,
    resolvedBy: thread.resolvedBy === null ? null : userSource(view, thread.resolvedBy),
    viewerCanReply: !issue.locked || mayResolve,
    viewerCanResolve: canResolve && !thread.isResolved,
    viewerCanUnresolve: canResolve && thread.isResolved,
    pullRequest: () => pullRequestSource(view, repository, issue),
    repository: () => repositorySource(view, repository),
    comments: (args, info) =>
      connection(args, info, {
        items: visibleComments(view, issue, thread).slice(numberArg(args, 'skip') ?? 0),
        keyOf: (comment) => comment.id,
        present: (comment) => reviewCommentSource(view, repository, issue, thread, comment),
      }),
  };
}

export function reviewCommentSource(
  view: View,
  repository: Repository,
  issue: PullRequestIssue,
  thread: ReviewThread,
  comment: ReviewComment,
): Source {
  const present = (other: ReviewComment): Source => reviewCommentSource(view, repository, issue, thread, other);
  const review = issue.pullRequest.reviews.find((each) => each.id === comment.reviewId);
  const first = thread.comments.find((each) => each.id === comment.inReplyTo);
  const url = `${issuePage(view.forge, repository, issue)}#discussion_r${comment.id}`;
  return {
    __typename: 'PullRequestReviewComment',
    ...writtenFields(view, repository, comment, url),
    state: isPending(issue, comment) ? 'PENDING' : 'SUBMITTED',
    draftedAt: comment.createdAt,
    path: thread.path,
    subjectType: thread.subjectType,
    diffHunk: comment.diffHunk,
    line: thread.line,
    startLine: thread.startLine,
    originalLine: thread.originalLine,
    originalStartLine: thread.originalStartLine,
    outdated: thread.isOutdated,
    commit: () => existingCommit(view, repository, comment.commit),
    originalCommit: () => existingCommit(view, repository, comment.originalCommit),
    replyTo: () => (first === undefined ? null : present(first)),
    pullRequest: () => pullRequestSource(view, repository, issue),
    pullRequestReview: () => (review === undefined ? null : reviewSource(view, repository, issue, review)),
    ...reactionFields(view, repository, { reactions: [] }, () => present(comment)),
  };
}

export function threadConnection(
  view: View,
  repository: Repository,
  issue: PullRequestIssue,
  args: Args,
  info: Info,
): Source {
  requireRead(view, repository, 'pullRequest');
  return connection(args, info, {
    items: issue.pullRequest.threads.filter((thread) => visibleComments(view, issue, thread).length > 0),
    keyOf: (thread) => thread.nodeId,
    present: (thread) => threadSource(view, repository, issue, thread),
  });
}
