/** What a handler of the REST API gets and gives. */
import { type Actor, type Need, requireAccess } from '../access.ts';
import type { Forge } from '../forge.ts';
import { ForgeError, notFound } from '../forge-error.ts';
import { findRepository } from '../lookup.ts';
import type { AccessToken, ForgeApp, Repository } from '../state.ts';
import { type Fields, readNumber } from './fields.ts';

/** Who sent the request: an app by its own JSON Web Token, or the bearer of a token. */
export type Credential =
  | { readonly kind: 'app'; readonly app: ForgeApp }
  | { readonly kind: 'token'; readonly actor: Actor; readonly token: AccessToken }
  | { readonly kind: 'none' };

export interface Call {
  readonly forge: Forge;
  readonly credential: Credential;
  readonly params: Fields;
  readonly query: Fields;
  readonly body: Fields;
  /** Path below `/api/v3`, without the query. */
  readonly path: string;
}

export interface Answer {
  readonly status: number;
  /** `null` for no content. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Handler = (call: Call) => Answer;

export function ok(body: unknown): Answer {
  return { status: 200, body };
}

export function created(body: unknown): Answer {
  return { status: 201, body };
}

export const NO_CONTENT: Answer = { status: 204, body: null };

/** @throws {ForgeError} 401 for anybody but an app with its own JSON Web Token */
export function requireApp({ credential }: Call): ForgeApp {
  if (credential.kind === 'app') return credential.app;
  throw new ForgeError(401, 'A JSON web token could not be decoded');
}

/** @throws {ForgeError} 401 without a token; 403 for an app's own JSON Web Token */
export function requireActor({ credential }: Call): Actor {
  if (credential.kind === 'token') return credential.actor;
  if (credential.kind === 'none') throw new ForgeError(401, 'Requires authentication');
  throw new ForgeError(403, 'Resource not accessible by integration');
}

/** The repository of the path, with the actor who may read `permissions` there. @throws {ForgeError} 401, 403, 404 */
export function openRepository(
  call: Call,
  ...permissions: readonly string[]
): { readonly actor: Actor; readonly repository: Repository } {
  const actor = requireActor(call);
  const repository = findRepository(call.forge, String(call.params.owner), String(call.params.repo));
  if (repository === null) throw notFound();
  const need: Need = {
    permissions: permissions.length === 0 ? ['metadata'] : permissions,
    access: 'read',
    role: 'read',
  };
  requireAccess(actor, repository, need);
  return { actor, repository };
}

const DEFAULT_PAGE_SIZE = 30;
const MAX_PAGE_SIZE = 100;

/**
 * One page of `items` as `wrap` presents it, with GitHub's `link` header.
 * Source: https://docs.github.com/rest/using-the-rest-api/using-pagination-in-the-rest-api
 */
export function page<Item>(
  call: Call,
  items: readonly Item[],
  shape: (item: Item) => unknown,
  wrap: (shapes: readonly unknown[]) => unknown = (shapes) => shapes,
): Answer {
  const size = Math.min(readNumber(call.query, 'per_page') ?? DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE);
  const number = Math.max(readNumber(call.query, 'page') ?? 1, 1);
  const last = Math.max(Math.ceil(items.length / size), 1);
  const slice = items.slice((number - 1) * size, number * size);
  const link = (rel: string, target: number): string => {
    const query = new URLSearchParams(
      Object.entries({ ...call.query, page: target }).map(([key, value]): [string, string] => [key, String(value)]),
    );
    return `<${call.forge.webUrl}/api/v3${call.path}?${query}>; rel="${rel}"`;
  };
  const links = [
    ...(number > 1 ? [link('prev', number - 1), link('first', 1)] : []),
    ...(number < last ? [link('next', number + 1), link('last', last)] : []),
  ];
  const headers = links.length === 0 ? {} : { link: links.join(', ') };
  return { status: 200, body: wrap(slice.map(shape)), headers };
}
