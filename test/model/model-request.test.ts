import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { z } from 'zod';
import { type ScriptedModel, startScriptedModel } from '../../src/local/model/server.ts';
import { hello, readTool, transcriptOf } from './model-client.ts';

const user = { role: 'user', content: 'Hello' };
const call = { type: 'tool_use', id: 'toolu_1', name: 'read', input: {} };
const calling = { role: 'assistant', content: [call] };
const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'text' };
const text = { type: 'text', text: 'And now?' };
const missingResult =
  'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.';

const refused: readonly (readonly [rule: string, change: object, message: string])[] = [
  ['has no messages', { messages: undefined }, 'messages: Field required'],
  ['has no output limit', { max_tokens: undefined }, 'max_tokens: Field required'],
  ['has a field that the vendor does not know', { max_turns: 3 }, 'max_turns: Extra inputs are not permitted'],
  [
    'begins with the assistant',
    { messages: [{ role: 'assistant', content: 'Hi' }, user] },
    'messages: first message must use the "user" role',
  ],
  [
    'ends with the assistant',
    { messages: [user, { role: 'assistant', content: 'Hi' }] },
    'This model does not support assistant message prefill. The conversation must end with a user message.',
  ],
  ['leaves a call without its result', { messages: [user, calling, user] }, missingResult],
  [
    'answers a call one message too late',
    { messages: [user, calling, user, { role: 'user', content: [result] }] },
    missingResult,
  ],
  [
    'puts text before the result',
    { messages: [user, calling, { role: 'user', content: [text, result] }] },
    missingResult,
  ],
  [
    'has a result without a call',
    { messages: [{ role: 'user', content: [result] }] },
    'messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
  ],
  [
    'answers a call twice',
    { messages: [user, calling, { role: 'user', content: [result, result] }] },
    'messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_1',
  ],
  [
    'uses a call id twice',
    { messages: [user, calling, { role: 'user', content: [result] }, calling, { role: 'user', content: [result] }] },
    'messages.3: `tool_use` ids must be unique',
  ],
  [
    'has a blank text',
    { messages: [{ role: 'user', content: [{ type: 'text', text: ' \n' }] }] },
    'messages.0: text content blocks must contain non-whitespace text',
  ],
  [
    'has an empty message',
    { messages: [user, { role: 'assistant', content: [] }, user] },
    'messages.1: all messages must have non-empty content',
  ],
  [
    'offers a tool whose input is not an object',
    { tools: [{ name: 'read', input_schema: { type: 'string' } }] },
    'tools.0.input_schema.type: Invalid input: expected "object"',
  ],
  ['offers two tools of one name', { tools: [readTool, readTool] }, 'tools: Tool names must be unique.'],
  [
    'has too many cache breakpoints',
    { system: Array.from({ length: 5 }, () => ({ ...text, cache_control: { type: 'ephemeral' } })) },
    'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  ],
];

const errorBody = z.object({ type: z.literal('error'), error: z.object({ type: z.string(), message: z.string() }) });

describe('requests are refused as the vendor refuses them', () => {
  let model: ScriptedModel;
  before(async () => {
    model = await startScriptedModel({ transcripts: [transcriptOf({ respond: [{ text: 'Hi' }] })] });
  });
  after(() => model.stop());

  const post = async (body: string, headers: Record<string, string> = { 'x-api-key': 'key' }) => {
    const response = await fetch(`${model.url}/v1/messages`, {
      method: 'POST',
      headers: { 'anthropic-version': '2026-10-21', ...headers },
      body,
    });
    return { status: response.status, body: await response.json() };
  };
  const fail = async (body: string, headers?: Record<string, string>) => {
    const answer = await post(body, headers);
    return { status: answer.status, error: errorBody.parse(answer.body).error };
  };

  for (const [rule, change, message] of refused) {
    test(`a request that ${rule}`, async () => {
      const { status, error } = await fail(JSON.stringify({ ...hello, ...change }));
      assert.equal(status, 400);
      assert.equal(error.type, 'invalid_request_error');
      assert.equal(error.message.slice(0, message.length), message);
      assert.equal(model.refusals.at(-1), `400 ${error.message}`);
    });
  }

  test('a request without a key', async () => {
    const { status, error } = await fail(JSON.stringify(hello), {});
    assert.equal(status, 401);
    assert.deepEqual(error, { type: 'authentication_error', message: 'x-api-key header is required' });
  });

  test('a body that is not JSON', async () => {
    const { status, error } = await fail('{');
    assert.equal(status, 400);
    assert.equal(error.type, 'invalid_request_error');
  });

  test('a path that does not exist', async () => {
    const response = await fetch(`${model.url}/v1/nothing`, {
      headers: { 'x-api-key': 'key', 'anthropic-version': '2026-10-21' },
    });
    assert.equal(response.status, 404);
  });

  test('two messages of a person in a row are one turn and no mistake', async () => {
    const after = [user, calling, { role: 'user', content: [result, text] }, user];
    assert.equal((await post(JSON.stringify({ ...hello, messages: [user, user] }))).status, 200);
    // The transcript has one step: the request is well-formed and comes after it.
    const { error } = await fail(JSON.stringify({ ...hello, messages: after }));
    assert.match(error.message, /steps\[1\] does not exist/);
  });
});
