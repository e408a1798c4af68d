import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addUsage, createRunBudget, readBudget, wallTimeLeftMs } from '../../src/agent/budget.ts';
import { largerCost, noCost } from '../../src/lifecycle/budget.ts';
import type { Cost } from '../../src/lifecycle/memory.ts';
import { noCeiling, noOtherCeilings } from '../no-ceilings.ts';

const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const usage = {
  input_tokens: 1000,
  cache_creation_input_tokens: 20_000,
  cache_read_input_tokens: 300_000,
  output_tokens: 4000,
};

test('cache reads and writes count as input, each at its own price', () => {
  const cost = addUsage(noCost, usage, price);
  assert.deepEqual(
    { ...cost, dollars: cost.dollars?.toFixed(6) },
    { turns: 1, inputTokens: 321_000, outputTokens: 4000, dollars: '0.228000', elapsedMs: 0 },
  );
});

test('without a known price the cost is not known, whatever was known before', () => {
  assert.equal(addUsage(noCost, usage, null).dollars, null);
  assert.equal(addUsage({ ...noCost, turns: 3, dollars: 2 }, usage, null).dollars, null);
  assert.equal(addUsage({ ...noCost, turns: 3, dollars: null }, usage, price).dollars, null);
});

test('usage that is negative, no number or not told takes nothing back, and leaves the cost unknown', () => {
  const before = { turns: 3, inputTokens: 900, outputTokens: 90, dollars: 2, elapsedMs: 0 };
  const told: readonly object[] = [
    { ...usage, input_tokens: -5000, output_tokens: -1 },
    { ...usage, output_tokens: Number.NaN, cache_read_input_tokens: Number.POSITIVE_INFINITY },
    { input_tokens: '12', output_tokens: 4 },
    {},
  ];
  const costs = told.map((each) => addUsage(before, Object.assign({ ...usage }, noUsage, each), price));
  assert.deepEqual(
    costs.map(({ inputTokens, outputTokens, dollars }) => [inputTokens - 900, outputTokens - 90, dollars]),
    [
      [320_000, 0, null],
      [21_000, 0, null],
      [0, 4, null],
      [0, 0, null],
    ],
  );
});

const noUsage = {
  input_tokens: undefined,
  output_tokens: undefined,
  cache_creation_input_tokens: undefined,
  cache_read_input_tokens: undefined,
};

test('a compaction is counted beside the reply that it is part of, and the reply once', () => {
  const message = { ...usage, type: 'message' };
  const compaction = {
    type: 'compaction',
    input_tokens: 5000,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 100_000,
    output_tokens: 600,
  };
  const cost = addUsage(noCost, { ...usage, iterations: [compaction, message] }, price);
  assert.deepEqual(
    { ...cost, dollars: cost.dollars?.toFixed(6) },
    {
      turns: 1,
      inputTokens: 426_000,
      outputTokens: 4600,
      dollars: '0.282000',
      elapsedMs: 0,
    },
  );
});

const budget = { ...noOtherCeilings, maxTurns: 10, maxTokens: 1000, wallTimeMs: 600_000, maxDollars: 2 };
const used = (given: Partial<Cost>): Cost => ({ ...noCost, ...given });

const run = (use: string, most: string) => `The run has used ${use}, and the ceiling of a run is ${most}.`;

for (const [what, cost, detail] of [
  ['turns', { turns: 10 }, run('10 turns', '10 turns')],
  ['tokens', { inputTokens: 900, outputTokens: 101 }, run('1,001 tokens', '1,000 tokens')],
  ['dollars', { dollars: 2.004 }, run('$2.00', '$2.00')],
  ['wall time', { elapsedMs: 600_000 }, run('10 minutes', '10 minutes')],
] as const) {
  test(`a run may use its ${what} and no more`, () => {
    assert.deepEqual(readBudget(used(cost), budget), { kind: 'exhausted', level: 'run', detail });
  });
}

test('a budget is within, and near from four fifths of the nearest ceiling on', () => {
  const almost = used({ turns: 7, inputTokens: 799, dollars: 1.59, elapsedMs: 479_000 });
  assert.deepEqual(readBudget(almost, budget), { kind: 'within' });
  const warn = (what: string) => ({ kind: 'near', warning: `${what} are used. Come to an end soon.` });
  assert.deepEqual(readBudget({ ...almost, turns: 8 }, budget), warn("80 % of this run's turns"));
  assert.deepEqual(readBudget({ ...almost, turns: 8, dollars: 1.9 }, budget), warn("95 % of this run's dollars"));
  const thread = { ...budget, thread: { ...noCeiling, maxTokens: 820 } };
  assert.deepEqual(readBudget(almost, thread), warn('97 % of the tokens left to its thread'));
  const day = { ...thread, day: { ...noCeiling, wallTimeMs: 480_000 } };
  assert.deepEqual(readBudget(almost, day), warn('99 % of the minutes left to the repository for the day'));
});

