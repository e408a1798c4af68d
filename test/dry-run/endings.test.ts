import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportEnding } from '../../src/dry-run/report.ts';
import { noCost } from '../../src/lifecycle/budget.ts';
import type { Answer } from '../agent/model-server.ts';
import { driveHere } from '../agent/run-driver.ts';

/** What a run that is answered so, as often as it asks, ends a dry run with. */
async function endingOf(answer: Answer) {
  const { result } = await driveHere({ script: () => answer });
  assert.ok(result !== null);
  const { code, plan, notes } = reportEnding(result, noCost, []);
  return [code, plan, notes[0]];
}

const cutPlan = { tool: 'write_plan', json: '{"content": "---\\nissue: 7' } as const;

test('a refusal, a cut plan, an empty answer, mere text and an exit without a plan end a dry run with a code of their own and no plan', async () => {
  assert.deepEqual(await endingOf({ say: [{ text: 'No.' }], stop: 'refusal' }), [
    1,
    null,
    'The model declined to do this.',
  ]);
  assert.deepEqual(await endingOf({ say: [cutPlan], stop: 'max_tokens' }), [
    1,
    null,
    'The plan was cut off before it was complete, so it is not shown.',
  ]);
  for (const say of [[], [{ text: 'I am done.' }]]) {
    assert.deepEqual(await endingOf({ say }), [1, null, 'The run ended without a plan.']);
  }
  assert.deepEqual(await endingOf({ say: [{ tool: 'exit_plan_mode', input: {} }] }), [
    1,
    null,
    'The agent left plan mode without having written a plan. Say more of what is wanted.',
  ]);
});
