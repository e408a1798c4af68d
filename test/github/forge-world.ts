/** A local GitHub over real HTTP with one repository and its people, and the adapter that is tested on it. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createAppKey } from '../../src/github/app-key.ts';
import { createGitHub } from '../../src/github/create-github.ts';
import type { ActContext, ThreadRef } from '../../src/github/github.ts';
import { everyInstallation, type Minting } from '../../src/github/minting.ts';
import { type CommitPlace, formatCommitMessage } from '../../src/github/trailers.ts';
import type { CommitTrailers, Facts } from '../../src/lifecycle/facts.ts';
import type { Memory } from '../../src/lifecycle/memory.ts';
import type { Role } from '../../src/local/forge/access.ts';
import { branchHead, git, NO_COMMIT } from '../../src/local/forge/git-repository.ts';
import type { PullRequestIssue } from '../../src/local/forge/lookup.ts';
import {
  addLabels,
  afterPush,
  createComment,
  createIssue,
  identityOf,
  openPullRequest,
  type ReviewText,
  submitReview,
} from '../../src/local/forge/operations.ts';
import type { RequestRecord } from '../../src/local/forge/request-log.ts';
import { startForge } from '../../src/local/forge/server.ts';
import { createAccount, createApp, createRepository, install, personActor } from '../../src/local/forge/setup.ts';
import type { Account, Issue } from '../../src/local/forge/state.ts';
import { formatPlan, type PlanContent } from '../../src/plan/plan-file.ts';
import { createKnownSecrets } from '../../src/text/known-secrets.ts';
import { createOutGate } from '../../src/text/out-gate.ts';

export type World = Awaited<ReturnType<typeof startWorld>>;

export interface WorldOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly empty?: boolean;
  readonly draftsSupported?: boolean;
  readonly permissions?: Readonly<Record<string, 'read' | 'write'>>;
  /** Whether the organization `acme` owns the repository, and `ann` administers it. */
  readonly isOfOrganization?: boolean;
}

