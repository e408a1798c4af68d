/** The lists: repositories, and the issues or pull requests of one. */
import { html } from 'hono/html';
import type { Actor } from '../access.ts';
import { fullName, isPullRequest } from '../lookup.ts';
import type { Issue, Repository } from '../state.ts';
import { threadPath } from './address.ts';
import { author, badge, type Html, time } from './layout.ts';

export function repositoryList(repositories: readonly Repository[]): Html {
  const row = (repository: Repository): Html => {
    const open = repository.issues.filter((issue) => issue.state === 'open');
    const pulls = open.filter(isPullRequest).length;
    return html`<li><a href="/${fullName(repository)}/issues">${fullName(repository)}</a>
${repository.private ? badge('', 'private') : ''} ${repository.archived ? badge('', 'archived') : ''}
<span class="faint">${open.length - pulls} open issues, ${pulls} open pull requests</span></li>`;
  };
  return html`<h1>Repositories</h1>
${repositories.length === 0 ? html`<p>There is no repository that you may read.</p>` : html`<ul class="list">${repositories.map(row)}</ul>`}`;
}

export function threadList(repository: Repository, kind: 'issues' | 'pulls', visitor: Actor | null): Html {
  const name = fullName(repository);
  const isWanted = (issue: Issue): boolean => isPullRequest(issue) === (kind === 'pulls');
  const threads = repository.issues.filter(isWanted).toReversed();
  const tab = (target: 'issues' | 'pulls', text: string): Html =>
    html`<a href="/${name}/${target}" ${target === kind ? html`aria-current="page"` : ''}>${text}</a>`;
  return html`<h1>${name}</h1>
<nav class="tabs" aria-label="Kind">${tab('issues', 'Issues')}${tab('pulls', 'Pull requests')}</nav>
${threads.length === 0 ? html`<p>None yet.</p>` : html`<ul class="list">${threads.map((issue) => threadRow(repository, issue))}</ul>`}
${kind === 'issues' ? newIssueForm(name, visitor) : ''}`;
}

function threadRow(repository: Repository, issue: Issue): Html {
  return html`<li>${stateBadge(issue)} <a href="${threadPath(repository, issue)}">${issue.title}</a>
${issue.labels.map((label) => badge('label', label))}
<span class="faint">#${issue.number} by ${author(issue.author)} ${time(issue.createdAt)}, ${issue.comments.length} comments</span></li>`;
}

export function stateBadge(issue: Issue): Html {
  if (issue.pullRequest?.merged === true) return badge('merged', 'Merged');
  if (issue.state === 'closed') return badge('closed', 'Closed');
  if (issue.pullRequest === null) return badge('open', 'Open');
  return issue.pullRequest.draft ? badge('draft', 'Draft') : badge('open', 'Ready for review');
}

function newIssueForm(name: string, visitor: Actor | null): Html {
  if (visitor === null) return html`<p class="faint">Choose who you are to open an issue.</p>`;
  return html`<details><summary>New issue</summary>
<form class="stack" method="post" action="/${name}/issues">
<label for="title">Title</label><input id="title" name="title" required maxlength="256">
<label for="body">Text</label><textarea id="body" name="body" rows="8"></textarea>
<div><button class="primary">Open issue</button></div>
</form></details>`;
}
