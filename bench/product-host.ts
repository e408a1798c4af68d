/** The product's side: the engine's database, run store, keeper and host, in a process of its own, one run after the other. */
import { join } from 'node:path';
import type { RunSpec } from '../src/agent/run-protocol.ts';
import { defaultConfig, toPolicy } from '../src/config/repository-config.ts';
import { readConversation } from '../src/engine/conversation-store.ts';
import { type Database, openDatabase } from '../src/engine/database.ts';
import { createLog } from '../src/engine/log.ts';
import { hostRun } from '../src/engine/run-host.ts';
import { createKeeper } from '../src/engine/run-keeper.ts';
import { insertRun, moveRun, readRun } from '../src/engine/run-store.ts';
import { formatThreadKey } from '../src/github/identifiers.ts';
import { noCost } from '../src/lifecycle/budget.ts';
import { createWorkspaces } from '../src/workspace/create-workspaces.ts';
import type { RepositoryRef, Workspaces } from '../src/workspace/workspace.ts';
import { childPath } from './child-path.ts';
import type { GeneratedRepository } from './repository.ts';
import { issue } from './script.ts';

export type HostOrder =
  /** Makes a new database and closes it. */
  | { readonly kind: 'make'; readonly dataDir: string }
  | { readonly kind: 'open'; readonly dataDir: string; readonly folder: string }
  | { readonly kind: 'run'; readonly number: number; readonly repository: GeneratedRepository; readonly url: string };

export interface HostReport {
  readonly checkout: string;
  readonly wallMs: number;
  /** Complete turns of the run, as the database holds them after it. */
  readonly storedTurns: number;
  /** How it ended, e.g. `plan_ready`, or why not. */
  readonly ending: string;
}

const searchPath = '/usr/local/bin:/usr/bin:/bin';
const policy = toPolicy(defaultConfig, 'plan.md');
const noCeiling = { maxTurns: null, maxTokens: null, maxDollars: null, wallTimeMs: null };
const log = createLog({ logLevel: 'error', privateKey: '', webhookSecret: '', model: { apiKey: 'scripted' } });

let opened: { readonly database: Database; readonly folder: string } | null = null;

async function make(dataDir: string): Promise<void> {
  await (await openDatabase(dataDir)).close();
}

async function open(dataDir: string, folder: string): Promise<void> {
  opened = { database: await openDatabase(dataDir), folder };
}

async function run({ number, repository, url }: Extract<HostOrder, { kind: 'run' }>): Promise<HostReport> {
  if (opened === null) throw new Error('expected to be opened first');
  const { db } = opened.database;
  const place = { id: number, owner: 'bench', name: `run-${number}` };
  const workspaces = createWorkspaces({
    root: join(opened.folder, 'workspaces'),
    gitUrl: () => repository.gitDir,
    author: { name: 'bench', email: 'bench@localhost' },
    allowedProtocols: 'file',
    searchPath,
  });
  await workspaces.fetch(place, [repository.head], (operation) => operation(''));
  const id = await insertThreadAndRun(place, repository.head);
  const record = await readRun(db, id);
  if (record === null) throw new Error('expected the run to be there');
  const spec = await writeSpec({ workspaces, place, id, base: repository.head, url });
  const history = (path: string | null, limit: number) => workspaces.history(place, repository.head, path, limit);
  const keeper = createKeeper(db, record, { implementation: null, history, day: policy.budget.day }, log);
  const startedAt = performance.now();
  const end = await hostRun({ childPath, searchPath, spec, keeper, log }).end;
  const wallMs = performance.now() - startedAt;
  const { messages } = await readConversation(db, record);
  return {
    checkout: spec.checkout,
    wallMs,
    storedTurns: messages.filter(({ role }) => role === 'assistant').length,
    ending: end.kind === 'ended' ? describe(end.result) : `${end.kind}: ${JSON.stringify(end)}`,
  };
}

function describe(result: { readonly kind: string; readonly detail?: string }): string {
  return result.detail === undefined ? result.kind : `${result.kind}: ${result.detail}`;
}

async function insertThreadAndRun(place: RepositoryRef, base: string): Promise<string> {
  if (opened === null) throw new Error('expected to be opened first');
  const { db } = opened.database;
  const thread = formatThreadKey({ repository: place, issue: 1 });
  const { id: repository, owner, name } = place;
  await db
    .insertInto('thread')
    .values({ key: thread, installation: 1, repository, owner, name, issue: 1, pull_request: null, problem: null })
    .execute();
  const id = await insertRun(db, thread, {
    phase: 'plan',
    branch: 'planwright/issue-1',
    causes: ['bench'],
    occasion: { kind: 'request', text: null },
    head: null,
    base,
    approval: null,
  });
  if (id === null || !(await moveRun(db, id, ['queued'], 'running'))) throw new Error('expected a run, got none');
  return id;
}

interface SpecParts {
  readonly workspaces: Workspaces;
  readonly place: RepositoryRef;
  readonly id: string;
  readonly base: string;
  readonly url: string;
}

async function writeSpec({ workspaces, place, id, base, url }: SpecParts): Promise<RunSpec> {
  const checkout = await workspaces.readOnlyCheckout(place, base, id);
  const { title, body } = issue;
  return {
    run: id,
    phase: 'plan',
    checkout: checkout.path,
    scratch: await workspaces.scratch(id),
    planPath: policy.plan.path,
    plan: null,
    issue: 1,
    base,
    brief: {
      kind: 'request',
      issue: { number: 1, title, body: { author: 'bench', trust: 'issue author', text: body } },
      note: null,
      instructions: [],
    },
    conversation: [],
    model: { id: 'scripted', maxOutputTokens: 16_000, apiKey: 'scripted', baseUrl: url, price: null },
    budget: { ...policy.budget, maxTurns: 1000, maxTokens: 1_000_000_000, thread: noCeiling },
    permissions: policy.permissions,
    planShell: false,
    spent: noCost,
    checks: [],
    scopeAllow: [],
    scopeMode: 'block',
    holdsCode: false,
  };
}

async function carryOut(order: HostOrder): Promise<object> {
  switch (order.kind) {
    case 'make':
      await make(order.dataDir);
      return {};
    case 'open':
      await open(order.dataDir, order.folder);
      return {};
    case 'run':
      return run(order);
  }
}

process.on('message', async (order: HostOrder) => {
  process.send?.(await carryOut(order));
});
process.on('disconnect', () => process.exit(0));
