import { type Actor, actingAccount, may, requireAccess } from '../access.ts';
import { tellAboutIssue } from '../events.ts';
import { type Forge, now } from '../forge.ts';
import { ForgeError } from '../forge-error.ts';
import { isPullRequest } from '../lookup.ts';
import { nodeId } from '../node-id.ts';
import { accountShape } from '../shapes/account.ts';
import type { Account, Issue, Repository } from '../state.ts';
import { record } from '../timeline.ts';
import { attachLabel, ensureLabel, needFor, tellLabeled } from './labels.ts';

const MAX_TITLE_LENGTH = 256;

/** GitHub's limit for the body of an issue, a pull request, a comment and a review, in characters. */
const MAX_BODY_LENGTH = 65_536;

export interface IssueText {
  readonly title: string;
  readonly body?: string | null | undefined;
  /** Dropped without a word where the actor may not label, as on GitHub. */
  readonly labels?: readonly string[] | undefined;
}

export function nextNumber(repository: Repository): number {
  return Math.max(0, ...repository.goneIssues.keys(), ...repository.issues.map(({ number }) => number)) + 1;
}

/** @throws {ForgeError} 422 */
export function requireBody(resource: string, body: string): void {
  if (body.length <= MAX_BODY_LENGTH) return;
  const message = `body is too long (maximum is ${MAX_BODY_LENGTH} characters)`;
  throw new ForgeError(422, 'Validation Failed', { errors: [{ resource, field: 'body', code: 'custom', message }] });
}

/** @throws {ForgeError} 422 for a blank or overlong title */
export function requireTitle(resource: string, title: string): void {
  if (title.trim() === '') {
    throw new ForgeError(422, 'Validation Failed', { errors: [{ resource, field: 'title', code: 'missing_field' }] });
  }
  if (title.length > MAX_TITLE_LENGTH) {
    const message = `title is too long (maximum is ${MAX_TITLE_LENGTH} characters)`;
    throw new ForgeError(422, 'Validation Failed', { errors: [{ resource, field: 'title', code: 'custom', message }] });
  }
}

export function newIssue(forge: Forge, author: Account, repository: Repository, text: IssueText): Issue {
  const id = forge.nextId();
  const at = now(forge);
  return {
    id,
    nodeId: nodeId('issue', id),
    number: nextNumber(repository),
    title: text.title,
    body: text.body ?? null,
    author,
    state: 'open',
    stateReason: null,
    locked: false,
    labels: [],
    assignees: [],
    createdAt: at,
    updatedAt: at,
    closedAt: null,
    lastEditedAt: null,
    edits: [],
    comments: [],
    reactions: [],
    timeline: [],
    pullRequest: null,
  };
}

/** Its labels are there from the start: `opened` and then each `labeled` list them all. */
export function createIssue(forge: Forge, actor: Actor, repository: Repository, text: IssueText): Issue {
  requireAccess(actor, repository, { permissions: ['issues'], access: 'write', role: 'read' });
  requireTitle('Issue', text.title);
  requireBody('Issue', text.body ?? '');
  const issue = newIssue(forge, actingAccount(actor), repository, text);
  repository.issues.push(issue);
  const mayLabel = may(actor, repository, needFor(issue, 'triage'));
  const labels = mayLabel ? (text.labels ?? []).map((name) => ensureLabel(forge, actor, repository, name)) : [];
  for (const label of labels) attachLabel(forge, actor, issue, label);
  tellAboutIssue(forge, actor, repository, issue, 'opened');
  for (const label of labels) tellLabeled(forge, actor, repository, issue, label);
  return issue;
}

export interface IssueEdit {
  readonly title?: string | undefined;
  readonly body?: string | null | undefined;
}

/** Title and body: for the author and whoever may triage. Also for pull requests. */
export function editIssue(forge: Forge, actor: Actor, repository: Repository, issue: Issue, edit: IssueEdit): void {
  requireAuthorOr(actor, repository, issue, 'triage');
  const changes: Record<string, { readonly from: string | null }> = {};
  if (edit.title !== undefined && edit.title !== issue.title) {
    requireTitle('Issue', edit.title);
    changes.title = { from: issue.title };
    record(forge, actor, issue, { kind: 'renamed', from: issue.title, to: edit.title });
    issue.title = edit.title;
  }
  if (edit.body !== undefined && edit.body !== issue.body) {
    requireBody('Issue', edit.body ?? '');
    changes.body = { from: issue.body };
    issue.body = edit.body;
    recordBodyEdit(forge, actor, issue);
  }
  if (Object.keys(changes).length === 0) return;
  issue.updatedAt = now(forge);
  tellAboutIssue(forge, actor, repository, issue, 'edited', { changes });
}

