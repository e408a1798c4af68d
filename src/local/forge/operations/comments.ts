import { type Actor, actingAccount, hasRole, requireAccess } from '../access.ts';
import { tell } from '../events.ts';
import { type Forge, now } from '../forge.ts';
import { ForgeError } from '../forge-error.ts';
import { nodeId } from '../node-id.ts';
import { commentShape, issueShape } from '../shapes/issue.ts';
import type { Issue, IssueComment, Reaction, Repository } from '../state.ts';
import { requireBody } from './issues.ts';
import { needFor } from './labels.ts';

/** @throws {ForgeError} 403 on a locked issue for whoever may not write */
export function createComment(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  issue: Issue,
  body: string,
): IssueComment {
  requireAccess(actor, repository, needFor(issue, 'read'));
  if (issue.locked && actor.kind === 'person' && !hasRole(repository, actor.account, 'write')) {
    throw new ForgeError(403, 'Unable to create comment because issue is locked.');
  }
  if (body.trim() === '') {
    throw new ForgeError(422, 'Validation Failed', {
      errors: [{ resource: 'IssueComment', code: 'custom', field: 'body', message: 'body cannot be blank' }],
    });
  }
  requireBody('IssueComment', body);
  const id = forge.nextId();
  const at = now(forge);
  const comment: IssueComment = {
    id,
    nodeId: nodeId('issueComment', id),
    author: actingAccount(actor),
    body,
    createdAt: at,
    updatedAt: at,
    lastEditedAt: null,
    reactions: [],
  };
  issue.comments.push(comment);
  issue.updatedAt = at;
  tellAboutComment(forge, actor, repository, issue, comment, 'created');
  return comment;
}

/** For the author and for whoever may write. */
export function editComment(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  issue: Issue,
  comment: IssueComment,
  body: string,
): void {
  requireOwnOrWrite(actor, repository, issue, comment);
  requireBody('IssueComment', body);
  const from = comment.body;
  comment.body = body;
  comment.updatedAt = now(forge);
  comment.lastEditedAt = comment.updatedAt;
  issue.updatedAt = comment.updatedAt;
  tellAboutComment(forge, actor, repository, issue, comment, 'edited', { changes: { body: { from } } });
}

/** For the author and for whoever may write. */
export function deleteComment(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  issue: Issue,
  comment: IssueComment,
): void {
  requireOwnOrWrite(actor, repository, issue, comment);
  issue.comments = issue.comments.filter((each) => each !== comment);
  issue.updatedAt = now(forge);
  tellAboutComment(forge, actor, repository, issue, comment, 'deleted');
}

/** An app edits what is its own; other people's comments are not its to change. */
function requireOwnOrWrite(actor: Actor, repository: Repository, issue: Issue, comment: IssueComment): void {
  const own = comment.author?.id === actingAccount(actor).id;
  requireAccess(actor, repository, needFor(issue, own ? 'read' : 'write'));
  if (!own && actor.kind === 'installation') throw new ForgeError(403, 'Resource not accessible by integration');
}

function tellAboutComment(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  issue: Issue,
  comment: IssueComment,
  action: 'created' | 'edited' | 'deleted',
  details: Readonly<Record<string, unknown>> = {},
): void {
  tell(forge, actor, repository, 'issue_comment', {
    action,
    issue: issueShape(forge, repository, issue),
    comment: commentShape(forge, repository, issue, comment),
    ...details,
  });
}

/**
 * A reaction on the issue itself or on one of its comments. The same reaction by the same account again is the one
 * that exists: `created` is false. GitHub sends no webhook for it.
 */
export function addReaction(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  issue: Issue,
  target: Issue | IssueComment,
  content: string,
): { readonly reaction: Reaction; readonly created: boolean } {
  requireAccess(actor, repository, needFor(issue, 'read'));
  const user = actingAccount(actor);
  const existing = target.reactions.find((each) => each.user.id === user.id && each.content === content);
  if (existing !== undefined) return { reaction: existing, created: false };
  const id = forge.nextId();
  const reaction: Reaction = { id, nodeId: nodeId('reaction', id), user, content, createdAt: now(forge) };
  target.reactions.push(reaction);
  return { reaction, created: true };
}
