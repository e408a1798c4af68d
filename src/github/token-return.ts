/** Giving tokens back to GitHub before they end by themselves. Nothing waits for it, and nothing fails by it. */
import { type ClientOptions, createUnqueuedClient } from './client.ts';
import { statusOf } from './response-errors.ts';

export interface TokenReturn {
  now(token: string): void;
  /** Resolves when GitHub has answered for every token so far. */
  done(): Promise<void>;
}

const timeoutMs = 5000;

/** Source: https://docs.github.com/rest/apps/installations#revoke-an-installation-access-token */
export function createTokenReturn(options: ClientOptions): TokenReturn {
  const underWay = new Set<Promise<void>>();
  const giveBack = async (token: string): Promise<void> => {
    try {
      const request = { retries: 0, signal: AbortSignal.timeout(timeoutMs) };
      await createUnqueuedClient(options, token).rest.apps.revokeInstallationAccessToken({ request });
    } catch (error) {
      // It is good for nothing already.
      if (statusOf(error) === 401) return;
      options.log.warn({ err: error }, 'a token could not be taken back; it ends by itself within the hour');
    }
  };
  return {
    now: (token) => {
      const work = giveBack(token).finally(() => underWay.delete(work));
      underWay.add(work);
    },
    done: async () => {
      await Promise.all(underWay);
    },
  };
}
