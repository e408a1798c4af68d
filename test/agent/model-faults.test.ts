import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultPatience } from '../../src/agent/model-client.ts';
import { type Answer, inOrder, startStream } from './model-server.ts';
import { driveHere, kindsSaid, planText } from './run-driver.ts';

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
    'that lost a part of a call, and says that it is whole',
    { say: [{ tool: 'write_plan', json: '{"content":"# Half a pl' }], stop: 'tool_use' },
  ],
  [
    'whose call holds what is not JSON',
    { say: [{ tool: 'write_plan', json: '{"content":"# Half a pl" oops' }], stop: 'tool_use' },
  ],
  [
    'that is a page of something in between',
    {
      raw: (response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end('<html>Half of the network is down.</html>');
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

test('what a reply has used that broke off is counted, though no turn comes of it', async () => {
  const usage = { input: 700, output: 5 };
  const cuts = (['clean', 'socket'] as const).map((cut): Answer => ({ say: [{ text: 'Half' }], cut, usage }));
  const run = await driveHere({ script: inOrder(...cuts, ask) });
  const last = run.messages.at(-1);
  assert.ok(last?.kind === 'ended');
  assert.deepEqual([last.spent.turns, last.spent.inputTokens], [1, 1_410]);
});

test('two calls under one id are not made: the reply is asked for again', async () => {
  const call = (id: string) => ({ tool: 'write_plan', input: { content: planText() }, id });
  const run = await driveHere({
    script: inOrder({ say: [call('c'), call('c')] }, { say: [call('c'), call('d')] }, ask),
  });
  assert.deepEqual(run.server.requests[1], run.server.requests[0]);
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

test('a request that is taken and not answered is given up and made again', async () => {
  const run = await driveHere({
    script: inOrder({ raw: () => undefined }, ask),
    spec: { patience: { silentMs: 200, pingOnlyMs: 60_000, retryDelayMs: 1 } },
  });
  assert.deepEqual(run.result, question);
  assert.equal(run.server.requests.length, 2);
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

test('an overloaded service is asked again, three times and more, until it answers', async () => {
  const busy: Answer = { status: 529, type: 'overloaded_error', headers: soon };
  const run = await driveHere({ script: inOrder(busy, busy, busy, ask) });
  assert.deepEqual(run.result, question);
});

test('a service that stays overloaded fails the run, and nothing of it is kept', async () => {
  const run = await driveHere({ script: () => ({ status: 529, type: 'overloaded_error', headers: soon }) });
  assert.deepEqual(run.result, failed('model_error', "The model's service answered 529: said overloaded_error"));
  assert.equal(run.server.requests.length, 6);
  assert.deepEqual(kindsSaid(run), ['ended']);
});

test('a limit is waited for as long as it asks: for minutes, but no longer than the patience of a run', async () => {
  const limited: Answer = { status: 429, type: 'rate_limit_error', headers: { 'retry-after': '0.2' } };
  const spec = (retryAfterMs: number) => ({ patience: { silentMs: 5_000, pingOnlyMs: 5_000, retryAfterMs } });
  const startedAt = performance.now();
  const run = await driveHere({ script: inOrder(limited, limited, ask), spec: spec(200) });
  assert.deepEqual(run.result, question);
  assert.ok(performance.now() - startedAt >= 400);
  const longer = await driveHere({ script: inOrder(limited, ask), spec: spec(199) });
  assert.deepEqual(longer.result, failed('model_error', "The model's service answered 429: said rate_limit_error"));
  assert.equal(defaultPatience.retryAfterMs, 5 * 60_000);
});

test('no result and no log line holds the key, though the service sends it back', async () => {
  const echoed = 'sent key-canary';
  const error = `event: error\ndata: {"type":"error","error":{"type":"api_error","message":"${echoed}"}}\n\n`;
  const inStream: Answer = {
    raw: (response) => {
      startStream(response);
      response.end(error);
    },
  };
  const run = await driveHere({ script: inOrder(inStream, { status: 401, type: echoed }) });
  assert.deepEqual(run.result, failed('model_error', "The model's service answered 401: said sent …"));
  assert.deepEqual(kindsSaid(run), ['audit', 'ended']);
  assert.doesNotMatch(JSON.stringify(run.messages), /key-canary/);
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
    'a bill that says so with 400',
    { status: 400, type: 'your credit balance is too low' },
    'model_error',
    "The model's service answered 400: said your credit balance is too low",
  ],
  [
    'a bill',
    { status: 402, type: 'billing_error' },
    'model_error',
    "The model's service answered 402: said billing_error",
  ],
  [
    'a revoked key',
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
    'a conversation that leaves no room for the answer',
    { status: 400, type: 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000' },
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
    assert.deepEqual(kindsSaid(run), ['ended']);
  });
}
