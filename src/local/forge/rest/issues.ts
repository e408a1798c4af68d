import { findAccount, getIssue, isPullRequest } from '../lookup.ts';
import { closeIssue, createIssue, editIssue, lockIssue, reopenIssue, setAssignees, setLabels } from '../operations.ts';
import { issueShape } from '../shapes/issue.ts';
import type { Account, Issue } from '../state.ts';
import { type Answer, type Call, created, type Handler, NO_CONTENT, ok, openRepository, page } from './call.ts';
import { type Fields, isFields, readList, readNullableText, readText, readTexts, readWord } from './fields.ts';
import type { OperationId } from './operation-ids.ts';

/** The issue of the path, for reading. A pull request is one, for whoever may read either. */
export function openIssue(call: Call, ...more: readonly string[]) {
  const { actor, repository } = openRepository(call, 'issues', 'pull_requests', ...more);
  return { actor, repository, issue: getIssue(repository, Number(call.params.issue_number)) };
}

/** Open ones of any kind by default, newest first. */
function listIssues(call: Call): Answer {
  const { repository } = openRepository(call, 'issues');
  const state = readText(call.query, 'state') ?? 'open';
  const labels = (readText(call.query, 'labels') ?? '').split(',').filter((label) => label !== '');
  const since = readText(call.query, 'since') ?? '';
  const creator = readText(call.query, 'creator');
  const matching = repository.issues.filter(
    (issue) =>
      (state === 'all' || issue.state === state) &&
      labels.every((label) => hasLabel(issue, label)) &&
      (since === '' || Date.parse(issue.updatedAt) >= Date.parse(since)) &&
      (creator === undefined || issue.author?.login.toLowerCase() === creator.toLowerCase()),
  );
  const ordered = sorted(matching, call.query);
  return page(call, ordered, (issue) => issueShape(call.forge, repository, issue));
}

function hasLabel(issue: Issue, name: string): boolean {
  return issue.labels.some((label) => label.toLowerCase() === name.toLowerCase());
}

/** By `sort` (created, updated or comments) and `direction`, as lists of issues and pull requests take them. */
export function sorted<Each extends Issue>(issues: readonly Each[], query: Fields): readonly Each[] {
  const sort = readText(query, 'sort') ?? 'created';
  const keys = { updated: (issue: Issue) => issue.updatedAt, created: (issue: Issue) => issue.createdAt };
  const key = sort === 'updated' ? keys.updated : keys.created;
  const ascending =
    sort === 'comments'
      ? issues.toSorted((one, other) => one.comments.length - other.comments.length || one.number - other.number)
      : issues.toSorted((one, other) => key(one).localeCompare(key(other)) || one.number - other.number);
  return readText(query, 'direction') === 'asc' ? ascending : ascending.toReversed();
}

/** Names of `labels`, which may be texts or objects. */
export function readLabelNames(fields: Fields): readonly string[] | undefined {
  return readList(fields, 'labels')?.flatMap((label) => {
    const name = isFields(label) ? readText(label, 'name') : label;
    return typeof name === 'string' ? [name] : [];
  });
}

function readAssignees(call: Call): readonly Account[] | undefined {
  const logins = readTexts(call.body, 'assignees');
  return logins?.flatMap((login) => findAccount(call.forge, login) ?? []);
}

function create(call: Call): Answer {
  const { actor, repository } = openRepository(call);
  const issue = createIssue(call.forge, actor, repository, {
    title: String(call.body.title),
    body: readNullableText(call.body, 'body'),
    labels: readLabelNames(call.body),
  });
  return created(issueShape(call.forge, repository, issue));
}

function update(call: Call): Answer {
  const { actor, repository, issue } = openIssue(call);
  const { forge, body } = call;
  const title = readNullableText(body, 'title') ?? undefined;
  editIssue(forge, actor, repository, issue, { title, body: readNullableText(body, 'body') });
  const labels = readLabelNames(body);
  if (labels !== undefined) setLabels(forge, actor, repository, issue, labels);
  const assignees = readAssignees(call);
  if (assignees !== undefined) setAssignees(forge, actor, repository, issue, assignees);
  const reason = readWord(body, 'state_reason', ['completed', 'not_planned']);
  if (body.state === 'closed') closeIssue(forge, actor, repository, issue, reason);
  if (body.state === 'open') reopenIssue(forge, actor, repository, issue);
  return ok(issueShape(forge, repository, issue));
}

function setLock(call: Call, locked: boolean): Answer {
  const { actor, repository, issue } = openIssue(call);
  lockIssue(call.forge, actor, repository, issue, locked);
  return NO_CONTENT;
}

function get(call: Call): Answer {
  const { repository, issue } = openIssue(call);
  if (!isPullRequest(issue)) openRepository(call, 'issues');
  return ok(issueShape(call.forge, repository, issue));
}

export const issueHandlers = {
  'issues/list-for-repo': listIssues,
  'issues/create': create,
  'issues/get': get,
  'issues/update': update,
  'issues/lock': (call) => setLock(call, true),
  'issues/unlock': (call) => setLock(call, false),
} as const satisfies Partial<Record<OperationId, Handler>>;
