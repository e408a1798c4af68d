import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectInstructions } from '../../src/engine/instructions.ts';

const line = `${'x'.repeat(1023)}\n`;

test('the files of the root are given up to 32 KiB, whole lines, and the rest is said to be there', () => {
  const text = line.repeat(40);
  assert.deepEqual(
    selectInstructions([
      { path: 'AGENTS.md', text },
      { path: 'CLAUDE.md', text: 'Short.\n' },
    ]),
    [
      { path: 'AGENTS.md', text: line.repeat(32).slice(0, -1), restFrom: 33 },
      { path: 'CLAUDE.md', text: 'Short.\n' },
    ],
  );
});

test('of a first line that is too long its beginning is given', () => {
  assert.deepEqual(selectInstructions([{ path: 'AGENTS.md', text: 'y'.repeat(40_000) }]), [
    { path: 'AGENTS.md', text: 'y'.repeat(32 * 1024), restFrom: 1 },
  ]);
});

test('nested files are given whole while there is room, outermost first, and the rest by their paths', () => {
  const files = [
    { path: 'a/AGENTS.md', text: line.repeat(20) },
    { path: 'b/AGENTS.md', text: line.repeat(20) },
    { path: 'a/b/AGENTS.md', text: 'Small.' },
    { path: 'c/d/AGENTS.md', text: null },
  ];
  assert.deepEqual(selectInstructions(files), [
    { path: 'a/AGENTS.md', text: line.repeat(20) },
    { path: 'b/AGENTS.md', text: '', restFrom: 1 },
    { path: 'a/b/AGENTS.md', text: 'Small.' },
    { path: 'c/d/AGENTS.md', text: '', restFrom: 1 },
  ]);
});

test('an empty file says nothing, and a copy of another in its folder nothing more', () => {
  const files = [
    { path: 'AGENTS.md', text: 'Use tabs.\n' },
    { path: 'CLAUDE.md', text: 'Use tabs.' },
    { path: 'a/AGENTS.md', text: ' \n' },
    { path: 'a/CLAUDE.md', text: 'Use tabs.' },
  ];
  assert.deepEqual(
    selectInstructions(files).map(({ path }) => path),
    ['AGENTS.md', 'a/CLAUDE.md'],
  );
});
