import { type Actor, actingAccount, hasRole, type Need, requireAccess } from '../access.ts';
import { isAncestor } from '../commit-graph.ts';
import { tellAboutPull } from '../events.ts';
import type { Forge } from '../forge.ts';
import { ForgeError, invalid } from '../forge-error.ts';
import { branchHead } from '../git-repository.ts';
import { findAccount, isPullRequest, type PullRequestIssue } from '../lookup.ts';
import { nodeId } from '../node-id.ts';
import { accountShape } from '../shapes/account.ts';
import type { Account, PullRequest, Repository } from '../state.ts';
import { record } from '../timeline.ts';
import { closeIssue, editIssue, newIssue, requireAuthorOr, requireBody, requireTitle } from './issues.ts';

const WRITE: Need = { permissions: ['pull_requests'], access: 'write', role: 'write' };

export interface PullRequestText {
  readonly title: string;
  readonly body?: string | null | undefined;
  /** Branch of the same repository: `name` or `owner:name`. */
  readonly head: string;
  readonly base: string;
  readonly draft?: boolean | undefined;
  readonly maintainerCanModify?: boolean | undefined;
}

/**
 * @throws {ForgeError} 422 for a head or base that is no branch, for no commits between them, for a second open pull
 *   request of the same head, and for a draft where the repository has none
 */
export function openPullRequest(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  text: PullRequestText,
): PullRequestIssue {
  requireAccess(actor, repository, { ...WRITE, role: 'read' });
  requireTitle('PullRequest', text.title);
  requireBody('PullRequest', text.body ?? '');
  const headRef = text.head.replace(`${repository.owner.login}:`, '');
  const headSha = requireOpenable(repository, headRef, text.base);
  if (text.draft === true && !repository.draftsSupported) {
    throw new ForgeError(422, 'Draft pull requests are not supported in this repository.');
  }
  const issue = newIssue(forge, actingAccount(actor), repository, text);
  const pullRequest = newPullRequest(forge, repository, headRef, headSha, text);
  const pull: PullRequestIssue = { ...issue, nodeId: pullRequest.nodeId, pullRequest };
  repository.issues.push(pull);
  tellAboutPull(forge, actor, repository, pull, 'opened');
  return pull;
}

/** The head's commit. */
function requireOpenable(repository: Repository, headRef: string, baseRef: string): string {
  const base = branchHead(repository.gitDir, baseRef);
  if (base === null) throw invalidField('base');
  const head = branchHead(repository.gitDir, headRef);
  if (head === null) throw invalidField('head');
  const label = `${repository.owner.login}:${headRef}`;
  const isSame = (pull: PullRequest): boolean =>
    pull.headRef === headRef && pull.baseRef === baseRef && pull.headRepositoryId === repository.id;
  const open = repository.issues.filter(isPullRequest).filter((each) => each.state === 'open');
  if (open.some((each) => isSame(each.pullRequest))) throw customError(`A pull request already exists for ${label}.`);
  if (isAncestor(repository.gitDir, head, base)) {
    throw customError(`No commits between ${repository.owner.login}:${baseRef} and ${label}`);
  }
  return head;
}

function invalidField(field: 'head' | 'base'): ForgeError {
  return new ForgeError(422, 'Validation Failed', { errors: [{ resource: 'PullRequest', field, code: 'invalid' }] });
}

function customError(message: string): ForgeError {
  return new ForgeError(422, 'Validation Failed', { errors: [{ resource: 'PullRequest', code: 'custom', message }] });
}

function newPullRequest(
  forge: Forge,
  repository: Repository,
  headRef: string,
  headSha: string,
  text: PullRequestText,
): PullRequest {
  const id = forge.nextId();
  return {
    id,
    nodeId: nodeId('pullRequest', id),
    draft: text.draft ?? false,
    headRef,
    headRepositoryId: repository.id,
    headSha,
    baseRef: text.base,
    merged: false,
    mergedAt: null,
    mergedBy: null,
    mergeCommit: null,
    diffBase: null,
    requestedReviewers: [],
    reviews: [],
    threads: [],
    maintainerCanModify: text.maintainerCanModify ?? false,
  };
}

export interface PullRequestEdit {
  readonly title?: string | undefined;
  readonly body?: string | null | undefined;
  readonly base?: string | undefined;
}

