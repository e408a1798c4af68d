import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerInterrupted } from '../../src/agent/conversation.ts';
import { noCeiling, noOtherCeilings } from '../no-ceilings.ts';
import { type Answer, inOrder, startStream, textOf } from './model-server.ts';
import { driveHere, storedConversation } from './run-driver.ts';

const ask: Answer = { say: [{ tool: 'ask_user_question', input: { questions: [{ question: 'Which?' }] } }] };

function reached(detail: string) {
  return { kind: 'budget_reached', level: 'run', detail };
}

function failed(reason: string, detail: string) {
  return { kind: 'failed', reason, detail };
}

test('the same call, three hundred times, ends the run at its sixth, as failed and with its cost', async () => {
  const run = await driveHere({
    script: () => ({ say: [{ tool: 'read', input: { file_path: 'README.md' } }] }),
  });
  assert.deepEqual(run.result, failed('repeated_calls', 'The same call of read was made more than 5 times.'));
  assert.equal(run.server.requests.length, 6);
  const last = run.messages.at(-1);
  assert.equal(last?.kind === 'ended' && last.spent.turns, 6);
});

test('calls that differ in a counter alone end at the turns that a run may use, and their cost is told', async () => {
  const run = await driveHere({
    script: (_request, index) => ({
      say: [{ tool: 'read', input: { file_path: 'README.md', view_range: [1, index + 1] } }],
    }),
    spec: { budget: { maxTurns: 30, maxTokens: 1_000_000, wallTimeMs: 60_000, ...noOtherCeilings } },
  });
  assert.equal(run.server.requests.length, 30);
  const last = run.messages.at(-1);
  assert.ok(last?.kind === 'ended' && last.result.kind !== 'plan_ready');
  const { turns, inputTokens, outputTokens } = last.spent;
  assert.deepEqual({ turns, inputTokens, outputTokens }, { turns: 30, inputTokens: 300, outputTokens: 150 });
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
    spec: { budget: { maxTurns: 5, maxTokens: 1_000_000, wallTimeMs: 60_000, ...noOtherCeilings } },
  });
  assert.deepEqual(run.result, reached('The run has used 5 turns, and the ceiling of a run is 5 turns.'));
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
    spec: { budget: { maxTurns: 50, maxTokens: 900, wallTimeMs: 60_000, ...noOtherCeilings } },
  });
  assert.deepEqual(run.result, reached('The run has used 1,000 tokens, and the ceiling of a run is 900 tokens.'));
  const last = run.messages.at(-1);
  assert.ok(last?.kind === 'ended');
  assert.deepEqual(
    { ...last.spent, elapsedMs: 0 },
    {
      turns: 2,
      inputTokens: 800,
      outputTokens: 200,
      dollars: null,
      elapsedMs: 0,
    },
  );
});

test('a run may use its wall time and no more, in the middle of a request too', async () => {
  const run = await driveHere({
    script: () => ({ raw: (response) => startStream(response) }),
    spec: { budget: { maxTurns: 50, maxTokens: 900, wallTimeMs: 300, ...noOtherCeilings } },
  });
  assert.deepEqual(run.result, reached('The run has used 0.3 seconds, and the ceiling of a run is 0.3 seconds.'));
});

const silent: Answer = { raw: (response) => startStream(response) };
const paused: Answer = { say: [{ text: 'Half' }], stop: 'pause_turn', usage: { input: 900, output: 5 } };
const revoked: Answer = { status: 401, type: 'authentication_error' };

