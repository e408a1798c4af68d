/** A database in a folder of its own, a GitHub that is plain data, and workspaces that are never asked for git. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { type Database, openDatabase } from '../../src/engine/database.ts';
import { createJobQueues } from '../../src/engine/queue.ts';
import type { RunKeeper } from '../../src/engine/run-host.ts';
import type { RunRecord } from '../../src/engine/run-record.ts';
import type { GitHub, GitHubAction, ThreadRef } from '../../src/github/github.ts';
import type { RunOrder } from '../../src/lifecycle/actions.ts';
import type { Facts, PullRequestFacts } from '../../src/lifecycle/facts.ts';
import type { Approval } from '../../src/lifecycle/memory.ts';
import type { Workspaces } from '../../src/workspace/workspace.ts';
import { policy as defaults } from '../lifecycle/world.ts';
import { noOtherCeilings, noRules } from '../no-ceilings.ts';
import { copyDatabase } from './made-database.ts';

export const silent = pino({ level: 'silent' });

export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'planwright-engine-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

export interface TemporaryDatabase extends Database {
  readonly folder: string;
  remove(): Promise<void>;
}

/** A new database in a folder of its own. */
export async function temporaryDatabase(): Promise<TemporaryDatabase> {
  const folder = await temporaryFolder();
  await copyDatabase(folder.path);
  const database = await openDatabase(folder.path);
  return {
    ...database,
    folder: folder.path,
    remove: async () => {
      await database.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A new database whose queues are made and started, as the tests of a file share it; it is removed with them stopped. */
export async function startedDatabase(): Promise<TemporaryDatabase> {
  const database = await temporaryDatabase();
  await database.boss.start();
  await createJobQueues(database.boss);
  return {
    ...database,
    remove: async () => {
      await database.boss.stop({ graceful: false });
      await database.remove();
    },
  };
}

/** No model has a known price. */
export const model = { id: 'scripted', apiKey: 'key', baseUrl: null, maxOutputTokens: 1000 } as const;
export const noPrice = async () => null;

let lastIssue = 0;

/** A thread that no other test uses. */
export function newThread(): ThreadRef {
  lastIssue += 1;
  return { installation: 7, repository: { id: 100, owner: 'octo', name: 'shop' }, issue: lastIssue };
}

export function factsOf(thread: ThreadRef, more: Partial<Facts> = {}): Facts {
  const { id, owner, name } = thread.repository;
  return {
    repository: {
      id,
      nodeId: 'R_1',
      owner,
      name,
      isArchived: false,
      defaultBranch: { name: 'main', head: 'a'.repeat(40) },
      statusLabels: {},
    },
    policy: policy,
    issue: {
      id: 1,
      nodeId: 'I_1',
      number: thread.issue,
      url: `https://github.test/${owner}/${name}/issues/${thread.issue}`,
      title: 'The cache forgets',
      body: 'It forgets.',
      author: writer,
      state: 'open',
      isLocked: false,
      labels: ['plan'],
      labelEvents: [],
      edits: [],
      comments: [],
      reactionsByThisApp: [],
    },
    branches: [],
    pullRequests: [],
    permissions: { [writer.id]: 'write' },
    memberships: {},
    app: { version: '0.1.0' },
    ...more,
  };
}

export const writer = { id: 5, login: 'ada', kind: 'user', isThisApp: false } as const;

export const policy = {
  triggerLabel: 'plan',
  plan: { path: 'plan.md', keep: 'remove', shell: false },
  approval: defaults.approval,
  scope: { mode: 'block', allow: [] },
  checks: [],
  hosts: [],
  permissions: noRules,
  budget: { maxTurns: 50, maxTokens: 1_000_000, wallTimeMs: 600_000, maxAttempts: 3, ...noOtherCeilings },
} as const;

export function planOrder(more: Partial<RunOrder> = {}): RunOrder {
  return {
    phase: 'plan',
    branch: 'planwright/issue-1',
    causes: ['LE_1'],
    occasion: { kind: 'request', text: null },
    head: null,
    base: 'a'.repeat(40),
    approval: null,
    ...more,
  };
}

/** A run that the host has at work. */
export function runOf(order: RunOrder, more: Partial<RunRecord> = {}): RunRecord {
  return {
    ...order,
    id: 'run-1',
    thread: '100#7',
    status: 'running',
    outcome: null,
    isSettled: false,
    cost: { turns: 0, inputTokens: 0, outputTokens: 0, dollars: null, elapsedMs: 0 },
    plan: null,
    workspace: 'run-1',
    attempts: 0,
    steps: [],
    tasks: [],
    permissions: null,
    ...more,
  };
}

export const approval: Approval = {
  repository: { id: 100, owner: 'octo', name: 'shop' },
  pullRequest: 8,
  head: 'c'.repeat(40),
  planBlob: 'd'.repeat(40),
  base: 'a'.repeat(40),
  reviewers: [{ id: writer.id, login: writer.login, permission: 'write', review: 9 }],
  rule: policy.approval,
  version: '0.1.0',
};

/** An open pull request that nobody has said anything on. */
export function pullRequestOf(more: Partial<PullRequestFacts> = {}): PullRequestFacts {
  return {
    id: 50,
    nodeId: 'PR_50',
    number: 50,
    url: 'https://github.test/octo/shop/pull/50',
    title: 'Plan',
    body: '',
    state: 'open',
    isDraft: true,
    isLocked: false,
    createdAt: '2026-01-02T00:00:00Z',
    closedAt: null,
    branch: 'planwright/issue-1',
    head: 'c'.repeat(40),
    baseBranch: 'main',
    commits: [],
    files: [],
    planOfRecord: null,
    changedOnBase: [],
    codeOwners: 'unknown',
    sharedWith: [],
    reviews: [],
    threads: [],
    comments: [],
    requestedReviewers: [],
    checks: [],
    disturbances: [],
    ...more,
  };
}

export interface FakeGitHub extends GitHub {
  readonly acted: GitHubAction[];
  observed: number;
}

/** A GitHub that answers with `observe`'s facts and notes what it is asked to do. */
export function fakeGitHub(more: Partial<GitHub> = {}): FakeGitHub {
  const fake: FakeGitHub = {
    acted: [],
    observed: 0,
    self: async () => ({ id: 99, login: 'planwright[bot]', slug: 'planwright', appId: 3 }),
    candidates: async () => [],
    deliveries: { list: async () => ({ attempts: [], next: null }), askAgain: async () => 'asked', keptMs: 1 },
    tellGone: async () => undefined,
    commitMessage: (_repository, message) => () => JSON.stringify(message),
    withToken: (_thread, _use, work) => work('ghs_token'),
    close: async () => undefined,
    ...more,
    observe: async (thread) => {
      fake.observed += 1;
      return more.observe === undefined ? factsOf(thread) : more.observe(thread);
    },
    act: async (action, context) => {
      await more.act?.(action, context);
      fake.acted.push(action);
    },
  };
  return fake;
}

/** Workspaces of which a test says what they do; whatever it does not say fails. */
export function fakeWorkspaces(known: Partial<Workspaces> = {}): Workspaces {
  const refuse = (name: string) => async () => {
    throw new Error(`expected no call of ${name}, got one`);
  };
  return {
    fetch: refuse('fetch'),
    readOnlyCheckout: refuse('readOnlyCheckout'),
    writableCheckout: refuse('writableCheckout'),
    scratch: refuse('scratch'),
    readFile: refuse('readFile'),
    filesNamed: async () => [],
    history: refuse('history'),
    commitPlan: refuse('commitPlan'),
    snapshot: refuse('snapshot'),
    commitStep: refuse('commitStep'),
    inspect: refuse('inspect'),
    carryOver: refuse('carryOver'),
    lastCommit: refuse('lastCommit'),
    changes: refuse('changes'),
    push: refuse('push'),
    remove: refuse('remove'),
    sweep: async () => undefined,
    ...known,
  };
}

/** Resolves once `isTrue` holds, which is asked every 20 ms. Fails after `timeoutMs`. */
export async function eventually(what: string, isTrue: () => boolean | Promise<boolean>, timeoutMs = 10_000) {
  const end = performance.now() + timeoutMs;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`expected ${what} within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Takes whatever a run reports, and keeps nothing of it. */
export const keeper: RunKeeper = {
  reply: async () => undefined,
  turn: async () => undefined,
  stepDone: async () => null,
  readTree: async () => ({ outside: [], faults: [], changes: [] }),
  history: async () => '',
  tasks: async () => undefined,
  spent: async () => undefined,
  audit: async () => undefined,
};
