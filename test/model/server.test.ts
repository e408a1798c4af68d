import assert from 'node:assert/strict';
import { test } from 'node:test';
import { APIError } from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { startScriptedModel } from '../../src/local/model/server.ts';
import { connect, hello, transcriptOf } from './model-client.ts';

const reading = { respond: [{ text: 'I read. ' }, { tool: 'read', input: { file_path: 'a'.repeat(120) } }] };
const done = { respond: [{ text: 'Done 🎉' }] };

test('a streamed answer and a whole one are the same message, and name the model as scripted', async (t) => {
  const model = await startScriptedModel({ transcripts: [transcriptOf(reading)] });
  t.after(() => model.stop());
  const client = connect(model);
  const whole = await client.beta.messages.create(hello);
  const streamed = await client.beta.messages.stream(hello).finalMessage();
  const { id, usage, content, ...rest } = whole;
  assert.deepEqual(rest, {
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    stop_reason: 'tool_use',
    stop_sequence: null,
    stop_details: null,
    container: null,
    context_management: null,
  });
  const [text, call] = content;
  assert.deepEqual(text, { type: 'text', text: 'I read. ', citations: null });
  assert.ok(call?.type === 'tool_use' && call.id.startsWith('toolu_'));
  assert.deepEqual(call.input, { file_path: 'a'.repeat(120) });
  // The client adds `parsed_output` to what it has streamed.
  assert.deepEqual(streamed, { id, usage, content, ...rest, parsed_output: null });
  assert.equal(model.requests.length, 2);
});

test('the events come in the order of the vendor, the input of a call in several pieces', async (t) => {
  const model = await startScriptedModel({ transcripts: [transcriptOf(reading)] });
  t.after(() => model.stop());
  const response = await fetch(`${model.url}/v1/messages?beta=true`, {
    method: 'POST',
    headers: { 'x-api-key': 'key', 'anthropic-version': '2026-10-21' },
    body: JSON.stringify({ ...hello, stream: true }),
  });
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
  const events = [...(await response.text()).matchAll(/^event: (\w+)\ndata: (.+)$/gm)];
  assert.deepEqual(
    events.map((event) => event[1]),
    [
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      ...Array.from({ length: 4 }, () => 'content_block_delta'),
      'content_block_stop',
      'message_delta',
      'message_stop',
    ],
  );
  for (const [, type, data] of events) assert.equal(JSON.parse(data ?? '').type, type);
});

test("the vendor's tool runner plays a transcript to its end", async (t) => {
  const model = await startScriptedModel({ transcripts: [transcriptOf(reading, done)] });
  t.after(() => model.stop());
  const calls: unknown[] = [];
  const read = betaTool({
    name: 'read',
    description: 'Reads a file.',
    inputSchema: { type: 'object', properties: { file_path: { type: 'string' } } },
    run: (input) => {
      calls.push(input);
      return 'text of the file';
    },
  });
  const runner = connect(model).beta.messages.toolRunner({
    model: 'any-model',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Hello' }],
    tools: [read],
    stream: true,
    thread: false,
    cache_control: { type: 'ephemeral' },
  });
  const last = await runner.runUntilDone();
  assert.deepEqual(calls, [{ file_path: 'a'.repeat(120) }]);
  assert.deepEqual(last.content, [{ type: 'text', text: 'Done 🎉', citations: null }]);
  assert.equal(last.stop_reason, 'end_turn');
  assert.ok((last.usage.cache_read_input_tokens ?? 0) > 0);
  assert.deepEqual(
    model.requests.map((request) => request.messages.map(({ role }) => role)),
    [['user'], ['user', 'assistant', 'user']],
  );
});

test('transcripts that are added are tried before those it has', async (t) => {
  const model = await startScriptedModel({ transcripts: [transcriptOf(reading)] });
  t.after(() => model.stop());
  model.add([transcriptOf(done)]);
  const answer = await connect(model).beta.messages.create(hello);
  assert.deepEqual(answer.content, [{ type: 'text', text: 'Done 🎉', citations: null }]);
});

