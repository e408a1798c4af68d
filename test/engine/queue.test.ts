import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoffSeconds } from '../../src/engine/queue.ts';

test('a wait doubles up to a minute and never shrinks below its base', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 20].map((attempt) => backoffSeconds(attempt, () => 0)),
    [2, 4, 8, 16, 32, 60, 60],
  );
  assert.deepEqual(
    [1, 6].map((attempt) => backoffSeconds(attempt, () => 1)),
    [3, 75],
  );
});
