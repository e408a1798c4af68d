/** Which test shows something: a file beneath `test/`, and words of the name of a test in it; `…` stands for what a template fills in. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';

export type Proof = readonly [file: string, words: string];

/** How a test begins in its file: `test('…`, `scene(` with the name on the next line, with a template, or the `rule` or `what` of a table. */
const beginnings = /\b(?:(?:test|scene)\(|(?:rule|what):)\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1/g;
const known = new Map<string, readonly string[]>();

function testNames(file: string): readonly string[] {
  const place = new URL(`../${file}`, import.meta.url);
  if (!existsSync(place)) return [];
  const source = readFileSync(place, 'utf8');
  assert.doesNotMatch(
    source,
    /\b(?:test|scene|describe)\.(?:skip|todo|only)\b|\b(?:skip|todo): /,
    `${file} leaves tests out`,
  );
  return [...source.matchAll(beginnings)].map(([, , name]) => (name ?? '').replaceAll(/\$\{[^}]*\}/g, '…'));
}

/** Whether there is a test of that name. */
export function findProof([file, words]: Proof): boolean {
  const names = known.get(file) ?? testNames(file);
  known.set(file, names);
  return words !== '' && names.some((name) => name.includes(words));
}
