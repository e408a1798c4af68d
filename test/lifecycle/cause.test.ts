import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baseCause, commentCause, reviewCause, reviewsAmong } from '../../src/lifecycle/cause.ts';

test('reviews are found among the causes of a run as they were named, and nothing else is taken for one', () => {
  const causes = ['LE_1', reviewCause(7), commentCause(8), baseCause('9'.repeat(40)), reviewCause(10), 'review:11x'];
  assert.deepEqual(reviewsAmong(causes), [7, 10]);
});
