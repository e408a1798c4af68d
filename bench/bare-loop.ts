/** The least that could play the script: the vendor's client, a growing list of messages, plain reads. Stores nothing. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import type {
  BetaMessageParam,
  BetaTextBlockParam,
  BetaTool,
  BetaToolUseBlock,
} from '@anthropic-ai/sdk/resources/beta.js';

export interface BareOrder {
  readonly url: string;
  readonly system: BetaTextBlockParam[];
  readonly tools: BetaTool[];
  readonly request: string;
  readonly checkout: string;
}

async function answerCall({ input, name }: BetaToolUseBlock, checkout: string): Promise<string> {
  if (name !== 'read') return 'ok';
  const isRead = typeof input === 'object' && input !== null && 'file_path' in input;
  return readFile(join(checkout, isRead ? String(input.file_path) : ''), 'utf8');
}

async function play({ url, system, tools, request, checkout }: BareOrder): Promise<void> {
  const client = new Anthropic({ apiKey: 'scripted', baseURL: url });
  const messages: BetaMessageParam[] = [{ role: 'user', content: request }];
  for (;;) {
    const stream = client.beta.messages.stream({ model: 'scripted', max_tokens: 16_000, system, tools, messages });
    const reply = await stream.finalMessage();
    messages.push({ role: 'assistant', content: reply.content });
    const calls = reply.content.filter((block) => block.type === 'tool_use');
    if (calls.some(({ name }) => name === 'exit_plan_mode')) return;
    const results = await Promise.all(calls.map((call) => answerCall(call, checkout)));
    messages.push({
      role: 'user',
      content: calls.map(({ id }, index) => ({ type: 'tool_result', tool_use_id: id, content: results[index] ?? '' })),
    });
  }
}

process.on('message', async (order: BareOrder) => {
  await play(order);
  process.exit(0);
});
