import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Database, openDatabase } from '../../src/engine/database.ts';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import { readMemory } from '../../src/engine/run-store.ts';
import type { ThreadRef } from '../../src/github/github.ts';
import { formatThreadKey } from '../../src/github/identifiers.ts';
import type { Decision } from '../../src/lifecycle/actions.ts';
import type { Facts } from '../../src/lifecycle/facts.ts';
import type { Memory, RunMemory } from '../../src/lifecycle/memory.ts';
import {
  eventually,
  factsOf,
  fakeGitHub,
  fakeWorkspaces,
  model,
  newThread,
  planOrder,
  policy,
  silent,
  temporaryDatabase,
} from './engine-fixture.ts';

const childPath = join(import.meta.dirname, 'fake-child.ts');

const noLabel = { kind: 'setStatusLabel', label: null } as const;

/** Starts one run a thread and stops it once the issue is closed. */
function decideOnce(facts: Facts, memory: Memory): Decision {
  const [run] = memory.runs;
  if (run === undefined) return { state: 'pending', actions: [{ kind: 'startRun', order: planOrder() }, noLabel] };
  const isActive = run.status === 'queued' || run.status === 'running';
  if (isActive && facts.issue.state === 'closed') {
    return { state: 'exit_pending', actions: [{ kind: 'stopRun', run: run.id, why: 'The issue is closed.' }] };
  }
  return { state: isActive ? 'planning' : 'inactive', actions: [noLabel] };
}

interface Rig {
  readonly engine: Engine;
  readonly database: Database;
  readonly world: World;
  deliver(thread: ThreadRef): Promise<void>;
  runOf(thread: ThreadRef): Promise<RunMemory | undefined>;
  ended(thread: ThreadRef): Promise<RunMemory>;
}

interface World {
  /** What the child of each issue's run does. */
  readonly behaviours: Map<number, string>;
  readonly closed: Set<number>;
  /** Issues whose checklist was there to be shown when their thread was looked at. */
  readonly told: Set<number>;
  /** How many looks at an issue's thread are acting now, and how many were at most. */
  readonly acting: Map<number, number>;
  readonly maxActing: Map<number, number>;
  actMs: number;
}

async function startRig(database: Database, folder: string): Promise<Rig> {
  const world: World = {
    behaviours: new Map(),
    closed: new Set(),
    told: new Set(),
    acting: new Map(),
    maxActing: new Map(),
    actMs: 0,
  };
  const github = fakeGitHub({
    observe: async (thread) => factsIn(world, thread),
    act: (_action, { thread }) => act(world, thread.issue),
  });
  const engine = createEngine({
    environment: { model, prices: new Map(), sweepIntervalMs: 60_000, installations: null, sandboxHosts: [] },
    database,
    github,
    workspaces: fakeWorkspaces({
      fetch: async () => undefined,
      readOnlyCheckout: async (_repository, commit) => ({ access: 'read-only', path: folder, commit }),
      scratch: async () => folder,
      readFile: async () => null,
    }),
    decide: (facts, memory) => {
      if (memory.runs[0]?.tasks !== undefined) world.told.add(facts.issue.number);
      return decideOnce(facts, memory);
    },
    log: silent,
    checklistDelayMs: 0,
    sandboxFault: Promise.resolve('not installed: bwrap'),
    childPath,
    searchPath: '/usr/local/bin:/usr/bin:/bin',
  });
  await engine.start();
  const runOf = async (thread: ThreadRef) => (await readMemory(database.db, formatThreadKey(thread))).runs[0];
  return {
    engine,
    database,
    world,
    runOf,
    deliver: async (thread) => {
      const destination = { kind: 'issue', ...thread } as const;
      await engine.inbox.store({ guid: randomUUID(), event: 'issues', payload: {}, destination });
    },
    ended: async (thread) => {
      const isOver = (run: RunMemory | undefined) =>
        run !== undefined && !['queued', 'running', 'stopping'].includes(run.status);
      await eventually(`the run of issue ${thread.issue} to end`, async () => isOver(await runOf(thread)));
      const run = await runOf(thread);
      assert.ok(run !== undefined);
      return run;
    },
  };
}

function factsIn(world: World, thread: ThreadRef): Facts {
  const scope = { ...policy.scope, allow: [world.behaviours.get(thread.issue) ?? 'plans'] };
  const facts = factsOf(thread, { policy: { ...policy, scope } });
  return { ...facts, issue: { ...facts.issue, state: world.closed.has(thread.issue) ? 'closed' : 'open' } };
}

async function act(world: World, issue: number): Promise<void> {
  const now = (world.acting.get(issue) ?? 0) + 1;
  world.acting.set(issue, now);
  world.maxActing.set(issue, Math.max(now, world.maxActing.get(issue) ?? 0));
  await new Promise((resolve) => setTimeout(resolve, world.actMs));
  world.acting.set(issue, (world.acting.get(issue) ?? 0) - 1);
}

