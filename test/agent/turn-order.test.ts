import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTurnOrder } from '../../src/agent/tools/turn-order.ts';

function step(log: string[], name: string): () => Promise<void> {
  return async () => {
    log.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    log.push(`${name} ends`);
  };
}

test('reads run side by side; a change runs alone, after what stands before it and before what stands after it', async () => {
  const order = createTurnOrder();
  const log: string[] = [];
  order.begin([]);
  await Promise.all([
    order.beside(step(log, 'read 1')),
    order.beside(step(log, 'read 2')),
    order.alone(step(log, 'write 1')),
    order.alone(step(log, 'write 2')),
    order.beside(step(log, 'read 3')),
  ]);
  assert.deepEqual(log, [
    'read 1 begins',
    'read 2 begins',
    'read 1 ends',
    'read 2 ends',
    'write 1 begins',
    'write 1 ends',
    'write 2 begins',
    'write 2 ends',
    'read 3 begins',
    'read 3 ends',
  ]);
});

test('a change that fails does not hold up the next one', async () => {
  const order = createTurnOrder();
  order.begin([]);
  const failing = order.alone(async () => Promise.reject(new Error('no')));
  const next = order.alone(async () => 'yes');
  await assert.rejects(failing, /no/);
  assert.equal(await next, 'yes');
});

test('a call that ends the turn hears of every failure, that of a tool which is not offered too', async () => {
  const order = createTurnOrder();
  order.begin(['exit', 'good', 'late'].map((id) => ({ id, isOffered: true })));
  const all = order.haveOthersFailed('exit');
  order.settle('good', true);
  order.settle('late', true);
  assert.equal(await all, false);
  order.begin([
    { id: 'exit', isOffered: true },
    { id: 'unknown', isOffered: false },
  ]);
  assert.equal(await order.haveOthersFailed('exit'), true);
});

test('one call of a turn may end it', () => {
  const order = createTurnOrder();
  order.begin([]);
  assert.deepEqual(['a', 'b', 'a'].map(order.claimEnd), [true, false, true]);
  order.begin([]);
  assert.equal(order.claimEnd('b'), true);
});
