/** Who acts, and what GitHub lets them do. */
import type { Forge } from './forge.ts';
import { ForgeError, notFound } from './forge-error.ts';
import type { AccessToken, Account, ForgeApp, Installation, Repository } from './state.ts';

export type Actor =
  | { readonly kind: 'person'; readonly account: Account }
  | {
      readonly kind: 'installation';
      readonly app: ForgeApp;
      readonly installation: Installation;
      readonly token: AccessToken;
    };

/** GitHub's roles, weakest first. */
const ROLES = ['read', 'triage', 'write', 'maintain', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** What a call asks of an app (one of `permissions`, e.g. `issues`, at `access`) and of a person (`role`). */
export interface Need {
  readonly permissions: readonly string[];
  readonly access: 'read' | 'write';
  readonly role: Role;
}

export function actingAccount(actor: Actor): Account {
  return actor.kind === 'person' ? actor.account : actor.app.account;
}

/** The person's role; `null` for no access at all. Apps' accounts have none. */
export function roleOf(repository: Repository, account: Account): Role | null {
  if (account.type !== 'User') return null;
  if (repository.owner.id === account.id) return 'admin';
  return repository.collaborators.get(account.login) ?? (repository.private ? null : 'read');
}

export function hasRole(repository: Repository, account: Account, least: Role): boolean {
  const role = roleOf(repository, account);
  return role !== null && ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** True where the token reaches the repository, whatever it may do there. */
export function reaches(actor: Actor, repository: Repository): boolean {
  if (actor.kind === 'person') return roleOf(repository, actor.account) !== null;
  const { installation, token } = actor;
  if (!installation.repositoryIds.includes(repository.id)) return false;
  return token.repositoryIds === null || token.repositoryIds.includes(repository.id);
}

/** True where the actor may do it; see `requireAccess`. */
export function may(actor: Actor, repository: Repository, need: Need): boolean {
  if (!reaches(actor, repository)) return false;
  if (actor.kind === 'person') return hasRole(repository, actor.account, need.role);
  const { token, installation } = actor;
  return need.permissions.some(
    (name) => allows(token.permissions[name], need.access) && allows(installation.permissions[name], need.access),
  );
}

function allows(granted: 'read' | 'write' | undefined, wanted: 'read' | 'write'): boolean {
  return granted === 'write' || granted === wanted;
}

/**
 * @throws {ForgeError} 404 where the actor does not reach the repository, 403 where it lacks the permission, or writes to
 *   an archived repository
 */
export function requireAccess(actor: Actor, repository: Repository, need: Need): void {
  if (!reaches(actor, repository)) throw notFound();
  if (!may(actor, repository, need)) throw refusal(actor, need);
  if (need.access === 'write' && repository.archived) {
    throw new ForgeError(403, 'Repository was archived so is read-only.');
  }
}

function refusal(actor: Actor, need: Need): ForgeError {
  if (actor.kind === 'person') return new ForgeError(403, `Must have ${need.role} access to the repository.`);
  const acceptedPermissions = need.permissions.map((name) => `${name}=${need.access}`).join('; ');
  return new ForgeError(403, 'Resource not accessible by integration', { acceptedPermissions });
}

/**
 * What `GET /repos/{owner}/{repo}/collaborators/{username}/permission` says: the four old words in `permission`, the
 * role itself in `role_name`.
 * Source: https://docs.github.com/rest/collaborators/collaborators#get-repository-permissions-for-a-user
 */
export function permissionOf(repository: Repository, account: Account) {
  const role = roleOf(repository, account);
  if (role === null) return { permission: 'none', roleName: 'none' };
  const legacy = { admin: 'admin', maintain: 'write', write: 'write', triage: 'read', read: 'read' } as const;
  return { permission: legacy[role], roleName: role };
}

/** GitHub's `author_association`, which is a relation and not a permission. */
export function associationOf(repository: Repository, account: Account | null): string {
  if (account === null) return 'NONE';
  if (account.id === repository.owner.id) return 'OWNER';
  if (account.type === 'Bot') return 'CONTRIBUTOR';
  if (!repository.collaborators.has(account.login)) return 'NONE';
  return repository.owner.type === 'Organization' ? 'MEMBER' : 'COLLABORATOR';
}

/** The actor that a token stands for. @throws {ForgeError} 401 unknown, revoked or expired; 403 suspended */
export function actorOfToken(forge: Forge, text: string): Actor {
  const token = forge.state.tokens.find((each) => each.token === text);
  if (token === undefined || Date.parse(token.expiresAt) <= forge.clock()) throw new ForgeError(401, 'Bad credentials');
  const { bearer } = token;
  if (bearer.kind === 'person') {
    const account = forge.state.accounts.find((each) => each.login === bearer.login);
    if (account === undefined) throw new ForgeError(401, 'Bad credentials');
    return { kind: 'person', account };
  }
  const installation = forge.state.installations.find((each) => each.id === bearer.installationId);
  const app = forge.state.apps.find((each) => each.id === installation?.appId);
  if (installation === undefined || app === undefined) throw new ForgeError(401, 'Bad credentials');
  if (installation.suspendedAt !== null) throw new ForgeError(403, 'This installation has been suspended');
  return { kind: 'installation', app, installation, token };
}
