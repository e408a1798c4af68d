import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createInbox } from '../../src/engine/inbox.ts';
import { createLookBoard } from '../../src/engine/look-board.ts';
import { threadQueue, type WakeJob } from '../../src/engine/queue.ts';
import { type ReconcilePorts, reconcile } from '../../src/engine/reconcile.ts';
import { endRun, insertRun, moveRun, readMemory, readRun } from '../../src/engine/run-store.ts';
import { createRuns } from '../../src/engine/runs.ts';
import { readThreadRecord, threadsToSweep, wakeKnown } from '../../src/engine/threads.ts';
import { Forbidden, type GitHub, type ThreadRef, Unreadable } from '../../src/github/github.ts';
import { formatThreadKey } from '../../src/github/identifiers.ts';
import type { Action, ThreadStatus } from '../../src/lifecycle/actions.ts';
import type { CommitTrailers } from '../../src/lifecycle/facts.ts';
import type { Outcome } from '../../src/lifecycle/memory.ts';
import type { ThreadState } from '../../src/lifecycle/state.ts';
import { BranchMoved, NothingToCommit, PushRefused, type Workspaces } from '../../src/workspace/workspace.ts';
import {
  factsOf,
  fakeGitHub,
  fakeWorkspaces,
  newThread,
  planOrder,
  silent,
  startedDatabase,
  type TemporaryDatabase,
} from './engine-fixture.ts';

let database: TemporaryDatabase;

before(async () => {
  database = await startedDatabase();
});

after(() => database.remove());

interface World {
  readonly state?: ThreadState;
  readonly actions?: readonly Action[];
  readonly github?: Partial<GitHub>;
  readonly workspaces?: Partial<Workspaces>;
}

/** A thread that one delivery has woken, and everything a look at it needs. */
async function wokenThread(world: World = {}) {
  const thread = newThread();
  const key = formatThreadKey(thread);
  const { db, boss } = database;
  const deliver = () =>
    createInbox(db, boss).store({
      guid: randomUUID(),
      event: 'issues',
      payload: {},
      destination: { kind: 'issue', ...thread },
    });
  await deliver();
  const github = fakeGitHub(world.github);
  const ports: ReconcilePorts = {
    db,
    boss,
    github,
    workspaces: fakeWorkspaces(world.workspaces),
    runs: createRuns(db, boss, silent),
    decide: () => ({ state: world.state ?? 'planning', actions: world.actions ?? [] }),
    log: silent,
    board: createLookBoard(),
    onLook: () => undefined,
  };
  const look = (job: Partial<WakeJob> = {}) => reconcile(ports, { thread: key, wake: 1, attempt: 0, ...job });
  const record = () => readThreadRecord(db, key);
  return { thread, key, github, ports, look, record, deliver };
}

async function deliveryStates(key: string): Promise<string[]> {
  const rows = await database.db
    .selectFrom('delivery')
    .select('state')
    .where('thread', '=', key)
    .orderBy('seq')
    .execute();
  return rows.map((row) => row.state);
}

async function waitingJobs(key: string): Promise<WakeJob[]> {
  return (await database.boss.findJobs<WakeJob>(threadQueue, { key })).map((job) => job.data);
}

const status: ThreadStatus = {
  state: 'planning',
  pullRequest: null,
  failure: null,
  obstacles: [],
  note: null,
  previousPullRequest: null,
  cost: { turns: 0, inputTokens: 0, outputTokens: 0, dollars: null },
};

async function finishedRun(key: string, outcome: Outcome): Promise<string> {
  const { db } = database;
  const run = await insertRun(db, key, planOrder());
  assert.ok(run !== null);
  await moveRun(db, run, ['queued'], 'running');
  await endRun(db, run, { outcome, cost: null });
  return run;
}

const planReady: Outcome = { kind: 'plan_ready', plan: '# Plan\n', findings: [], answers: [] };

function trailersOf(run: string): CommitTrailers {
  return { phase: 'plan', run, base: 'a'.repeat(40), plan: null, reviews: [], approvedBy: [] };
}

