import { type Actor, actingAccount, requireAccess } from '../access.ts';
import { tellAboutReview } from '../events.ts';
import { type Forge, now } from '../forge.ts';
import { ForgeError } from '../forge-error.ts';
import { resolveCommit } from '../git-repository.ts';
import type { PullRequestIssue } from '../lookup.ts';
import { nodeId } from '../node-id.ts';
import { fileHunks, filesBetween, followLine, hunkOfLine, hunkText, pullRequestBase } from '../pull-request-diff.ts';
import { reviewCommentShape } from '../shapes/review.ts';
import type { Account, Repository, Review, ReviewComment, ReviewThread } from '../state.ts';
import { requireBody } from './issues.ts';

/** A comment on a line, on a range of lines (`startLine` to `line`) or, with `line: null`, on a whole file. */
export interface LineComment {
  readonly path: string;
  readonly body: string;
  readonly line: number | null;
  readonly startLine?: number | null | undefined;
  /** LEFT: a line of the base, removed or unchanged. Default RIGHT. */
  readonly side?: 'LEFT' | 'RIGHT' | undefined;
}

/** Where a comment stands in the diff of the commit that it was written on, and at the head. */
export interface Position {
  readonly diffHunk: string;
  readonly line: number | null;
  readonly startLine: number | null;
  readonly isOutdated: boolean;
}

/** @throws {ForgeError} 422 for a blank comment, an unknown commit, and a file or line that is not in the diff */
export function preparePosition(
  repository: Repository,
  pull: PullRequestIssue,
  commit: string,
  comment: LineComment,
): Position {
  requireBody('PullRequestReviewComment', comment.body);
  if (comment.body.trim() === '') throw new ForgeError(422, 'Unprocessable Entity: "Body can\'t be blank"');
  const { gitDir } = repository;
  if (resolveCommit(gitDir, commit) === null) {
    throw new ForgeError(422, 'Unprocessable Entity: "Commit is not part of the pull request"');
  }
  const base = pullRequestBase(repository, pull);
  if (!filesBetween(gitDir, base, commit).some((file) => file.path === comment.path)) {
    throw new ForgeError(422, 'Unprocessable Entity: "Path could not be resolved"');
  }
  const hunks = fileHunks(gitDir, base, commit, comment.path);
  if (comment.line === null) {
    return { diffHunk: hunks[0]?.header ?? '', line: null, startLine: null, isOutdated: false };
  }
  const side = comment.side ?? 'RIGHT';
  const startLine = comment.startLine ?? null;
  const hunk = hunkOfLine(hunks, side, comment.line);
  const startHunk = startLine === null ? hunk : hunkOfLine(hunks, side, startLine);
  if (hunk === null || startHunk !== hunk) {
    throw new ForgeError(422, 'Unprocessable Entity: "Line could not be resolved"');
  }
  if (startLine !== null && startLine >= comment.line) {
    throw new ForgeError(422, 'Unprocessable Entity: "Start line must precede the end line."');
  }
  const diffHunk = hunkText(hunk, side, comment.line);
  const { headSha } = pull.pullRequest;
  if (side === 'LEFT' || commit === headSha) return { diffHunk, line: comment.line, startLine, isOutdated: false };
  const line = followLine(gitDir, commit, headSha, comment.path, comment.line);
  const start = startLine === null ? null : followLine(gitDir, commit, headSha, comment.path, startLine);
  const isOutdated = line === null || (startLine !== null && start === null);
  return { diffHunk, line: isOutdated ? null : line, startLine: isOutdated ? null : start, isOutdated };
}

export function addThread(
  forge: Forge,
  author: Account,
  pull: PullRequestIssue,
  review: Review,
  text: LineComment,
  position: Position,
): ReviewThread {
  const comment = newComment(forge, author, review, text.body, {
    inReplyTo: null,
    diffHunk: position.diffHunk,
    commit: position.isOutdated ? (review.commit ?? pull.pullRequest.headSha) : pull.pullRequest.headSha,
    originalCommit: review.commit ?? pull.pullRequest.headSha,
  });
  const thread: ReviewThread = {
    nodeId: nodeId('reviewThread', forge.nextId()),
    path: text.path,
    subjectType: text.line === null ? 'FILE' : 'LINE',
    side: text.side ?? 'RIGHT',
    line: position.line,
    startLine: position.startLine,
    originalLine: text.line,
    originalStartLine: text.startLine ?? null,
    isOutdated: position.isOutdated,
    isResolved: false,
    resolvedBy: null,
    comments: [comment],
  };
  pull.pullRequest.threads.push(thread);
  return thread;
}

export function newComment(
  forge: Forge,
  author: Account,
  review: Review,
  body: string,
  place: Pick<ReviewComment, 'inReplyTo' | 'diffHunk' | 'commit' | 'originalCommit'>,
): ReviewComment {
  const id = forge.nextId();
  const at = now(forge);
  return {
    id,
    nodeId: nodeId('reviewComment', id),
    author,
    body,
    reviewId: review.id,
    createdAt: at,
    updatedAt: at,
    lastEditedAt: null,
    ...place,
  };
}

/** For the comment's author and whoever may write; the lines it stands on do not change. */
export function editReviewComment(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  pull: PullRequestIssue,
  thread: ReviewThread,
  comment: ReviewComment,
  body: string,
): void {
  const own = comment.author?.id === actingAccount(actor).id;
  const role = own ? 'read' : 'write';
  requireAccess(actor, repository, { permissions: ['pull_requests'], access: 'write', role });
  if (!own && actor.kind === 'installation') throw new ForgeError(403, 'Resource not accessible by integration');
  requireBody('PullRequestReviewComment', body);
  const from = comment.body;
  comment.body = body;
  comment.updatedAt = now(forge);
  comment.lastEditedAt = comment.updatedAt;
  tellAboutReview(forge, actor, repository, pull, 'pull_request_review_comment', {
    action: 'edited',
    comment: reviewCommentShape(forge, repository, pull, thread, comment),
    changes: { body: { from } },
  });
}

/** Resolved by whoever may write and by the pull request's author. Resolving twice changes nothing. */
export function resolveThread(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  pull: PullRequestIssue,
  thread: ReviewThread,
  resolved = true,
): void {
  const own = pull.author?.id === actingAccount(actor).id;
  const role = own ? 'read' : 'write';
  requireAccess(actor, repository, { permissions: ['pull_requests'], access: 'write', role });
  if (thread.isResolved === resolved) return;
  thread.isResolved = resolved;
  thread.resolvedBy = resolved ? actingAccount(actor) : null;
  tellAboutReview(forge, actor, repository, pull, 'pull_request_review_thread', {
    action: resolved ? 'resolved' : 'unresolved',
    thread: {
      node_id: thread.nodeId,
      comments: thread.comments.map((comment) => reviewCommentShape(forge, repository, pull, thread, comment)),
    },
  });
}
