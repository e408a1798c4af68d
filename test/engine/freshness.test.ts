import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { Overtaken, whileFresh } from '../../src/engine/freshness.ts';
import { createInbox } from '../../src/engine/inbox.ts';
import { createLookBoard } from '../../src/engine/look-board.ts';
import { reconcile } from '../../src/engine/reconcile.ts';
import { endRun, insertRun } from '../../src/engine/run-store.ts';
import { createRuns } from '../../src/engine/runs.ts';
import { readThreadRecord, wake, wakeKnown } from '../../src/engine/threads.ts';
import type { ThreadRef } from '../../src/github/github.ts';
import type { RunMemory } from '../../src/lifecycle/memory.ts';
import {
  approval,
  factsOf,
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

/** A delivery about the thread, as the webhooks bring it. */
function deliver(thread: ThreadRef) {
  const destination = { kind: 'issue', ...thread } as const;
  const delivery = { guid: randomUUID(), event: 'issues', payload: {}, destination };
  return createInbox(database.db, database.boss, silent, null).store(delivery);
}

const echo = async (token: string) => token;
const report = { steps: [], files: [], verifications: [], deviations: [] };

test('a word that comes while approvals are set aside is looked at before anything is pushed', async () => {
  const { db, boss } = database;
  const thread = newThread();
  const key = await wake(db, boss, thread);
  const run = await insertRun(db, key, planOrder({ phase: 'implement', approval, head: approval.head }));
  assert.ok(run !== null);
  const outcome = { kind: 'work_ready', commit: 'e'.repeat(40), report } as const;
  await endRun(db, run, { outcome, cost: null });
  const pushed: string[] = [];
  let isTakenBack = false;
  const github = fakeGitHub({
    act: async () => {
      isTakenBack = true;
      await deliver(thread);
    },
  });
  const publish = [
    { kind: 'holdApprovals', reviews: [9] },
    { kind: 'publishImplementation', run },
  ] as const;
  const decide = (_: unknown, { runs }: { readonly runs: readonly RunMemory[] }) => {
    assert.equal(runs.length, 1);
    return { state: 'implementing', actions: isTakenBack ? [] : publish } as const;
  };
  const workspaces = fakeWorkspaces({
    push: async (_repository, { commit }, token) => {
      await token(async () => pushed.push(commit));
    },
  });
  const ports = { db, boss, github, workspaces, runs: createRuns(db, boss, silent), decide, log: silent };
  await reconcile(
    { ...ports, readPrice: noPrice, sandboxFault: async () => null, board: createLookBoard(), onLook: () => undefined },
    { thread: key, wake: 1, attempt: 0 },
  );
  assert.deepEqual(pushed, []);
  assert.equal(github.observed, 2);
  assert.equal((await readThreadRecord(db, key))?.seenWakes, 2);
});

test('what was read long ago gives no token for a push; reading needs no such thing', async () => {
  const { db, boss } = database;
  const thread = newThread();
  const key = await wake(db, boss, thread);
  const look = { thread: key, newest: 0, readAt: 0 };
  const github = fakeGitHub({ observe: async () => factsOf(thread) });
  const fresh = whileFresh(github, db, { ...look, now: () => 120_000 });
  assert.equal(await fresh.withToken(thread, 'publish', echo), 'ghs_token');
  const old = whileFresh(github, db, { ...look, now: () => 120_001 });
  await assert.rejects(old.withToken(thread, 'publish', echo), Overtaken);
  assert.equal(await old.withToken(thread, 'clone', echo), 'ghs_token');
});

test('a sweep in the middle of a look takes nothing from what it has read', async () => {
  const { db, boss } = database;
  const thread = newThread();
  const key = await wake(db, boss, thread);
  const fresh = whileFresh(fakeGitHub(), db, { thread: key, newest: 0, readAt: 0, now: () => 0 });
  await wakeKnown(db, boss, key);
  assert.equal(await fresh.withToken(thread, 'publish', echo), 'ghs_token');
  await deliver(thread);
  await assert.rejects(fresh.withToken(thread, 'publish', echo), Overtaken);
});
