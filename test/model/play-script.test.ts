import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CountRequest, Message } from '../../src/local/model/model-request.ts';
import { playScript } from '../../src/local/model/play-script.ts';
import { parseTranscript } from '../../src/local/model/transcript.ts';

const says = (role: Message['role'], content: string): Message => ({ role, content });

function request(...texts: readonly string[]): CountRequest {
  const messages = texts.map((text, index) => says(index % 2 === 0 ? 'user' : 'assistant', text));
  return { model: 'any-model', messages, tools: [{ name: 'read', input_schema: { type: 'object' } }] };
}

/** The text that a transcript answers a conversation with, or why it does not. */
function play(steps: readonly object[], ...texts: readonly string[]): string {
  const played = playScript([parseTranscript('inline', { match: '', steps })], request(...texts));
  if (played.kind === 'astray') return played.message;
  return played.cue.parts.map((part) => ('text' in part ? part.text : JSON.stringify(part.input))).join('|');
}

const scenes = [
  { respond: [{ text: 'plan' }] },
  { respond: [{ text: 'exit' }] },
  { when: 'change this', respond: [{ text: 'revise' }] },
  { respond: [{ text: 'exit again' }] },
  { when: 'go ahead', respond: [{ text: 'build' }] },
  { respond: [{ text: 'end' }] },
];

test('a conversation is answered at the place it has come to', () => {
  assert.equal(play(scenes, 'start'), 'plan');
  assert.equal(play(scenes, 'start', 'plan', 'ok'), 'exit');
  assert.equal(play(scenes, 'start', 'plan', 'ok', 'exit', 'change this'), 'revise');
  assert.equal(play(scenes, 'start', 'plan', 'ok', 'exit', 'change this', 'revise', 'ok'), 'exit again');
});

test('a scene is reached from anywhere, and as often as it is called for', () => {
  assert.equal(play(scenes, 'go ahead'), 'build');
  assert.equal(play(scenes, 'go ahead', 'build', 'ok'), 'end');
  assert.equal(play(scenes, 'start', 'plan', 'ok', 'exit', 'go ahead', 'build', 'ok'), 'end');
  assert.equal(play(scenes, 'start', 'plan', 'change this', 'revise', 'change this', 'revise', 'ok'), 'exit again');
});

test('a scene whose words have not been said is not played', () => {
  assert.match(play(scenes, 'start', 'plan', 'ok', 'exit', 'well'), /steps\[2\] waits for change this.*"well"/);
  assert.match(play(scenes, 'go ahead', 'build', 'ok', 'end', 'more'), /steps\[6\] does not exist/);
});

test('the first transcript that matches plays, and none is an answer too', () => {
  const other = parseTranscript('other', { match: 'Issue: #7\\b', steps: [{ respond: [{ text: 'other' }] }] });
  const all = parseTranscript('all', { match: 'Issue', steps: [{ respond: [{ text: 'all' }] }] });
  const nameOf = (text: string) => {
    const played = playScript([other, all], request(text));
    return played.kind === 'cue' ? played.cue.transcript.name : played.message;
  };
  assert.equal(nameOf('Issue: #7'), 'other');
  assert.equal(nameOf('Issue: #71'), 'all');
  assert.match(nameOf('nothing'), /got none of other \(Issue: #7\\b\), all \(Issue\)/);
});

test('a template takes the last match of what was said to the model, wherever it stands in an input', () => {
  const steps = [
    { capture: { base: 'Base commit: (\\w+)' }, respond: [{ text: 'reading' }] },
    { respond: [{ tool: 'write_plan', input: { content: 'base: {{base}}', more: [{ deep: '{{base}}{{base}}' }] } }] },
  ];
  assert.equal(
    play(steps, 'Base commit: aaa', 'Base commit: mine', 'Base commit: bbb'),
    '{"content":"base: bbb","more":[{"deep":"bbbbbb"}]}',
  );
  assert.match(play(steps, 'no commit', 'reading', 'ok'), /expected a capture that finds \{\{base\}\}, got none/);
});

test('a request that does not hold what the step expects is refused with both', () => {
  const step = (expect: object) => [{ respond: [{ text: 'fine' }], expect }];
  assert.equal(play(step({ tools: ['read'], absentTools: ['bash'], lastMessage: 'sta' }), 'start'), 'fine');
  assert.match(play(step({ tools: ['read', 'bash'] }), 'start'), /expected the tools bash, got read/);
  assert.match(play(step({ absentTools: ['read'] }), 'start'), /expected none of read, got read/);
  assert.match(play(step({ lastMessage: 'end' }), 'start'), /expected a last message like end, got "start"/);
});