/** Title, body and base branch. */
export function editPullRequest(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  pull: PullRequestIssue,
  edit: PullRequestEdit,
): void {
  requirePullAccess(actor, repository, pull);
  editIssue(forge, actor, repository, pull, edit);
  const from = pull.pullRequest.baseRef;
  if (edit.base === undefined || edit.base === from) return;
  if (branchHead(repository.gitDir, edit.base) === null) throw invalidField('base');
  pull.pullRequest.baseRef = edit.base;
  record(forge, actor, pull, { kind: 'base_ref_changed', from, to: edit.base });
  tellAboutPull(forge, actor, repository, pull, 'edited', { changes: { base: { ref: { from } } } });
}

/** An app needs `pull_requests: write`; a person is the author, or may write. */
function requirePullAccess(actor: Actor, repository: Repository, pull: PullRequestIssue): void {
  if (actor.kind === 'installation') requireAccess(actor, repository, WRITE);
  else requireAuthorOr(actor, repository, pull, 'write');
}

/** Closing what is closed changes nothing. */
export function closePullRequest(forge: Forge, actor: Actor, repository: Repository, pull: PullRequestIssue): void {
  requirePullAccess(actor, repository, pull);
  closeIssue(forge, actor, repository, pull);
}

/**
 * Adds to the requested reviewers. Who is requested already stays so, without an event.
 * @throws {ForgeError} 422 for the pull request's author and for whoever is no collaborator
 */
export function requestReviewers(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  pull: PullRequestIssue,
  logins: readonly string[],
): void {
  requirePullAccess(actor, repository, pull);
  const reviewers = logins.map((login) => requireReviewer(forge, repository, pull, login));
  for (const reviewer of reviewers) {
    if (pull.pullRequest.requestedReviewers.some((each) => each.id === reviewer.id)) continue;
    pull.pullRequest.requestedReviewers.push(reviewer);
    record(forge, actor, pull, { kind: 'review_requested', reviewer });
    const requested = accountShape(forge, reviewer);
    tellAboutPull(forge, actor, repository, pull, 'review_requested', { requested_reviewer: requested });
  }
}

function requireReviewer(forge: Forge, repository: Repository, pull: PullRequestIssue, login: string): Account {
  const account = findAccount(forge, login);
  if (account !== null && account.id === pull.author?.id) {
    throw new ForgeError(422, 'Review cannot be requested from pull request author.');
  }
  const isCollaborator =
    account !== null &&
    hasRole(repository, account, 'read') &&
    (account.id === repository.owner.id || repository.collaborators.has(account.login));
  if (account === null || !isCollaborator) {
    throw new ForgeError(
      422,
      'Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator ' +
        `of the ${repository.owner.login}/${repository.name} repository.`,
    );
  }
  return account;
}

/** Marking ready what is ready changes nothing. */
export function markReady(forge: Forge, actor: Actor, repository: Repository, pull: PullRequestIssue): void {
  requirePullAccess(actor, repository, pull);
  if (!pull.pullRequest.draft) return;
  pull.pullRequest.draft = false;
  record(forge, actor, pull, { kind: 'ready_for_review' });
  tellAboutPull(forge, actor, repository, pull, 'ready_for_review');
}

/** @throws {ForgeError} 422 where the repository has no drafts, or the pull request is closed */
export function convertToDraft(forge: Forge, actor: Actor, repository: Repository, pull: PullRequestIssue): void {
  requirePullAccess(actor, repository, pull);
  if (pull.pullRequest.draft) return;
  if (!repository.draftsSupported) {
    throw invalid('PullRequest', 'draft', 'Draft pull requests are not supported in this repository.');
  }
  if (pull.state === 'closed') throw invalid('PullRequest', 'draft', 'Pull request is closed.');
  pull.pullRequest.draft = true;
  record(forge, actor, pull, { kind: 'converted_to_draft' });
  tellAboutPull(forge, actor, repository, pull, 'converted_to_draft');
}

/** Takes people off the list of requested reviewers. */
export function removeRequestedReviewers(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  pull: PullRequestIssue,
  logins: readonly string[],
): void {
  requireAccess(actor, repository, WRITE);
  const gone = new Set(logins.map((login) => login.toLowerCase()));
  const { requestedReviewers } = pull.pullRequest;
  pull.pullRequest.requestedReviewers = requestedReviewers.filter((each) => !gone.has(each.login.toLowerCase()));
  if (pull.pullRequest.requestedReviewers.length < requestedReviewers.length) {
    tellAboutPull(forge, actor, repository, pull, 'review_request_removed');
  }
}
