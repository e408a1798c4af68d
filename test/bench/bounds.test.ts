import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenBounds, type Judged } from '../../bench/bounds.ts';
import { measureRequests } from '../../bench/request-figures.ts';

const good: Judged = {
  fixedOverheadTokens: 2999,
  hasSameFixedPartInTwoRepositories: true,
  runs: [
    {
      turns: 20,
      ratios: { timePerTurn: 6, peakMemory: 2.5, inputTokens: 1.1 },
      product: { equalPrefix: 1, storedTurns: 20, ending: 'plan_ready' },
    },
  ],
};

test('figures at their bounds break none of them', () => {
  assert.deepEqual(brokenBounds(good), []);
});

test('each broken bound is named with what was expected and what was measured', () => {
  const bad: Judged = {
    fixedOverheadTokens: 3000,
    hasSameFixedPartInTwoRepositories: false,
    runs: [
      {
        turns: 20,
        ratios: { timePerTurn: 6.01, peakMemory: 2.51, inputTokens: 1.11 },
        product: { equalPrefix: 0.99, storedTurns: 19, ending: 'failed: why' },
      },
    ],
  };
  assert.deepEqual(brokenBounds(bad), [
    'time per turn of 20 turns, over the bare loop: expected at most 6, got 6.01',
    'peak memory of 20 turns, over the bare loop: expected at most 2.5, got 2.51',
    'input tokens of 20 turns, over the bare loop: expected at most 1.1, got 1.11',
    'equal prefix of 20 turns: expected 1, got 0.99',
    'stored turns of 20 turns: expected 20, got 19',
    'end of 20 turns: expected plan_ready, got failed: why',
    'fixed overhead in tokens: expected less than 3000, got 3000',
    'system and tools the same in two repositories: expected true, got false',
  ]);
});

test('a figure that could not be measured breaks its bound', () => {
  const [run] = good.runs;
  assert.ok(run !== undefined);
  const unmeasured = { ...run, ratios: { ...run.ratios, peakMemory: Number.NaN } };
  assert.deepEqual(brokenBounds({ ...good, runs: [unmeasured] }), [
    'peak memory of 20 turns, over the bare loop: expected at most 2.5, got NaN',
  ]);
});

const body = (...messages: readonly string[]) =>
  Buffer.from(JSON.stringify({ system: 's', tools: [{ name: 't' }], messages }));

test('the equal prefix of a run is all only where each request begins with the whole of the one before', () => {
  assert.equal(measureRequests([body('aaaa'), body('aaaa', 'b'), body('aaaa', 'b', 'c')]).equalPrefix, 1);
  assert.equal(measureRequests([body('aaaa')]).equalPrefix, 1);
  for (const second of [body('aaab', 'b'), body('aaaab', 'b'), body('b')]) {
    const { equalPrefix } = measureRequests([body('aaaa'), second]);
    assert.ok(equalPrefix > 0 && equalPrefix < 1, String(equalPrefix));
  }
  const { fixedPart, equalPrefix } = measureRequests([
    body('aaaa'),
    Buffer.from(JSON.stringify({ system: 'other', tools: [{ name: 't' }], messages: ['aaaa', 'b'] })),
  ]);
  assert.deepEqual([fixedPart, equalPrefix < 1], [null, true]);
});
