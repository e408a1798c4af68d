import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ReconcilePorts, reconcile } from '../../src/engine/reconcile.ts';
import { endRun, insertRun, moveRun, readMemory, readRun } from '../../src/engine/run-store.ts';
import type { Action } from '../../src/lifecycle/actions.ts';
import type { CommitTrailers } from '../../src/lifecycle/facts.ts';
import type { Outcome } from '../../src/lifecycle/memory.ts';
import { BranchMoved, NothingToCommit, PushRefused } from '../../src/workspace/workspace.ts';
import { noRules } from '../no-ceilings.ts';
import { factsOf, planOrder, policy, startedDatabase, type TemporaryDatabase } from './engine-fixture.ts';
import { type World, wokenThread } from './woken-thread.ts';

let database: TemporaryDatabase;

before(async () => {
  database = await startedDatabase();
});

after(() => database.remove());

const woken = (world?: World) => wokenThread(database, world);

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
  return { phase: 'plan', run, base: 'a'.repeat(40), plan: null, reviews: [], approvedBy: [], receipt: null };
}

test('an order starts one run, however often it is given', async () => {
  const order = planOrder();
  const { look, key, ports } = await woken({ actions: [{ kind: 'startRun', order }] });
  await look();
  assert.equal(await ports.runs.start(key, { ...order, causes: ['LE_2'] }, noRules), false);
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
    cost: { turns: 0, inputTokens: 0, outputTokens: 0, dollars: 0, elapsedMs: 0 },
  });
});

test('S46: where the configuration gives a plan run a shell, its pull request is told why there was none', async () => {
  const told: unknown[] = [];
  for (const shell of [true, false]) {
    const actions: Action[] = [];
    const { look, key, ports } = await woken({
      actions,
      github: {
        observe: async (of) => factsOf(of, { policy: { ...policy, plan: { ...policy.plan, shell } } }),
        act: async (_action, context) => void told.push(context.missingShell),
      },
      workspaces: {
        fetch: async () => undefined,
        commitPlan: async () => 'c'.repeat(40),
        push: async () => undefined,
      },
    });
    const run = await finishedRun(key, planReady);
    const branch = 'planwright/issue-1';
    actions.push({ kind: 'publishPlan', run }, { kind: 'openPullRequest', branch, previousPullRequest: null });
    await look({}, { ...ports, sandboxFault: async () => 'not installed: bwrap' });
  }
  assert.deepEqual(told, ['not installed: bwrap', undefined]);
});

test('a plan is committed on its head, pushed by compare-and-swap, and settled by what the decision puts last', async () => {
  const commit = 'c'.repeat(40);
  const calls: unknown[] = [];
  const failing: { once: boolean } = { once: true };
  const actions: Action[] = [];
  const seenHeads: (string | null)[] = [];
  const named: unknown[] = [];
  const { look, key, deliver, thread } = await woken({
    actions,
    github: {
      act: async (_action, context) => {
        seenHeads.push(context.head);
        named.push(context.instructions);
        if (failing.once) {
          failing.once = false;
          throw new Error('502');
        }
      },
    },
    workspaces: {
      fetch: async (_repository, commits) => void calls.push(['fetch', commits]),
      filesNamed: async (_repository, of) => [{ path: 'AGENTS.md', text: of }],
      commitPlan: async (_repository, plan) => {
        calls.push(['commitPlan', { ...plan, message: plan.message({ tree: '', parents: [] }) }]);
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
  const pushes = database.db.selectFrom('audit').select(['run', 'event', 'detail']).where('thread', '=', key);
  assert.deepEqual(
    await pushes.where('event', 'like', 'push%').execute(),
    [{ run, event: 'pushed', detail: `refs/heads/planwright/issue-1 from nothing to ${commit}` }],
    'S84: a push is in the audit log, with what was there before',
  );
  assert.deepEqual(named, [['AGENTS.md'], ['AGENTS.md']], 'S27: what the plan goes by is told as it is published');
  assert.deepEqual(calls.slice(0, 3), [
    ['fetch', [base]],
    [
      'commitPlan',
      {
        parent: base,
        path: 'plan.md',
        text: '# Plan\n',
        message: JSON.stringify({
          subject: `Plan issue ${thread.issue}`,
          requester: null,
          trailers: { ...trailersOf(run), plan: '14fba09b2e543cace2d9b291ea4e9e8a648725fe' },
        }),
      },
    ],
    ['push', { branch: 'planwright/issue-1', commit, expected: null }],
  ]);
});

test('a plan that was pushed before a crash is adopted, not pushed again', async () => {
  const actions: Action[] = [];
  const pushed: { run: string } = { run: '' };
  const head = 'd'.repeat(40);
  const { look, key, github } = await woken({
    actions,
    github: {
      observe: async (thread) =>
        factsOf(thread, {
          branches: [
            {
              name: 'planwright/issue-1',
              head: {
                sha: head,
                headline: 'Plan',
                committedAt: '2026-01-02T00:00:00Z',
                trailers: trailersOf(pushed.run),
              },
            },
          ],
        }),
      act: async (_action, context) => assert.equal(context.head, head),
    },
    workspaces: { fetch: async () => undefined },
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

test('an amendment is committed as a plan on the approved head, pushed by compare-and-swap, and its run stays parked', async () => {
  const { db } = database;
  const [commit, head] = ['c'.repeat(40), 'e'.repeat(40)];
  const calls: unknown[] = [];
  const actions: Action[] = [];
  const { look, key, thread } = await woken({
    actions,
    workspaces: {
      fetch: async () => undefined,
      commitPlan: async (_repository, { message, ...plan }) => {
        calls.push(plan, JSON.parse(message({ tree: '', parents: [] })));
        return commit;
      },
      push: async (_repository, push) => void calls.push(push),
    },
  });
  const occasion = { kind: 'approval', reviews: [9], resumes: null } as const;
  const run = await insertRun(db, key, planOrder({ phase: 'implement', head, occasion, causes: ['review:9'] }));
  assert.ok(run !== null);
  await moveRun(db, run, ['queued'], 'running');
  const outcome: Outcome = { kind: 'amendment', plan: '# Plan\n', reason: 'More is needed.', findings: [] };
  await endRun(db, run, { outcome, cost: null });
  actions.push({ kind: 'publishPlan', run }, { kind: 'settleRun', run, as: 'published' });
  await look();
  const [plan, message, push] = calls;
  assert.deepEqual(plan, { parent: head, path: 'plan.md', text: '# Plan\n' });
  assert.partialDeepStrictEqual(message, {
    subject: `Amend the plan for issue ${thread.issue}`,
    trailers: { phase: 'plan', run, reviews: [9], approvedBy: [], receipt: null },
  });
  assert.deepEqual(push, { branch: 'planwright/issue-1', commit, expected: head });
  const { status, isSettled } = (await readRun(db, run)) ?? {};
  assert.deepEqual([status, isSettled], ['parked', true]);
});

test('a branch that moved during the push is looked at again, and what follows the push does not happen', async () => {
  const actions: Action[] = [];
  const pushes: { count: number } = { count: 0 };
  const { look, key, github } = await woken({
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
  const { look, key, ports, github } = await woken({
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
  const { look, key } = await woken({
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
  const { look, key, deliver } = await woken({ actions });
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
