import {
  askGraphql,
  type Client,
  type ClientOptions,
  createTokenClient,
  NotPermitted,
  type Variables,
} from './client.ts';
import { Forbidden, type ThreadRef } from './github.ts';
import { forbiddenFrom, statusOf } from './response-errors.ts';
import type { MintedToken, Tokens, TokenUse } from './tokens.ts';
import type { WriteLimiter } from './write-limiter.ts';

/** A client that holds one token, with what minting it told. */
export interface Held {
  readonly client: Client;
  readonly repository: MintedToken['repository'];
  /** One GraphQL query. @returns `data`, unchecked */
  query(text: string, variables: Variables): Promise<unknown>;
  /** One GraphQL mutation. `repeat` says that doing it twice does no harm. @returns `data`, unchecked */
  mutate(text: string, variables: Variables, repeat?: boolean): Promise<unknown>;
}

/** Who calls GitHub for a thread: the right token, renewed once when GitHub refuses it, and refusals as `Forbidden`. */
export interface Session {
  /** @param what completes "expected to …", for the message of a refusal */
  read<T>(thread: ThreadRef, what: string, work: (held: Held) => Promise<T>, use?: 'observe' | 'teams'): Promise<T>;
  /** Waits for its turn among the installation's writes. */
  write<T>(thread: ThreadRef, what: string, work: (held: Held) => Promise<T>, use?: 'act' | 'settle'): Promise<T>;
}

/** One client a repository and use is kept for as long as its token is the same. */
export function createSession(options: ClientOptions, tokens: Tokens, limiter: WriteLimiter): Session {
  const clients = new Map<string, { readonly token: string; readonly client: Client }>();
  const clientOf = (thread: ThreadRef, token: string, use: TokenUse): Client => {
    const key = `${thread.repository.id}/${use}`;
    const known = clients.get(key);
    if (known?.token === token) return known.client;
    const client = createTokenClient(options, token);
    clients.set(key, { token, client });
    return client;
  };
  const hold = async (thread: ThreadRef, use: TokenUse): Promise<{ held: Held; token: string }> => {
    const { token, repository } = await tokens.get(thread, use);
    const client = clientOf(thread, token, use);
    const ask = (text: string, variables: Variables, repeat: boolean) =>
      askGraphql(client, options.environment.graphqlUrl, { text, variables, repeat });
    const held: Held = {
      client,
      repository,
      query: (text, variables) => ask(text, variables, true),
      mutate: (text, variables, repeat = false) => ask(text, variables, repeat),
    };
    return { held, token };
  };
  const perform = async <T>(thread: ThreadRef, use: TokenUse, what: string, work: (held: Held) => Promise<T>) => {
    const first = await hold(thread, use);
    try {
      return await work(first.held);
    } catch (error) {
      // 401 means that nothing was done: the token expired or was revoked.
      if (statusOf(error) !== 401) throw refusalOf(error, what, use) ?? error;
      tokens.forget(first.token);
    }
    try {
      const renewed = await hold(thread, use);
      return await work(renewed.held);
    } catch (error) {
      throw refusalOf(error, what, use) ?? error;
    }
  };
  return {
    read: (thread, what, work, use = 'observe') => perform(thread, use, what, work),
    write: (thread, what, work, use = 'act') =>
      limiter.run(thread.installation, () => perform(thread, use, what, work)),
  };
}

function refusalOf(error: unknown, what: string, use: TokenUse): Forbidden | null {
  if (error instanceof NotPermitted) {
    return new Forbidden(`expected to ${what}, got a refusal to the token that may ${use}: ${error.message}`, null, {
      cause: error,
    });
  }
  return forbiddenFrom(error, what);
}
