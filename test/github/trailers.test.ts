import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatReceipt } from '../../src/github/receipt.ts';
import { type CommitPlace, formatCommitMessage, readSignature, readSignedTrailers } from '../../src/github/trailers.ts';
import type { CommitTrailers } from '../../src/lifecycle/facts.ts';
import { approval, newKey } from './keys.ts';

const key = newKey();
const [base, plan, commit] = ['a'.repeat(40), 'b'.repeat(40), 'c'.repeat(40)];
const place: CommitPlace = {
  repository: 7,
  branch: 'planwright/issue-42',
  tree: 'd'.repeat(40),
  parents: ['e'.repeat(40)],
};
const trailers: CommitTrailers = {
  phase: 'implement',
  run: 'r1',
  base,
  plan,
  reviews: [3, 5],
  approvedBy: [{ login: 'ada', commit }],
  receipt: approval,
};

/** A message with these lines as its last paragraph, signed by this app. */
function signedLines(lines: readonly string[]): string {
  const unsigned = `x\n\n${lines.join('\n')}`;
  const head = `planwright commit\nrepository 7\nbranch ${place.branch}\ntree ${place.tree}\nparent ${place.parents[0]}`;
  return `${unsigned}\nPlanwright-Signature: ${key.sign(`${head}\n\n${unsigned}`)}\n`;
}

test('trailers read back from the end of a commit message', () => {
  const sha = fc.stringMatching(/^[0-9a-f]{40}$/);
  const approver = fc.tuple(fc.stringMatching(/^[a-z][a-z0-9-]{0,38}$/), sha);
  const any = fc.record(
    {
      phase: fc.constantFrom('plan', 'implement'),
      run: fc.uuid(),
      base: sha,
      plan: fc.option(sha),
      reviews: fc.array(fc.integer({ min: 1, max: 2 ** 52 }), { maxLength: 5 }),
      approvedBy: fc.array(
        approver.map(([login, commit]) => ({ login, commit })),
        { maxLength: 3 },
      ),
      receipt: fc.constantFrom(null, approval),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(any, fc.string(), (value, words) => {
      const message = formatCommitMessage({ subject: `Plan: ${words}`, trailers: value }, place, key);
      assert.deepEqual(readSignedTrailers(message, place, key), value);
      // GitHub gives a message without the line break at its end.
      assert.deepEqual(readSignedTrailers(message.trimEnd(), place, key), value);
    }),
    { numRuns: 50 },
  );
});

test('S84: trailers are written one a line, who asked and who approved, the receipt and the signature last', () => {
  const message = formatCommitMessage({ subject: 'Keep entries', requester: 'wes', trailers }, place, key);
  const unsigned = [
    'Keep entries',
    '',
    'Planwright-Phase: implement',
    'Planwright-Run: r1',
    `Planwright-Base: ${base}`,
    `Planwright-Plan: ${plan}`,
    'Planwright-Review: 3, 5',
    'Planwright-Requested-By: wes',
    `Planwright-Approved-By: ada at ${commit}`,
    `Planwright-Receipt: ${formatReceipt(approval)}`,
    `Planwright-Receipt-Signature: ${key.sign(formatReceipt(approval))}`,
  ].join('\n');
  const signed = `planwright commit\nrepository 7\nbranch ${place.branch}\ntree ${place.tree}\nparent ${place.parents[0]}\n\n${unsigned}`;
  assert.equal(message, `${unsigned}\nPlanwright-Signature: ${key.sign(signed)}\n`);
});

test('trailers that are incomplete, doubled, unreadable or not at the end are none', () => {
  const line = `Planwright-Base: ${base}`;
  const whole = ['Planwright-Phase: plan', 'Planwright-Run: r1', line];
  assert.notEqual(readSignedTrailers(signedLines(whole), place, key), null);
  const broken = [
    whole.slice(1),
    whole.slice(0, 2),
    ['Planwright-Phase: plan', line],
    [...whole, 'Planwright-Phase: implement'],
    [...whole, line],
    ['Planwright-Phase: ship', ...whole.slice(1)],
    ['Planwright-Phase: plan', 'Planwright-Run: r1', 'Planwright-Base: main'],
    [...whole, 'Planwright-Plan: abc'],
    [...whole, 'Planwright-Review: 3, x'],
    [...whole, 'Planwright-Approved-By: ada'],
    [...whole, '', 'And more words.'],
  ];
  for (const lines of broken) assert.equal(readSignedTrailers(signedLines(lines), place, key), null, lines.join(' | '));
});

test('S16: a signed message counts on its own tree, its own parents, its own branch and in its own repository, and nowhere else', () => {
  const message = formatCommitMessage({ subject: 'Plan', trailers }, place, key);
  const [parent = ''] = place.parents;
  const other = 'f'.repeat(40);
  assert.equal(readSignature(message, place, key), 'holds');
  const elsewhere: readonly CommitPlace[] = [
    { ...place, tree: other },
    { ...place, parents: [other] },
    { ...place, parents: [parent, other] },
    { ...place, parents: [] },
    { ...place, repository: 8 },
    { ...place, branch: 'planwright/issue-42-2' },
  ];
  for (const there of elsewhere) {
    assert.equal(readSignature(message, there, key), 'broken');
    assert.equal(readSignedTrailers(message, there, key), null);
  }
  const merge = { ...place, parents: [parent, other] };
  const merged = formatCommitMessage({ subject: 'Plan', trailers }, merge, key);
  assert.equal(readSignature(merged, { ...merge, parents: [other, parent] }, key), 'broken');
});

test('S16: trailers without a signature, under that of another key, or in a changed message are none', () => {
  const message = formatCommitMessage({ subject: 'Plan', trailers }, place, key);
  const unsigned = message.slice(0, message.indexOf('\nPlanwright-Signature'));
  const forged = [
    unsigned,
    `${unsigned}\nPlanwright-Signature: `,
    `${unsigned}\nPlanwright-Signature: bm90IHNpZ25lZA==`,
    formatCommitMessage({ subject: 'Plan', trailers }, place, newKey()),
    message.replace('Planwright-Run: r1', 'Planwright-Run: r2'),
    message.replace('Plan\n', 'Another plan\n'),
    `${message}And more words.\n`,
    `${message}Planwright-Phase: plan\n`,
  ];
  for (const text of forged) {
    assert.equal(readSignature(text, place, key), 'broken', text);
    assert.equal(readSignedTrailers(text, place, key), null, text);
  }
  assert.equal(readSignature('Fix a typo', place, key), 'none');
});

test('a receipt within a signed commit counts only under a signature of its own', () => {
  const lines = ['Planwright-Phase: implement', 'Planwright-Run: r1', `Planwright-Base: ${base}`];
  const receipt = formatReceipt(approval);
  const of = (...more: readonly string[]) => readSignedTrailers(signedLines([...lines, ...more]), place, key)?.receipt;
  const [shown, signature] = [`Planwright-Receipt: ${receipt}`, `Planwright-Receipt-Signature: ${key.sign(receipt)}`];
  assert.deepEqual(of(shown, signature), approval);
  for (const more of [
    [],
    [shown],
    [signature],
    [shown, shown, signature],
    [shown, `Planwright-Receipt-Signature: ${newKey().sign(receipt)}`],
    [`Planwright-Receipt: {}`, `Planwright-Receipt-Signature: ${key.sign('{}')}`],
  ]) {
    assert.equal(of(...more), null, more.join(' | '));
  }
});