test('of thread and day, what is left stops a run that is within its own budget', () => {
  const cost = used({ turns: 3, dollars: 0.5 });
  assert.deepEqual(readBudget(cost, { ...budget, thread: { ...noCeiling, maxDollars: 0.4 } }), {
    kind: 'exhausted',
    level: 'thread',
    detail: 'The run has used $0.50, and the ceiling left to its thread is $0.40.',
  });
  assert.deepEqual(readBudget(cost, { ...budget, day: { ...noCeiling, maxTurns: 0 } }), {
    kind: 'exhausted',
    level: 'day',
    detail: 'The run has used 3 turns, and the ceiling left to the repository for the day is 0 turns.',
  });
});

function runBudget(given: Partial<Parameters<typeof createRunBudget>[0]> = {}, elapsedMs = () => 0) {
  const model = { id: 'm', apiKey: 'key', baseUrl: null, maxOutputTokens: 1000, price };
  return createRunBudget({ spent: noCost, budget, model, ...given }, elapsedMs);
}

test('with a ceiling in dollars and no known price, a run does nothing', () => {
  const model = { id: 'm', apiKey: 'key', baseUrl: null, maxOutputTokens: 1000, price: null };
  assert.equal(runBudget({ model }).state().kind, 'exhausted');
  assert.equal(runBudget({ model, budget: { ...budget, maxDollars: null } }).state().kind, 'within');
  const day = { ...noCeiling, maxDollars: 50 };
  assert.equal(runBudget({ model, budget: { ...budget, maxDollars: null, day } }).state().kind, 'exhausted');
});

test('a run is warned once, for whichever ceiling is nearest', () => {
  let elapsed = 0;
  const own = runBudget({}, () => elapsed);
  assert.equal(own.warning(), null);
  elapsed = 500_000;
  assert.equal(own.warning(), "83 % of this run's minutes are used. Come to an end soon.");
  assert.equal(own.warning(), null);
});

test('time at work adds up over the processes of a run', () => {
  const spent = used({ turns: 2, elapsedMs: 400_000 });
  const own = runBudget({ spent }, () => 100_000);
  assert.equal(own.spent().elapsedMs, 500_000);
  const limited = { ...budget, day: { ...noCeiling, wallTimeMs: 450_000 } };
  assert.equal(wallTimeLeftMs({ budget, spent }), 200_000);
  assert.equal(wallTimeLeftMs({ budget: limited, spent }), 50_000);
  assert.equal(wallTimeLeftMs({ budget: limited, spent: used({ elapsedMs: 500_000 }) }), 0);
});

const aPrice = fc.option(
  fc.record({ input: fc.nat(9), output: fc.nat(9), cacheRead: fc.nat(9), cacheWrite: fc.nat(9) }),
);
const aReply = fc.record({
  input_tokens: fc.nat(5000),
  output_tokens: fc.nat(5000),
  cache_creation_input_tokens: fc.option(fc.nat(5000)),
  cache_read_input_tokens: fc.option(fc.nat(5000)),
});
const aProcess = fc.record({ replies: fc.array(aReply, { maxLength: 6 }), ms: fc.nat(90_000), told: fc.nat(6) });

test('what a run has cost never becomes less, whenever its processes die and whatever they had told', () => {
  fc.assert(
    fc.property(aPrice, fc.array(aProcess, { minLength: 1, maxLength: 6 }), (known, processes) => {
      const model = { id: 'm', apiKey: 'key', baseUrl: null, maxOutputTokens: 1000, price: known };
      let stored = noCost;
      for (const { replies, ms, told } of processes) {
        let elapsed = 0;
        const own = runBudget({ spent: stored, model }, () => elapsed);
        replies.forEach((reply, index) => {
          own.add(reply);
          elapsed += ms / replies.length;
          const before = stored;
          if (index <= told) stored = largerCost(stored, own.spent());
          for (const key of ['turns', 'inputTokens', 'outputTokens', 'elapsedMs'] as const) {
            assert.ok(stored[key] >= before[key], key);
          }
          assert.ok(stored.dollars === null ? known === null : stored.dollars >= (before.dollars ?? 0));
        });
        assert.ok(own.spent().turns >= stored.turns && own.spent().elapsedMs >= stored.elapsedMs);
      }
    }),
    { numRuns: 200 },
  );
});
