import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCostInPassing } from '../../src/engine/cost-in-passing.ts';
import type { RunKeeper } from '../../src/engine/run-host.ts';

const spent = (turns: number) =>
  ({ kind: 'spent', spent: { turns, inputTokens: 1, outputTokens: 1, dollars: null, elapsedMs: 1 } }) as const;

function keeper() {
  const kept: number[] = [];
  const nothing = async () => undefined;
  const fake: RunKeeper = {
    reply: nothing,
    turn: nothing,
    stepDone: async () => null,
    readTree: async () => ({ outside: [], faults: [], changes: [] }),
    history: async () => '',
    tasks: nothing,
    audit: nothing,
    spent: async (message) => void kept.push(message.spent.turns),
  };
  return { fake, kept };
}

test('what a run has used within a turn is kept a moment later, the last word of it once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { fake, kept } = keeper();
  const passing = createCostInPassing();
  let flushed: Promise<void> = Promise.resolve();
  const flush = () => {
    flushed = passing.flush(fake);
  };
  passing.told(spent(1), flush);
  passing.told(spent(2), flush);
  t.mock.timers.tick(49);
  assert.deepEqual(kept, []);
  t.mock.timers.tick(1);
  await flushed;
  t.mock.timers.tick(1000);
  assert.deepEqual(kept, [2]);
});

test('what the turn that was kept says as well is not kept twice, and what is left at the end of a run is kept', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { fake, kept } = keeper();
  const passing = createCostInPassing();
  const never = () => assert.fail('expected no flush of what a turn has said');
  passing.told(spent(1), never);
  passing.isKept();
  t.mock.timers.tick(1000);
  await passing.flush(fake);
  assert.deepEqual(kept, []);
  passing.told(spent(2), never);
  await passing.flush(fake);
  t.mock.timers.tick(1000);
  assert.deepEqual(kept, [2]);
});