test('a look observes, decides, acts in order and notes what it found', async () => {
  const actions: Action[] = [
    { kind: 'setStatusLabel', label: 'plan: writing' },
    { kind: 'react', to: { kind: 'issue' }, reaction: 'eyes' },
  ];
  const { github, look, record, key, thread } = await wokenThread({ actions });
  await look();
  assert.deepEqual(github.acted, actions);
  assert.deepEqual(await record(), {
    key,
    ref: thread,
    pullRequest: null,
    wakes: 1,
    seenWakes: 1,
    retryWake: 0,
    state: 'planning',
    problem: null,
  });
  assert.deepEqual(await deliveryStates(key), ['processed']);
});

test('a job whose wake an earlier look has seen is done without work', async () => {
  const { github, look, deliver } = await wokenThread();
  await deliver();
  await deliver();
  await look({ wake: 1 });
  await look({ wake: 2 });
  await look({ wake: 3 });
  assert.equal(github.observed, 1);
});

test('a wake that comes during a look gets a look of its own', async () => {
  const wake = { now: async () => undefined as unknown };
  const { github, look, deliver } = await wokenThread({
    github: {
      observe: async (thread: ThreadRef) => {
        await wake.now();
        return factsOf(thread);
      },
    },
  });
  wake.now = async () => {
    wake.now = async () => undefined;
    await deliver();
  };
  await look();
  assert.equal(github.observed, 2);
});

