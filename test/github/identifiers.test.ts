import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  bearsMarker,
  formatMarker,
  formatThreadKey,
  formatTrailers,
  markerKinds,
  parseBranchName,
  parseMarker,
  parseThreadKey,
  parseTrailers,
} from '../../src/github/identifiers.ts';
import { branchName } from '../../src/lifecycle/branch.ts';

const sha = fc.stringMatching(/^[0-9a-f]{40}$/);
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

test('trailers read back from the end of a commit message', () => {
  const approver = fc.tuple(fc.stringMatching(/^[a-z][a-z0-9-]{0,38}$/), sha);
  const trailers = fc.record(
    {
      phase: fc.constantFrom('plan', 'implement'),
      run: fc.uuid(),
      base: sha,
      plan: fc.option(sha),
      reviews: fc.array(id, { maxLength: 5 }),
      approvedBy: fc.array(
        approver.map(([login, commit]) => ({ login, commit })),
        { maxLength: 3 },
      ),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(trailers, fc.string(), (value, words) => {
      assert.deepEqual(parseTrailers(`Plan: ${words}\n\n${formatTrailers(value)}\n`), value);
    }),
  );
});

test('trailers are written one a line, in the order of the design', () => {
  const [base, plan, commit] = ['a'.repeat(40), 'b'.repeat(40), 'c'.repeat(40)];
  assert.equal(
    formatTrailers({
      phase: 'implement',
      run: 'r1',
      base,
      plan,
      reviews: [3, 5],
      approvedBy: [{ login: 'ada', commit }],
    }),
    [
      'Planwright-Phase: implement',
      'Planwright-Run: r1',
      `Planwright-Base: ${base}`,
      `Planwright-Plan: ${plan}`,
      'Planwright-Review: 3, 5',
      `Planwright-Approved-By: ada at ${commit}`,
    ].join('\n'),
  );
});

test('trailers that are incomplete, doubled, unreadable or not at the end are none', () => {
  const base = `Planwright-Base: ${'a'.repeat(40)}`;
  const whole = ['Planwright-Phase: plan', 'Planwright-Run: r1', base];
  assert.notEqual(parseTrailers(`x\n\n${whole.join('\n')}`), null);
  const broken = [
    whole.slice(1),
    whole.slice(0, 2),
    ['Planwright-Phase: plan', base],
    [...whole, 'Planwright-Phase: implement'],
    [...whole, base],
    ['Planwright-Phase: ship', ...whole.slice(1)],
    ['Planwright-Phase: plan', 'Planwright-Run: r1', 'Planwright-Base: main'],
    [...whole, 'Planwright-Plan: abc'],
    [...whole, 'Planwright-Review: 3, x'],
    [...whole, 'Planwright-Approved-By: ada'],
    [...whole, '', 'And more words.'],
  ];
  for (const lines of broken) assert.equal(parseTrailers(`x\n\n${lines.join('\n')}`), null, lines.join(' | '));
});
