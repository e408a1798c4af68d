import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareLines, touches } from '../../src/plan/line-changes.ts';

/** The text before with the changes made. */
function apply(before: string, after: string): string {
  const rows = before.split('\n');
  const fresh = after.split('\n');
  for (const change of compareLines(before, after).toReversed()) {
    rows.splice(change.before, change.removed, ...fresh.slice(change.after, change.after + change.added));
  }
  return rows.join('\n');
}

test('changes are told apart where a line between them stayed', () => {
  assert.deepEqual(compareLines('a\nb\nc\nd\n', 'a\nB\nc\nd\ne\n'), [
    { before: 1, removed: 1, after: 1, added: 1 },
    { before: 4, removed: 0, after: 4, added: 1 },
  ]);
  assert.deepEqual(compareLines('a\nb', 'a\nb'), []);
  assert.deepEqual(compareLines('a\nb\nc', 'a\nc'), [{ before: 1, removed: 1, after: 1, added: 0 }]);
  assert.deepEqual(compareLines('a\r\nb', 'a\nb'), [{ before: 0, removed: 1, after: 0, added: 1 }]);
});

test('whatever changed, the changes lead from the one text to the other', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', '')).map((rows) => rows.join('\n'));
  fc.assert(fc.property(text, text, (before, after) => assert.equal(apply(before, after), after)));
});

test('texts with nothing in common are compared in no time, however long', () => {
  const startedAt = performance.now();
  const [before, after] = ['a\n'.repeat(32_000), 'b\n'.repeat(32_000)];
  assert.deepEqual(compareLines(before, after), [{ before: 0, removed: 32_000, after: 0, added: 32_000 }]);
  assert.ok(performance.now() - startedAt < 1_000);
});

test('a change belongs to lines that it touches, and to those that it stands next to', () => {
  const insertion = { before: 3, removed: 0, after: 3, added: 1 };
  const isOf = (start: number, end: number) => touches(insertion, { start, end });
  assert.deepEqual([isOf(1, 2), isOf(2, 3), isOf(4, 5), isOf(5, 6)], [false, true, true, false]);
});
