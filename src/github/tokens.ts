/**
 * The tokens of installations. What this stops:
 * 1. a token that can do more than the work it is minted for: one repository, and the permissions of its use alone;
 * 2. a token that outlives its work: it is lent, not given, and taken back afterwards, or when the app stops;
 * 3. a token at rest: it stands in memory only. What a killed app held ends by itself, within the hour;
 * 4. a token that nobody knows of, or for whom the app is not meant: each is told before it is used, and none is minted for
 *    an installation that the operator leaves out.
 */
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import { z } from 'zod';
import { type Client, type ClientOptions, repeatable } from './client.ts';
import { Forbidden, type ThreadRef } from './github.ts';
import { formatThreadKey } from './identifiers.ts';
import { type Minting, requireServed } from './minting.ts';
import { forbiddenFrom, statusOf } from './response-errors.ts';
import { createTokenKeeper } from './token-keeper.ts';
import { createTokenReturn } from './token-return.ts';

/**
 * What each use of GitHub may do, and no more. `settle` is apart from `act` because resolving a review thread and marking
 * a pull request ready ask for `contents: write`, though they write no content
 * (https://github.com/orgs/community/discussions/44650).
 */
const tokenPermissions = {
  observe: { metadata: 'read', contents: 'read', issues: 'read', pull_requests: 'read', checks: 'read' },
  act: { metadata: 'read', contents: 'read', issues: 'write', pull_requests: 'write', checks: 'write' },
  settle: { metadata: 'read', contents: 'write', pull_requests: 'write' },
  clone: { metadata: 'read', contents: 'read' },
  publish: { metadata: 'read', contents: 'write' },
  /** For approvals by team alone. An organization grants it, and need not. */
  teams: { metadata: 'read', members: 'read' },
  /** For finding threads that no webhook told of: the one use that spans the repositories of an installation. */
  discover: { metadata: 'read', issues: 'read' },
} as const satisfies Record<string, Readonly<Record<string, 'read' | 'write'>>>;

/** What a token for one repository is for. */
export type TokenUse = Exclude<keyof typeof tokenPermissions, 'discover'>;

export interface MintedToken {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** What the repository is called now; `null` where GitHub does not say. */
  readonly repository: { readonly owner: string; readonly name: string } | null;
}

export interface Tokens {
  /**
   * Does `work` with a token for the thread's repository alone. Those of `observe`, `act` and `teams` are lent again until
   * five minutes before they expire or until GitHub answers 401 to one; the others are minted for each work, and taken back
   * after it.
   * @throws {Forbidden} a permission is not granted, or the installation is suspended or gone; and what `work` throws
   */
  lend<T>(thread: ThreadRef, use: TokenUse, work: (minted: MintedToken) => Promise<T>): Promise<T>;
  /** The same with a token that reads the issues of every repository of an installation. @throws {Forbidden} */
  lendToDiscover<T>(installation: number, work: (token: string) => Promise<T>): Promise<T>;
  /** Takes back all that is kept. Resolves when GitHub has answered, or after `timeoutMs`: 2000 by default. */
  close(timeoutMs?: number): Promise<void>;
}

const renewBeforeMs = 5 * 60 * 1000;

