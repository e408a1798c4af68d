import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from '../config/environment.ts';
import type { OutGate } from '../text/out-gate.ts';
import { createAct } from './act.ts';
import { createAppKey } from './app-key.ts';
import { createCandidates } from './candidates.ts';
import { type ClientLog, createAppClient } from './client.ts';
import { createFailedDeliveries } from './failed-deliveries.ts';
import { createFarewell } from './farewell.ts';
import type { GitHub, ThreadRef } from './github.ts';
import { createIdentity } from './identity.ts';
import type { Minting } from './minting.ts';
import { createObserve } from './observe.ts';
import { createSession } from './session.ts';
import { createTokens } from './tokens.ts';
import { formatCommitMessage } from './trailers.ts';
import { createWriteLimiter } from './write-limiter.ts';

export interface GitHubOptions {
  readonly environment: Pick<Environment, 'appId' | 'privateKey' | 'apiUrl' | 'graphqlUrl' | 'writeIntervalMs'>;
  readonly log: ClientLog;
  /** Milliseconds since the epoch; the host's clock by default. Only says how long a token and a label's setting are kept. */
  readonly now?: () => number;
  /** Waits so many milliseconds. */
  readonly wait?: (milliseconds: number) => Promise<void>;
  /** Milliseconds that one second of GitHub's `retry-after` takes; 1000 by default. */
  readonly secondMs?: number;
  /** How long answers about people may take, in milliseconds, before they count as unknown; 10,000 by default. */
  readonly timeoutMs?: number;
  /** Which installations are worked for, and who is told of each token. */
  readonly minting: Minting;
  /** What every text passes that is written to GitHub. */
  readonly gate: OutGate;
  /** Told each time what kind of secret was taken out of a text for a thread; `rest` is what is left of that. */
  readonly onWithheld: (thread: ThreadRef, kinds: readonly string[], rest: string) => void;
}

/** GitHub, or whatever speaks its protocols at `environment.apiUrl` and `environment.graphqlUrl`. */
export function createGitHub(options: GitHubOptions): GitHub {
  const { environment, log, gate, minting, onWithheld } = options;
  const clientOptions = { environment, log, secondMs: options.secondMs ?? 1000, gate };
  const app = createAppClient(clientOptions);
  const key = createAppKey(environment.privateKey);
  const now = options.now ?? Date.now;
  const tokens = createTokens(clientOptions, app, now, minting);
  const session = createSession(clientOptions, tokens, createWriteLimiter(environment.writeIntervalMs));
  const identity = createIdentity(clientOptions, app, tokens, minting);
  const wait = options.wait ?? ((milliseconds) => delay(milliseconds));
  return {
    self: identity.self,
    observe: createObserve({ session, identity, key, wait, now, timeoutMs: options.timeoutMs ?? 10_000 }),
    act: createAct({ session, log, self: identity.self, sign: key.sign, gate, onWithheld }),
    tellGone: createFarewell({ session, self: identity.self }),
    candidates: createCandidates(clientOptions, app, tokens, minting),
    deliveries: createFailedDeliveries(app, environment.apiUrl),
    commitMessage:
      ({ repository, branch }, message) =>
      (content) =>
        formatCommitMessage(message, { repository: repository.id, branch, ...content }, key),
    withToken: (thread, use, work) => tokens.lend(thread, use, ({ token }) => work(token)),
    close: () => tokens.close(),
  };
}
