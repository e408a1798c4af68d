/** What visitors do: every form of the pages, each through the operation that the APIs use too. */
import { type Context, Hono } from 'hono';
import type { Forge } from '../forge.ts';
import { ForgeError, notFound } from '../forge-error.ts';
import { findThread, fullName, getIssue, getPullRequest, type PullRequestIssue } from '../lookup.ts';
import {
  addLabels,
  addPendingComment,
  closeIssue,
  createComment,
  createIssue,
  discardPendingComment,
  finishReview,
  merge,
  removeLabel,
  reopenIssue,
  replyToThread,
  resolveThread,
  submitReview,
} from '../operations.ts';
import { threadPath } from './address.ts';
import { backPath, choice, type Form, field, lineNumber, readForm } from './form.ts';
import { rememberVisitor, requireRepository, requireVisitor } from './visitor.ts';

/** GitHub's answer to a form that has been carried out: look at the page. */
const SEE_OTHER = 303;

export function createActions(forge: Forge): Hono {
  const actions = new Hono();
  actions.post('/-/visitor', async (context) => {
    const form = await readForm(context);
    rememberVisitor(forge, context, field(form, 'login'));
    return context.redirect(backPath(form, '/'), SEE_OTHER);
  });
  addIssueActions(forge, actions);
  addReviewActions(forge, actions);
  return actions;
}

/** Carries out an action on the issue or pull request of the address. Returns the path to go to. */
function onIssue(forge: Forge, act: (target: IssueTarget) => string | null) {
  return async (context: Context): Promise<Response> => {
    const form = await readForm(context);
    const repository = requireRepository(forge, context);
    const issue = getIssue(repository, Number(context.req.param('number')));
    const path = act({ forge, visitor: requireVisitor(forge, context), repository, issue, form });
    return context.redirect(path ?? threadPath(repository, issue), SEE_OTHER);
  };
}

interface IssueTarget {
  readonly forge: Forge;
  readonly visitor: ReturnType<typeof requireVisitor>;
  readonly repository: ReturnType<typeof requireRepository>;
  readonly issue: ReturnType<typeof getIssue>;
  readonly form: Form;
}

function addIssueActions(forge: Forge, actions: Hono): void {
  actions.post('/:owner/:repo/issues', async (context) => {
    const form = await readForm(context);
    const repository = requireRepository(forge, context);
    const text = { title: field(form, 'title'), body: field(form, 'body') };
    const issue = createIssue(forge, requireVisitor(forge, context), repository, text);
    return context.redirect(threadPath(repository, issue), SEE_OTHER);
  });
  const path = '/:owner/:repo/issues/:number{[0-9]+}';
  actions.post(
    `${path}/comments`,
    onIssue(forge, ({ visitor, repository, issue, form }) => {
      const comment = createComment(forge, visitor, repository, issue, field(form, 'body'));
      return `${threadPath(repository, issue)}#issuecomment-${comment.id}`;
    }),
  );
  actions.post(
    `${path}/labels`,
    onIssue(forge, ({ visitor, repository, issue, form }) => {
      if (field(form, 'add') !== '') addLabels(forge, visitor, repository, issue, [field(form, 'add')]);
      if (field(form, 'remove') !== '') removeLabel(forge, visitor, repository, issue, field(form, 'remove'));
      return null;
    }),
  );
  actions.post(
    `${path}/state`,
    onIssue(forge, ({ visitor, repository, issue, form }) => {
      const change = choice(form, 'state', ['open', 'closed']) === 'closed' ? closeIssue : reopenIssue;
      change(forge, visitor, repository, issue);
      return null;
    }),
  );
}

type PullTarget = Omit<IssueTarget, 'issue'> & { readonly pull: PullRequestIssue; readonly files: string };

function onPull(forge: Forge, act: (target: PullTarget) => string) {
  return onIssue(forge, (target) => {
    const pull = getPullRequest(target.repository, target.issue.number);
    return act({ ...target, pull, files: `${threadPath(target.repository, pull)}/files` });
  });
}

function addReviewActions(forge: Forge, actions: Hono): void {
  const path = '/:owner/:repo/pull/:number{[0-9]+}';
  actions.post(`${path}/comments`, onPull(forge, commentOnLines));
  actions.post(
    `${path}/discard`,
    onPull(forge, ({ visitor, pull, form, files }) => {
      discardPendingComment(visitor, pull, Number(field(form, 'comment')));
      return files;
    }),
  );
  actions.post(
    `${path}/reviews`,
    onPull(forge, ({ visitor, repository, pull, form }) => {
      requireSameHead(pull, form);
      const event = choice(form, 'event', ['APPROVE', 'REQUEST_CHANGES', 'COMMENT']);
      const review = finishReview(forge, visitor, repository, pull, { event, body: field(form, 'body') });
      return `${threadPath(repository, pull)}#pullrequestreview-${review.id}`;
    }),
  );
  actions.post(
    `${path}/replies`,
    onPull(forge, ({ visitor, repository, pull, form, files }) => {
      replyToThread(forge, visitor, repository, pull, threadOf(pull, form), field(form, 'body'));
      return backPath(form, files);
    }),
  );
  actions.post(
    `${path}/threads`,
    onPull(forge, ({ visitor, repository, pull, form, files }) => {
      const resolved = choice(form, 'resolved', ['true', 'false']) === 'true';
      resolveThread(forge, visitor, repository, pull, threadOf(pull, form), resolved);
      return backPath(form, files);
    }),
  );
  actions.post(
    `${path}/merge`,
    onPull(forge, ({ visitor, repository, pull, form }) => {
      merge(forge, visitor, repository, pull, { expectedHead: field(form, 'head') });
      return `/${fullName(repository)}/pull/${pull.number}`;
    }),
  );
}

function commentOnLines({ forge, visitor, repository, pull, form, files }: PullTarget): string {
  requireSameHead(pull, form);
  const line = lineNumber(form, 'line');
  const startLine = lineNumber(form, 'startLine');
  const comment = {
    path: field(form, 'path'),
    body: field(form, 'body'),
    line,
    startLine: startLine === line ? null : startLine,
    side: choice(form, 'side', ['LEFT', 'RIGHT']),
  };
  if (choice(form, 'mode', ['review', 'single']) === 'review') {
    addPendingComment(forge, visitor, repository, pull, comment);
  } else {
    submitReview(forge, visitor, repository, pull, { event: 'COMMENT', comments: [comment] });
  }
  return files;
}

/** A verdict or a line is about what its author has seen. @throws {ForgeError} 409 where the branch has moved on */
function requireSameHead(pull: PullRequestIssue, form: Form): void {
  if (field(form, 'head') === pull.pullRequest.headSha) return;
  throw new ForgeError(
    409,
    'The branch has moved on since you loaded the page. Go back, look at the change, and try again.',
  );
}

function threadOf(pull: PullRequestIssue, form: Form) {
  const thread = findThread(pull, field(form, 'thread'));
  if (thread === null) throw notFound();
  return thread;
}
