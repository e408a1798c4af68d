/** A thread of comments on lines or on a file, with its reply and its resolution. */
import { html } from 'hono/html';
import { actingAccount, hasRole } from '../access.ts';
import type { ReviewComment, ReviewThread } from '../state.ts';
import { threadPath } from './address.ts';
import { author, badge, type Html, prose, time } from './layout.ts';
import type { PullView } from './thread-pages.ts';

/** Threads that the visitor sees: a pending comment is its author's alone. */
export function visibleThreads({ issue, visitor }: PullView): readonly ReviewThread[] {
  const self = visitor === null ? null : actingAccount(visitor).id;
  const hidden = issue.pullRequest.reviews
    .filter((review) => review.state === 'PENDING' && review.author?.id !== self)
    .map((review) => review.id);
  return issue.pullRequest.threads.filter((thread) => !thread.comments.some((each) => hidden.includes(each.reviewId)));
}

function isPending({ issue }: PullView, comment: ReviewComment): boolean {
  return issue.pullRequest.reviews.some((review) => review.id === comment.reviewId && review.state === 'PENDING');
}

function place(thread: ReviewThread): string {
  if (thread.subjectType === 'FILE') return 'the whole file';
  const line = thread.line ?? thread.originalLine;
  const start = thread.line === null ? thread.originalStartLine : thread.startLine;
  const words = start === null ? `line ${line}` : `lines ${start} to ${line}`;
  return thread.side === 'LEFT' ? `${words} before the change` : words;
}

/** `back` is the path to return to after a reply. */
export function reviewThread(view: PullView, thread: ReviewThread, back: string): Html {
  const { visitor, issue, repository } = view;
  const isDraft = thread.comments.some((comment) => isPending(view, comment));
  const path = threadPath(repository, issue);
  const body = html`${thread.isOutdated ? html`<pre class="hunk">${thread.comments[0]?.diffHunk ?? ''}</pre>` : ''}
${thread.comments.map((comment) => commentOf(view, comment, path))}
${visitor === null || isDraft ? '' : replyForm(view, thread, path, back)}`;
  const summary = html`On ${place(thread)} ${thread.isOutdated ? badge('', 'Outdated') : ''} ${thread.isResolved ? html`${badge('merged', 'Resolved')} by ${author(thread.resolvedBy)}` : ''}`;
  return html`<details class="thread" ${thread.isResolved ? '' : 'open'}><summary>${summary}</summary>${body}</details>`;
}

function commentOf(view: PullView, comment: ReviewComment, path: string): Html {
  const discard = html`${badge('draft', 'Not submitted')} <form class="inline" method="post" action="${path}/discard"><button name="comment" value="${comment.id}">Discard</button></form>`;
  return html`<article class="box" id="discussion_r${comment.id}"><header>${author(comment.author)} ${time(comment.createdAt)} ${isPending(view, comment) ? discard : ''}</header>
${prose(comment.body)}</article>`;
}

function replyForm({ visitor, issue, repository }: PullView, thread: ReviewThread, path: string, back: string): Html {
  const isWriter = visitor?.kind === 'person' && hasRole(repository, visitor.account, 'write');
  const mayResolve = isWriter || (visitor !== null && issue.author?.id === actingAccount(visitor).id);
  const hidden = html`<input type="hidden" name="thread" value="${thread.nodeId}"><input type="hidden" name="back" value="${back}">`;
  const resolve = html`<form method="post" action="${path}/threads">${hidden}
<button name="resolved" value="${String(!thread.isResolved)}">${thread.isResolved ? 'Unresolve' : 'Resolve'}</button></form>`;
  return html`<form class="stack" method="post" action="${path}/replies">${hidden}
<label>Reply <textarea name="body" rows="2" required></textarea></label>
<div><button>Reply</button></div></form>
${mayResolve ? resolve : ''}`;
}
