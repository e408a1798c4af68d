import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BetaMessageParam, BetaTextBlockParam } from '@anthropic-ai/sdk/resources/beta.js';
import fc from 'fast-check';
import {
  answerInterrupted,
  deliver,
  inputsOf,
  keepReply,
  parkedCall,
  toRequest,
} from '../../src/agent/conversation.ts';
import { findFault, type SentRequest } from './model-server.ts';

function said(text: string): BetaMessageParam {
  return { role: 'user', content: text };
}
function calls(...ids: readonly (readonly [string, string])[]): BetaMessageParam {
  return { role: 'assistant', content: ids.map(([id, name]) => ({ type: 'tool_use', id, name, input: { id } })) };
}
function results(...ids: readonly string[]): BetaMessageParam {
  return { role: 'user', content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: `of ${id}` })) };
}
function text(said: string): BetaTextBlockParam {
  return { type: 'text', text: said };
}
function blocks({ content }: BetaMessageParam): readonly unknown[] {
  return typeof content === 'string' ? [text(content)] : (content ?? []);
}

const missing =
  'The run was interrupted before this call was answered; it may or may not have had an effect. Look before you repeat it.';

test('a call without a result gets one that says so', () => {
  assert.deepEqual(toRequest([said('go'), calls(['a', 'read'], ['b', 'read']), results('b'), said('and?')]), [
    { role: 'user', content: [{ type: 'text', text: 'go' }] },
    calls(['a', 'read'], ['b', 'read']),
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: missing, is_error: true },
        { type: 'tool_result', tool_use_id: 'b', content: 'of b' },
        { type: 'text', text: 'and?' },
      ],
    },
  ]);
});

test('a result without its call, a blank text and a reply before anyone spoke are left out', () => {
  const reply: BetaMessageParam = { role: 'assistant', content: 'early' };
  assert.deepEqual(toRequest([reply, results('x'), said(' '), said('go'), results('x')]), [
    { role: 'user', content: [{ type: 'text', text: 'go' }] },
  ]);
});

test('partial results and the answer of a person become one message, results first', () => {
  const conversation = [said('go'), calls(['q', 'ask_user_question'], ['r', 'read']), results('r')];
  assert.deepEqual(toRequest([...conversation, deliver(conversation, 'TTL'), said('reminder')]).at(-1), {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'q', content: 'TTL' },
      { type: 'tool_result', tool_use_id: 'r', content: 'of r' },
      { type: 'text', text: 'reminder' },
    ],
  });
});

test('the parked call is the one call without a result, of a tool that waits for a person', () => {
  const conversation = [said('go'), calls(['r', 'read'], ['e', 'exit_plan_mode'])];
  assert.equal(parkedCall([said('go'), calls(['e', 'exit_plan_mode'])])?.id, 'e');
  assert.equal(parkedCall(conversation), null);
  assert.equal(parkedCall([...conversation, results('r')])?.id, 'e');
  assert.equal(parkedCall([...conversation, results('r', 'e')]), null);
  assert.equal(parkedCall([said('go'), calls(['r', 'read'])]), null);
  assert.equal(parkedCall([...conversation, results('r', 'e'), { role: 'assistant', content: 'ok' }]), null);
});

test('calls that were begun and not answered are answered as interrupted; what waits for a person, or was run, is not', () => {
  const begun = [said('go'), calls(['a', 'edit'], ['q', 'ask_user_question'])];
  assert.deepEqual(answerInterrupted(begun), {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'a', content: missing, is_error: true },
      { type: 'tool_result', tool_use_id: 'q', content: missing, is_error: true },
    ],
  });
  const nothing: BetaMessageParam = { role: 'user', content: [] };
  assert.equal(answerInterrupted([said('go'), calls(['a', 'edit']), nothing]), null);
  assert.equal(answerInterrupted([said('go'), calls(['q', 'ask_user_question'])]), null);
  assert.equal(answerInterrupted([...begun, results('a')]), null);
  assert.equal(answerInterrupted([said('go'), { role: 'assistant', content: 'Done.' }]), null);
  assert.equal(answerInterrupted([]), null);
});

test('where no call waits, a person is heard as a message', () => {
  assert.deepEqual(deliver([], 'hello'), { role: 'user', content: [{ type: 'text', text: 'hello' }] });
});

test('a reply that says nothing is not kept, and an input that is no object is kept as an empty one', () => {
  assert.equal(keepReply({ content: [] }), null);
  assert.equal(keepReply({ content: [{ type: 'text', text: ' \n', citations: null }] }), null);
  const kept = keepReply({ content: [{ type: 'tool_use', id: 'a', name: 'read', input: ['x'] }] });
  assert.deepEqual(kept, { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] });
});

