/** Every behaviour of the three descriptions of plan mode works here, or is surpassed for a stated reason. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { findProof } from '../requirements/proof.ts';
import { entry, planFile } from './entering.ts';
import { states } from './lifecycle.ts';
import { permissions } from './permissions.ts';
import { parts, reminders } from './reminders.ts';
import type { Row } from './row.ts';
import { approval } from './sign-off.ts';
import { strategies } from './strategies.ts';
import { strategiesSafety } from './strategies-safety.ts';
import { twoPhases } from './two-phases.ts';
import { twoPhasesApproval } from './two-phases-approval.ts';

const documents: Readonly<Record<string, readonly Row[]>> = {
  'two phases': [...twoPhases, ...twoPhasesApproval],
  'four strategies': [...strategies, ...strategiesSafety],
  'states, keys and tools': [...entry, ...planFile, ...approval, ...states, ...permissions, ...reminders, ...parts],
};

for (const [name, rows] of Object.entries(documents)) {
  test(`the conformance table of ${name} is complete: no row without a test that is there`, () => {
    const missing = rows.flatMap(({ there, proofs }) => {
      const gone = proofs.filter((proof) => !findProof(proof)).map(([file, words]) => `${file}: ${words}`);
      return proofs.length === 0 ? [`${there}: no test`] : gone.map((what) => `${there}: ${what}`);
    });
    assert.deepEqual(missing, []);
  });

  test(`the conformance table of ${name} tells each behaviour once, and says what becomes of it`, () => {
    assert.equal(new Set(rows.map(({ there }) => there)).size, rows.length);
    assert.deepEqual(
      rows.filter(({ here, why }) => here === '' || why === ''),
      [],
    );
  });
}

test('the conformance table has rows of every kind, and is counted, in the README too', (context) => {
  const rows = Object.values(documents).flat();
  const kinds = Map.groupBy(rows, ({ kind }) => kind);
  const counts = [...kinds].map(([kind, of]) => `${of.length} × ${kind}`).join(', ');
  const surpassed = rows.filter(({ why }) => why !== undefined).length;
  context.diagnostic(`${rows.length} rows (${counts}); ${surpassed} differ on purpose, each with its reason`);
  assert.deepEqual([...kinds.keys()].toSorted(), [
    'alias',
    'edge case',
    'key',
    'outcome',
    'reminder',
    'rule',
    'state',
    'tool',
    'transition',
  ]);
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8').replaceAll(/\s+/g, ' ');
  assert.ok(
    readme.includes(`${rows.length} rows, of which ${surpassed} differ on purpose`),
    'the README counts the rows',
  );
});
