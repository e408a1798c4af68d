import assert from 'node:assert/strict';
import { unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PatchRefused } from '../../src/workspace/workspace.ts';
import { step, useGitServer, worldWithTree } from './workspace-fixture.ts';

useGitServer();

type Tree = Awaited<ReturnType<typeof worldWithTree>>;

const write = (tree: Tree, path: string, content: string) => writeFileSync(join(tree.checkout.path, path), content);

/** Why nothing is committed: the look before says the same as the commit. */
async function refusal(tree: Tree): Promise<readonly string[]> {
  const { faults } = await tree.workspaces.inspect(tree.repository, tree.checkout, 'r1');
  const error: unknown = await tree.workspaces
    .commitStep(tree.repository, tree.checkout, step)
    .catch((caught) => caught);
  assert.ok(error instanceof PatchRefused, `expected PatchRefused, got ${String(error)}`);
  assert.deepEqual(faults, error.reasons);
  assert.equal(await tree.workspaces.lastCommit(tree.repository, 'r1'), null);
  return faults;
}

test('no file with conflict markers is committed, whichever half of them is left', async () => {
  const conflict = 'one\n<<<<<<< HEAD\nmine\n=======\nyours\n>>>>>>> main\n';
  for (const text of [conflict, conflict.replace('<<<<<<< HEAD\n', ''), 'a\r\n>>>>>>> main\r\n', '<<<<<<<\n']) {
    const tree = await worldWithTree({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
    write(tree, 'b.txt', 'fine\n');
    write(tree, 'a.txt', text);
    write(tree, 'c.txt', '=======\nA title\n=======\n <<<<<<< indented\n>>>>>>>> eight\n');
    assert.deepEqual(await refusal(tree), ['a.txt: it holds a conflict marker; settle the conflict']);
  }
});

test('markers that the repository holds already may stay where they are', async () => {
  const fixture = '<<<<<<< HEAD\nmine\n=======\nyours\n>>>>>>> main\n';
  const tree = await worldWithTree({ 'fixture.txt': fixture });
  write(tree, 'fixture.txt', `${fixture}one more line\n`);
  assert.ok((await tree.workspaces.commitStep(tree.repository, tree.checkout, step)) !== null);
});

test('no file above the size limit is committed, unless it was as large before', async () => {
  const limits = { maxNewFileBytes: 10 };
  const grown = await worldWithTree({ 'a.txt': 'small\n', 'big.txt': 'x'.repeat(30) }, limits);
  write(grown, 'a.txt', 'y'.repeat(11));
  write(grown, 'new.txt', 'z'.repeat(12));
  write(grown, 'big.txt', 'w'.repeat(31));
  const tell = (path: string, size: number) =>
    `${path}: expected a file of at most 10 bytes, got ${size}; keep it out of the repository`;
  assert.deepEqual(await refusal(grown), [tell('a.txt', 11), tell('big.txt', 31), tell('new.txt', 12)]);
  const shrunk = await worldWithTree({ 'big.txt': 'x'.repeat(30), 'gone.txt': 'x'.repeat(30) }, limits);
  write(shrunk, 'big.txt', 'w'.repeat(30));
  unlinkSync(join(shrunk.checkout.path, 'gone.txt'));
  assert.ok((await shrunk.workspaces.commitStep(shrunk.repository, shrunk.checkout, step)) !== null);
});

test('a patch of more than 100 files is refused, and the plan that leaves with it does not count', async () => {
  const tree = await worldWithTree({ 'plan.md': '# Plan\n' });
  for (let index = 0; index < 100; index += 1) write(tree, `${index}.txt`, 'x\n');
  write(tree, '100.txt', 'x\n');
  assert.deepEqual(await refusal(tree), ['expected at most 100 changed files, got 101; change fewer']);
  unlinkSync(join(tree.checkout.path, '100.txt'));
  const finish = { ...step, remove: ['plan.md'] };
  assert.ok((await tree.workspaces.commitStep(tree.repository, tree.checkout, finish)) !== null);
});

test('a patch of more than 4,096 KiB is refused', async () => {
  const tree = await worldWithTree();
  // Lines that do not compress: a patch counts as it reads.
  for (let index = 0; index < 5; index += 1) write(tree, `${index}.txt`, `${String(index).repeat(1023)}\n`.repeat(900));
  assert.deepEqual(await refusal(tree), [`expected a patch of at most ${4096 * 1024} bytes, got more; change less`]);
});