const grants = { contents: 'write', issues: 'write', pull_requests: 'write', checks: 'write' } as const;
/** `ann` owns `ann/shop`; `wes` writes, `mia` maintains, `tri` triages, `rea` reads. The clock stands but for `pass`. */
export async function startWorld(options: WorldOptions = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'planwright-github-'));
  // The app signs its tokens by the host's clock: the forge's starts there.
  let time = Date.now();
  const clock = () => time;
  const running = await startForge({ gitRoot: path.join(folder, 'git'), clock });
  const { forge } = running;
  const fromFolder = path.join(folder, 'files');
  mkdirSync(fromFolder);
  for (const [name, text] of Object.entries({ 'README.md': '# Shop\n', ...options.files })) {
    mkdirSync(path.dirname(path.join(fromFolder, name)), { recursive: true });
    writeFileSync(path.join(fromFolder, name), text);
  }
  const people = new Map(
    ['ann', 'wes', 'mia', 'tri', 'rea', 'out'].map((login) => [login, createAccount(forge, login)]),
  );
  const account = (login: string): Account => {
    const found = people.get(login);
    if (found === undefined) throw new Error(`expected a person of the world, got ${login}`);
    return found;
  };
  const owner = options.isOfOrganization === true ? createAccount(forge, 'acme', 'Organization') : account('ann');
  const roles: Readonly<Record<string, Role>> = {
    ann: 'admin',
    wes: 'write',
    mia: 'maintain',
    tri: 'triage',
    rea: 'read',
  };
  const repository = createRepository(forge, {
    owner,
    name: 'shop',
    ...(options.empty === true ? {} : { fromFolder }),
    draftsSupported: options.draftsSupported ?? true,
    collaborators: roles,
  });
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const app = createApp(forge, {
    slug: 'planwright',
    name: 'Planwright',
    publicKey,
    webhookUrl: null,
    webhookSecret: 'a-secret-of-the-tests',
    permissions: options.permissions ?? grants,
    events: ['issues'],
  });
  const installation = install(forge, app, owner, [repository]);
  const environment = {
    appId: String(app.id),
    privateKey,
    apiUrl: `${forge.webUrl}/api/v3`,
    graphqlUrl: `${forge.webUrl}/api/graphql`,
    writeIntervalMs: 0,
  };
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const connect = (timeoutMs = 10_000, minting: Minting = everyInstallation, key = privateKey) =>
    createGitHub({
      environment: { ...environment, privateKey: key },
      log: silent,
      now: () => time,
      wait: () => Promise.resolve(),
      secondMs: 1,
      timeoutMs,
      minting,
      gate: createOutGate(createKnownSecrets([])),
      onWithheld: () => undefined,
    });
  const actor = (login: string) => personActor(account(login));
  const threadOf = (issue: Issue): ThreadRef => ({
    installation: installation.id,
    repository: { id: repository.id, owner: owner.login, name: 'shop' },
    issue: issue.number,
  });

  /** Commits on top of the branch, or of the default branch where it is new, as a push by the account. */
  const commit = (
    by: Account,
    branch: string,
    files: Readonly<Record<string, string | null>>,
    message: string | ((place: CommitPlace) => string),
  ) => {
    time += 1000;
    const { gitDir, defaultBranch } = repository;
    const before = branchHead(gitDir, branch);
    const parent = before ?? branchHead(gitDir, defaultBranch) ?? NO_COMMIT;
    const env = { GIT_INDEX_FILE: path.join(folder, 'index'), ...identityOf(by) };
    git(gitDir, ['read-tree', parent], { env });
    for (const [name, text] of Object.entries(files)) {
      if (text === null) {
        git(gitDir, ['update-index', '--index-info'], { input: `0 ${NO_COMMIT}\t${name}\n`, env });
        continue;
      }
      const blob = git(gitDir, ['hash-object', '-w', '--stdin'], { input: text }).trim();
      git(gitDir, ['update-index', '--add', '--cacheinfo', `100644,${blob},${name}`], { env });
    }
    const tree = git(gitDir, ['write-tree'], { env }).trim();
    const input =
      typeof message === 'string' ? message : message({ repository: repository.id, branch, tree, parents: [parent] });
    const sha = git(gitDir, ['commit-tree', tree, '-p', parent, '-F', '-'], { input, env }).trim();
    git(gitDir, ['update-ref', `refs/heads/${branch}`, sha]);
    const pusher =
      by.type === 'Bot' ? ({ kind: 'installation', app, installation, token: appToken } as const) : personActor(by);
    afterPush(forge, pusher, repository, `refs/heads/${branch}`, before ?? NO_COMMIT, sha);
    return sha;
  };
  const key = createAppKey(privateKey);
  /** The message of a commit of the app. */
  const signed = (subject: string, trailers: CommitTrailers) => (place: CommitPlace) =>
    formatCommitMessage({ subject, trailers }, place, key);
  const appToken = {
    token: 'ghs_world',
    bearer: { kind: 'installation', installationId: installation.id },
    repositoryIds: null,
    permissions: { ...grants, metadata: 'read' },
    expiresAt: new Date(time + 24 * 60 * 60 * 1000).toISOString(),
  } as const;

  return {
    forge,
    owner,
    repository,
    app,
    installation,
    environment,
    key,
    signed,
    connect,
    github: connect(),
    account,
    actor,
    appActor: { kind: 'installation', app, installation, token: appToken } as const,
    threadOf,
    commit,
    /** Moves the clock on, by a second unless told. */
    pass: (milliseconds = 1000) => {
      time += milliseconds;
    },
    head: (branch = repository.defaultBranch) => branchHead(repository.gitDir, branch),
    issue: (title = 'Cache is never cleared', body = 'It grows and grows.') =>
      createIssue(forge, actor('rea'), repository, { title, body }),
    label: (issue: Issue, by = 'wes', label = 'plan') => {
      time += 1000;
      addLabels(forge, actor(by), repository, issue, [label]);
    },
    /** The plan committed by the app on the thread's branch. */
    plan: (issue: Issue, change: PlanChange = {}) => {
      const base = branchHead(repository.gitDir, repository.defaultBranch) ?? NO_COMMIT;
      const text = change.text ?? planText(issue.number, base);
      const trailers: CommitTrailers = {
        phase: 'plan',
        run: 'run-1',
        base,
        plan: null,
        reviews: [],
        approvedBy: [],
        receipt: null,
        ...change.trailers,
      };
      const branch = change.branch ?? `planwright/issue-${issue.number}`;
      const files = { [change.path ?? 'plan.md']: text };
      return commit(app.account, branch, files, signed(`Plan: ${issue.title}`, trailers));
    },
    /** A pull request of the app, or of somebody else, from the branch. */
    open: (
      branch: string,
      by: Parameters<typeof openPullRequest>[1] = { kind: 'installation', app, installation, token: appToken },
    ) => {
      time += 1000;
      return openPullRequest(forge, by, repository, {
        title: 'A plan',
        body: '',
        head: branch,
        base: 'main',
        draft: true,
      });
    },
    review: (pull: PullRequestIssue, by: string, text: ReviewText) => {
      time += 1000;
      return submitReview(forge, actor(by), repository, pull, text);
    },
    comment: (on: Issue, by: string, body: string) => {
      time += 1000;
      return createComment(forge, actor(by), repository, on, body);
    },
    pullRequest: (number: number): PullRequestIssue => {
      const found = repository.issues.find((each) => each.number === number);
      if (found?.pullRequest == null) throw new Error(`expected a pull request, got ${number}`);
      return { ...found, pullRequest: found.pullRequest };
    },
    /** The requests so far, as `GET /repos/…` or `graphql Thread`; reading them empties the list. */
    takeRequests: () => forge.requests.splice(0).map(describeRequest),
    close: async () => {
      await running.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface PlanChange {
  readonly text?: string;
  readonly path?: string;
  readonly branch?: string;
  readonly trailers?: Partial<CommitTrailers>;
}

export function planText(issue: number, base: string, scope: PlanContent['files'] = defaultScope): string {
  return formatPlan({
    issue,
    base,
    files: scope,
    verify: [],
    title: 'Clear the cache',
    lead: '',
    sections: [{ heading: 'Context', text: 'It grows.' }],
  });
}

const defaultScope: PlanContent['files'] = [{ path: 'README.md', change: 'modify' }];

function describeRequest(request: RequestRecord): string {
  const { kind, method, path: where, body } = request;
  if (kind !== 'graphql') return `${method} ${where.replace('/api/v3', '')}`;
  const query = typeof body === 'object' && body !== null && 'query' in body ? String(body.query) : '';
  return `graphql ${/^\s*(?:query|mutation)\s+(\w+)/.exec(query)?.[1] ?? '?'}`;
}

/** A context for a sequence of actions on what was observed. */
export function contextOf(thread: ThreadRef, facts: Facts, memory: Memory = { runs: [] }): ActContext {
  const pullRequest = facts.pullRequests.findLast(({ state }) => state === 'open');
  return {
    thread,
    facts,
    memory,
    pullRequest: pullRequest === undefined ? null : { number: pullRequest.number, nodeId: pullRequest.nodeId },
    head: pullRequest?.head ?? null,
  };
}