test('the last input of a tool is of a call that worked', () => {
  const failed: BetaMessageParam = {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'b', content: 'no', is_error: true }],
  };
  const conversation = [calls(['a', 'update_tasks']), results('a'), calls(['b', 'update_tasks']), failed];
  assert.deepEqual(inputsOf([said('go'), ...conversation], 'update_tasks'), [{ id: 'a' }]);
  assert.deepEqual(inputsOf([...conversation, calls(['c', 'update_tasks'])], 'update_tasks'), [{ id: 'a' }]);
  assert.deepEqual(inputsOf(conversation, 'read'), []);
});

const block = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: fc.constantFrom('', ' ', 'hello') }),
  fc.record({
    type: fc.constant('tool_result' as const),
    tool_use_id: fc.constantFrom('0', '1', '2'),
    content: fc.constant('r'),
  }),
);
const names = fc.constantFrom('read', 'exit_plan_mode');
const message = fc.oneof(
  fc.record({ role: fc.constant('user' as const), content: fc.array(block, { maxLength: 4 }) }),
  fc.record({ role: fc.constant('assistant' as const), content: fc.constantFrom('', 'text') }),
  fc.record({
    role: fc.constant('assistant' as const),
    content: fc.array(
      fc.record({ type: fc.constant('tool_use' as const), id: fc.constant('?'), name: names, input: fc.constant({}) }),
      {
        maxLength: 3,
      },
    ),
  }),
);

/** Gives each call an id of its own, as the vendor does, in a range that results can hit. */
function numbered(messages: readonly BetaMessageParam[]): BetaMessageParam[] {
  let next = 0;
  return messages.map((item) =>
    item.role !== 'assistant' || typeof item.content === 'string'
      ? item
      : {
          ...item,
          content: item.content.map((part) => (part.type === 'tool_use' ? { ...part, id: String(next++) } : part)),
        },
  );
}

test('whatever was kept, what is sent is valid, and sending it again changes nothing', () => {
  let sent = 0;
  fc.assert(
    fc.property(fc.array(message, { maxLength: 8 }), (given) => {
      const messages = toRequest(numbered([said('go'), ...given]));
      assert.deepEqual(toRequest(messages), messages);
      sent += 1;
      const request: SentRequest = JSON.parse(JSON.stringify({ messages }));
      assert.equal(findFault(request), null);
    }),
    { numRuns: 500 },
  );
  assert.ok(sent > 400, `expected conversations to be sent, got ${sent}`);
});

/** What can happen to a stored conversation between two requests, each as the app keeps it. */
const happenings = {
  works: (id) => [calls([`${id}a`, 'read'], [`${id}b`, 'edit']), results(`${id}a`, `${id}b`)],
  'works and is reminded': (id) => [calls([id, 'read']), results(id), said('on')],
  'answers in two parts': (id) => [{ role: 'assistant', content: [text('I go')] }, calls([id, 'read']), results(id)],
  parks: (id) => {
    const parked = [calls([`${id}q`, 'ask_user_question'], [`${id}r`, 'read']), results(`${id}r`)];
    return [...parked, deliver(parked, 'TTL'), said('plan mode is on')];
  },
  'dies and is taken up': (id) => {
    const begun = [calls([id, 'bash'], [`${id}b`, 'read'])];
    return [...begun, answerInterrupted(begun) ?? said('none')];
  },
  'dies for good': (id) => [calls([id, 'bash']), said('a new brief')],
  'ends and hears of a review': () => [{ role: 'assistant', content: [text('Done.')] }, said('mend this')],
  'fails and is told anew': () => [said('a new brief')],
} satisfies Readonly<Record<string, (id: string) => readonly BetaMessageParam[]>>;

test('case 146: whatever happens between two requests, each begins with every block of the one before', () => {
  const kinds = fc.constantFrom(...Object.values(happenings));
  const sent = (messages: readonly BetaMessageParam[]) =>
    toRequest(messages).flatMap((each) => blocks(each).map((part) => JSON.stringify([each.role, part])));
  fc.assert(
    fc.property(fc.array(kinds, { minLength: 1, maxLength: 10 }), (history) => {
      let messages: readonly BetaMessageParam[] = [said('go')];
      for (const [index, happen] of history.entries()) {
        const before = sent(messages);
        messages = [...messages, ...happen(`call${index}`)];
        assert.deepEqual(sent(messages).slice(0, before.length), before);
        assert.ok(sent(messages).length > before.length);
      }
    }),
    { numRuns: 300 },
  );
});
