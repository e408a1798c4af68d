import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Price } from '../../src/agent/run-protocol.ts';
import { storeTurn } from '../../src/engine/conversation-store.ts';
import { withPrice } from '../../src/engine/prices.ts';
import { createKeeper } from '../../src/engine/run-keeper.ts';
import {
  addStep,
  endRun,
  insertRun,
  moveRun,
  readMemory,
  readRun,
  runsToKeep,
  setTasks,
  storeSpent,
} from '../../src/engine/run-store.ts';
import { changeRunWithCost } from '../../src/engine/spending.ts';
import type { ThreadRef } from '../../src/github/github.ts';
import { noCost } from '../../src/lifecycle/budget.ts';
import type { ApprovedCeiling, Cost } from '../../src/lifecycle/memory.ts';
import type { Policy } from '../../src/lifecycle/policy.ts';
import { budgetOf } from '../../src/lifecycle/run-budget.ts';
import { approval } from '../github/keys.ts';
import { noCeiling } from '../no-ceilings.ts';
import {
  factsOf,
  newThread,
  planOrder,
  policy,
  silent,
  type TemporaryDatabase,
  temporaryDatabase,
} from './engine-fixture.ts';

let database: TemporaryDatabase;

before(async () => {
  database = await temporaryDatabase();
});

after(() => database.remove());

let lastRepository = 500;

/** Of a repository of its own. */
function newRepository() {
  lastRepository += 1;
  return { id: lastRepository, owner: 'octo', name: `shop-${lastRepository}` };
}

async function knownThread({ id, owner, name }: ThreadRef['repository']): Promise<string> {
  const { installation, issue } = newThread();
  const key = `${id}#${issue}`;
  const place = { key, installation, repository: id, owner, name, issue };
  await database.db
    .insertInto('thread')
    .values({ ...place, pull_request: null, problem: null })
    .execute();
  return key;
}

async function runningRun(repository = newRepository()) {
  const { db } = database;
  const key = await knownThread(repository);
  const id = await insertRun(db, key, planOrder());
  assert.ok(id !== null);
  await moveRun(db, id, ['queued'], 'running');
  const run = await readRun(db, id);
  assert.ok(run !== null);
  return { key, run, repository };
}

const cost = (turns: number, more: Partial<Cost> = {}): Cost => ({
  ...noCost,
  turns,
  inputTokens: turns * 100,
  ...more,
});
const turn = (spent: Cost) => ({ messages: [], plan: null, spent, isComplete: true });

test('what a run uses is counted with each turn, within a turn and at its end, for its thread and for the day of its repository', async () => {
  const { db } = database;
  const { key, run, repository } = await runningRun();
  const other = await runningRun(repository);
  const elsewhere = await runningRun();
  await storeTurn(db, run, turn(cost(1, { dollars: 0.5, elapsedMs: 900 })));
  await storeTurn(db, other.run, turn(cost(5, { dollars: 2 })));
  await storeTurn(db, elsewhere.run, turn(cost(50, { dollars: 9 })));
  const read = async () => {
    const { runs, spentToday } = await readMemory(db, key);
    return [runs.map((each) => each.cost), spentToday];
  };
  assert.deepEqual(await read(), [
    [cost(1, { dollars: 0.5, elapsedMs: 900 })],
    cost(6, { dollars: 2.5, elapsedMs: 900 }),
  ]);
  await storeSpent(db, run.id, cost(2, { dollars: 0.75, elapsedMs: 1200 }));
  assert.deepEqual(await read(), [
    [cost(2, { dollars: 0.75, elapsedMs: 1200 })],
    cost(7, { dollars: 2.75, elapsedMs: 1200 }),
  ]);
  const outcome = { kind: 'failed', reason: 'repeated_calls', detail: '' } as const;
  await endRun(db, run.id, { outcome, cost: cost(3, { dollars: 1, elapsedMs: 1500 }) });
  assert.deepEqual(await read(), [
    [cost(3, { dollars: 1, elapsedMs: 1500 })],
    cost(8, { dollars: 3, elapsedMs: 1500 }),
  ]);
});

test('what a process told before it died is kept, and no later word makes it less', async () => {
  const { db } = database;
  const { key, run } = await runningRun();
  await storeTurn(db, run, turn(cost(4)));
  await storeSpent(db, run.id, cost(5));
  const { cost: kept } = (await readRun(db, run.id)) ?? run;
  assert.deepEqual(kept, cost(5), 'the next process begins with it');
  await storeTurn(db, run, turn(cost(3)));
  await endRun(db, run.id, { outcome: { kind: 'failed', reason: 'crashed', detail: '' }, cost: noCost });
  const memory = await readMemory(db, key);
  assert.deepEqual([memory.runs[0]?.cost, memory.spentToday], [cost(5), cost(5)]);
});

test('a run that goes on after midnight counts for each day with what it used on it', async () => {
  const { db } = database;
  const { key, run } = await runningRun();
  const use = (turns: number, at: Date) => changeRunWithCost(db, run.id, { from: ['running'], told: cost(turns), at });
  const [evening, night] = [new Date('2026-03-01T23:59:59Z'), new Date('2026-03-02T00:00:00Z')];
  await use(3, evening);
  await use(4, night);
  await use(7, night);
  const spentOn = async (at: Date) => (await readMemory(db, key, at)).spentToday;
  assert.deepEqual([await spentOn(evening), await spentOn(night)], [cost(3), cost(4)]);
  assert.equal(await spentOn(new Date('2026-03-03T00:00:00Z')), undefined, 'a day begins with nothing used');
});

