import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, blocksOf, inOrder, startStream, textOf } from './model-server.ts';
import { driveHere, planText } from './run-driver.ts';

const ask: Answer = { say: [{ tool: 'ask_user_question', input: { questions: [{ question: 'Which?' }] } }] };
const writePlan: Answer = { say: [{ tool: 'write_plan', input: { content: planText() } }] };
const question = { kind: 'question', questions: [{ text: 'Which?', suggestions: [] }] };
const soon = { 'retry-after-ms': '1' };

function failed(reason: string, detail: string) {
  return { kind: 'failed', reason, detail };
}

const cuts: readonly (readonly [string, Answer])[] = [
  ['whose connection breaks', { say: [{ text: 'Half' }], cut: 'socket' }],
  ['that ends cleanly before its last event', { say: [{ text: 'Half' }], cut: 'clean' }],
  [
    'with an error event',
    {
      raw: (response) => {
        startStream(response);
        response.end('event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n');
      },
    },
  ],
  [
    'with an event that is not JSON',
    {
      raw: (response) => {
        startStream(response);
        response.end('event: content_block_start\ndata: {"type":\n\n');
      },
    },
  ],
];

for (const [name, answer] of cuts) {
  test(`a stream ${name} is asked for again, and nothing of it is kept`, async () => {
    const run = await driveHere({ script: inOrder(answer, ask) });
    assert.deepEqual(run.result, question);
    assert.deepEqual(run.server.requests[0], run.server.requests[1]);
    assert.doesNotMatch(JSON.stringify(run.messages), /Half/);
    assert.equal(run.messages[0]?.kind === 'audit' && run.messages[0].event, 'stream_cut');
  });
}

test('a stream that breaks every time fails the run after three repetitions', async () => {
  const run = await driveHere({ script: () => ({ say: [{ text: 'Half' }], cut: 'clean' }) });
  assert.equal(run.server.requests.length, 4);
  assert.deepEqual(
    run.result,
    failed('model_error', "The model's answer broke off 4 times: the stream ended before its message did"),
  );
});

test('an answer in between counts: cut streams are counted for each turn', async () => {
  const cut: Answer = { say: [{ text: 'Half' }], cut: 'clean' };
  const run = await driveHere({ script: inOrder(cut, cut, cut, writePlan, cut, cut, cut, ask) });
  assert.deepEqual(run.result, question);
});

test('a silent stream is given up and asked for again', async () => {
  const silent: Answer = { raw: (response) => startStream(response) };
  const run = await driveHere({
    script: inOrder(silent, ask),
    spec: { patience: { silentMs: 60, pingOnlyMs: 5_000, retryDelayMs: 1 } },
  });
  assert.deepEqual(run.result, question);
  assert.deepEqual(
    run.messages.flatMap((message) => (message.kind === 'audit' ? [message.detail] : [])),
    ['the model fell silent: no byte came for 60 ms'],
  );
});

function pinging(everyMs: number, then: (finish: (answer: Answer) => void) => void): Answer {
  return {
    raw: (response) => {
      startStream(response);
      const timer = setInterval(() => response.write('event: ping\ndata: {"type":"ping"}\n\n'), everyMs);
      response.on('close', () => clearInterval(timer));
      then(() => {
        clearInterval(timer);
        response.write(
          'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"late","name":"ask_user_question","input":{}}}\n\n',
        );
        response.write(
          `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"questions":[{"question":"Which?"}]}' } })}\n\n`,
        );
        response.write('event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n');
        response.write(
          'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":3}}\n\nevent: mess',
        );
        response.end('age_stop\ndata: {"type":"message_stop"}\n\n');
      });
    },
  };
}

test('a stream that pings for a while and then answers is not given up', async () => {
  const run = await driveHere({
    script: inOrder(pinging(15, (finish) => setTimeout(() => finish(ask), 300))),
    spec: { patience: { silentMs: 150, pingOnlyMs: 5_000, retryDelayMs: 1 } },
  });
  assert.deepEqual(run.result, question);
  assert.equal(run.server.requests.length, 1);
});

test('a stream that only pings is given up at its limit', async () => {
  const run = await driveHere({
    script: inOrder(
      pinging(10, () => undefined),
      ask,
    ),
    spec: { patience: { silentMs: 2_000, pingOnlyMs: 100, retryDelayMs: 1 } },
  });
  assert.deepEqual(run.result, question);
  assert.match(JSON.stringify(run.messages), /nothing but pings came for 100 ms/);
});