/** As on GitHub, the first edit also keeps who posted the text and when. */
function recordBodyEdit(forge: Forge, actor: Actor, issue: Issue): void {
  const at = now(forge);
  if (issue.edits.length === 0) {
    issue.edits.push({ id: forge.nextId(), editor: issue.author, editedAt: issue.createdAt });
  }
  issue.edits.push({ id: forge.nextId(), editor: actingAccount(actor), editedAt: at });
  issue.lastEditedAt = at;
}

/** What a person may do to their own thread, or to anyone's with the role. @throws {ForgeError} 403, 404 */
export function requireAuthorOr(actor: Actor, repository: Repository, issue: Issue, role: 'triage' | 'write'): void {
  const own = actor.kind === 'person' && issue.author?.id === actor.account.id;
  requireAccess(actor, repository, needFor(issue, own ? 'read' : role));
}

export type CloseReason = 'completed' | 'not_planned';

/** Closing what is closed changes nothing. For a pull request: closed without a merge. */
export function closeIssue(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  issue: Issue,
  reason: CloseReason = 'completed',
): void {
  requireAuthorOr(actor, repository, issue, 'triage');
  if (issue.state === 'open') settleClosed(forge, actor, repository, issue, reason);
}

/** `closeIssue` for a caller that has checked the access itself. */
export function settleClosed(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  issue: Issue,
  reason: CloseReason = 'completed',
): void {
  issue.state = 'closed';
  issue.stateReason = isPullRequest(issue) ? null : reason;
  issue.closedAt = now(forge);
  record(forge, actor, issue, { kind: 'closed' });
  tellAboutIssue(forge, actor, repository, issue, 'closed');
}

/** @throws {ForgeError} 422 for a merged pull request */
export function reopenIssue(forge: Forge, actor: Actor, repository: Repository, issue: Issue): void {
  requireAuthorOr(actor, repository, issue, 'triage');
  if (issue.state === 'open') return;
  if (issue.pullRequest?.merged === true) {
    throw new ForgeError(422, 'Validation Failed', {
      errors: [
        {
          resource: 'PullRequest',
          code: 'custom',
          field: 'state',
          message: 'state cannot be changed. The pull request is merged.',
        },
      ],
    });
  }
  issue.state = 'open';
  issue.stateReason = isPullRequest(issue) ? null : 'reopened';
  issue.closedAt = null;
  record(forge, actor, issue, { kind: 'reopened' });
  tellAboutIssue(forge, actor, repository, issue, 'reopened');
}

/** From then on only people with write access comment. */
export function lockIssue(forge: Forge, actor: Actor, repository: Repository, issue: Issue, locked: boolean): void {
  requireAccess(actor, repository, needFor(issue, 'write'));
  if (issue.locked === locked) return;
  issue.locked = locked;
  record(forge, actor, issue, { kind: locked ? 'locked' : 'unlocked' });
  tellAboutIssue(forge, actor, repository, issue, locked ? 'locked' : 'unlocked');
}

/** Makes the issue's assignees exactly these. */
export function setAssignees(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  issue: Issue,
  assignees: readonly Account[],
): void {
  requireAccess(actor, repository, needFor(issue, 'triage'));
  const isIn = (list: readonly Account[], account: Account): boolean => list.some((each) => each.id === account.id);
  const before = issue.assignees;
  issue.assignees = [...assignees];
  issue.updatedAt = now(forge);
  const tellEach = (action: 'assigned' | 'unassigned', accounts: readonly Account[]): void => {
    for (const account of accounts) {
      tellAboutIssue(forge, actor, repository, issue, action, { assignee: accountShape(forge, account) });
    }
  };
  tellEach(
    'unassigned',
    before.filter((each) => !isIn(assignees, each)),
  );
  tellEach(
    'assigned',
    assignees.filter((each) => !isIn(before, each)),
  );
}
