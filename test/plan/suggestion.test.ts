import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeOutSuggestions } from '../../src/plan/suggestion.ts';

const lines = (comment: string) => takeOutSuggestions(comment).blocks.map((block) => block.lines);

test('a suggestion is a fence of its word alone, of three or more backticks or tildes', () => {
  assert.deepEqual(lines('```suggestion\na\nb\n```'), [['a', 'b']]);
  assert.deepEqual(lines('`````suggestion\n```\ncode\n```\n`````'), [['```', 'code', '```']]);
  assert.deepEqual(lines('~~~suggestion\na\n~~~~'), [['a']]);
  assert.deepEqual(lines('``` Suggestion  \na\n```'), [['a']]);
  for (const other of [
    '```js\na\n```',
    '```suggestions\na\n```',
    '``suggestion\na\n``',
    '```suggestion of mine\na\n```',
  ]) {
    assert.deepEqual(lines(other), [], other);
  }
});

test('an empty suggestion deletes, and one that holds an empty line does not', () => {
  assert.deepEqual(lines('```suggestion\n```'), [[]]);
  assert.deepEqual(lines('```suggestion\n\n```'), [['']]);
});

test('blanks at the ends of lines stay, and an indented fence takes its own off', () => {
  assert.deepEqual(lines('```suggestion\n  two \t\n```'), [['  two \t']]);
  assert.deepEqual(lines('  ```suggestion\n    four\n one\n  ```'), [['  four', 'one']]);
});

test('what is quoted, hidden, shown as code or not closed suggests nothing', () => {
  for (const none of [
    '> ```suggestion\n> a\n> ```',
    '<!--\n```suggestion\na\n```\n-->',
    '````\n```suggestion\na\n```\n````',
    '    ```suggestion\n    a\n    ```',
    '```suggestion',
    '```suggestion\na',
    '```\n```suggestion\na\n```',
  ]) {
    const { text, blocks } = takeOutSuggestions(none);
    assert.deepEqual([text, blocks], [none, []]);
  }
});

test('several suggestions in one comment are numbered in their order', () => {
  const comment = 'Either\n```suggestion\na\n```\nor\n```suggestion\nb\n```\n';
  assert.deepEqual(takeOutSuggestions(comment, 3), {
    text: 'Either\n[suggestion 3]\nor\n[suggestion 4]\n',
    blocks: [{ lines: ['a'] }, { lines: ['b'] }],
  });
});

test('a comment of nothing but fences is read in no time', () => {
  const startedAt = performance.now();
  const comments = ['```suggestion\n', '~~~\n', '`'.repeat(60_000), '<!--\n', '```suggestion\n~~~\n'];
  for (const row of comments) takeOutSuggestions(row.repeat(Math.ceil(65_536 / row.length)));
  assert.ok(performance.now() - startedAt < 600);
});