/** @param now milliseconds since the epoch */
export function createTokens(options: ClientOptions, app: Client, now: () => number, minting: Minting): Tokens {
  const takeBack = createTokenReturn(options);
  const keeper = createTokenKeeper(takeBack.now, ({ expiresAt }) => expiresAt - renewBeforeMs > now());
  const mintLearned = async (order: MintOrder): Promise<MintedToken> => {
    const { missing, ...minted } = await mintToken(app, order);
    options.gate.learn({ value: minted.token, what: "token of this app's installation" });
    if (missing === null) return minted;
    takeBack.now(minted.token);
    throw new Forbidden(lacks(missing), missing);
  };
  const mintFor = async (thread: string | null, order: MintOrder): Promise<MintedToken> => {
    requireServed(minting, order.installation);
    const minted = await mintLearned(order);
    try {
      const { expiresAt } = minted;
      await minting.onMint({ ...order, thread, permissions: tokenPermissions[order.use], expiresAt });
    } catch (error) {
      takeBack.now(minted.token);
      throw error;
    }
    return minted;
  };
  return {
    lend: async (thread, use, work) => {
      const { installation, repository } = thread;
      const mint = () => mintFor(formatThreadKey(thread), { installation, repository: repository.id, use });
      if (use === 'observe' || use === 'act' || use === 'teams') {
        return keeper.lend(`${installation}/${repository.id}/${use}`, mint, work);
      }
      const minted = await mint();
      try {
        return await work(minted);
      } finally {
        takeBack.now(minted.token);
      }
    },
    lendToDiscover: (installation, work) => {
      const order = { installation, repository: null, use: 'discover' } as const;
      return keeper.lend(
        `${installation}/discover`,
        () => mintFor(null, order),
        ({ token }) => work(token),
      );
    },
    close: async (timeoutMs = 2000) => {
      await Promise.race([keeper.close().then(takeBack.done), setTimeoutPromise(timeoutMs, undefined, { ref: false })]);
    },
  };
}

const mintedAnswer = z.object({
  token: z.string().min(1),
  expires_at: z.iso.datetime({ offset: true }),
  permissions: z.record(z.string(), z.string().optional()).optional(),
  repositories: z
    .array(z.object({ id: z.number(), name: z.string(), owner: z.object({ login: z.string() }) }))
    .optional(),
});

interface MintOrder {
  readonly installation: number;
  /** `null`: every repository of the installation. */
  readonly repository: number | null;
  readonly use: keyof typeof tokenPermissions;
}

/** What was asked for and is not in the token: a permission that was added to the app and not accepted. */
interface Answered extends MintedToken {
  readonly missing: string | null;
}

/** Source: https://docs.github.com/rest/apps/apps#create-an-installation-access-token-for-an-app */
async function mintToken(app: Client, order: MintOrder): Promise<Answered> {
  try {
    const { data } = await app.rest.apps.createInstallationAccessToken({
      installation_id: order.installation,
      ...(order.repository === null ? {} : { repository_ids: [order.repository] }),
      permissions: tokenPermissions[order.use],
      // A second token does no harm; a lost answer may be asked for again.
      request: repeatable,
    });
    const minted = mintedAnswer.parse(data);
    const repository = minted.repositories?.find((each) => each.id === order.repository);
    return {
      token: minted.token,
      expiresAt: Date.parse(minted.expires_at),
      repository: repository === undefined ? null : { owner: repository.owner.login, name: repository.name },
      missing: minted.permissions === undefined ? null : missingIn(minted.permissions, order),
    };
  } catch (error) {
    throw (await refusalOf(app, order, error)) ?? error;
  }
}

async function refusalOf(app: Client, order: MintOrder, error: unknown): Promise<Forbidden | null> {
  if (statusOf(error) !== 422) return forbiddenFrom(error, `mint a token to ${order.use}`);
  const missing = await missingPermissions(app, order);
  const message =
    missing === null
      ? `expected to mint a token to ${order.use}, got 422: the repository or a permission is out of the app's reach`
      : lacks(missing);
  return new Forbidden(message, missing, { cause: error });
}

function lacks(missing: string): string {
  return `expected the permission ${missing}, got an installation without it; grant it to the app and accept it for the installation`;
}

const installationAnswer = z.object({ permissions: z.record(z.string(), z.string().optional()) });

/** GitHub's refusal does not say which permission it misses; the installation does. */
async function missingPermissions(app: Client, order: MintOrder): Promise<string | null> {
  try {
    const { data } = await app.rest.apps.getInstallation({ installation_id: order.installation });
    return missingIn(installationAnswer.parse(data).permissions, order);
  } catch {
    return null;
  }
}

function missingIn(granted: Readonly<Record<string, string | undefined>>, { use }: MintOrder): string | null {
  const missing = Object.entries(tokenPermissions[use])
    .filter(([name, access]) => !covers(granted[name], access))
    .map(([name, access]) => `${name}: ${access}`);
  return missing.length === 0 ? null : missing.join(', ');
}

function covers(granted: string | undefined, wanted: 'read' | 'write'): boolean {
  return granted === 'admin' || granted === 'write' || granted === wanted;
}
