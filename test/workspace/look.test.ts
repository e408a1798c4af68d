import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PatchRefused, type TreeInspection } from '../../src/workspace/workspace.ts';
import { step, useGitServer, worldWithTree } from './workspace-fixture.ts';

useGitServer();

type Tree = Awaited<ReturnType<typeof worldWithTree>>;

const placeOf = (tree: Tree, path: string) => join(tree.checkout.path, path);

const look = (tree: Tree) => tree.workspaces.inspect(tree.repository, tree.checkout, 'r1');

test('what is judged is what would be committed, and where it is thrown out nothing is', async () => {
  const tree = await worldWithTree({ 'a.txt': 'a\n', 'plan.md': '# Plan\n' });
  writeFileSync(placeOf(tree, 'a.txt'), 'b\n');
  const seen: TreeInspection[] = [];
  const judge = (found: TreeInspection) => {
    seen.push(found);
    throw new Error('not that');
  };
  const judged = { ...step, remove: ['plan.md'], judge };
  await assert.rejects(tree.workspaces.commitStep(tree.repository, tree.checkout, judged), { message: 'not that' });
  assert.equal(await tree.workspaces.lastCommit(tree.repository, 'r1'), null);
  const changes = [{ path: 'a.txt', change: 'modify' as const, from: null, mode: '100644' }];
  assert.deepEqual(seen, [{ changes, uncommitted: changes, faults: [] }]);
  assert.deepEqual(await look(tree), seen[0]);
});

test('a file that is only touched is no change, and is held to no rule', async () => {
  const tree = await worldWithTree({ 'large.txt': 'x'.repeat(40) }, { maxFileBytes: 20 });
  utimesSync(placeOf(tree, 'large.txt'), new Date(0), new Date(0));
  const same = { changes: [], uncommitted: [], faults: [] };
  assert.deepEqual([await look(tree), await look(tree)], [same, same]);
  assert.equal(await tree.workspaces.commitStep(tree.repository, tree.checkout, step), null);
});

test('every look sees the tree as it is: edits of the same length in the same moment, and edits that are taken back', async () => {
  const tree = await worldWithTree({ 'a.txt': 'a\n' });
  for (const text of ['b\n', 'c\n', 'a\n', 'd\n', 'a\n']) {
    writeFileSync(placeOf(tree, 'a.txt'), text);
    const paths = text === 'a\n' ? [] : ['a.txt'];
    assert.deepEqual(
      (await look(tree)).changes.map(({ path }) => path),
      paths,
      text,
    );
    await tree.workspaces.snapshot(tree.repository, tree.checkout, 'r1');
    const again = await tree.restart().inspect(tree.repository, tree.checkout, 'r1');
    assert.deepEqual(
      again.changes.map(({ path }) => path),
      paths,
      text,
    );
  }
});

test('a folder that becomes a link to the same files elsewhere is gone, whatever they hold', async () => {
  const tree = await worldWithTree({ 'src/a.txt': 'a\n', 'b.txt': 'b\n' });
  assert.deepEqual((await look(tree)).changes, []);
  const elsewhere = join(tree.root, 'elsewhere');
  renameSync(placeOf(tree, 'src'), elsewhere);
  symlinkSync(elsewhere, placeOf(tree, 'src'));
  const { changes, faults } = await look(tree);
  assert.deepEqual(
    changes.map(({ path, change }) => [path, change]),
    [
      ['src', 'create'],
      ['src/a.txt', 'delete'],
    ],
  );
  assert.deepEqual(faults, ['src: it is a new or changed symbolic link; use a file']);
});

test('a move hides nothing: its new place is held to every rule, in the order of the paths', async () => {
  const long = 'a line of the file\n'.repeat(20);
  const tree = await worldWithTree({ 'a.txt': `${long}a\n`, 'm/b.txt': `${long}b\n`, 'z.txt': 'z\n' }, { maxFiles: 4 });
  mkdirSync(placeOf(tree, 'new'));
  renameSync(placeOf(tree, 'a.txt'), placeOf(tree, 'new/a.txt'));
  renameSync(placeOf(tree, 'm/b.txt'), placeOf(tree, 'm/c.txt'));
  writeFileSync(placeOf(tree, 'm/c.txt'), `${long}b\n>>>>>>> theirs\n`);
  const found = await look(tree);
  assert.deepEqual(
    found.changes.map(({ path, change, from }) => [path, change, from]),
    [
      ['m/c.txt', 'move', 'm/b.txt'],
      ['new/a.txt', 'move', 'a.txt'],
    ],
  );
  assert.deepEqual(found.faults, ['m/c.txt: it holds a conflict marker; settle the conflict']);
  rmSync(placeOf(tree, 'z.txt'));
  const error: unknown = await tree.workspaces
    .commitStep(tree.repository, tree.checkout, step)
    .catch((caught) => caught);
  assert.ok(error instanceof PatchRefused);
  assert.deepEqual(error.reasons, ['expected at most 4 changed files, got 5; change fewer']);
});
