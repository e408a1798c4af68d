import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  bearsMarker,
  formatMarker,
  formatThreadKey,
  markerKinds,
  parseBranchName,
  parseMarker,
  parseThreadKey,
} from '../../src/github/identifiers.ts';
import { branchName } from '../../src/lifecycle/branch.ts';

const id = fc.integer({ min: 1, max: 2 ** 52 });

test('a thread key names repository and issue by number, and reads back', () => {
  assert.equal(formatThreadKey({ repository: { id: 7 }, issue: 42 }), '7#42');
  fc.assert(
    fc.property(id, id, (repository, issue) => {
      assert.deepEqual(parseThreadKey(formatThreadKey({ repository: { id: repository }, issue })), {
        repository,
        issue,
      });
    }),
  );
  for (const foreign of ['', '7', '7#', '#42', '07#42', '7#42 ', 'acme/shop#42']) {
    assert.equal(parseThreadKey(foreign), null, foreign);
  }
});

test('a branch name reads back to its issue and attempt', () => {
  fc.assert(
    fc.property(id, fc.integer({ min: 1, max: 300 }), (issue, attempt) => {
      assert.deepEqual(parseBranchName(branchName(issue, attempt)), { issue, attempt });
    }),
  );
});

test('a branch that this app would not name is no branch of a thread', () => {
  const foreign = [
    'main',
    'planwright/issue-',
    'planwright/issue-42-1',
    'planwright/issue-042',
    'x/planwright/issue-42',
  ];
  for (const name of [...foreign, 'planwright/issue-42-02', 'planwright/issue-42/x', 'planwright/issue-42-2-3']) {
    assert.equal(parseBranchName(name), null, name);
  }
});

test('a marker reads back whatever its cause holds, and hides in a comment', () => {
  fc.assert(
    fc.property(fc.constantFrom(...markerKinds), fc.string({ minLength: 1, unit: 'grapheme' }), (kind, cause) => {
      const marker = { kind, thread: '7#42', cause };
      const text = formatMarker(marker);
      assert.match(text, /^<!-- [^>\n]* -->$/);
      assert.doesNotMatch(text.slice(4, -3), /--/);
      assert.deepEqual(parseMarker(`words\n\n${text}\n`), marker);
    }),
  );
});

test('a marker counts only at the end of a text', () => {
  const marker = { kind: 'status', thread: '7#42', cause: '-' } as const;
  const quoted = `${formatMarker(marker)}\n\nand more`;
  assert.equal(parseMarker(quoted), null);
  assert.equal(bearsMarker(quoted, marker), false);
  assert.equal(bearsMarker(`x ${formatMarker(marker)}`, { ...marker, thread: '7#43' }), false);
  assert.equal(parseMarker('<!-- planwright:unheard-of 7%2342 x -->'), null);
  assert.equal(parseMarker('<!-- planwright:status %zz x -->'), null);
});
