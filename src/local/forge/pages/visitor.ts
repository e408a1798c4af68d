/** Who looks at a page. There is no password: a visitor says who they are, and a cookie remembers it. */
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { type Actor, reaches } from '../access.ts';
import type { Forge } from '../forge.ts';
import { ForgeError, notFound } from '../forge-error.ts';
import { findAccount, findRepository } from '../lookup.ts';
import type { Account, Repository } from '../state.ts';

const COOKIE = 'forge_login';

/** Accounts that a visitor can be: people, not apps and not organisations. */
export function people(forge: Forge): readonly Account[] {
  return forge.state.accounts.filter((account) => account.type === 'User');
}

/** `null` for a visitor who has not said who they are: they read what is public. */
export function visitorOf(forge: Forge, context: Context): Actor | null {
  const account = findAccount(forge, getCookie(context, COOKIE) ?? '');
  return account?.type === 'User' ? { kind: 'person', account } : null;
}

/** @throws {ForgeError} 403 for a visitor without a name */
export function requireVisitor(forge: Forge, context: Context): Actor {
  const visitor = visitorOf(forge, context);
  if (visitor === null) throw new ForgeError(403, 'Choose who you are at the top of the page first.');
  return visitor;
}

/** @throws {ForgeError} 404 where nobody of that name may visit */
export function rememberVisitor(forge: Forge, context: Context, login: string): void {
  const account = people(forge).find((each) => each.login === login);
  if (account === undefined) throw notFound();
  setCookie(context, COOKIE, account.login, { path: '/', httpOnly: true, sameSite: 'Strict' });
}

export function mayRead(visitor: Actor | null, repository: Repository): boolean {
  return visitor === null ? !repository.private : reaches(visitor, repository);
}

/** The repository of the address. @throws {ForgeError} 404, also for one that the visitor may not read */
export function requireRepository(forge: Forge, context: Context): Repository {
  const repository = findRepository(forge, context.req.param('owner') ?? '', context.req.param('repo') ?? '');
  if (repository === null || !mayRead(visitorOf(forge, context), repository)) throw notFound();
  return repository;
}

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** False for a name that somebody has pointed at this machine, whose pages would count as same-origin. */
export function isOwnHost(forge: Forge, host: string): boolean {
  if (host === new URL(forge.webUrl).host) return true;
  return URL.canParse(`http://${host}`) && LOOPBACK.has(new URL(`http://${host}`).hostname);
}