test('a run is told of what other runs of its repository have used of the day meanwhile', async () => {
  const { db } = database;
  const { run, repository } = await runningRun();
  const day = { ...noCeiling, maxTurns: 10, maxDollars: 5 };
  const keeper = createKeeper(db, run, { implementation: null, history: async () => [], day }, silent);
  await storeTurn(db, run, turn(cost(2, { dollars: 1 })));
  assert.deepEqual(await keeper.dayLeft?.(cost(2, { dollars: 1 })), day);
  const other = await runningRun(repository);
  await storeTurn(db, other.run, turn(cost(7, { dollars: null })));
  assert.deepEqual(await keeper.dayLeft?.(cost(2, { dollars: 1 })), { ...day, maxTurns: 3 });
  const unbounded = createKeeper(db, run, { implementation: null, history: async () => [], day: noCeiling }, silent);
  assert.equal(unbounded.dayLeft, undefined);
});

test('a run begins with what its thread and its day have left, with what it has used itself', async () => {
  const { db } = database;
  const { key, run, repository } = await runningRun();
  const other = await runningRun(repository);
  await storeTurn(db, run, turn(cost(2)));
  await storeTurn(db, other.run, turn(cost(7)));
  const bounded = {
    ...policy,
    budget: { ...policy.budget, thread: { ...noCeiling, maxTokens: 3000 }, day: { ...noCeiling, maxTurns: 10 } },
  };
  const { thread, day, maxTurns } = budgetOf(bounded, await readMemory(db, key), { cost: cost(2), approval: null });
  assert.deepEqual([maxTurns, thread.maxTokens, day.maxTurns], [50, 3000, 3]);
  const later = budgetOf(bounded, await readMemory(db, key), { cost: noCost, approval: null });
  assert.deepEqual([later.thread.maxTokens, later.day.maxTurns], [2800, 1], 'a run that comes after it has less');
});

test('an implementation may use what was approved, and less where the configuration allows less now', () => {
  const budgetUnder = (ceiling: ApprovedCeiling | undefined, live: Partial<Policy['budget']>) => {
    const bounded = { ...policy, budget: { ...policy.budget, ...live } };
    const run = { cost: noCost, approval: { ...approval, ...(ceiling === undefined ? {} : { ceiling }) } };
    const { maxTurns, maxTokens, maxDollars } = budgetOf(bounded, { runs: [] }, run);
    return [maxTurns, maxTokens, maxDollars];
  };
  const approved = { maxTurns: 20, maxTokens: 500_000, maxDollars: 2 };
  assert.deepEqual(budgetUnder(approved, { maxTurns: 90, maxTokens: 9_000_000, maxDollars: 9 }), [20, 500_000, 2]);
  assert.deepEqual(budgetUnder(approved, { maxDollars: null }), [20, 500_000, 2], 'a ceiling taken away stays');
  assert.deepEqual(budgetUnder(approved, { maxTurns: 5, maxDollars: 1 }), [5, 500_000, 1]);
  assert.deepEqual(budgetUnder({ ...approved, maxDollars: null }, { maxDollars: 1 }), [20, 500_000, 1]);
  assert.deepEqual(budgetUnder(undefined, {}), [50, 1_000_000, null], 'an older receipt names none');
});

test('an implementation that parked at a ceiling keeps its tree, and goes on in it with the steps and the checklist that it had', async () => {
  const { db } = database;
  const key = await knownThread(newRepository());
  const order = { ...planOrder({ phase: 'implement', head: approval.head }), approval } as const;
  const parked = await insertRun(db, key, order);
  assert.ok(parked !== null);
  await moveRun(db, parked, ['queued'], 'running');
  const step = { title: 'Keep the answer', commit: approval.head, files: ['src/cache.ts'] };
  await addStep(db, parked, step);
  const tasks = [{ title: step.title, status: 'done' } as const];
  await setTasks(db, parked, tasks);
  const outcome = { kind: 'budget_reached', level: 'run', detail: 'The run has used 50 turns.' } as const;
  await endRun(db, parked, { outcome, cost: cost(50) });
  assert.equal((await readRun(db, parked))?.status, 'parked');
  assert.ok((await runsToKeep(db)).has(parked), 'a sweep leaves its tree');
  const next = await insertRun(db, key, { ...order, occasion: { kind: 'continued' }, causes: ['IC_1'] });
  const { workspace, steps, tasks: told, cost: used } = (await readRun(db, next ?? '')) ?? {};
  assert.deepEqual([workspace, steps, told, used], [parked, [step], tasks, noCost]);
});

test('a price is asked for where a ceiling in dollars needs it, and only there', async () => {
  const facts = factsOf(newThread());
  const bounded = { ...facts, policy: { ...policy, budget: { ...policy.budget, maxDollars: 2 } } };
  let asked = 0;
  const reading = (price: Price | null) => async () => {
    asked += 1;
    return price;
  };
  const memory = { runs: [] };
  assert.deepEqual(await withPrice(memory, facts, reading(null)), memory);
  assert.equal(asked, 0);
  assert.deepEqual(await withPrice(memory, bounded, reading(null)), { runs: [], isPriceUnknown: true });
  const price = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
  assert.deepEqual(await withPrice(memory, bounded, reading(price)), memory);
  assert.equal(asked, 2);
});