test('what was answered is added up, and a request that met a fault is not', async (t) => {
  const usage = { input_tokens: 100, output_tokens: 7 };
  const model = await startScriptedModel({ transcripts: [transcriptOf({ ...done, usage, fault: { status: 500 } })] });
  t.after(() => model.stop());
  const client = connect(model, 1);
  await client.beta.messages.create(hello);
  await client.beta.messages.create(hello);
  assert.deepEqual(model.usage, { answers: 2, inputTokens: 200, outputTokens: 14 });
  assert.equal(model.requests.length, 3);
});

test('a fault hits as many requests as it says, and the client gets over it by itself', async (t) => {
  const fault = { status: 529, times: 2, retryAfter: 0.01 };
  const model = await startScriptedModel({ transcripts: [transcriptOf({ ...done, fault })] });
  t.after(() => model.stop());
  await assert.rejects(
    connect(model).beta.messages.create(hello),
    (error) => error instanceof APIError && error.status === 529 && error.type === 'overloaded_error',
  );
  const message = await connect(model, 2).beta.messages.create(hello);
  assert.equal(message.stop_reason, 'end_turn');
  assert.equal(model.requests.length, 3);
  assert.deepEqual(model.refusals, []);
});

for (const [what, fault, expected] of [
  ['is cut after its first deltas', { cutAfterDeltas: 1 }, /terminated/],
  ['carries an error event', { errorEvent: 'overloaded_error' }, /overloaded_error/],
  ['carries an event that is not JSON', { malformed: true }, /JSON/],
] as const) {
  test(`a stream that ${what} fails in the client, and the next one is whole`, async (t) => {
    const model = await startScriptedModel({ transcripts: [transcriptOf({ ...reading, fault })] });
    t.after(() => model.stop());
    const client = connect(model);
    const seen: string[] = [];
    const stream = client.beta.messages.stream(hello).on('text', (text) => seen.push(text));
    await assert.rejects(stream.finalMessage(), expected);
    assert.deepEqual(seen, ['I read. ']);
    assert.equal((await client.beta.messages.stream(hello).finalMessage()).content.length, 2);
  });
}

test('a silent answer stays open until the client gives up', async (t) => {
  const model = await startScriptedModel({ transcripts: [transcriptOf({ ...done, fault: { silent: true } })] });
  t.after(() => model.stop());
  await assert.rejects(connect(model).beta.messages.create(hello, { timeout: 100 }), /timed out/);
  assert.equal(model.requests.length, 1);
});

test('a held answer goes on when it is released, and not before', async (t) => {
  const model = await startScriptedModel({ transcripts: [transcriptOf({ ...reading, hold: 'here' })] });
  t.after(() => model.stop());
  let isOver = false;
  const answer = connect(model)
    .beta.messages.stream(hello)
    .finalMessage()
    .finally(() => {
      isOver = true;
    });
  await model.held('here');
  assert.equal(isOver, false);
  model.release('here');
  assert.equal((await answer).content.length, 2);
});

test('a held answer ends with the server', async () => {
  const model = await startScriptedModel({ transcripts: [transcriptOf({ ...reading, hold: 'here' })] });
  const answer = assert.rejects(connect(model).beta.messages.stream(hello).finalMessage());
  await model.held('here');
  await model.stop();
  await answer;
});

test('tokens are counted and models listed', async (t) => {
  const model = await startScriptedModel({ transcripts: [] });
  t.after(() => model.stop());
  const client = connect(model);
  const { input_tokens: tokens } = await client.beta.messages.countTokens({
    model: 'any-model',
    messages: [{ role: 'user', content: 'x'.repeat(400) }],
  });
  assert.ok(tokens >= 100 && tokens < 130, String(tokens));
  const ids = [];
  for await (const { id } of client.models.list()) ids.push(id);
  assert.deepEqual(ids, ['scripted']);
});
