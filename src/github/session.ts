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

/** One client is kept for a token, for as long as that is. */
export function createSession(options: ClientOptions, tokens: Tokens, limiter: WriteLimiter): Session {
  const clients = new WeakMap<MintedToken, Client>();
  const clientOf = (minted: MintedToken): Client => {
    const client = clients.get(minted) ?? createTokenClient(options, minted.token);
    clients.set(minted, client);
    return client;
  };
  const held = (minted: MintedToken): Held => {
    const client = clientOf(minted);
    const ask = (text: string, variables: Variables, repeat: boolean) =>
      askGraphql(client, options.environment.graphqlUrl, { text, variables, repeat });
    return {
      client,
      repository: minted.repository,
      query: (text, variables) => ask(text, variables, true),
      mutate: (text, variables, repeat = false) => ask(text, variables, repeat),
    };
  };
  const perform = async <T>(thread: ThreadRef, use: TokenUse, what: string, work: (held: Held) => Promise<T>) => {
    let isMinted = false;
    const attempt = () =>
      tokens.lend(thread, use, (minted) => {
        isMinted = true;
        return work(held(minted));
      });
    try {
      return await attempt();
    } catch (error) {
      if (!isMinted) throw error;
      // 401 means that nothing was done: the token expired or was revoked.
      if (statusOf(error) !== 401) throw refusalOf(error, what, use) ?? error;
    }
    try {
      return await attempt();
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
