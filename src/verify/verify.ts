/** `planwright verify`: recomputes from GitHub what a pull request's commits and receipts claim. */
import type { AppEnvironment } from '../config/environment.ts';
import { createAppKey } from '../github/app-key.ts';
import { type Client, type ClientOptions, createAppClient, createTokenClient, NotFound } from '../github/client.ts';
import type { ThreadRef } from '../github/github.ts';
import { parseReference, type Reference } from '../github/identifiers.ts';
import { createIdentity } from '../github/identity.ts';
import { everyInstallation } from '../github/minting.ts';
import { statusOf } from '../github/response-errors.ts';
import { createSession } from '../github/session.ts';
import { createTokens, type Tokens } from '../github/tokens.ts';
import { createWriteLimiter } from '../github/write-limiter.ts';
import { createKnownSecrets } from '../text/known-secrets.ts';
import { createOutGate } from '../text/out-gate.ts';
import { cleanLine } from '../text/text-out.ts';
import { type Claim, judgeEvidence } from './claims.ts';
import { type Evidence, NothingToVerify, readEvidence } from './evidence.ts';

export interface VerifyOrder {
  /** `OWNER/REPO#NUMBER`; `null` where only the key is wanted. */
  readonly pullRequest: string | null;
  readonly showPublicKey: boolean;
  readonly print: (line: string) => void;
  readonly complain: (line: string) => void;
}

/** Prints one line a claim. @returns the exit code: 0 only where every claim holds */
export async function runVerify(environment: AppEnvironment, order: VerifyOrder): Promise<number> {
  const { pullRequest, showPublicKey, print, complain } = order;
  if (showPublicKey) print(createAppKey(environment.privateKey).publicKey.trimEnd());
  if (pullRequest === null && showPublicKey) return 0;
  const reference = parseReference(pullRequest ?? '');
  if (reference === null) {
    complain(
      `expected OWNER/REPO#NUMBER, got ${pullRequest === null ? 'nothing' : JSON.stringify(pullRequest)}; name the pull request`,
    );
    return 1;
  }
  try {
    const claims = await verify(environment, reference);
    for (const claim of claims) print(formatClaim(claim));
    return claims.every(({ verdict }) => verdict === 'holds') ? 0 : 1;
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

/** @throws {NothingToVerify} and what reading GitHub throws */
async function verify(environment: AppEnvironment, reference: Reference): Promise<readonly Claim[]> {
  const silent = () => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const options = { environment, log, gate: createOutGate(createKnownSecrets([])) };
  const app = createAppClient(options);
  const tokens = createTokens(options, app, Date.now, everyInstallation);
  try {
    return judgeEvidence(await gather({ options, app, tokens }, environment, reference));
  } finally {
    await tokens.close();
  }
}

interface Access {
  readonly options: ClientOptions;
  readonly app: Client;
  readonly tokens: Tokens;
}

async function gather(
  { options, app, tokens }: Access,
  environment: AppEnvironment,
  reference: Reference,
): Promise<Evidence> {
  const session = createSession(options, tokens, createWriteLimiter(0));
  const appId = await createIdentity(options, app, tokens, everyInstallation).appId();
  const key = createAppKey(environment.privateKey);
  const place = await findRepository(options, app, tokens, reference);
  return reporting(reference, 'pull request', () =>
    session.read(place, `read ${format(reference)}`, (held) => readEvidence({ held, reference, key, appId })),
  );
}

function formatClaim({ what, verdict, why }: Claim): string {
  return cleanLine(`${what}: ${verdict}${why === null ? '' : `: ${why}`}`, 500);
}

/** Tokens are minted for a repository by its id, which only a token can read. */
async function findRepository(
  options: ClientOptions,
  app: Client,
  tokens: Tokens,
  reference: Reference,
): Promise<ThreadRef> {
  const { owner, name } = reference;
  const given = { owner, repo: name };
  const installation = await reporting(
    reference,
    'installation of the app',
    async () => (await app.rest.apps.getRepoInstallation(given)).data.id,
  );
  const id = await reporting(reference, 'repository', () =>
    tokens.lendToDiscover(installation, async (token) => {
      const client = createTokenClient(options, token);
      return (await client.rest.repos.get(given)).data.id;
    }),
  );
  return { installation, repository: { id, owner, name }, issue: 0 };
}

const unknownKey =
  'expected GitHub to know the app by its key, got 401; look at APP_ID and PRIVATE_KEY, and at GHE_HOST where it is not github.com';

async function reporting<T>(reference: Reference, what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (statusOf(error) === 401) throw new NothingToVerify(unknownKey, { cause: error });
    if (statusOf(error) !== 404 && !(error instanceof NotFound)) throw error;
    throw new NothingToVerify(
      `expected the ${what} for ${format(reference)}, got none; look at the name, and at where the app is installed`,
      { cause: error },
    );
  }
}

function format({ owner, name, number }: Reference): string {
  return `${owner}/${name}#${number}`;
}