test('a complete message ends the turn although the connection stays open', async () => {
  const startedAt = performance.now();
  const run = await driveHere({ script: inOrder({ ...writePlan, hold: true }, { ...ask, hold: true }) });
  assert.deepEqual(run.result, question);
  assert.ok(performance.now() - startedAt < 2_000);
});

test('an overloaded service is asked again until it answers', async () => {
  const busy: Answer = { status: 529, type: 'overloaded_error', headers: soon };
  const run = await driveHere({ script: inOrder(busy, busy, busy, ask) });
  assert.deepEqual(run.result, question);
});

test('a service that stays overloaded fails the run', async () => {
  const run = await driveHere({ script: () => ({ status: 529, type: 'overloaded_error', headers: soon }) });
  assert.deepEqual(run.result, failed('model_error', "The model's service answered 529: said overloaded_error"));
  assert.equal(run.server.requests.length, 6);
});

test('a limit that asks for a short wait is waited for', async () => {
  const run = await driveHere({
    script: inOrder({ status: 429, type: 'rate_limit_error', headers: { 'retry-after': '0.2' } }, ask),
  });
  assert.deepEqual(run.result, question);
});

const prompt: readonly (readonly [string, Answer, string, string])[] = [
  [
    'a limit that asks for days',
    { status: 429, type: 'rate_limit_error', headers: { 'retry-after': '864000' } },
    'model_error',
    "The model's service answered 429: said rate_limit_error",
  ],
  [
    'a limit without a time',
    { status: 429, type: 'rate_limit_error' },
    'model_error',
    "The model's service answered 429: said rate_limit_error",
  ],
  [
    'a bill',
    { status: 402, type: 'billing_error' },
    'model_error',
    "The model's service answered 402: said billing_error",
  ],
  [
    'a wrong key',
    { status: 401, type: 'authentication_error' },
    'model_error',
    "The model's service answered 401: said authentication_error",
  ],
  [
    'a missing right',
    { status: 403, type: 'permission_error' },
    'model_error',
    "The model's service answered 403: said permission_error",
  ],
  [
    'a conversation that is too long',
    { status: 400, type: 'prompt is too long' },
    'context_exceeded',
    'The conversation no longer fits the model.',
  ],
  [
    'a request that is too large',
    { status: 413, type: 'request_too_large' },
    'context_exceeded',
    'The conversation no longer fits the model.',
  ],
];

for (const [name, answer, reason, detail] of prompt) {
  test(`${name} fails the run at once, with the reason`, async () => {
    const run = await driveHere({ script: () => answer });
    assert.deepEqual(run.result, failed(reason, detail));
    assert.equal(run.server.requests.length, 1);
    assert.deepEqual(
      run.messages.map((message) => message.kind),
      ['ended'],
    );
  });
}

const stops: readonly (readonly [string, Answer, string, RegExp])[] = [
  ['a refusal', { say: [], stop: 'refusal' }, 'refusal', /declined to go on/],
  [
    'a full context',
    { say: [{ text: 'So' }], stop: 'model_context_window_exceeded' },
    'context_exceeded',
    /no longer fits/,
  ],
  ['an invented stop reason', { say: [{ text: 'So' }], stop: 'tired' }, 'unknown_stop', /not known here: tired/],
  ['a stop for a tool without a call', { say: [{ text: 'So' }], stop: 'tool_use' }, 'unknown_stop', /called none/],
  ['a call in an ended turn', { ...writePlan, stop: 'end_turn' }, 'unknown_stop', /middle of a tool call/],
  ['text alone without a plan', { say: [{ text: 'The plan is approved, I start.' }] }, 'no_plan', /without a plan/],
  ['nothing at all', { say: [] }, 'no_plan', /without a plan/],
];

for (const [name, answer, reason, detail] of stops) {
  test(`${name} fails the run and publishes nothing`, async () => {
    const run = await driveHere({ script: inOrder(answer) });
    assert.ok(run.result?.kind === 'failed');
    assert.equal(run.result.reason, reason);
    assert.match(run.result.detail, detail);
    assert.deepEqual(
      run.messages.map((message) => message.kind),
      ['ended'],
    );
  });
}

test('a paused turn is sent back as it is', async () => {
  const run = await driveHere({ script: inOrder({ say: [{ text: 'Thinking.' }], stop: 'pause_turn' }, ask) });
  assert.deepEqual(run.result, question);
  const last = run.server.requests[1]?.messages.at(-1);
  assert.deepEqual([last?.role, textOf(last)], ['assistant', 'Thinking.']);
});

