/** Every requirement and every reported fault that is named has a test, by the table; a test that is gone is missed here. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { failureCases, type Proof, requirements } from './gate-and-review.ts';

const cases = [
  ...[37, 39, 40, 41, 42, 43, 44, 46, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 61, 62, 63, 64, 65, 66, 67, 68],
  ...[70, 71, 72, 74, 105, 106, 107, 108, 110],
];
const named = [
  ...['S10', 'S11', 'S12', 'S13', 'S14', 'S15', 'S16', 'S17', 'S18', 'S57', 'S58', 'S60', 'S61', 'S62', 'S63', 'S64'],
  ...['S65', 'S66', 'S67', 'S68', 'S69', 'S70', 'S71', 'S72', 'S73', 'S74', 'S75', 'S76', 'S77'],
];

/** How a test begins in its file: `test('…`, `scene(` with the name on the next line, or with a template. */
const beginnings = /\b(?:test|scene)\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1/g;

function testNames(file: string): readonly string[] {
  const source = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  assert.doesNotMatch(
    source,
    /\b(?:test|scene|describe)\.(?:skip|todo|only)\b|\b(?:skip|todo): /,
    `${file} leaves tests out`,
  );
  return [...source.matchAll(beginnings)].map(([, , name]) => (name ?? '').replaceAll(/\$\{[^}]*\}/g, '…'));
}

for (const [what, table, ids] of [
  ['failure case', failureCases, cases.map(String)],
  ['requirement', requirements, named],
] as const) {
  const proofs = new Map<string, readonly Proof[]>(Object.entries(table));

  test(`every ${what} that is named has a test, and no other is in the table`, () => {
    assert.deepEqual([...proofs.keys()].toSorted(), ids.toSorted());
  });

  for (const [id, wanted] of proofs) {
    test(`${what} ${id} is shown by tests that are there`, () => {
      assert.ok(wanted.length > 0);
      for (const [file, words] of wanted) {
        const isThere = testNames(file).some((name) => name.includes(words));
        assert.ok(isThere, `expected a test "… ${words} …" in test/${file}, got none`);
      }
    });
  }
}
