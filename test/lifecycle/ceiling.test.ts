import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAtRest } from '../../src/engine/threads.ts';
import { noCost } from '../../src/lifecycle/budget.ts';
import { whyNothingStarts } from '../../src/lifecycle/ceiling.ts';
import { decide } from '../../src/lifecycle/decide.ts';
import type { Cost, Memory, Outcome, RunMemory } from '../../src/lifecycle/memory.ts';
import type { Policy } from '../../src/lifecycle/policy.ts';
import { noCeiling } from '../no-ceilings.ts';
import { approve, claim, deliver, type Happen, label, object } from './ways.ts';
import type { World } from './world.ts';
import * as the from './world.ts';

const tight: Policy = {
  ...the.policy,
  budget: { ...the.policy.budget, thread: { ...noCeiling, maxTokens: 100 }, day: { ...noCeiling, maxDollars: 2 } },
};

function memoryOf(cost: Partial<Cost>, more: Partial<Memory> = {}): Memory {
  return { runs: [{ ...run, cost: { ...noCost, ...cost } }], ...more };
}

const run: RunMemory = {
  id: 'r1',
  phase: 'plan',
  branch: 'planwright/issue-7',
  causes: [],
  status: 'finished',
  head: null,
  base: 'base0',
  approval: null,
  outcome: null,
  isSettled: true,
  cost: noCost,
};

for (const [what, memory, expected] of [
  ['below every ceiling something starts', memoryOf({ inputTokens: 99, dollars: null }), null],
  [
    "at the thread's ceiling nothing starts",
    memoryOf({ inputTokens: 60, outputTokens: 1040 }),
    'The runs of this issue have used 1,100 tokens, and the ceiling is 100 tokens, so nothing more starts. Nothing is lost: raising `budget.thread.max_tokens` in `.github/planwright.yml` lets it go on, by itself; `/cancel` gives it up.',
  ],
  [
    "at the day's ceiling nothing starts until the next day",
    memoryOf({}, { spentToday: { ...noCost, dollars: 2.5 } }),
    'The runs of this repository have used $2.50 today, and the ceiling is $2.00, so nothing starts for now. Nothing is lost: it goes on by itself after 00:00 UTC, or once `budget.day.max_dollars` in `.github/planwright.yml` is raised.',
  ],
  [
    'with a ceiling in dollars and no known price nothing starts',
    memoryOf({}, { isPriceUnknown: true }),
    '`budget.day.max_dollars` is set, and the price of the model is not known, so nothing starts. Who runs this app gives it in the file of `PLANWRIGHT_PRICES_PATH`; without that key it starts all the same.',
  ],
] as const) {
  test(what, () => assert.equal(whyNothingStarts(memory, tight), expected));
}

test('without a ceiling in dollars an unknown price is no reason not to start', () => {
  assert.equal(whyNothingStarts(memoryOf({}, { isPriceUnknown: true }), the.policy), null);
});

const spent: Memory['spentToday'] = { ...noCost, dollars: 2 };

function park(outcome: Outcome): Happen {
  return (world) => {
    world.runs = world.runs.map((each) =>
      each === world.runs.at(-1) ? { ...each, status: 'parked', outcome, isSettled: false } : each,
    );
  };
}

const fail: Happen = (world) => the.work(world, 'fail');
const say =
  (text: string): Happen =>
  (world) =>
    the.addComment(world, the.writer, text);
const budgetReached: Outcome = { kind: 'budget_reached', level: 'run', detail: 'The run has used 10 turns.' };
const question: Outcome = { kind: 'question', questions: [{ text: 'Which?', suggestions: [] }] };

/** Words that start a run, the state in which it waits at a ceiling, and the occasion that it has then. */
const words: readonly (readonly [string, readonly Happen[], string, string])[] = [
  ['a label', [label], 'pending', 'request'],
  ['a retry', [label, fail, say('/retry')], 'pending', 'request'],
  ['a retry of a revision', [label, deliver, object, fail, say('/retry')], 'awaiting_approval', 'reviews'],
  ['a request for changes', [label, deliver, object], 'awaiting_approval', 'reviews'],
  ['an approval', [label, deliver, approve], 'awaiting_approval', 'approval'],
  ['a wish for another plan', [label, deliver, say('/replan')], 'awaiting_approval', 'replan'],
  ['an answer', [label, park(question), say('This one.')], 'awaiting_answer', 'answer'],
  ['a word to go on', [label, park(budgetReached), say('/continue')], 'awaiting_answer', 'continued'],
  ['changes requested on the code', [label, deliver, approve, deliver, object], 'implemented', 'code_reviews'],
];

