/** What the pull request changes, line by line, where lines take comments and a review is gathered and submitted. */
import { html } from 'hono/html';
import { commentsOf, findPendingReview } from '../operations.ts';
import {
  type ChangedFile,
  changedFiles,
  type DiffLine,
  fileHunks,
  type Hunk,
  pullRequestBase,
} from '../pull-request-diff.ts';
import type { ReviewThread } from '../state.ts';
import { fileAnchor, threadPath } from './address.ts';
import { badge, type Html } from './layout.ts';
import { reviewThread, visibleThreads } from './review-thread.ts';
import { type PullView, pullHeader } from './thread-pages.ts';

/** The lines that the address asks to comment on: the way without a script. */
export interface Selection {
  readonly path: string;
  readonly side: 'LEFT' | 'RIGHT';
  /** `null`: the whole file. */
  readonly line: number | null;
}

/** More than people read; what is left out is said. */
const MAX_LINES = 5000;

export function filesPage(view: PullView, selection: Selection | null): Html {
  const files = changedFiles(view.repository, view.issue);
  return html`${pullHeader(view, 'files')}
${view.visitor === null ? html`<p class="faint">Choose who you are to review.</p>` : html`<p class="faint">Choose a line number to comment on the line; with Shift held, a second one makes a range.</p>`}
${files.map((file) => fileSection(view, file, selection))}
${lostThreads(view, files)}
${view.visitor === null ? '' : reviewForm(view)}
${view.visitor === null ? '' : html`<template id="comment-template">${commentForm(view, { path: '', side: 'RIGHT', line: 1 })}</template>`}`;
}

function fileSection(view: PullView, file: ChangedFile, selection: Selection | null): Html {
  const { repository, issue } = view;
  const base = pullRequestBase(repository, issue);
  const hunks = fileHunks(repository.gitDir, base, issue.pullRequest.headSha, file.path);
  const back = `${threadPath(repository, issue)}/files`;
  const threads = visibleThreads(view).filter((thread) => thread.path === file.path);
  const aside = threads.filter((thread) => thread.line === null);
  const onFile = selection?.path === file.path && selection.line === null;
  const link = `?path=${encodeURIComponent(file.path)}#comment-form`;
  const context: FileContext = { view, file, selection, back, threads };
  return html`<section class="file" id="${fileAnchor(file.path)}" aria-label="${file.path}">
<header><h2><code>${file.path}</code></h2> ${badge('', file.status)} <span class="faint">+${file.additions} −${file.deletions}${file.previousPath === null ? '' : `, was ${file.previousPath}`}</span>
${view.visitor === null ? '' : html`<a href="${link}">Comment on the file</a>`}</header>
${onFile && view.visitor !== null ? commentForm(view, selection) : ''}
${aside.map((thread) => reviewThread(view, thread, back))}
${hunks.length === 0 ? html`<p class="faint">No lines to show: the file is binary, empty, or only moved.</p>` : diffTable(context, hunks)}
</section>`;
}

interface FileContext {
  readonly view: PullView;
  readonly file: ChangedFile;
  readonly selection: Selection | null;
  readonly back: string;
  readonly threads: readonly ReviewThread[];
}

function diffTable(context: FileContext, hunks: readonly Hunk[]): Html {
  let left = MAX_LINES;
  const bodies = hunks.map((hunk) => {
    const shown = hunk.lines.slice(0, left);
    left -= shown.length;
    return html`<tbody><tr class="hunk"><td colspan="3"></td><td>${hunk.header}</td></tr>${shown.map((line) => lineRows(context, line))}</tbody>`;
  });
  const total = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  const cut = html`<p>The first ${MAX_LINES} of ${total} changed lines are shown; read the rest in a clone.</p>`;
  return html`<table class="diff" data-path="${context.file.path}"><caption class="hidden">Changed lines of ${context.file.path}</caption>${bodies}</table>${total > MAX_LINES ? cut : ''}`;
}

const MARKS = { added: '+', removed: '−', context: ' ' } as const;

