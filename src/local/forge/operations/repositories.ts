import { type Actor, actingAccount, type Role, requireAccess } from '../access.ts';
import { tell } from '../events.ts';
import type { Forge } from '../forge.ts';
import { fullName } from '../lookup.ts';
import { accountShape } from '../shapes/account.ts';
import { installationShape, installedRepositoryShape } from '../shapes/app.ts';
import type { Account, Installation, Repository } from '../state.ts';

const ADMIN = { permissions: ['administration'], access: 'write', role: 'admin' } as const;

/** The old name is answered by a redirect from then on. */
export function renameRepository(forge: Forge, actor: Actor, repository: Repository, name: string): void {
  requireAccess(actor, repository, ADMIN);
  const from = repository.name;
  repository.formerNames.push(fullName(repository));
  repository.name = name;
  tell(forge, actor, repository, 'repository', { action: 'renamed', changes: { repository: { name: { from } } } });
}

export function archiveRepository(forge: Forge, actor: Actor, repository: Repository): void {
  requireAccess(actor, repository, ADMIN);
  repository.archived = true;
  tell(forge, actor, repository, 'repository', { action: 'archived' });
}

export function unarchiveRepository(forge: Forge, actor: Actor, repository: Repository): void {
  requireAccess(actor, repository, { ...ADMIN, access: 'read' });
  repository.archived = false;
  tell(forge, actor, repository, 'repository', { action: 'unarchived' });
}

/**
 * The repository is another account's from then on. Installations of the old owner lose it; of the new owner's, those of
 * `installations` have it, and hear of it.
 */
export function transferRepository(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  owner: Account,
  installations: readonly Installation[],
): void {
  requireAccess(actor, repository, ADMIN);
  const from = accountShape(forge, repository.owner);
  repository.formerNames.push(fullName(repository));
  repository.owner = owner;
  for (const each of forge.state.installations) {
    const others = each.repositoryIds.filter((id) => id !== repository.id);
    each.repositoryIds = installations.includes(each) ? [...others, repository.id] : others;
  }
  const kind = owner.type === 'Organization' ? 'organization' : 'user';
  tell(forge, actor, repository, 'repository', {
    action: 'transferred',
    changes: { owner: { from: { [kind]: from } } },
  });
}

/** Gives the account a role, or with `null` takes it away. */
export function setCollaborator(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  account: Account,
  role: Role | null,
): void {
  requireAccess(actor, repository, ADMIN);
  const action = role === null ? 'removed' : 'added';
  if (role === null) repository.collaborators.delete(account.login);
  else repository.collaborators.set(account.login, role);
  tell(forge, actor, repository, 'member', { action, member: accountShape(forge, account) });
}

/** Adds and takes away repositories; the tokens that exist follow. */
export function changeInstallation(
  forge: Forge,
  actor: Actor,
  installation: Installation,
  change: { readonly add?: readonly Repository[]; readonly remove?: readonly Repository[] },
): void {
  const { add = [], remove = [] } = change;
  const removed = new Set(remove.map((each) => each.id));
  const kept = installation.repositoryIds.filter((id) => !removed.has(id));
  installation.repositoryIds = [...new Set([...kept, ...add.map((each) => each.id)])];
  const details = {
    repository_selection: 'selected',
    repositories_added: add.map(installedRepositoryShape),
    repositories_removed: remove.map(installedRepositoryShape),
  };
  if (add.length > 0) tellApp(forge, actor, installation, 'installation_repositories', 'added', details);
  if (remove.length > 0) tellApp(forge, actor, installation, 'installation_repositories', 'removed', details);
}

export function suspendInstallation(forge: Forge, actor: Actor, installation: Installation, at: string | null): void {
  installation.suspendedAt = at;
  tellApp(forge, actor, installation, 'installation', at === null ? 'unsuspend' : 'suspend');
}

/** The installation and its tokens are gone. */
export function deleteInstallation(forge: Forge, actor: Actor, installation: Installation): void {
  const { state } = forge;
  state.installations = state.installations.filter((each) => each !== installation);
  state.tokens = state.tokens.filter(
    ({ bearer }) => bearer.kind === 'person' || bearer.installationId !== installation.id,
  );
  tellApp(forge, actor, installation, 'installation', 'deleted');
}

export function tellApp(
  forge: Forge,
  actor: Actor,
  installation: Installation,
  event: 'installation' | 'installation_repositories',
  action: string,
  details: Readonly<Record<string, unknown>> = {},
): void {
  const app = forge.state.apps.find((each) => each.id === installation.appId);
  if (app === undefined) return;
  forge.webhooks.sendAboutInstallation(installation, event, {
    action,
    installation: installationShape(forge, app, installation),
    ...details,
    sender: accountShape(forge, actingAccount(actor)),
  });
}