function worldOf(events: readonly Happen[]): World {
  const world = the.createWorld({ policy: tight });
  events.forEach((event, index) => {
    world.tick += 1;
    event(world);
    if (index < events.length - 1) the.reconcile(world);
  });
  return world;
}

for (const [word, events, state, occasion] of words) {
  test(`at the day's ceiling ${word} starts nothing, is not lost, and starts its run the day after`, () => {
    const world = worldOf(events);
    const facts = the.factsOf(world);
    const held = decide(facts, { runs: world.runs, spentToday: spent });
    const kinds = held.actions.map(({ kind }) => kind);
    assert.equal(held.state, state);
    assert.equal(isAtRest(held.state), false, 'a sweep looks again');
    assert.ok(!kinds.includes('startRun') && !kinds.includes('reply'), kinds.join());
    const reacted = held.actions.filter((action) => action.kind === 'react' && action.to.kind === 'comment');
    assert.deepEqual(reacted, [], 'the word still stands');
    const told = held.actions.find((action) => action.kind === 'setStatusComment');
    assert.match(told?.status.note ?? '', /have used \$2\.00 today, and the ceiling is \$2\.00/);
    const [order] = decide(facts, { runs: world.runs }).actions.flatMap((action) =>
      action.kind === 'startRun' ? [action.order] : [],
    );
    assert.equal(order?.occasion.kind, occasion);
  });
}

test('an approval that waits at a ceiling is shown as counted, with what its implementation waits for', () => {
  const world = worldOf([label, deliver, approve]);
  const { actions } = decide(the.factsOf(world), { runs: world.runs, spentToday: spent });
  const check = actions.find((action) => action.kind === 'setCheck' && action.check.name === 'planwright/plan');
  assert.ok(check?.kind === 'setCheck' && check.check.name === 'planwright/plan');
  const { state, verdict } = check.check;
  assert.deepEqual([state, verdict.counted.length, verdict.missing.length], ['waiting', 1, 1]);
  assert.match(verdict.missing[0] ?? '', /goes on by itself after 00:00 UTC/);
});

test('a run at its ceiling waits for a word that comes after the question, and has as much again then', () => {
  const world = worldOf([label, claim, say('/continue'), park(budgetReached)]);
  assert.equal(the.reconcile(world).state, 'awaiting_answer');
  assert.equal(world.runs.length, 1, 'a word from before is none');
  world.tick += 1;
  say('/continue')(world);
  the.reconcile(world);
  assert.deepEqual(
    world.runs.map(({ status, cost }) => [status, cost.turns]),
    [
      ['parked', 0],
      ['queued', 0],
    ],
  );
});

test("going on renews the budget of a run, and never the thread's", () => {
  const world = worldOf([label, park(budgetReached), say('/continue')]);
  world.runs = world.runs.map((each) => ({ ...each, cost: { ...noCost, inputTokens: 100 } }));
  const { state } = the.reconcile(world);
  assert.deepEqual([state, world.runs.length], ['awaiting_answer', 1]);
});

test('a run at its ceiling that is not wanted any more is given up, and no plan of it is offered', () => {
  const world = worldOf([label, park(budgetReached), say('/cancel')]);
  const { state, effects } = the.reconcile(world);
  assert.equal(state, 'inactive');
  assert.equal(world.runs.at(-1)?.status, 'cancelled');
  assert.ok(!effects.some(({ kind }) => kind === 'publishPlan' || kind === 'openPullRequest'));
});

test('a plan that a ceiling cut off is never offered for approval', () => {
  const world = worldOf([label, park(budgetReached)]);
  const { state, effects } = the.reconcile(world);
  assert.equal(state, 'awaiting_answer');
  assert.ok(!effects.some(({ kind }) => kind === 'publishPlan' || kind === 'openPullRequest'));
});

test('169: a job that never fits its branch is tried three times and then waits for a person, at a bounded cost', () => {
  const world = worldOf([label, deliver, object]);
  the.reconcile(world);
  for (let round = 0; round < 8; round += 1) {
    world.tick += 1;
    world.runs = world.runs.map((each) => (each.cost.turns > 0 ? each : { ...each, cost: { ...noCost, turns: 5 } }));
    deliver(world);
    the.pushByPerson(world);
    the.reconcile(world);
  }
  assert.deepEqual(
    world.runs.slice(1).map(({ outcome }) => outcome?.kind === 'failed' && outcome.reason),
    ['superseded', 'superseded', 'superseded'],
  );
  const decision = decide(the.factsOf(world), { runs: world.runs });
  assert.equal(decision.state, 'failed');
  const told = decision.actions.find((action) => action.kind === 'setStatusComment');
  assert.equal(told?.status.cost.turns, 20, 'what it has cost is told');
});
