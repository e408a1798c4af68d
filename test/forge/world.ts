/** A small forge for tests: one repository of `acme`, three people with a role each, a stranger, and one installed app. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { Octokit } from '@octokit/rest';
import type { Actor } from '../../src/local/forge/access.ts';
import type { Forge } from '../../src/local/forge/forge.ts';
import { branchHead, git, NO_COMMIT } from '../../src/local/forge/git-repository.ts';
import {
  afterPush,
  createInstallationToken,
  createPersonToken,
  type TokenRequest,
} from '../../src/local/forge/operations.ts';
import { type RunningForge, startForge } from '../../src/local/forge/server.ts';
import { createAccount, createApp, createRepository, install, personActor } from '../../src/local/forge/setup.ts';
import type { Account, ForgeApp, Installation, Repository } from '../../src/local/forge/state.ts';

export const OWNER = 'acme';
export const REPO = 'shop';
export const at = { owner: OWNER, repo: REPO } as const;

export interface World {
  readonly running: RunningForge;
  readonly forge: Forge;
  readonly repository: Repository;
  readonly app: ForgeApp;
  readonly installation: Installation;
  readonly people: Readonly<Record<'owner' | 'writer' | 'reader' | 'stranger', Account>>;
  readonly actors: Readonly<Record<'owner' | 'writer' | 'reader' | 'stranger', Actor>>;
  /** The forge's time, in milliseconds; tests move it. */
  readonly time: { now: number };
  readonly privateKey: KeyObject;
}

export const APP_PERMISSIONS = {
  checks: 'write',
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
} as const;

export const APP_EVENTS = [
  'issues',
  'issue_comment',
  'pull_request',
  'pull_request_review',
  'pull_request_review_thread',
  'push',
  'repository',
];

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

export function temporaryFolder(context: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'planwright-forge-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function createWorld(context: TestContext): Promise<World> {
  const folder = temporaryFolder(context);
  const time = { now: Date.parse('2026-11-30T12:00:00Z') };
  const running = await startForge({ gitRoot: path.join(folder, 'git'), clock: () => time.now });
  context.after(() => running.close());
  const { forge } = running;
  const people = {
    owner: createAccount(forge, OWNER),
    writer: createAccount(forge, 'wendy'),
    reader: createAccount(forge, 'rita'),
    stranger: createAccount(forge, 'sam'),
  };
  const source = mkdtempSync(path.join(folder, 'source-'));
  writeFileSync(path.join(source, 'README.md'), 'one\ntwo\nthree\n');
  const repository = createRepository(forge, {
    owner: people.owner,
    name: REPO,
    fromFolder: source,
    collaborators: { wendy: 'write', rita: 'read' },
  });
  const app = createApp(forge, {
    slug: 'planwright',
    name: 'Planwright',
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    webhookUrl: null,
    webhookSecret: 'a long secret for tests',
    permissions: APP_PERMISSIONS,
    events: APP_EVENTS,
  });
  const installation = install(forge, app, people.owner, [repository]);
  const actors = {
    owner: personActor(people.owner),
    writer: personActor(people.writer),
    reader: personActor(people.reader),
    stranger: personActor(people.stranger),
  };
  return { running, forge, repository, app, installation, people, actors, time, privateKey };
}

function client(world: World, auth: string): Octokit {
  const silent = () => {};
  return new Octokit({
    auth,
    baseUrl: `${world.forge.webUrl}/api/v3`,
    log: { debug: silent, info: silent, warn: silent, error: silent },
  });
}

/** A client with a fresh installation token. */
export function appClient(world: World, request: TokenRequest = {}): Octokit {
  return client(world, createInstallationToken(world.forge, world.installation, request).token);
}

export function personClient(world: World, account: Account): Octokit {
  return client(world, createPersonToken(world.forge, account).token);
}

/** A client with the app's own JSON Web Token. */
export function jwtClient(world: World, claims: Readonly<Record<string, unknown>> = {}): Octokit {
  return client(world, appToken(world, claims));
}

export function appToken(world: World, claims: Readonly<Record<string, unknown>> = {}): string {
  const seconds = Math.floor(world.time.now / 1000);
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const payload = { iat: seconds - 30, exp: seconds + 570, iss: world.app.id, ...claims };
  const signed = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(payload)}`;
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), world.privateKey).toString('base64url')}`;
}

/** Commits `content` as the file at the branch, over `parent` or its head or the default branch, and tells the forge. */
export function commitFile(
  world: World,
  branch: string,
  file: string,
  content: string,
  options: { readonly parent?: string; readonly actor?: Actor } = {},
): string {
  const { gitDir, defaultBranch } = world.repository;
  const head = branchHead(gitDir, branch);
  const parent = options.parent ?? head ?? branchHead(gitDir, defaultBranch) ?? '';
  const env = { GIT_INDEX_FILE: path.join(gitDir, 'test-index') };
  git(gitDir, ['read-tree', parent], { env });
  const blob = git(gitDir, ['hash-object', '-w', '--stdin'], { input: content }).trim();
  git(gitDir, ['update-index', '--add', '--cacheinfo', `100644,${blob},${file}`], { env });
  const tree = git(gitDir, ['write-tree'], { env }).trim();
  const commit = git(gitDir, ['commit-tree', tree, '-p', parent, '-m', `Change ${file}`]).trim();
  git(gitDir, ['update-ref', `refs/heads/${branch}`, commit]);
  afterPush(
    world.forge,
    options.actor ?? world.actors.owner,
    world.repository,
    `refs/heads/${branch}`,
    head ?? NO_COMMIT,
    commit,
  );
  return commit;
}

export interface ReceivedDelivery {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A receiver of the app's webhooks, which answers `status`. */
export async function receiveWebhooks(
  context: TestContext,
  world: World,
  status = 202,
): Promise<readonly ReceivedDelivery[]> {
  const received: ReceivedDelivery[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('expected a TCP address');
  world.app.webhookUrl = `http://127.0.0.1:${address.port}/hooks`;
  return received;
}

/** The status and message that a call is refused with. */
export async function refusalOf(
  call: Promise<unknown>,
): Promise<{ readonly status: unknown; readonly message: string }> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { status: 'status' in error ? error.status : null, message: error.message };
  }
  throw new Error('expected the call to be refused, got an answer');
}
