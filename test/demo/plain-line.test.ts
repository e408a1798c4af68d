import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clip, plain } from '../../src/local/demo/plain-line.ts';

test('a text is told by its first visible line', () => {
  assert.equal(clip('<!-- a\nb -->\n\n  Hello \nthere'), 'Hello');
  assert.equal(clip('abcdef', 4), 'abc…');
});

test('Markdown is told by its words, with short commits and the path of a comparison', () => {
  const [one, other] = ['0123456789'.repeat(4), 'abcdef0123'.repeat(4)];
  assert.equal(plain(`**Revised in ${one}.** See [that](https://x/y).`), 'Revised in 0123456. See that.');
  assert.equal(
    plain(`[What changed](http://127.0.0.1:1/acme/shop/compare/${one}...${other}).`),
    'What changed: /acme/shop/compare/0123456...abcdef0.',
  );
});
