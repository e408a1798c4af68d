import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BetaMessageParam } from '@anthropic-ai/sdk/resources/beta.js';
import { createConversationLog } from '../../src/agent/conversation-log.ts';
import { openHostChannel } from '../../src/agent/host-channel.ts';

const noHost = openHostChannel(
  { send: () => undefined, onMessage: () => undefined, onDisconnect: () => undefined },
  { start: () => undefined, stop: () => undefined },
);
const said = (role: 'user' | 'assistant', text: string): BetaMessageParam => ({
  role,
  content: [{ type: 'text', text }],
});

test('a message that was sent before is sent again as the very same object, and one that has grown as another', () => {
  const log = createConversationLog([], noHost);
  log.append(said('user', 'one'), said('assistant', 'two'), said('user', 'three'));
  const first = log.toSend();
  log.append(said('user', 'and more'));
  log.append(said('assistant', 'four'));
  const second = log.toSend();
  assert.deepEqual(
    second.map((message, index) => message === first[index]),
    [true, true, false, false],
  );
  const grown = ['three', 'and more'].map((text) => ({ type: 'text', text }));
  assert.deepEqual(second[2], { role: 'user', content: grown });
  assert.deepEqual(log.toSend(), second);
});