/** A process that has ended but that nobody has waited for is not alive. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(existsSync('/proc/self/status') ? readFileSync(`/proc/${pid}/status`, 'utf8') : '');
  } catch {
    return false;
  }
}

test('the engine over a real queue', { timeout: 60_000 }, async (t) => {
  const first = await temporaryDatabase();
  let rig = await startRig(first, first.folder);

  await t.test(
    'a delivery becomes a run, whose child gets its brief and no variable but three; of its plan no image of another host is kept (case 162)',
    async () => {
      const thread = newThread();
      await rig.deliver(thread);
      const { status, outcome, cost } = await rig.ended(thread);
      assert.deepEqual(
        [status, outcome, cost],
        [
          'finished',
          {
            kind: 'plan_ready',
            plan: `${JSON.stringify({ brief: 'request', environment: ['NODE_COMPILE_CACHE', 'PATH', 'TMPDIR'] })}\n\nx (\`https://evil.test/?d=1\`)`,
            findings: [
              'what led to other hosts, and HTML, is shown as code: nothing is loaded from there and nothing links there',
            ],
            answers: [],
          },
          { turns: 1, inputTokens: 10, outputTokens: 5, dollars: null, elapsedMs: 0 },
        ],
      );
    },
  );

  await t.test('deliveries at once never make two looks at one thread, and hold no other thread up', async () => {
    rig.world.actMs = 30;
    const [busy, other] = [newThread(), newThread()];
    await Promise.all([...Array.from({ length: 8 }, () => rig.deliver(busy)), rig.deliver(other)]);
    await Promise.all([rig.ended(busy), rig.ended(other)]);
    await eventually('the threads to rest', () => [...rig.world.acting.values()].every((acting) => acting === 0));
    rig.world.actMs = 0;
    const { runs } = await readMemory(rig.database.db, formatThreadKey(busy));
    assert.equal(runs.length, 1);
    assert.deepEqual([rig.world.maxActing.get(busy.issue), rig.world.maxActing.get(other.issue)], [1, 1]);
  });

  await t.test('S46: what is ready says that no command runs, and why', async () => {
    assert.deepEqual(await rig.engine.readiness(), {
      isReady: true,
      database: 'ready',
      queue: 'ready',
      sandbox: 'missing',
      sandboxFault: 'not installed: bwrap',
      lastLookError: null,
      runs: 0,
    });
  });

  await t.test('a run whose child dies is taken up again from its last stored turn', async () => {
    const thread = newThread();
    rig.world.behaviours.set(thread.issue, 'dies');
    await rig.deliver(thread);
    const { status, outcome } = await rig.ended(thread);
    const plan = '2 turns, no brief, plan after turn 2';
    assert.deepEqual([status, outcome], ['finished', { kind: 'plan_ready', plan, findings: [], answers: [] }]);
  });

  await t.test('a run whose child dies every time fails as crashed after three', async () => {
    const [dies, babbles] = [newThread(), newThread()];
    rig.world.behaviours.set(dies.issue, 'dies_always').set(babbles.issue, 'babbles');
    await Promise.all([rig.deliver(dies), rig.deliver(babbles)]);
    const detail = 'Its process ended without a result: exit code 3.';
    assert.deepEqual((await rig.ended(dies)).outcome, { kind: 'failed', reason: 'crashed', detail });
    assert.deepEqual((await rig.ended(babbles)).outcome, {
      kind: 'failed',
      reason: 'crashed',
      detail: 'What the run did could not be stored.',
    });
  });

  await t.test('stopping a run ends its process and every process that it started', async () => {
    const thread = newThread();
    rig.world.behaviours.set(thread.issue, 'waits');
    await rig.deliver(thread);
    const pids = await pidsOf(rig, thread);
    assert.deepEqual(pids.map(isAlive), [true, true]);
    rig.world.closed.add(thread.issue);
    await rig.deliver(thread);
    const { status, outcome } = await rig.ended(thread);
    assert.deepEqual([status, outcome], ['cancelled', null]);
    await eventually('both processes to be gone', () => pids.every((pid) => !isAlive(pid)));
  });

  await t.test(
    'a checklist is shown while the run is at work; a stopped process lets the turn end, and the next goes on from there',
    async () => {
      const thread = newThread();
      rig.world.behaviours.set(thread.issue, 'slow');
      await rig.deliver(thread);
      await eventually('a look at what the child is at work on', () => rig.world.told.has(thread.issue));
      await rig.engine.stop(5000);
      await rig.database.close();
      rig = await startRig(await openDatabase(first.folder), first.folder);
      rig.world.behaviours.set(thread.issue, 'slow');
      const { status, outcome } = await rig.ended(thread);
      const plan = 'went on after "slow turn"';
      assert.deepEqual([status, outcome], ['finished', { kind: 'plan_ready', plan, findings: [], answers: [] }]);
    },
  );

  await rig.engine.stop(1000);
  await rig.database.close();
  await rm(first.folder, { recursive: true });
});

async function pidsOf(rig: Rig, thread: ThreadRef): Promise<readonly number[]> {
  const key = formatThreadKey(thread);
  const read = () => rig.database.db.selectFrom('turn').select('messages').where('thread', '=', key).executeTakeFirst();
  await eventually('the first turn', async () => (await read()) !== undefined);
  const found = /\[(\d+),(\d+)\]/.exec((await read())?.messages ?? '');
  return [Number(found?.[1]), Number(found?.[2])];
}
