/** Threads whose issue, repository or installation is out of reach, for good or for a while. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createInbox } from '../../src/engine/inbox.ts';
import { runQueue } from '../../src/engine/queue.ts';
import { failEndedRun, insertRun, moveRun, readRun } from '../../src/engine/run-store.ts';
import { workOn } from '../../src/engine/run-worker.ts';
import { sweep } from '../../src/engine/sweep.ts';
import { recordFinding, recordProblem, threadsToSweep } from '../../src/engine/threads.ts';
import { Forbidden, type GitHub, Gone } from '../../src/github/github.ts';
import type { ThreadState } from '../../src/lifecycle/state.ts';
import { model, planOrder, silent, startedDatabase, type TemporaryDatabase } from './engine-fixture.ts';
import { wokenThread } from './woken-thread.ts';

let database: TemporaryDatabase;
before(async () => {
  database = await startedDatabase();
});
after(() => database.remove());

const suspended = () => Promise.reject(new Forbidden('This installation has been suspended', null));

/** A thread with a pull request in `state`, whose issue is gone; `told` is what was said on pull requests. */
async function goneThread(state: ThreadState, more: Partial<GitHub> = {}) {
  const told: number[] = [];
  const woken = await wokenThread(database, {
    github: {
      observe: () => Promise.reject(new Gone('expected octo/shop#1, got its repository without it', null)),
      tellGone: async (_, pullRequest) => void told.push(pullRequest),
      ...more,
    },
  });
  const finding = { seenWakes: 0, state, owner: 'octo', name: 'shop', pullRequest: 8 };
  await recordFinding(database.db, woken.key, finding);
  return { ...woken, told };
}

async function offered(run: string): Promise<number> {
  return (await database.boss.findJobs(runQueue, { data: { run } })).length;
}

test('an issue that is deleted or transferred stops its run for good, and the thread is at rest after one look', async () => {
  const { key, look, record, ports, github, told } = await goneThread('planning');
  const run = await insertRun(database.db, key, planOrder());
  assert.ok(run !== null);
  await moveRun(database.db, run, ['queued'], 'running');
  const ended: string[] = [];
  ports.runs.hosted.set(run, {
    end: Promise.resolve({ kind: 'killed' }),
    kill: async () => void ended.push('killed'),
    suspend: async () => void ended.push('suspended'),
    drain: async () => void ended.push('drained'),
  });
  await look();
  assert.deepEqual(ended, ['killed']);
  const { status, isSettled } = (await readRun(database.db, run)) ?? {};
  assert.deepEqual({ status, isSettled }, { status: 'cancelled', isSettled: true });
  const found = await record();
  assert.deepEqual(
    { state: found?.state, problem: found?.problem, isSeen: found?.seenWakes === found?.wakes },
    { state: 'inactive', problem: null, isSeen: true },
  );
  assert.deepEqual(told, [8]);
  // The wakes that the stop made find nothing to do.
  await look({ wake: 2 });
  assert.equal(github.observed, 1);
  assert.equal((await threadsToSweep(database.db, true)).includes(key), false);
});

test('what a run had made for an issue that is gone is given up unpublished', async () => {
  const { key, look } = await goneThread('implementing');
  const run = await insertRun(database.db, key, planOrder());
  assert.ok(run !== null);
  await moveRun(database.db, run, ['queued'], 'finished');
  await look();
  const { status, isSettled } = (await readRun(database.db, run)) ?? {};
  assert.deepEqual({ status, isSettled }, { status: 'cancelled', isSettled: true });
});

for (const state of ['abandoned', 'completed', 'inactive'] as const) {
  test(`nobody is told of an issue that is gone from a thread that was ${state}`, async () => {
    const { look, told } = await goneThread(state);
    await look();
    assert.deepEqual(told, []);
  });
}

test('an issue that is gone costs no second look where nobody can be told either', async () => {
  const { look, record, github } = await goneThread('awaiting_approval', { tellGone: suspended });
  await look();
  assert.equal((await record())?.state, 'inactive');
  assert.equal(github.observed, 1);
});

test('a run that was suspended with its installation is not offered by sweeps, and not failed', async () => {
  const { key, look, ports } = await wokenThread(database, { github: { observe: suspended } });
  const run = await insertRun(database.db, key, planOrder());
  assert.ok(run !== null);
  await look();
  const { db, boss } = database;
  const github = { candidates: async () => [] };
  await sweep({ db, boss, github, workspaces: { sweep: async () => undefined }, log: silent });
  assert.equal(await offered(run), 0);
  await database.boss.deleteAllJobs(runQueue);
  await ports.runs.resume(key);
  assert.equal(await offered(run), 1);
});

test('a run that is taken up while GitHub lets nobody look waits in the queue, with no failure to its name', async () => {
  const { key, ports } = await wokenThread(database, { github: { observe: suspended } });
  const run = await insertRun(database.db, key, planOrder());
  assert.ok(run !== null);
  const board = { ...ports.board, watch: () => ({ after: async () => null, [Symbol.dispose]: () => undefined }) };
  const more = { board, model, sandboxHosts: [], childPath: 'none', searchPath: '', checklistDelayMs: 0 };
  await workOn({ ...ports, ...more }, { run, attempt: 0 });
  const { status, outcome } = (await readRun(database.db, run)) ?? {};
  assert.deepEqual({ status, outcome }, { status: 'queued', outcome: null });
});

test('a failure keeps its name where the issue of a failed run is gone', async () => {
  const { key, look } = await goneThread('failed');
  const run = await insertRun(database.db, key, planOrder());
  assert.ok(run !== null);
  const outcome = { kind: 'failed', reason: 'model_error', detail: '529' } as const;
  await failEndedRun(database.db, run, outcome);
  await look();
  assert.equal((await readRun(database.db, run))?.status, 'failed');
});

test('the news that a repository was transferred moves its threads to the installation that reaches it now', async () => {
  const { key, record, thread } = await wokenThread(database);
  await recordProblem(database.db, key, 'GitHub refuses: it is out of reach', 1);
  const destination = { kind: 'repository', installation: 77, repository: thread.repository.id } as const;
  const inbox = createInbox(database.db, database.boss, silent, null);
  const stored = await inbox.store({ guid: randomUUID(), event: 'repository', payload: {}, destination });
  assert.equal(stored, 'woken');
  const found = await record();
  assert.equal(found?.ref.installation, 77);
  assert.ok(found.wakes > found.seenWakes);
});
