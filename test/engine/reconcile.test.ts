import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { threadQueue, type WakeJob } from '../../src/engine/queue.ts';
import { insertRun, moveRun, readRun } from '../../src/engine/run-store.ts';
import { threadsToSweep } from '../../src/engine/threads.ts';
import { Forbidden, type ThreadRef, Unreadable, Withheld } from '../../src/github/github.ts';
import type { Action, ThreadStatus } from '../../src/lifecycle/actions.ts';
import { factsOf, planOrder, startedDatabase, type TemporaryDatabase } from './engine-fixture.ts';
import { type World, wokenThread } from './woken-thread.ts';

let database: TemporaryDatabase;

before(async () => {
  database = await startedDatabase();
});

after(() => database.remove());

const woken = (world?: World) => wokenThread(database, world);

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
  isPullRequestOpen: false,
  failure: null,
  obstacles: [],
  note: null,
  previousPullRequest: null,
  cost: { turns: 0, inputTokens: 0, outputTokens: 0, dollars: null, elapsedMs: 0 },
};

test('a look observes, decides, acts in order and notes what it found', async () => {
  const actions: Action[] = [
    { kind: 'setStatusLabel', label: 'plan: writing' },
    { kind: 'react', to: { kind: 'issue' }, reaction: 'eyes' },
  ];
  const { github, look, record, key, thread } = await woken({ actions });
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
  const { github, look, deliver } = await woken();
  await deliver();
  await deliver();
  await look({ wake: 1 });
  await look({ wake: 2 });
  await look({ wake: 3 });
  assert.equal(github.observed, 1);
});

test('a wake that comes during a look gets a look of its own', async () => {
  const wake = { now: async () => undefined as unknown };
  const { github, look, deliver } = await woken({
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
  const { github, look, record, key } = await woken({
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
  const { github, look, deliver } = await woken({
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

test('case 76: what GitHub refuses is said once, with who has to do what, on the issue and not tried again until something happens', async () => {
  const world: { refuses: boolean } = { refuses: true };
  const actions: Action[] = [
    { kind: 'openPullRequest', branch: 'planwright/issue-1', previousPullRequest: null },
    { kind: 'setStatusComment', status },
  ];
  const { github, look, record, key, deliver } = await woken({
    actions,
    github: {
      act: async (action) => {
        if (action.kind === 'openPullRequest' && world.refuses) {
          throw new Forbidden('Resource not accessible by integration', 'pull_requests: write');
        }
      },
    },
  });
  const problem =
    'GitHub refuses: the permission `pull_requests: write` is missing. It has to be granted to the app and then accepted for this installation: until that is done, GitHub acts as if the app had not asked for it.';
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

test('S79: a text that was not sent for a secret in it is said on the issue and in the audit, and not tried again and again', async () => {
  const actions: Action[] = [
    { kind: 'refuse', cause: 'c', login: 'eve', why: 'w' },
    { kind: 'setStatusComment', status },
  ];
  const { github, look, record, key, deliver } = await woken({
    actions,
    github: {
      act: async (action) => {
        if (action.kind === 'refuse') throw new Withheld('expected no secret in `body`, got a token', null);
      },
    },
  });
  const problem =
    'Something was to be said here and was not: expected no secret in `body`, got a token. Who runs this app finds it in the log; `/retry` tries it once more.';
  await look();
  await deliver();
  await look({ wake: 2 });
  assert.deepEqual(
    github.acted.map((action) => action.kind === 'setStatusComment' && action.status.obstacles),
    [[problem], [problem]],
  );
  assert.equal((await record())?.problem, problem);
  const lines = await database.db.selectFrom('audit').selectAll().where('thread', '=', key).execute();
  assert.deepEqual(
    lines.filter(({ event }) => event === 'text_refused').map(({ detail }) => detail),
    ['expected no secret in `body`, got a token'],
  );
});

test('where GitHub lets nobody look, a run in flight is suspended, and goes on once it does', async () => {
  const world: { refuses: boolean } = { refuses: true };
  const { look, ports, key, deliver } = await woken({
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

test("what GitHub refuses while a run is at work is looked at anew, once: the reason may be the run's to stop for", async () => {
  const world = { isArchived: false };
  const { github, look, ports, key, record } = await woken({
    actions: [{ kind: 'setStatusLabel', label: 'plan: writing' }],
    github: {
      observe: async (thread) => {
        const facts = factsOf(thread);
        return { ...facts, repository: { ...facts.repository, isArchived: world.isArchived } };
      },
      act: async () => {
        world.isArchived = true;
        throw new Forbidden('Repository was archived so is read-only.', null);
      },
    },
  });
  const run = await insertRun(database.db, key, planOrder());
  assert.ok(run !== null);
  const decided = ports.decide;
  const decide: typeof decided = (facts, memory) => {
    const isStopped = !facts.repository.isArchived || memory.runs.at(-1)?.status === 'cancelled';
    const { state, actions } = decided(facts, memory);
    return { state, actions: [...(isStopped ? [] : [{ kind: 'stopRun', run, why: 'archived' } as const]), ...actions] };
  };
  await look({}, { ...ports, decide });
  for (const job of await waitingJobs(key)) await look(job, { ...ports, decide });
  assert.equal((await readRun(database.db, run))?.status, 'cancelled');
  const looks = github.observed;
  for (const job of await waitingJobs(key)) await look(job, { ...ports, decide });
  assert.equal(github.observed, looks);
  assert.equal((await record())?.problem, 'GitHub refuses: Repository was archived so is read-only.');
});

for (const [what, error] of [
  ['is refused', new Forbidden('This installation has been suspended', null)],
  ['fails', new Unreadable('a partial answer')],
] as const) {
  test(`a run does not wait on for a look that ${what}`, async () => {
    const { look, ports, key } = await woken({ github: { observe: () => Promise.reject(error) } });
    using watch = ports.board.watch(key);
    const seen = watch.after(1, 60_000);
    await look();
    assert.equal(await seen, null);
  });
}
