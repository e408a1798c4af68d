/** The forge's pages for a person at a browser: what GitHub's own pages are for the app's users. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { csrf } from 'hono/csrf';
import { html } from 'hono/html';
import { HTTPException } from 'hono/http-exception';
import { secureHeaders } from 'hono/secure-headers';
import type { Forge } from '../forge.ts';
import { ForgeError } from '../forge-error.ts';
import { fullName, getIssue, getPullRequest, isPullRequest } from '../lookup.ts';
import type { Issue, Repository } from '../state.ts';
import { createActions } from './actions.ts';
import { threadPath, threadVersion } from './address.ts';
import { filesPage, type Selection } from './files-page.ts';
import { field, lineNumber, readForm } from './form.ts';
import { type Html, layout, type Page, prose } from './layout.ts';
import { repositoryList, threadList } from './lists.ts';
import { commitsPage, issuePage, type PullView, pullPage } from './thread-pages.ts';
import { isOwnHost, mayRead, requireRepository, visitorOf } from './visitor.ts';

/** Far above the longest text that an operation takes. */
const MAX_FORM_BYTES = 1_000_000;

const STYLE = readFileSync(new URL('style.css', import.meta.url), 'utf8');
const SCRIPT = readFileSync(new URL('browser.js', import.meta.url), 'utf8');

/**
 * Answers every request that is not for an API or for git. There is no password: it must listen on loopback only. Forms
 * are taken from the pages themselves and from nowhere else.
 */
export function createPages(forge: Forge): (request: IncomingMessage, response: ServerResponse) => void {
  const app = createApp(forge);
  // The process's own Request and Response stay what they are.
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  return (request, response) => {
    listener(request, response).catch((error: unknown) => response.destroy(asError(error)));
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function createApp(forge: Forge): Hono {
  const app = new Hono();
  const policy = { defaultSrc: ["'none'"], scriptSrc: ["'self'"], styleSrc: ["'self'"], connectSrc: ["'self'"] };
  const contentSecurityPolicy = { ...policy, formAction: ["'self'"], frameAncestors: ["'none'"], baseUri: ["'none'"] };
  app.use(secureHeaders({ contentSecurityPolicy, referrerPolicy: 'same-origin', strictTransportSecurity: false }));
  app.use(async (context, next) => {
    if (!isOwnHost(forge, context.req.header('host') ?? '')) return context.text('Unknown host', 421);
    return next();
  });
  app.use(csrf());
  app.use(bodyLimit({ maxSize: MAX_FORM_BYTES, onError: (context) => context.text('The form is too large', 413) }));
  app.get('/-/pages.css', (context) => context.body(STYLE, 200, { 'content-type': 'text/css; charset=utf-8' }));
  app.get('/-/pages.js', (context) => context.body(SCRIPT, 200, { 'content-type': 'text/javascript; charset=utf-8' }));
  addLists(forge, app);
  addThreads(forge, app);
  app.route('/', createActions(forge));
  app.notFound((context) => showProblem(forge, context, 404, 'There is no such page, or you may not read it.'));
  app.onError(async (error, context) => {
    if (error instanceof HTTPException) return context.text('A form is taken from these pages only', error.status);
    if (!(error instanceof ForgeError)) throw error;
    return showProblem(forge, context, error.status, sentence(error));
  });
  return app;
}

async function show(forge: Forge, context: Context, page: Omit<Page, 'path'>): Promise<Response> {
  const { pathname, search } = new URL(context.req.url);
  return context.html(layout(forge, visitorOf(forge, context), { ...page, path: `${pathname}${search}` }));
}

function addLists(forge: Forge, app: Hono): void {
  app.get('/', (context) => {
    const readable = forge.state.repositories.filter((each) => mayRead(visitorOf(forge, context), each));
    return show(forge, context, { title: 'Repositories', body: repositoryList(readable) });
  });
  app.get('/:owner/:repo', (context) => context.redirect(`/${fullName(requireRepository(forge, context))}/issues`));
  for (const kind of ['issues', 'pulls'] as const) {
    app.get(`/:owner/:repo/${kind}`, (context) => {
      const repository = requireRepository(forge, context);
      const body = threadList(repository, kind, visitorOf(forge, context));
      return show(forge, context, { title: fullName(repository), body });
    });
  }
}

function addThreads(forge: Forge, app: Hono): void {
  const issue = '/:owner/:repo/issues/:number{[0-9]+}';
  const pull = '/:owner/:repo/pull/:number{[0-9]+}';
  app.get(issue, async (context) => {
    const view = { ...threadOf(forge, context), visitor: visitorOf(forge, context) };
    if (isPullRequest(view.issue)) return context.redirect(threadPath(view.repository, view.issue));
    return showThread(forge, context, view, issuePage(view));
  });
  app.get(`${issue}/version`, (context) => {
    const thread = threadOf(forge, context);
    return context.text(threadVersion(thread.repository, thread.issue), 200, { 'cache-control': 'no-store' });
  });
  app.get(pull, (context) => {
    const view = pullOf(forge, context);
    return showThread(forge, context, view, pullPage(view));
  });
  app.get(`${pull}/commits`, (context) => {
    const view = pullOf(forge, context);
    return showThread(forge, context, view, commitsPage(forge, view));
  });
  app.get(`${pull}/files`, (context) => {
    const view = pullOf(forge, context);
    return showThread(forge, context, view, filesPage(view, selectionOf(context)));
  });
}

interface Thread {
  readonly repository: Repository;
  readonly issue: Issue;
}

function threadOf(forge: Forge, context: Context): Thread {
  const repository = requireRepository(forge, context);
  return { repository, issue: getIssue(repository, Number(context.req.param('number'))) };
}

function pullOf(forge: Forge, context: Context): PullView {
  const repository = requireRepository(forge, context);
  const issue = getPullRequest(repository, Number(context.req.param('number')));
  return { repository, issue, visitor: visitorOf(forge, context) };
}

function selectionOf(context: Context): Selection | null {
  const { path, side, line } = context.req.query();
  if (path === undefined) return null;
  return { path, side: side === 'LEFT' ? 'LEFT' : 'RIGHT', line: lineNumber({ line: line ?? '' }, 'line') };
}

function showThread(forge: Forge, context: Context, { repository, issue }: Thread, body: Html) {
  const name = fullName(repository);
  return show(forge, context, {
    title: `${issue.title} · ${name}#${issue.number}`,
    body,
    trail: [{ text: name, href: `/${name}/${isPullRequest(issue) ? 'pulls' : 'issues'}` }],
    watch: { url: `/${name}/issues/${issue.number}/version`, version: threadVersion(repository, issue) },
  });
}

/** A refusal, with the text that its author would otherwise have lost. */
async function showProblem(
  forge: Forge,
  context: Context,
  status: ForgeError['status'],
  message: string,
): Promise<Response> {
  const written = context.req.method === 'POST' ? field(await readForm(context), 'body') : '';
  const kept = html`<h2>What you wrote</h2>${prose(written)}`;
  const body = html`<h1>That did not work</h1><p role="alert">${message}</p>${written === '' ? '' : kept}
<p><a href="/">Repositories</a></p>`;
  context.status(status);
  return context.html(layout(forge, visitorOf(forge, context), { title: 'That did not work', body, path: '/' }));
}

/** A 422's own words, in place of REST's "Validation Failed". */
function sentence(error: ForgeError): string {
  const reasons = error.errors.map((each) => each.message ?? `${each.field ?? each.resource}: ${each.code}`);
  if (reasons.length > 0) return reasons.join('; ');
  return error.message.replace(/^Unprocessable Entity: "(.*)"$/, '$1');
}
