/** The frame of every page. Whatever is put into `html` is escaped, so that all texts show as they were written. */
import { html } from 'hono/html';
import type { Actor } from '../access.ts';
import { actingAccount } from '../access.ts';
import type { Forge } from '../forge.ts';
import type { Account } from '../state.ts';
import { people } from './visitor.ts';

export type Html = ReturnType<typeof html>;

export interface Page {
  readonly title: string;
  readonly body: Html;
  /** Where the page is: the visitor returns there after saying who they are. */
  readonly path: string;
  /** Address of a text that changes when the page would, and that text now; `null` where nothing is watched. */
  readonly watch?: { readonly url: string; readonly version: string };
  /** The path of links in front of the title. */
  readonly trail?: readonly { readonly text: string; readonly href: string }[];
}

export function layout(forge: Forge, visitor: Actor | null, page: Page): Html {
  const { notice } = forge;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title}</title>
<link rel="stylesheet" href="/-/pages.css">
<script src="/-/pages.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<p class="notice"><strong>Local forge.</strong> It stands in for GitHub on this machine; nothing here is on github.com.${notice === null ? '' : ` ${notice}`}</p>
<div class="bar">
<nav aria-label="Trail"><a href="/">Repositories</a>${(page.trail ?? []).map((step) => html` / <a href="${step.href}">${step.text}</a>`)}</nav>
${visitorForm(forge, visitor, page.path)}
</div>
</header>
<main id="main">
${watchLine(page)}
${page.body}
</main>
</body>
</html>`;
}

function visitorForm(forge: Forge, visitor: Actor | null, path: string): Html {
  const current = visitor === null ? null : actingAccount(visitor).login;
  const option = ({ login }: Account): Html =>
    html`<option value="${login}" ${login === current ? 'selected' : ''}>${login}</option>`;
  return html`<form class="inline" method="post" action="/-/visitor">
<input type="hidden" name="back" value="${path}">
<label for="visitor">You are</label>
<select id="visitor" name="login">${current === null ? html`<option value="">nobody yet</option>` : ''}${people(forge).map(option)}</select>
<button>Change</button>
</form>`;
}

function watchLine({ watch, path }: Page): Html | string {
  if (watch === undefined) return '';
  return html`<p id="news" role="status" data-url="${watch.url}" data-version="${watch.version}"><a href="${path}" hidden>Something new has happened here: reload</a></p>`;
}

/** `2026-12-01T09:00:00Z` as people read it; the machine's form stays in the element. */
export function time(at: string | null): Html | string {
  return at === null ? '' : html`<time datetime="${at}">${at.slice(0, 16).replace('T', ' ')}</time>`;
}

export function author(account: Account | null): Html {
  if (account === null) return html`<span class="who">a deleted account</span>`;
  return html`<strong class="who">${account.login}</strong>`;
}

/** A text of a person or of the app, as it was written. */
export function prose(text: string | null): Html {
  if (text === null || text.trim() === '') return html`<p class="faint">No text.</p>`;
  return html`<div class="prose">${text}</div>`;
}

export function badge(kind: string, text: string): Html {
  return html`<span class="badge ${kind}">${text}</span>`;
}
