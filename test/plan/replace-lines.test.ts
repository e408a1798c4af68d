import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { replaceLines, replacePassage } from '../../src/plan/replace-lines.ts';

test('lines are replaced where they stand, and nothing else changes by a byte', () => {
  const text = 'α  \r\none\r\ntwo\t\r\nthree';
  assert.equal(
    replaceLines(text, { seen: ['one'], line: 2, lines: ['eins', 'zwei'] }),
    'α  \r\neins\r\nzwei\r\ntwo\t\r\nthree',
  );
  assert.equal(replaceLines(text, { seen: ['three'], line: 4, lines: ['drei'] }), 'α  \r\none\r\ntwo\t\r\ndrei');
  assert.equal(replaceLines(text, { seen: ['one', 'two\t'], line: 2, lines: [] }), 'α  \r\nthree');
  assert.equal(replaceLines('one\ntwo\r\n', { seen: ['two'], line: 2, lines: ['a', 'b'] }), 'one\na\r\nb\r\n');
});

test('lines that have moved are found; of several such places the nearest is taken, and of two as near none', () => {
  assert.equal(replaceLines('x\ny\na\n', { seen: ['a'], line: 1, lines: ['b'] }), 'x\ny\nb\n');
  assert.equal(replaceLines('a\nx\ny\na\n', { seen: ['a'], line: 3, lines: ['b'] }), 'a\nx\ny\nb\n');
  assert.equal(replaceLines('a\nx\na\n', { seen: ['a'], line: 2, lines: ['b'] }), 'ambiguous');
  assert.equal(replaceLines('a\na\n', { seen: ['a', 'b'], line: 1, lines: [] }), 'gone');
  assert.equal(replaceLines('', { seen: ['a'], line: 1, lines: ['b'] }), 'gone');
});

test('a passage is found and replaced with the line ends of the text', () => {
  assert.equal(replacePassage('a\r\nb\r\nc', { old: 'a\nb', new: 'x\ny\nz' }), 'x\r\ny\r\nz\r\nc');
  assert.equal(replacePassage('a\r\nb', { old: 'b', new: 'b\nc' }), 'a\r\nb\r\nc');
  assert.equal(replacePassage('a\nb', { old: 'a\r\nb', new: 'x\r\ny' }), 'x\ny');
  assert.deepEqual(replacePassage('a.a', { old: 'a', new: 'b' }), { found: 2 });
  assert.deepEqual(replacePassage('abc', { old: 'a.c', new: 'b' }), { found: 0 });
  assert.equal(replacePassage('a$&b', { old: '$&', new: '$1' }), 'a$1b');
});

test('a passage that overlaps itself is not at one place, and half of a character or of a line end is at none', () => {
  assert.deepEqual(replacePassage('aaa', { old: 'aa', new: 'b' }), { found: 2 });
  assert.deepEqual(replacePassage('x😀y', { old: '\ud83d', new: 'b' }), { found: 0 });
  assert.deepEqual(replacePassage('a\r\nb', { old: 'a\r', new: 'b' }), { found: 0 });
  assert.equal(replacePassage('a\r\nb\r\nc\n', { old: '\nb\n', new: '\n' }), 'a\r\nc\n');
  assert.equal(replacePassage('a\n', { old: 'a', new: "$&$`$'" }), "$&$`$'\n");
});

test('a plan of twenty thousand lines that are all alike is changed in no time, whatever is looked for in it', () => {
  const many = (count: number, line = '') => Array.from({ length: count }, () => line);
  const text = '\n'.repeat(65_000);
  const startedAt = performance.now();
  assert.equal(replaceLines(text, { seen: many(20_000), line: 9, lines: ['x'] }).indexOf('x'), 8);
  assert.equal(replaceLines(text, { seen: [...many(20_000), 'b'], line: 1, lines: [] }), 'gone');
  assert.equal(replacePassage('a.\n'.repeat(20_000), { old: 'a.\n'.repeat(20_000), new: 'b' }), 'b');
  assert.deepEqual(replacePassage(text, { old: '\n'.repeat(30_000), new: '' }), { found: 2 });
  assert.deepEqual(replacePassage(text, { old: 'a\n'.repeat(5_000_000), new: '' }), { found: 0 });
  assert.ok(performance.now() - startedAt < 2000);
});

const row = fc.record({ text: fc.stringMatching(/^[abé \t]{0,4}$/), end: fc.constantFrom('\n', '\r\n') });

test('whatever lines are replaced, those before and after stay as they were, byte for byte', () => {
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 1, maxLength: 8 }),
      fc.nat(),
      fc.nat(),
      fc.boolean(),
      (rows, from, size, isBare) => {
        const start = from % rows.length;
        const end = start + 1 + (size % (rows.length - start));
        const bytes = (part: typeof rows) => part.map(({ text, end: lineEnd }) => text + lineEnd).join('');
        const text = bytes(rows).slice(0, isBare ? -(rows.at(-1)?.end.length ?? 0) || undefined : undefined);
        const seen = rows.slice(start, end).map((each) => each.text);
        // A last line that is empty and has no end is none.
        if (isBare && rows.at(-1)?.text === '') return;
        const result = replaceLines(text, { seen, line: start + 1, lines: ['new'] });
        assert.ok(result !== 'gone' && result !== 'ambiguous');
        assert.ok(result.startsWith(bytes(rows.slice(0, start))));
        const rest = text.slice(bytes(rows.slice(0, end)).length);
        assert.ok(result.endsWith(rest));
        assert.equal(result.slice(bytes(rows.slice(0, start)).length, result.length - rest.length).trimEnd(), 'new');
      },
    ),
  );
});
