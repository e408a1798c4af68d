import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createInbox } from '../../src/engine/inbox.ts';
import { runQueue, sendRun, sendWake, threadQueue } from '../../src/engine/queue.ts';
import { insertRun, moveRun, readRun } from '../../src/engine/run-store.ts';
import { type SweepPorts, sweep, takeOver } from '../../src/engine/sweep.ts';
import { markFailed, markProcessed } from '../../src/engine/thread-deliveries.ts';
import { recordFinding, recordProblem } from '../../src/engine/threads.ts';
import { type ThreadRef, Unreadable } from '../../src/github/github.ts';
import { formatThreadKey } from '../../src/github/identifiers.ts';
import type { RunMemory } from '../../src/lifecycle/memory.ts';
import type { ThreadState } from '../../src/lifecycle/state.ts';
import { newThread, planOrder, silent, startedDatabase, type TemporaryDatabase } from './engine-fixture.ts';

let database: TemporaryDatabase;

before(async () => {
  database = await startedDatabase();
});

after(() => database.remove());

const maxSeq = 1_000_000;

/** A thread that was looked at and found in `state`, with nothing left to do. */
async function threadIn(state: ThreadState): Promise<ThreadRef> {
  const { db, boss } = database;
  const thread = newThread();
  const destination = { kind: 'issue', ...thread } as const;
  await createInbox(db, boss, silent, null).store({ guid: randomUUID(), event: 'issues', payload: {}, destination });
  const { owner, name } = thread.repository;
  await recordFinding(db, formatThreadKey(thread), { seenWakes: 1, state, owner, name, pullRequest: null });
  await markProcessed(db, formatThreadKey(thread), maxSeq);
  return thread;
}

async function runIn(thread: ThreadRef, status: RunMemory['status']): Promise<string> {
  const run = await insertRun(database.db, formatThreadKey(thread), planOrder());
  assert.ok(run !== null);
  await moveRun(database.db, run, ['queued'], status);
  return run;
}

async function wokenThreads(): Promise<string[]> {
  const jobs = await database.boss.findJobs<{ thread: string }>(threadQueue, { queued: true });
  return [...new Set(jobs.map((job) => job.data.thread))].toSorted();
}

async function offeredRuns(): Promise<string[]> {
  const jobs = await database.boss.findJobs<{ run: string }>(runQueue, { queued: true });
  return jobs.map((job) => job.data.run).toSorted();
}

function ports(more: Partial<SweepPorts> = {}): SweepPorts {
  const { db, boss } = database;
  const github = { candidates: async () => [] };
  return { db, boss, github, workspaces: { sweep: async () => undefined }, log: silent, ...more };
}

async function emptyQueues(): Promise<void> {
  await database.boss.deleteAllJobs(threadQueue);
  await database.boss.deleteAllJobs(runQueue);
}

test('a new process takes up every thread that is not at rest, and every run, and finishes what was being stopped', async () => {
  const { db, boss } = database;
  const [resting, planning, stopping, queued] = [
    await threadIn('completed'),
    await threadIn('planning'),
    await threadIn('exit_pending'),
    await threadIn('pending'),
  ];
  const running = await runIn(planning, 'running');
  const told = await runIn(stopping, 'stopping');
  const waiting = await runIn(queued, 'queued');
  await emptyQueues();
  await sendWake(boss, { thread: formatThreadKey(resting), wake: 1, attempt: 0 });
  await sendRun(boss, { run: 'gone', attempt: 0 });
  await boss.fetch(runQueue);
  await takeOver(ports());
  assert.deepEqual(await wokenThreads(), [planning, stopping, queued].map(formatThreadKey).toSorted());
  assert.deepEqual(await offeredRuns(), [running, waiting].toSorted());
  assert.equal((await readRun(db, told))?.status, 'cancelled');
  for (const run of [running, waiting]) {
    await moveRun(db, run, ['running', 'queued'], 'cancelled');
  }
});

test('a sweep looks again at what is not at rest or could not be looked at, and leaves alone what GitHub refuses', async () => {
  const { db } = database;
  const [resting, waiting, refused, unread] = [
    await threadIn('failed'),
    await threadIn('awaiting_approval'),
    await threadIn('awaiting_approval'),
    await threadIn('inactive'),
  ];
  await recordProblem(db, formatThreadKey(refused), 'GitHub refuses.', 1);
  const destination = { kind: 'issue', ...unread } as const;
  await createInbox(db, database.boss, silent, null).store({
    guid: randomUUID(),
    event: 'issues',
    payload: {},
    destination,
  });
  await markFailed(db, formatThreadKey(unread), maxSeq, 'the answer was cut');
  await emptyQueues();
  const candidate = newThread();
  await sweep(ports({ github: { candidates: async () => [candidate, refused] } }));
  const woken = await wokenThreads();
  const isWoken = (thread: ThreadRef) => woken.includes(formatThreadKey(thread));
  assert.deepEqual([resting, waiting, refused, unread, candidate].map(isWoken), [false, true, false, true, true]);
});

test('a sweep keeps the trees of active runs and of outcomes that are not yet on GitHub, and no others', async () => {
  const thread = await threadIn('planning');
  const active = await runIn(thread, 'running');
  const kept: ReadonlySet<string>[] = [];
  const workspaces = { sweep: async (keep: ReadonlySet<string>) => void kept.push(keep) };
  await sweep(ports({ workspaces }));
  assert.equal(kept[0]?.has(active), true);
  await database.db.updateTable('run').set({ status: 'finished', is_settled: true }).where('id', '=', active).execute();
  await sweep(ports({ workspaces }));
  assert.equal(kept[1]?.has(active), false);
});

test('the tree of a run that was stopped or failed goes, and that of one that waits stays until another has followed', async () => {
  const { db } = database;
  const kept: ReadonlySet<string>[] = [];
  const workspaces = { sweep: async (keep: ReadonlySet<string>) => void kept.push(keep) };
  const [waiting, stopped] = [await threadIn('awaiting_answer'), await threadIn('failed')];
  const parked = await runIn(waiting, 'parked');
  const ended = [await runIn(stopped, 'failed'), await runIn(stopped, 'cancelled')];
  await sweep(ports({ workspaces }));
  assert.deepEqual(
    [parked, ...ended].map((run) => kept[0]?.has(run)),
    [true, false, false],
  );
  const answered = await runIn(waiting, 'finished');
  await sweep(ports({ workspaces }));
  assert.deepEqual(
    [parked, answered].map((run) => kept[1]?.has(run)),
    [false, true],
  );
  await db.updateTable('run').set({ is_settled: true }).where('id', 'in', [parked, answered]).execute();
});

test('issues that cannot be listed do not end the sweep', async () => {
  const kept: unknown[] = [];
  const github = {
    candidates: async () => {
      throw new Unreadable('502');
    },
  };
  await sweep(ports({ github, workspaces: { sweep: async (keep) => void kept.push(keep) } }));
  assert.equal(kept.length, 1);
});