function lineRows(context: FileContext, line: DiffLine): Html {
  const { view, selection, file, threads, back } = context;
  const side = line.kind === 'removed' ? 'LEFT' : 'RIGHT';
  const number = side === 'LEFT' ? line.left : line.right;
  const here = threads.filter((thread) => isAt(thread, line));
  const isChosen = selection?.path === file.path && selection.side === side && selection.line === number;
  const form = isChosen && view.visitor !== null ? commentForm(view, selection) : '';
  const below =
    here.length === 0 && form === ''
      ? ''
      : html`<tr class="below"><td colspan="4">${here.map((thread) => reviewThread(view, thread, back))}${form}</td></tr>`;
  return html`<tr class="${line.kind}" data-side="${side}" data-number="${number}">
<td class="number">${line.kind === 'removed' ? picker(context, side, line.left) : line.left}</td>
<td class="number">${line.kind === 'removed' ? '' : picker(context, side, line.right)}</td>
<td class="mark">${MARKS[line.kind]}</td><td class="code">${line.text}</td></tr>${below}`;
}

function isAt(thread: ReviewThread, line: DiffLine): boolean {
  if (thread.line === null) return false;
  return thread.side === 'LEFT' ? thread.line === line.left : thread.line === line.right;
}

function picker({ view, file }: FileContext, side: 'LEFT' | 'RIGHT', line: number | null): Html | string {
  if (line === null) return '';
  if (view.visitor === null) return String(line);
  const query = new URLSearchParams({ path: file.path, side, line: String(line) });
  const label = side === 'LEFT' ? `Comment on removed line ${line}` : `Comment on line ${line}`;
  return html`<a class="pick" href="?${query.toString()}#comment-form" aria-label="${label}">${line}</a>`;
}

function commentForm({ repository, issue, visitor }: PullView, { path, side, line }: Selection): Html {
  const isPending = visitor !== null && findPendingReview(visitor, issue) !== null;
  const range = html`<div class="inline"><label>From line <input name="startLine" type="number" min="1" value="${line ?? ''}"></label>
<label>to line <input name="line" type="number" min="1" value="${line ?? ''}" required></label></div>`;
  return html`<form class="stack box comment-form" id="comment-form" method="post" action="${threadPath(repository, issue)}/comments">
<input type="hidden" name="path" value="${path}"><input type="hidden" name="side" value="${side}"><input type="hidden" name="head" value="${issue.pullRequest.headSha}">
${line === null ? html`<p>On the whole file</p>` : range}
<label>Comment <textarea name="body" rows="4" required autofocus></textarea></label>
<div><button class="primary" name="mode" value="review">${isPending ? 'Add to your review' : 'Start a review'}</button>
${isPending ? '' : html`<button name="mode" value="single">Comment at once</button>`}
<button type="button" class="cancel" hidden>Cancel</button></div>
</form>`;
}

/** Threads on files that the pull request no longer changes. */
function lostThreads(view: PullView, files: readonly ChangedFile[]): Html | string {
  const lost = visibleThreads(view).filter((thread) => !files.some((file) => file.path === thread.path));
  if (lost.length === 0) return '';
  const back = `${threadPath(view.repository, view.issue)}/files`;
  return html`<section aria-label="Earlier threads"><h2>On files that are no longer changed</h2>
${lost.map((thread) => html`<p><code>${thread.path}</code></p>${reviewThread(view, thread, back)}`)}</section>`;
}

function reviewForm({ repository, issue, visitor }: PullView): Html {
  const pending = visitor === null ? null : findPendingReview(visitor, issue);
  const count = pending === null ? 0 : commentsOf(issue, pending).length;
  const choice = (value: string, text: string, isFirst = false): Html =>
    html`<label class="choice"><input type="radio" name="event" value="${value}" required ${isFirst ? 'checked' : ''}> ${text}</label>`;
  return html`<form class="stack box" id="review" method="post" action="${threadPath(repository, issue)}/reviews">
<h2>Your review</h2>
<p>${count === 0 ? 'No comment on a line gathered yet.' : `${count} ${count === 1 ? 'comment' : 'comments'} gathered; seen by you alone until you submit.`}</p>
<input type="hidden" name="head" value="${issue.pullRequest.headSha}">
<label for="review-body">Summary</label><textarea id="review-body" name="body" rows="4"></textarea>
<fieldset><legend>Verdict on <code>${issue.pullRequest.headSha.slice(0, 7)}</code></legend>
${choice('COMMENT', 'Comment', true)}${choice('REQUEST_CHANGES', 'Request changes')}${choice('APPROVE', 'Approve')}</fieldset>
<div><button class="primary">Submit review</button></div>
</form>`;
}
