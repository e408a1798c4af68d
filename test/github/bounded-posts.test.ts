import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ActContext, GitHubAction } from '../../src/github/github.ts';
import type { PullRequestFacts } from '../../src/lifecycle/facts.ts';
import type { Outcome, RunMemory } from '../../src/lifecycle/memory.ts';
import { maxBodyCharacters } from '../../src/text/text-out.ts';
import { factsOf, newThread, planOrder, pullRequestOf, writer } from '../engine/engine-fixture.ts';
import { recordApi } from './recording-api.ts';

const { arrived, acting } = recordApi();
const thread = newThread();
const branch = `planwright/issue-${thread.issue}`;
const head = 'c'.repeat(40);

const remark = {
  id: 5,
  nodeId: 'PRRC_5',
  author: writer,
  reviewId: 1,
  body: 'Why?',
  createdAt: '2026-01-01T00:00:00Z',
  editedAt: null,
  originalCommit: head,
  diffHunk: '',
};
const pullRequest = pullRequestOf({
  branch,
  threads: [
    {
      nodeId: 'PRRT_1',
      path: 'plan.md',
      subject: 'line',
      side: 'RIGHT',
      line: 1,
      startLine: null,
      originalLine: 1,
      originalStartLine: null,
      isOutdated: false,
      isResolved: false,
      comments: [remark],
    },
  ],
});

function contextOf(outcome: Outcome, pullRequests: readonly PullRequestFacts[]): ActContext {
  const { occasion: _, ...order } = planOrder({ branch });
  const cost = { turns: 0, inputTokens: 0, outputTokens: 0, dollars: 0, elapsedMs: 0 };
  const run: RunMemory = { ...order, id: 'run-1', status: 'parked', outcome, isSettled: false, cost };
  const shown = pullRequests.length === 0 ? null : { number: 50, nodeId: 'PR_50' };
  return { thread, facts: factsOf(thread, { pullRequests }), memory: { runs: [run] }, pullRequest: shown, head };
}

/** What one run can have posted, whatever it ended with: `act` is asked for it again and again. */
async function postedBy(
  outcome: Outcome,
  pullRequests: readonly PullRequestFacts[],
  ...actions: readonly GitHubAction[]
) {
  const { act } = acting();
  const context = contextOf(outcome, pullRequests);
  for (const action of [...actions, ...actions, ...actions]) await act(action, context);
  const posts = arrived.splice(0).filter(({ call }) => call.startsWith('POST'));
  for (const { body } of posts) {
    const said: unknown = JSON.parse(body).body;
    if (typeof said === 'string') assert.ok([...said].length <= maxBodyCharacters);
  }
  return posts.map(({ call }) => call.replace(`/${thread.issue}/`, '/N/'));
}

test('S80: a run opens one pull request at the most', async () => {
  const outcome: Outcome = { kind: 'plan_ready', plan: '# Plan\n', findings: [], answers: [] };
  assert.deepEqual(await postedBy(outcome, [], { kind: 'openPullRequest', branch, previousPullRequest: null }), [
    'POST /repos/octo/shop/pulls',
  ]);
});

test('S80: however much a run asks, it is one comment, within the limit', async () => {
  const question = { text: 'x '.repeat(1000), suggestions: Array.from({ length: 10 }, () => 'y '.repeat(1000)) };
  const outcome: Outcome = { kind: 'question', questions: Array.from({ length: 50 }, () => question) };
  assert.deepEqual(await postedBy(outcome, [], { kind: 'askQuestions', run: 'run-1' }), [
    'POST /repos/octo/shop/issues/N/comments',
  ]);
});

test('S80: of however many answers of a run, one is posted for each remark that stands there, and one comment in all', async () => {
  const answers = Array.from({ length: 500 }, (_, index) => ({
    thread: index % 2 === 0 ? 'PRRT_1' : `PRRT_${index}`,
    changed: false,
    text: `answer ${index} ${'z'.repeat(2000)}`,
  }));
  const outcome: Outcome = { kind: 'plan_ready', plan: '# Plan\n', findings: [], answers };
  assert.deepEqual(
    await postedBy(
      outcome,
      [pullRequest],
      { kind: 'answerReviews', run: 'run-1', answers },
      { kind: 'tellRevision', run: 'run-1', from: head, answers },
    ),
    ['POST /repos/octo/shop/pulls/50/comments/5/replies', 'POST /repos/octo/shop/issues/50/comments'],
  );
});