for (const [when, kind, script, budget, spent] of [
  ['parks in the middle of its first request', 'budget_reached', silent, { wallTimeMs: 300 }, {}],
  ['parks before it has asked for anything', 'budget_reached', silent, { maxTurns: 1 }, { turns: 1 }],
  ['parks in a turn that the service has paused', 'budget_reached', paused, {}, {}],
  ['fails before the model has answered', 'failed', revoked, {}, {}],
] as const) {
  test(`an answer is kept where the run that is told of it ${when}, and nothing tells the model that nobody answered`, async () => {
    const asked = await driveHere({ script: inOrder(ask) });
    const conversation = storedConversation(asked);
    const answers = [{ author: 'ann', trust: 'writer', text: 'The second one.' }] as const;
    const answered = {
      kind: 'answered',
      answers: [{ question: 1, text: 'Which?', answers }],
      isContinued: false,
    } as const;
    const limits = { maxTurns: 50, maxTokens: 900, wallTimeMs: 60_000, ...noOtherCeilings, ...budget };
    const cost = { turns: 0, inputTokens: 0, outputTokens: 0, dollars: null, elapsedMs: 0, ...spent };
    const ended = await driveHere({
      script: () => script,
      spec: { conversation, brief: answered, budget: limits, spent: cost },
    });
    assert.equal(ended.result?.kind, kind);
    const kept = [...conversation, ...storedConversation(ended)];
    const goesOn = await driveHere({
      script: inOrder(ask),
      spec: { conversation: kept, brief: { kind: 'continued' } },
    });
    const said = JSON.stringify(goesOn.server.requests[0]?.messages);
    assert.match(said, /The second one\./);
    assert.doesNotMatch(said, /Nobody has answered|Half/);
  });
}

test('a run whose budget is used up makes no request', async () => {
  const run = await driveHere({
    script: inOrder(ask),
    spec: { spent: { turns: 50, inputTokens: 0, outputTokens: 0, dollars: null, elapsedMs: 0 } },
  });
  assert.deepEqual(run.result, reached('The run has used 50 turns, and the ceiling of a run is 50 turns.'));
  assert.equal(run.server.requests.length, 0);
});

test('the wall time of a run counts over all of its processes', async () => {
  const spent = { turns: 3, inputTokens: 900, outputTokens: 90, dollars: null, elapsedMs: 60_000 };
  const run = await driveHere({ script: inOrder(ask), spec: { spent } });
  assert.deepEqual(run.result, reached('The run has used 60 seconds, and the ceiling of a run is 60 seconds.'));
  const later = await driveHere({ script: inOrder(ask), spec: { spent: { ...spent, elapsedMs: 30_000 } } });
  const last = later.messages.at(-1);
  assert.ok(last?.kind === 'ended' && last.spent.elapsedMs >= 30_000 && last.spent.elapsedMs < 60_000);
});

test('a run parks at the ceiling of the day that its host tells it of after a turn, and what it stored can be gone on with', async () => {
  const run = await driveHere({
    script: (_request, index) => ({ say: [{ tool: 'grep', input: { pattern: `word${index}` } }] }),
    answer: (message) =>
      message.kind === 'turn' && message.spent.turns === 2
        ? { kind: 'stored', seq: message.seq, dayLeft: { ...noCeiling, maxTurns: 2 } }
        : undefined,
  });
  assert.deepEqual(run.result, {
    kind: 'budget_reached',
    level: 'day',
    detail: 'The run has used 2 turns, and the ceiling left to the repository for the day is 2 turns.',
  });
  const conversation = storedConversation(run);
  assert.equal(answerInterrupted(conversation), null, 'no call is left open');
  const goesOn = await driveHere({ script: inOrder(ask), spec: { conversation, brief: { kind: 'continued' } } });
  assert.equal(goesOn.result?.kind, 'question');
});

test('each reply is counted before its calls run, so that a process that dies keeps what it has spent', async () => {
  const script = inOrder({ say: [{ tool: 'grep', input: { pattern: 'a' } }], usage: { input: 40, output: 10 } }, ask);
  const run = await driveHere({ script });
  const spent = run.messages.filter((message) => message.kind === 'spent' || message.kind === 'turn');
  assert.deepEqual(
    spent.map((message) => [message.kind, message.spent.turns, message.spent.inputTokens]),
    [
      ['spent', 1, 40],
      ['turn', 1, 40],
      ...spent.slice(2).map((message) => [message.kind, 2, message.spent.inputTokens]),
    ],
  );
});
