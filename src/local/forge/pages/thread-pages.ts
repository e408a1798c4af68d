/** The pages of one issue, and of one pull request: conversation, commits and checks. */
import { html } from 'hono/html';
import { hasRole } from '../access.ts';
import { commitsBetween } from '../commit-graph.ts';
import type { Forge } from '../forge.ts';
import { readCommit } from '../git-repository.ts';
import { findAccountByEmail, type PullRequestIssue } from '../lookup.ts';
import { pullRequestBase } from '../pull-request-diff.ts';
import type { CheckRun } from '../state.ts';
import { threadPath } from './address.ts';
import { conversation, labelPanel, type ThreadView } from './conversation.ts';
import { author, badge, type Html, prose, time } from './layout.ts';
import { stateBadge } from './lists.ts';

export function issuePage(view: ThreadView): Html {
  const { issue } = view;
  return html`<h1>${issue.title} <span class="faint">#${issue.number}</span></h1>
<p>${stateBadge(issue)} ${issue.locked ? badge('', 'Locked') : ''}</p>
<div class="columns"><div>${conversation(view)}</div><aside>${labelPanel(view)}</aside></div>`;
}

export type PullTab = 'conversation' | 'commits' | 'files';

/** A pull request as a visitor looks at it. */
export interface PullView extends ThreadView {
  readonly issue: PullRequestIssue;
}

/** Title, state, branches and tabs, the same on each page of the pull request. */
export function pullHeader(view: PullView, current: PullTab): Html {
  const { issue, repository } = view;
  const { pullRequest } = issue;
  const path = threadPath(repository, issue);
  const tab = (name: PullTab, href: string, text: string): Html =>
    html`<a href="${href}" ${name === current ? html`aria-current="page"` : ''}>${text}</a>`;
  return html`<h1>${issue.title} <span class="faint">#${issue.number}</span></h1>
<p>${stateBadge(issue)} ${issue.locked ? badge('', 'Locked') : ''} ${author(issue.author)} wants to merge <code>${pullRequest.headRef}</code> (<code>${pullRequest.headSha.slice(0, 7)}</code>) into <code>${pullRequest.baseRef}</code></p>
<nav class="tabs" aria-label="Pull request">${tab('conversation', path, 'Conversation')}${tab('commits', `${path}/commits`, 'Commits')}${tab('files', `${path}/files`, 'Files and review')}</nav>`;
}

export function pullPage(view: PullView): Html {
  const { issue, repository } = view;
  const { requestedReviewers } = issue.pullRequest;
  return html`${pullHeader(view, 'conversation')}
<div class="columns"><div>${checks(repository.checkRuns.filter((run) => run.headSha === issue.pullRequest.headSha))}
${conversation(view)}${mergeForm(view)}</div>
<aside>${labelPanel(view)}
<section aria-label="Reviewers"><h2>Asked for a review</h2><p>${requestedReviewers.length === 0 ? 'Nobody.' : requestedReviewers.map((each) => html`${author(each)} `)}</p></section>
</aside></div>`;
}

function checks(runs: readonly CheckRun[]): Html {
  const isLatest = (run: CheckRun): boolean =>
    !runs.some((other) => other.name === run.name && other.appId === run.appId && other.id > run.id);
  const row = (run: CheckRun): Html => html`<details class="check">
<summary>${badge(run.conclusion ?? run.status, (run.conclusion ?? run.status).replaceAll('_', ' '))} <strong>${run.name}</strong> ${run.title ?? ''}</summary>
${run.summary === null ? html`<p class="faint">No summary.</p>` : prose(run.summary)}${run.text === null ? '' : prose(run.text)}
</details>`;
  return html`<section aria-label="Checks"><h2>Checks</h2>
${runs.length === 0 ? html`<p class="faint">None on this commit.</p>` : runs.filter(isLatest).map(row)}</section>`;
}

function mergeForm({ issue, repository, visitor }: PullView): Html | string {
  const mayMerge = visitor?.kind === 'person' && hasRole(repository, visitor.account, 'write');
  if (!mayMerge || issue.state === 'closed' || issue.pullRequest.draft) return '';
  return html`<form method="post" action="${threadPath(repository, issue)}/merge">
<input type="hidden" name="head" value="${issue.pullRequest.headSha}"><button>Merge</button></form>`;
}

export function commitsPage(forge: Forge, view: PullView): Html {
  const { issue, repository } = view;
  const shas = commitsBetween(repository.gitDir, pullRequestBase(repository, issue), issue.pullRequest.headSha);
  const row = (sha: string): Html => {
    const commit = readCommit(repository.gitDir, sha);
    const account = findAccountByEmail(forge, commit.author.email);
    return html`<li><article class="box"><header><code>${sha.slice(0, 7)}</code> ${account === null ? commit.author.name : author(account)} ${time(commit.author.date)}</header>${prose(commit.message)}</article></li>`;
  };
  return html`${pullHeader(view, 'commits')}<ol class="list plain">${shas.map(row)}</ol>`;
}
