import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noOtherLimits } from '../no-limits.ts';
import { type Answer, inOrder, startStream, textOf } from './model-server.ts';
import { driveHere } from './run-driver.ts';

const ask: Answer = { say: [{ tool: 'ask_user_question', input: { questions: [{ question: 'Which?' }] } }] };

function failed(reason: string, detail: string) {
  return { kind: 'failed', reason, detail };
}

test('the same call again and again ends the run', async () => {
  const run = await driveHere({
    script: () => ({ say: [{ tool: 'read', input: { file_path: 'README.md' } }] }),
  });
  assert.deepEqual(run.result, failed('repeated_calls', 'The same call of read was made more than 5 times.'));
  assert.equal(run.server.requests.length, 6);
});

test('a forbidden call again and again ends the run', async () => {
  const run = await driveHere({
    script: () => ({ say: [{ tool: 'write', input: { file_path: 'a', content: 'b' } }] }),
  });
  assert.deepEqual(run.result, failed('repeated_calls', 'The same call of write was made more than 5 times.'));
});

test('a run may use its turns and no more, and is told when four fifths are gone', async () => {
  const run = await driveHere({
    script: (_request, index) => ({ say: [{ tool: 'grep', input: { pattern: `word${index}` } }] }),
    spec: { budget: { maxTurns: 5, maxTokens: 1_000_000, wallTimeMs: 60_000, ...noOtherLimits } },
  });
  assert.deepEqual(run.result, failed('budget', 'The run has used 5 of its 5 turns.'));
  assert.equal(run.server.requests.length, 5);
  const warned = run.server.requests.map(({ messages }) =>
    textOf(messages.at(-1)).includes("80 % of this run's turns"),
  );
  assert.deepEqual(warned, [false, false, false, false, true]);
});

test('a run may use its tokens and no more', async () => {
  const run = await driveHere({
    script: (_request, index) => ({
      say: [{ tool: 'grep', input: { pattern: `word${index}` } }],
      usage: { input: 400, output: 100 },
    }),
    spec: { budget: { maxTurns: 50, maxTokens: 900, wallTimeMs: 60_000, ...noOtherLimits } },
  });
  assert.deepEqual(run.result, failed('budget', 'The run has used 1000 of its 900 tokens.'));
  const last = run.messages.at(-1);
  assert.deepEqual(last?.kind === 'ended' && last.spent, {
    turns: 2,
    inputTokens: 800,
    outputTokens: 200,
    dollars: null,
  });
});

test('a run may use its wall time and no more, in the middle of a request too', async () => {
  const run = await driveHere({
    script: () => ({ raw: (response) => startStream(response) }),
    spec: { budget: { maxTurns: 50, maxTokens: 900, wallTimeMs: 300, ...noOtherLimits } },
  });
  assert.deepEqual(run.result, failed('budget', 'The run has used its 300 milliseconds.'));
});

test('a run whose budget is used up makes no request', async () => {
  const run = await driveHere({
    script: inOrder(ask),
    spec: { spent: { turns: 50, inputTokens: 0, outputTokens: 0, dollars: null, elapsedMs: 0 } },
  });
  assert.deepEqual(run.result, failed('budget', 'The run has used 50 of its 50 turns.'));
  assert.equal(run.server.requests.length, 0);
});
