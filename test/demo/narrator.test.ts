import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFailureWatch, formatUsage } from '../../src/local/demo/narrator.ts';
import { WaitFailure } from '../../src/local/demo/waiting.ts';
import type { IssueComment } from '../../src/local/forge/state.ts';

const app = { id: 7, login: 'planwright[bot]', type: 'Bot', appId: 1 } as const;
const comment: IssueComment = {
  id: 1,
  nodeId: 'C_1',
  author: app,
  body: '<!-- status -->\n**Failed.** The model refused.\nSay `/retry`.',
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
  lastEditedAt: null,
  reactions: [],
};

test("a failed run ends the wait in the app's own words, once they can be there", () => {
  let now = 0;
  const issue = { labels: ['plan'], comments: [comment] };
  const watch = createFailureWatch(issue, () => now);
  watch('a plan');
  issue.labels.push('plan: failed');
  watch('a plan');
  now = 999;
  watch('a plan');
  now = 1000;
  assert.throws(
    () => watch('a plan'),
    new WaitFailure('expected a plan, but the run failed: **Failed.** The model refused. Say `/retry`.'),
  );
});

test('what a run has used is the difference of two counts', () => {
  const before = { answers: 3, inputTokens: 1000, outputTokens: 100 };
  const now = { answers: 4, inputTokens: 13_345, outputTokens: 350 };
  assert.equal(formatUsage(now, before), '1 model turn, 12.3k tokens in, 250 out, $0.00');
  assert.equal(formatUsage(now), '4 model turns, 13.3k tokens in, 350 out, $0.00');
});
