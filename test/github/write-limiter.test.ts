import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWriteLimiter } from '../../src/github/write-limiter.ts';

test('writes of an installation run one after the other, in the order of their asking', async () => {
  const limiter = createWriteLimiter(0);
  const events: string[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = limiter.run(1, async () => {
    events.push('first begins');
    await held;
    events.push('first ends');
  });
  const second = limiter.run(1, async () => {
    events.push('second');
  });
  const other = limiter.run(2, async () => {
    events.push('another installation');
  });
  await other;
  release();
  await Promise.all([first, second]);
  assert.deepEqual(events, ['first begins', 'another installation', 'first ends', 'second']);
});

test('writes of an installation keep their distance', async () => {
  const limiter = createWriteLimiter(40);
  const at: number[] = [];
  await Promise.all([1, 2, 3].map(() => limiter.run(1, async () => at.push(performance.now()))));
  const gaps = at.slice(1).map((time, index) => time - (at[index] ?? 0));
  assert.equal(gaps.length, 2);
  for (const gap of gaps) assert.ok(gap >= 35, `expected at least 35 ms between writes, got ${gap}`);
});

test('a write that fails does not hold up the next', async () => {
  const limiter = createWriteLimiter(0);
  await assert.rejects(
    limiter.run(1, () => Promise.reject(new Error('no'))),
    /no/,
  );
  assert.equal(await limiter.run(1, async () => 'done'), 'done');
});
