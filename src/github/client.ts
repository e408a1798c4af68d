import { ProbotOctokit } from 'probot';
import { z } from 'zod';
import type { Environment } from '../config/environment.ts';
import { type OutGate, withArticle } from '../text/out-gate.ts';
import { Unreadable, Withheld } from './github.ts';

export type Client = ProbotOctokit;

/** The part of pino's logger that the clients use. */
export interface ClientLog {
  debug(...args: readonly unknown[]): void;
  info(...args: readonly unknown[]): void;
  warn(...args: readonly unknown[]): void;
  error(...args: readonly unknown[]): void;
}

export interface ClientOptions {
  readonly environment: Pick<Environment, 'apiUrl' | 'graphqlUrl' | 'appId' | 'privateKey'>;
  readonly log: ClientLog;
  /** Milliseconds that one second of GitHub's `retry-after`, and of the wait before a repeat, takes. 1000 by default. */
  readonly secondMs?: number;
  /** What everything that is written passes. */
  readonly gate: OutGate;
}

/** Longest wait for a rate limit within a call; the engine's own retry is the better place for a longer one. */
const longestWaitSeconds = 120;
/** How often a read whose answer is lost is asked for again. */
const retries = 2;

/**
 * For the `request` option of a POST that does no harm when it is done twice. The retry plugin's own `retries` would have
 * every failure repeated, refusals included.
 */
export const repeatable = { repeat: true } as const;

/** Calls as the app itself (a signed JWT): for minting tokens and listing installations, and nothing else. */
export function createAppClient(options: ClientOptions): Client {
  const { appId, privateKey } = options.environment;
  return createClient(options, { appId, privateKey });
}

/** Calls with one installation token. */
export function createTokenClient(options: ClientOptions, token: string): Client {
  return createClient(options, { token });
}

/** The same beside all other calls, of which only so many are under way at once: it holds none of them up, nor waits. */
export function createUnqueuedClient(options: ClientOptions, token: string): Client {
  return createClient(options, { token }, { enabled: false });
}

function createClient(
  options: ClientOptions,
  auth: Readonly<Record<string, string>>,
  queue: { readonly enabled?: false } = {},
): Client {
  const secondMs = options.secondMs ?? 1000;
  const client = new ProbotOctokit({
    auth,
    baseUrl: options.environment.apiUrl,
    log: options.log,
    // A repeated read does no harm. 429 is the throttling plugin's.
    retry: {
      retries,
      retryAfterBaseValue: secondMs,
      doNotRetry: [400, 401, 403, 404, 410, 422, 429, 451],
    },
    throttle: {
      // The write limiter of the installation spaces writes; the plugin only answers GitHub's limits.
      write: unlimited,
      notifications: unlimited,
      retryAfterBaseValue: secondMs,
      onRateLimit: repeatsAfter,
      onSecondaryRateLimit: repeatsAfter,
      ...queue,
    },
  });
  // A POST whose answer is lost may have been carried out: whoever sent it looks before sending it again.
  client.hook.before('request', (request) => {
    if (request.method === 'POST' && request.request?.repeat !== true) {
      request.request = { ...request.request, retries: 0 };
    }
  });
  // The last hook is the first to be asked: what it throws is not sent, and not tried again.
  client.hook.before('request', (request) => assertNoSecret(options.gate, request));
  return client;
}

/** What of a request is not for others to read. */
const notShown: ReadonlySet<string> = new Set(['method', 'baseUrl', 'url', 'headers', 'mediaType', 'request']);

/** @throws {Withheld} where any string of a request that writes holds a secret */
async function assertNoSecret(gate: OutGate, request: Readonly<Record<string, unknown>>): Promise<void> {
  if (isRead(request)) return;
  const shown = Object.entries(request).filter(([name]) => !notShown.has(name));
  for (const { name, text } of shown.flatMap(([name, value]) => stringsIn(name, value))) {
    const [kind] = await gate.secretsIn(text);
    if (kind === undefined) continue;
    throw new Withheld(
      `expected a text without secrets to be sent as \`${name}\`, got one with what looks like ${withArticle(kind)}; nothing was sent`,
      null,
    );
  }
}

function isRead({ method, query }: Readonly<Record<string, unknown>>): boolean {
  return method === 'GET' || method === 'HEAD' || (typeof query === 'string' && /^\s*query\b/.test(query));
}

/** Every string in a value, names of fields included, with the field that it is in. */
function stringsIn(name: string, value: unknown): readonly { readonly name: string; readonly text: string }[] {
  if (typeof value === 'string') return [{ name, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => [{ name, text: key }, ...stringsIn(name, each)]);
}

const unlimited = {
  key: () => ({
    schedule: <T, Args extends readonly unknown[]>(_options: unknown, work: (...args: Args) => T, ...args: Args): T =>
      work(...args),
  }),
};

function repeatsAfter(seconds: number, _request: unknown, _client: unknown, repeated: number): boolean {
  return seconds <= longestWaitSeconds && repeated < 2;
}

const graphqlAnswer = z.object({
  data: z.unknown().optional(),
  errors: z.array(z.object({ type: z.string().optional(), message: z.string() })).optional(),
});

/** A GraphQL answer whose only complaint is that something asked for is not there. */
export class NotFound extends Error {
  override readonly name = 'NotFound';
}

/** A GraphQL answer that refuses for want of a permission. */
export class NotPermitted extends Error {
  override readonly name = 'NotPermitted';
}

export type Variables = Readonly<Record<string, unknown>>;

/**
 * One GraphQL document. A partial answer is no answer: any error makes the whole of it worthless.
 * `repeat` says whether an unclear failure may be repeated: a query may, a mutation may not.
 * @returns the answer's `data`, unchecked
 * @throws {NotFound} @throws {NotPermitted} @throws {Unreadable} @throws the client's errors
 */
export async function askGraphql(
  client: Client,
  url: string,
  document: { readonly text: string; readonly variables: Variables; readonly repeat: boolean },
): Promise<unknown> {
  const response = await client.request({
    method: 'POST',
    url,
    query: document.text,
    variables: document.variables,
    request: document.repeat ? repeatable : {},
  });
  const answer = graphqlAnswer.safeParse(response.data);
  if (!answer.success) throw new Unreadable('expected a GraphQL answer, got something else; try again later');
  const errors = answer.data.errors ?? [];
  if (errors.length === 0) return answer.data.data;
  const said = errors.map((error) => `${error.type ?? 'error'}: ${error.message}`).join('; ');
  if (errors.every((error) => error.type === 'NOT_FOUND')) throw new NotFound(said);
  if (errors.every((error) => error.type === 'FORBIDDEN')) throw new NotPermitted(said);
  throw new Unreadable(`expected a whole GraphQL answer, got errors: ${said}`);
}
