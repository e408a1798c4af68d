import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createLookBoard } from '../../src/engine/look-board.ts';
import { reconcile } from '../../src/engine/reconcile.ts';
import { endRun, insertRun, readRun, runsToKeep } from '../../src/engine/run-store.ts';
import { createRuns } from '../../src/engine/runs.ts';
import { wake } from '../../src/engine/threads.ts';
import type { RunMemory } from '../../src/lifecycle/memory.ts';
import { PatchRefused, PushRefused } from '../../src/workspace/workspace.ts';
import {
  approval,
  fakeGitHub,
  fakeWorkspaces,
  newThread,
  noPrice,
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

test('a plan whose place is taken fails the run with the reason, and is not tried again and again', async () => {
  const { db, boss } = database;
  const thread = newThread();
  const key = await wake(db, boss, thread);
  const run = await insertRun(db, key, planOrder());
  assert.ok(run !== null);
  await endRun(db, run, { outcome: { kind: 'plan_ready', plan: '# Plan\n', findings: [], answers: [] }, cost: null });
  let tries = 0;
  const workspaces = fakeWorkspaces({
    fetch: async () => undefined,
    commitPlan: async () => {
      tries += 1;
      throw new PatchRefused(['docs: a file is there']);
    },
  });
  const decide = (_: unknown, { runs }: { readonly runs: readonly RunMemory[] }) => {
    const isFailed = runs[0]?.status === 'failed';
    return { state: 'failed', actions: isFailed ? [] : [{ kind: 'publishPlan', run } as const] } as const;
  };
  const ports = { db, boss, github: fakeGitHub(), workspaces, runs: createRuns(db, boss, silent), decide, log: silent };
  await reconcile(
    { ...ports, readPrice: noPrice, sandboxFault: async () => null, board: createLookBoard(), onLook: () => undefined },
    { thread: key, wake: 1, attempt: 0 },
  );
  assert.equal(tries, 1);
  const outcome = { kind: 'failed', reason: 'patch_refused', detail: 'docs: a file is there' };
  assert.deepEqual((await readRun(db, run))?.outcome, outcome);
});

test('cases 75, 99: an implementation whose push is refused is pushed once, says where its commits are, and keeps them until the next run', async () => {
  const { db, boss } = database;
  const thread = newThread();
  const key = await wake(db, boss, thread);
  const order = planOrder({ phase: 'implement', approval, head: approval.head });
  const run = await insertRun(db, key, order);
  assert.ok(run !== null);
  const report = { steps: [], files: [], verifications: [], deviations: [] };
  const commit = 'e'.repeat(40);
  await endRun(db, run, { outcome: { kind: 'work_ready', commit, report }, cost: null });
  let tries = 0;
  const workspaces = fakeWorkspaces({
    push: async () => {
      tries += 1;
      // What `jsonb` refuses: U+0000, and half a character.
      throw new PushRefused('a rule\u0000 forbids \ud800 it');
    },
  });
  const decide = (_: unknown, { runs }: { readonly runs: readonly RunMemory[] }) => {
    const isFailed = runs[0]?.status === 'failed';
    return { state: 'failed', actions: isFailed ? [] : [{ kind: 'publishImplementation', run } as const] } as const;
  };
  const ports = { db, boss, github: fakeGitHub(), workspaces, runs: createRuns(db, boss, silent), decide, log: silent };
  await reconcile(
    { ...ports, readPrice: noPrice, sandboxFault: async () => null, board: createLookBoard(), onLook: () => undefined },
    { thread: key, wake: 1, attempt: 0 },
  );
  assert.equal(tries, 1);
  const failed = await readRun(db, run);
  assert.deepEqual(failed?.outcome, {
    kind: 'failed',
    reason: 'push_refused',
    detail: `a rule\u0000 forbids \ud800 it\n\nThe work is not lost: until the next run here, its last commit is ${commit} in the app's own copy of the repository.`,
  });
  assert.equal((await runsToKeep(db)).has(failed?.workspace ?? ''), true);
  await insertRun(db, key, { ...order, causes: ['retry'] });
  assert.equal((await runsToKeep(db)).has(failed?.workspace ?? ''), false);
});