test('a call cut at the output limit does not run; the model goes on once', async () => {
  const cut: Answer = { say: [{ tool: 'write_plan', json: '{"content":"# Half a pl' }], stop: 'max_tokens' };
  const run = await driveHere({
    script: inOrder(cut, writePlan, { say: [{ tool: 'exit_plan_mode', input: {} }] }),
    spec: { plan: planText() },
  });
  const said = blocksOf(run.server.requests[1]?.messages.at(-1));
  assert.deepEqual(said[0]?.is_error, true);
  assert.match(String(said[0]?.content), /cut at the output limit; this call did not run/);
  assert.match(said[1]?.text ?? '', /^The last reply was cut/);
  assert.deepEqual(run.result, { kind: 'plan_ready', plan: planText(), findings: [], answers: [] });
});

test('a plan that is cut twice fails, and the plan stays as it was', async () => {
  const cut: Answer = { say: [{ tool: 'write_plan', json: '{"content":"# Half a pl' }], stop: 'max_tokens' };
  const run = await driveHere({ script: inOrder(cut, cut), spec: { plan: planText() } });
  assert.deepEqual(
    run.result,
    failed('plan_cut_off', 'The reply was cut at the output limit, and so was its continuation.'),
  );
  for (const message of run.messages) if (message.kind === 'turn') assert.equal(message.plan, planText());
});

test('a written plan and an empty end get one reminder, then the plan', async () => {
  const run = await driveHere({
    script: inOrder(writePlan, { say: [] }, { say: [{ tool: 'exit_plan_mode', input: {} }] }),
  });
  const said = textOf(run.server.requests[2]?.messages.at(-1));
  assert.match(said, /exit_plan_mode to present the plan, or ask_user_question/);
  assert.equal(run.result?.kind, 'plan_ready');
});

test('a written plan that is never presented fails', async () => {
  const run = await driveHere({
    script: inOrder(writePlan, { say: [{ text: 'Done.' }] }, { say: [{ text: 'Done.' }] }),
  });
  assert.deepEqual(run.result, failed('no_plan', 'The run ended without calling exit_plan_mode, after a reminder.'));
});

test('of a turn with a good, an unknown and a good call, both good ones work and all are answered in order', async () => {
  const run = await driveHere({
    script: inOrder(
      {
        say: [
          { tool: 'read', input: { file_path: 'README.md' }, id: 'a' },
          { tool: 'nothing', input: {}, id: 'b' },
          { tool: 'write_plan', input: { content: planText() }, id: 'c' },
        ],
      },
      ask,
    ),
  });
  const results = blocksOf(run.server.requests[1]?.messages.at(-1)).filter((block) => block.type === 'tool_result');
  assert.deepEqual(
    results.map((block) => [block.tool_use_id, block.is_error ?? false]),
    [
      ['a', false],
      ['b', true],
      ['c', false],
    ],
  );
});

test('an input that is no object, or is junk, gets a short error and does not swell the next request', async () => {
  const inputs = [null, [], 'text', { file_path: 7 }, {}, { file_path: 'x', junk: 'j'.repeat(1_000_000) }];
  const run = await driveHere({
    script: inOrder({ say: inputs.map((input) => ({ tool: 'read', input })) }, ask),
  });
  assert.deepEqual(run.result, question);
  const results = blocksOf(run.server.requests[1]?.messages.at(-1)).filter((block) => block.type === 'tool_result');
  assert.deepEqual(
    results.map((block) => block.is_error),
    inputs.map(() => true),
  );
  assert.ok(JSON.stringify(run.server.requests[1]).length < 20_000);
});

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
    spec: { budget: { maxTurns: 5, maxTokens: 1_000_000, wallTimeMs: 60_000 } },
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
    spec: { budget: { maxTurns: 50, maxTokens: 900, wallTimeMs: 60_000 } },
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
    spec: { budget: { maxTurns: 50, maxTokens: 900, wallTimeMs: 300 } },
  });
  assert.deepEqual(run.result, failed('budget', 'The run has used its 300 milliseconds.'));
});

test('a run whose budget is used up makes no request', async () => {
  const run = await driveHere({
    script: inOrder(ask),
    spec: { spent: { turns: 50, inputTokens: 0, outputTokens: 0, dollars: null } },
  });
  assert.deepEqual(run.result, failed('budget', 'The run has used 50 of its 50 turns.'));
  assert.equal(run.server.requests.length, 0);
});
