/** Through whose eyes a query looks at the forge, and what those may see. */
import { type Actor, actingAccount, requireAccess } from '../access.ts';
import type { Forge } from '../forge.ts';
import type { Account, Repository } from '../state.ts';

export interface View {
  readonly forge: Forge;
  readonly actor: Actor;
}

/** GitHub's permissions that let an app read something; any one of the list is enough. */
const READERS = {
  issue: ['issues'],
  pullRequest: ['pull_requests'],
  conversation: ['issues', 'pull_requests'],
  contents: ['contents'],
  checks: ['checks'],
} as const;

export type Readable = keyof typeof READERS;

/** @throws {ForgeError} 404 where the repository is out of reach, 403 where the permission is missing */
export function requireRead(view: View, repository: Repository, what: Readable): void {
  requireAccess(view.actor, repository, { permissions: READERS[what], access: 'read', role: 'read' });
}

export function isViewer(view: View, account: Account | null): boolean {
  return account !== null && account.id === actingAccount(view.actor).id;
}

/** `url` and `resourcePath` of a page. */
export function addresses(view: View, url: string) {
  return { url, resourcePath: url.slice(view.forge.webUrl.length) };
}
