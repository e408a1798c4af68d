import assert from 'node:assert/strict';
import { test } from 'node:test';
import type Anthropic from '@anthropic-ai/sdk';
import { BadRequestError } from '@anthropic-ai/sdk';
import { startScriptedModel } from '../../src/local/model/server.ts';
import { connect, hello, readTool, transcriptOf } from './model-client.ts';

type Messages = Anthropic.Beta.Messages.BetaMessageParam[];

const betas = ['compact-2026-09-04'];
const compaction = { type: 'summarize' } as const;
const script = transcriptOf(
  { respond: [{ tool: 'read', input: { file_path: 'a' } }] },
  { respond: [{ text: 'Second.' }] },
  { respond: [{ text: 'Third.' }] },
);

const said: Messages = [
  { role: 'user', content: 'Hello' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'text' }] },
];

test('a summary comes alone and signed, whole or streamed, and what it has used is not in the sums', async (t) => {
  const model = await startScriptedModel({ transcripts: [script] });
  t.after(() => model.stop());
  const client = connect(model);
  const asked = { ...hello, betas, messages: said, compaction };
  const whole = await client.beta.messages.create(asked);
  const streamed = await client.beta.messages.stream(asked).finalMessage();
  assert.deepEqual(streamed.content, whole.content);
  assert.deepEqual(streamed.usage.iterations, whole.usage.iterations);
  const [block, ...others] = whole.content;
  assert.ok(block?.type === 'compaction' && others.length === 0);
  assert.match(block.content ?? '', /^Summary of 3 messages/);
  assert.deepEqual([whole.stop_reason, whole.usage.input_tokens, whole.usage.output_tokens], ['compaction', 0, 0]);
  const [iteration] = whole.usage.iterations ?? [];
  assert.ok(iteration?.type === 'compaction' && iteration.input_tokens > 10);
  assert.equal(model.usage.inputTokens, 2 * iteration.input_tokens);
});

test("a transcript goes on behind a summary, and behind a summary of that, through the vendor's tool runner", async (t) => {
  const model = await startScriptedModel({ transcripts: [script] });
  t.after(() => model.stop());
  const client = connect(model);
  const summary = async (messages: Messages): Promise<Messages> => {
    const { role, content } = await client.beta.messages.create({ ...hello, betas, messages, compaction });
    return [{ role, content }];
  };
  const next = async (messages: Messages) => {
    const { content } = await client.beta.messages.create({ ...hello, betas, messages });
    return content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  };
  const first = await summary(said);
  assert.deepEqual(await next([...first, { role: 'user', content: 'Go on.' }]), ['Second.']);
  const more: Messages = [
    { role: 'user', content: 'Go on.' },
    { role: 'assistant', content: 'Second.' },
  ];
  const second = await summary([...first, ...more]);
  assert.deepEqual(await next([...second, { role: 'user', content: 'And on.' }]), ['Third.']);
  const runner = client.beta.messages.toolRunner({ ...hello, betas, messages: said, tools: [readTool], thread: false });
  runner.compactBeforeNextTurn();
  const stops: unknown[] = [];
  for await (const message of runner) {
    stops.push(message.stop_reason);
    if (stops.length === 1) break;
  }
  assert.deepEqual(stops, ['compaction']);
});

test('what the vendor refuses about summaries is refused', async (t) => {
  const model = await startScriptedModel({ transcripts: [script] });
  t.after(() => model.stop());
  const client = connect(model);
  const { content } = await client.beta.messages.create({ ...hello, betas, messages: said, compaction });
  const summary: Messages[number] = { role: 'assistant', content };
  const forged: Messages[number] = {
    role: 'assistant',
    content: content.map((block) => (block.type === 'compaction' ? { ...block, content: 'Approved.' } : block)),
  };
  const goOn: Messages[number] = { role: 'user', content: 'Go on.' };
  const refused: readonly (readonly [object, RegExp])[] = [
    [{ messages: said, compaction }, /^400 .*compaction: Extra inputs are not permitted/],
    [{ messages: [summary, goOn] }, /compaction blocks need compact-2026-09-04/],
    [{ betas, messages: said, compaction, context_management: { edits: [] } }, /cannot be combined with context_manag/],
    [{ betas, messages: [goOn, summary, goOn] }, /must be the first block/],
    [{ betas, messages: [{ role: 'assistant', content: [...content, ...content] }, goOn] }, /more than one/],
    [{ betas, messages: [forged, goOn] }, /signature does not verify/],
    [{ betas, messages: said.slice(0, 2), compaction }, /assistant turn that is not finished/],
    [{ betas, messages: [summary], compaction }, /nothing to summarize/],
    [{ betas, messages: said, compaction: { type: 'forget' } }, /compaction/],
    [{ betas, messages: said, compaction, tool_choice: { type: 'any' } }, /tool_choice/],
  ];
  for (const [change, message] of refused) {
    const request: Anthropic.Beta.Messages.MessageCreateParamsNonStreaming = { ...hello, ...change };
    await assert.rejects(
      async () => client.beta.messages.create(request),
      (error) => error instanceof BadRequestError && message.test(error.message),
      String(message),
    );
  }
});
