import { associationOf } from '../access.ts';
import type { Forge } from '../forge.ts';
import type { PullRequestIssue } from '../lookup.ts';
import type { Repository, Review, ReviewComment, ReviewThread } from '../state.ts';
import { nullableAccountShape } from './account.ts';
import { issuePage } from './issue.ts';
import { repositoryUrl } from './repository.ts';

/** GitHub's `pull-request-review`. */
export function reviewShape(forge: Forge, repository: Repository, pull: PullRequestIssue, review: Review) {
  const url = `${repositoryUrl(forge, repository)}/pulls/${pull.number}`;
  const page = `${issuePage(forge, repository, pull)}#pullrequestreview-${review.id}`;
  return {
    id: review.id,
    node_id: review.nodeId,
    user: nullableAccountShape(forge, review.author),
    author_association: associationOf(repository, review.author),
    body: review.body,
    state: review.state,
    commit_id: review.commit,
    ...(review.submittedAt === null ? {} : { submitted_at: review.submittedAt }),
    html_url: page,
    pull_request_url: url,
    _links: { html: { href: page }, pull_request: { href: url } },
  };
}

/**
 * GitHub's `pull-request-review-comment`: on an outdated thread `line` is null while `original_line` stays.
 */
export function reviewCommentShape(
  forge: Forge,
  repository: Repository,
  pull: PullRequestIssue,
  thread: ReviewThread,
  comment: ReviewComment,
) {
  const base = repositoryUrl(forge, repository);
  const url = `${base}/pulls/comments/${comment.id}`;
  const page = `${issuePage(forge, repository, pull)}#discussion_r${comment.id}`;
  const pullUrl = `${base}/pulls/${pull.number}`;
  return {
    id: comment.id,
    node_id: comment.nodeId,
    url,
    html_url: page,
    pull_request_url: pullUrl,
    pull_request_review_id: comment.reviewId,
    ...(comment.inReplyTo === null ? {} : { in_reply_to_id: comment.inReplyTo }),
    user: nullableAccountShape(forge, comment.author),
    author_association: associationOf(repository, comment.author),
    body: comment.body,
    path: thread.path,
    diff_hunk: comment.diffHunk,
    commit_id: comment.commit,
    original_commit_id: comment.originalCommit,
    ...positionShape(thread),
    subject_type: thread.subjectType === 'FILE' ? 'file' : 'line',
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    _links: { self: { href: url }, html: { href: page }, pull_request: { href: pullUrl } },
  };
}

/** A comment on a file has no line. The older counting by `position` says only whether the line is still there. */
function positionShape(thread: ReviewThread) {
  if (thread.subjectType === 'FILE') {
    return { side: thread.side, position: null, original_position: 1, line: null, original_line: null };
  }
  return {
    side: thread.side,
    start_side: thread.originalStartLine === null ? null : thread.side,
    position: thread.line === null ? null : 1,
    original_position: 1,
    line: thread.line,
    start_line: thread.startLine,
    original_line: thread.originalLine,
    original_start_line: thread.originalStartLine,
  };
}

/** GitHub's older `review-comment`, which the list of one review's comments still has: without `subject_type`. */
export function legacyReviewCommentShape(
  ...[forge, repository, pull, thread, comment]: Parameters<typeof reviewCommentShape>
) {
  const { subject_type: _, ...shape } = reviewCommentShape(forge, repository, pull, thread, comment);
  return shape;
}