test('an unreadable answer changes nothing and is tried again later, a bounded number of times', async () => {
  const { github, look, record, key } = await wokenThread({
    github: {
      observe: async () => {
        throw new Unreadable('the answer was cut');
      },
    },
  });
  const attempts = [0, 1, 2, 3, 4, 5, 6];
  for (const attempt of attempts) {
    await look({ attempt });
  }
  assert.deepEqual(github.acted, []);
  assert.equal((await record())?.state, 'inactive');
  assert.deepEqual((await waitingJobs(key)).map((job) => job.attempt).toSorted(), [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(await deliveryStates(key), ['failed']);
});

test('while a retry is waiting, what it covers is not tried before it; something new is', async () => {
  const { github, look, deliver } = await wokenThread({
    github: {
      observe: async () => {
        throw new Unreadable('the answer was cut');
      },
    },
  });
  await deliver();
  await look({ wake: 1 });
  await look({ wake: 2 });
  assert.equal(github.observed, 1);
  await deliver();
  await look({ wake: 3 });
  assert.equal(github.observed, 2);
});

test('what GitHub refuses is said once on the issue and not tried again until something happens', async () => {
  const world: { refuses: boolean } = { refuses: true };
  const actions: Action[] = [
    { kind: 'openPullRequest', branch: 'planwright/issue-1', previousPullRequest: null },
    { kind: 'setStatusComment', status },
  ];
  const { github, look, record, key, deliver } = await wokenThread({
    actions,
    github: {
      act: async (action) => {
        if (action.kind === 'openPullRequest' && world.refuses) {
          throw new Forbidden('Resource not accessible by integration', 'pull_requests: write');
        }
      },
    },
  });
  const problem = 'GitHub refuses: the permission `pull_requests: write` is missing.';
  const obstructed = { kind: 'setStatusComment', status: { ...status, obstacles: [problem] } };
  await look();
  assert.deepEqual(github.acted, [obstructed]);
  assert.equal((await record())?.problem, problem);
  assert.deepEqual([await threadsToSweep(database.db, false)].flat().includes(key), false);
  assert.deepEqual([await threadsToSweep(database.db, true)].flat().includes(key), false);

  world.refuses = false;
  github.acted.length = 0;
  await deliver();
  await look({ wake: 2 });
  assert.deepEqual(github.acted, [actions[0], obstructed, actions[0], actions[1]]);
  assert.equal((await record())?.problem, null);
});

test('where GitHub lets nobody look, a run in flight is suspended, and goes on once it does', async () => {
  const world: { refuses: boolean } = { refuses: true };
  const { look, ports, key, deliver } = await wokenThread({
    github: {
      observe: async (thread) => {
        if (world.refuses) throw new Forbidden('This installation has been suspended', null);
        return factsOf(thread);
      },
    },
  });
  const run = await insertRun(database.db, key, planOrder());
  assert.ok(run !== null);
  await moveRun(database.db, run, ['queued'], 'running');
  const told: string[] = [];
  ports.runs.hosted.set(run, {
    end: Promise.resolve({ kind: 'suspended' }),
    kill: async () => void told.push('kill'),
    suspend: async () => void told.push('suspend'),
    drain: async () => void told.push('drain'),
  });
  await look();
  assert.deepEqual(told, ['suspend']);
  assert.equal((await readRun(database.db, run))?.status, 'queued');
  world.refuses = false;
  await deliver();
  await look({ wake: 2 });
  const jobs = await database.boss.findJobs('runs', { data: { run } });
  assert.deepEqual(
    jobs.map((job) => job.data),
    [{ run, attempt: 0 }],
  );
});

for (const [what, error] of [
  ['is refused', new Forbidden('This installation has been suspended', null)],
  ['fails', new Unreadable('a partial answer')],
] as const) {
  test(`a run does not wait on for a look that ${what}`, async () => {
    const { look, ports, key } = await wokenThread({ github: { observe: () => Promise.reject(error) } });
    using watch = ports.board.watch(key);
    const seen = watch.after(1, 60_000);
    await look();
    assert.equal(await seen, null);
  });
}

test('an order starts one run, however often it is given', async () => {
  const order = planOrder();
  const { look, key, ports } = await wokenThread({ actions: [{ kind: 'startRun', order }] });
  await look();
  assert.equal(await ports.runs.start(key, { ...order, causes: ['LE_2'] }), false);
  const [run, ...others] = (await readMemory(database.db, key)).runs;
  assert.deepEqual(others, []);
  assert.ok(run !== undefined);
  assert.deepEqual(run, {
    id: run.id,
    phase: 'plan',
    branch: 'planwright/issue-1',
    causes: ['LE_1'],
    status: 'queued',
    head: null,
    base: 'a'.repeat(40),
    approval: null,
    outcome: null,
    isSettled: false,
    cost: { turns: 0, inputTokens: 0, outputTokens: 0, dollars: null },
  });
});

test('a plan is committed on its head, pushed by compare-and-swap, and settled by what the decision puts last', async () => {
  const commit = 'c'.repeat(40);
  const calls: unknown[] = [];
  const failing: { once: boolean } = { once: true };
  const actions: Action[] = [];
  const seenHeads: (string | null)[] = [];
  const { look, key, deliver, thread } = await wokenThread({
    actions,
    github: {
      act: async (_action, context) => {
        seenHeads.push(context.head);
        if (failing.once) {
          failing.once = false;
          throw new Error('502');
        }
      },
    },
    workspaces: {
      fetch: async (_repository, commits) => void calls.push(['fetch', commits]),
      commitPlan: async (_repository, plan) => {
        calls.push(['commitPlan', plan]);
        return commit;
      },
      push: async (_repository, push) => void calls.push(['push', push]),
    },
  });
  const run = await finishedRun(key, planReady);
  actions.push(
    { kind: 'publishPlan', run },
    { kind: 'openPullRequest', branch: 'planwright/issue-1', previousPullRequest: null },
    { kind: 'settleRun', run, as: 'published' },
  );
  const base = 'a'.repeat(40);
  await look();
  assert.equal((await readRun(database.db, run))?.isSettled, false);
  await deliver();
  await look({ wake: 2 });
  assert.equal((await readRun(database.db, run))?.isSettled, true);
  assert.deepEqual(seenHeads.slice(0, 2), [commit, commit]);
  assert.deepEqual(calls.slice(0, 3), [
    ['fetch', [base]],
    [
      'commitPlan',
      {
        parent: base,
        path: 'plan.md',
        text: '# Plan\n',
        message: [
          `Plan issue ${thread.issue}`,
          '',
          'Planwright-Phase: plan',
          `Planwright-Run: ${run}`,
          `Planwright-Base: ${base}`,
          'Planwright-Plan: 14fba09b2e543cace2d9b291ea4e9e8a648725fe',
          '',
        ].join('\n'),
      },
    ],
    ['push', { branch: 'planwright/issue-1', commit, expected: null }],
  ]);
});

test('a plan that was pushed before a crash is adopted, not pushed again', async () => {
  const actions: Action[] = [];
  const pushed: { run: string } = { run: '' };
  const head = 'd'.repeat(40);
  const { look, key, github } = await wokenThread({
    actions,
    github: {
      observe: async (thread) =>
        factsOf(thread, {
          branches: [
            { name: 'planwright/issue-1', head: { sha: head, headline: 'Plan', trailers: trailersOf(pushed.run) } },
          ],
        }),
      act: async (_action, context) => assert.equal(context.head, head),
    },
  });
  pushed.run = await finishedRun(key, planReady);
  actions.push(
    { kind: 'publishPlan', run: pushed.run },
    { kind: 'markReady' },
    { kind: 'settleRun', run: pushed.run, as: 'published' },
  );
  await look();
  assert.deepEqual(github.acted[0], { kind: 'markReady' });
  assert.equal((await readRun(database.db, pushed.run))?.isSettled, true);
});

test('a branch that moved during the push is looked at again, and what follows the push does not happen', async () => {
  const actions: Action[] = [];
  const pushes: { count: number } = { count: 0 };
  const { look, key, github } = await wokenThread({
    actions,
    workspaces: {
      fetch: async () => undefined,
      commitPlan: async () => 'c'.repeat(40),
      push: async () => {
        pushes.count += 1;
        if (pushes.count === 1) throw new BranchMoved('the branch moved');
      },
    },
  });
  const run = await finishedRun(key, planReady);
  actions.push({ kind: 'publishPlan', run }, { kind: 'markReady' }, { kind: 'settleRun', run, as: 'published' });
  await look();
  assert.ok(github.observed >= 2);
  assert.equal(github.acted.length, github.observed - 1);
  assert.equal((await readRun(database.db, run))?.isSettled, true);
});

test("a push that the remote refuses for good fails the run with the remote's reason", async () => {
  const actions: Action[] = [];
  const { look, key, ports, github } = await wokenThread({
    workspaces: {
      fetch: async () => undefined,
      commitPlan: async () => 'c'.repeat(40),
      push: async () => {
        throw new PushRefused('protected branch hook declined');
      },
    },
  });
  const run = await finishedRun(key, planReady);
  actions.push({ kind: 'publishPlan', run }, { kind: 'markReady' });
  const decide: ReconcilePorts['decide'] = (_facts, memory) => ({
    state: 'failed',
    actions: memory.runs[0]?.status === 'failed' ? [] : actions,
  });
  await reconcile({ ...ports, decide }, { thread: key, wake: 1, attempt: 0 });
  const { status: after_, outcome } = (await readRun(database.db, run)) ?? {};
  assert.deepEqual(
    [after_, outcome],
    ['failed', { kind: 'failed', reason: 'push_refused', detail: 'protected branch hook declined' }],
  );
  assert.deepEqual(github.acted, []);
  await look();
});

test('a revision that changes no byte needs no commit', async () => {
  const actions: Action[] = [];
  const { look, key } = await wokenThread({
    actions,
    workspaces: {
      fetch: async () => undefined,
      commitPlan: async () => {
        throw new NothingToCommit('the plan is as it was');
      },
    },
  });
  const run = await finishedRun(key, planReady);
  actions.push({ kind: 'publishPlan', run }, { kind: 'settleRun', run, as: 'published' });
  await look();
  assert.equal((await readRun(database.db, run))?.isSettled, true);
});

test('an outcome that is no longer wanted is settled: withdrawn cancels its run, superseded fails it', async () => {
  const actions: Action[] = [];
  const { look, key, deliver } = await wokenThread({ actions });
  const withdrawn = await finishedRun(key, planReady);
  const superseded = await finishedRun(key, planReady);
  actions.push(
    { kind: 'settleRun', run: withdrawn, as: 'withdrawn' },
    { kind: 'settleRun', run: superseded, as: 'superseded' },
  );
  await look();
  await deliver();
  const found = (await readMemory(database.db, key)).runs.map((run) => [run.status, run.isSettled, run.outcome?.kind]);
  assert.deepEqual(found, [
    ['cancelled', true, 'plan_ready'],
    ['failed', true, 'failed'],
  ]);
});

test('the audit log can be added to and not changed', async () => {
  const { key } = await wokenThread();
  const { db } = database;
  await db.insertInto('audit').values({ thread: key, run: null, event: 'refused_call', detail: 'bash' }).execute();
  await assert.rejects(db.updateTable('audit').set({ detail: 'x' }).execute(), /append-only/);
  await assert.rejects(db.deleteFrom('audit').execute(), /append-only/);
  await wakeKnown(db, database.boss, key);
});
