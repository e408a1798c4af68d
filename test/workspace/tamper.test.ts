/** What an agent that owns its tree could plant there against the host's git. Each payload leaves a marker named after its kind. */
import assert from 'node:assert/strict';
import { cpSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commitFiles, git } from './git-server.ts';
import { setTrap, tamperings, trustingGit } from './tampering.ts';
import { step, useGitServer, world, worldWithTree } from './workspace-fixture.ts';

useGitServer();

type Tree = Awaited<ReturnType<typeof worldWithTree>>;

/** All that the host does with a tree; what may not be committed is taken out by `mend` after it was refused. */
async function workOn(tree: Tree, mend?: () => void): Promise<string> {
  const { workspaces, repository, checkout, base, token } = tree;
  await workspaces.snapshot(repository, checkout, 'r1');
  if (mend !== undefined) {
    await assert.rejects(workspaces.commitStep(repository, checkout, step), { name: 'PatchRefused' });
    mend();
  }
  const commit = await workspaces.commitStep(repository, checkout, { ...step, remove: ['plan.md'] });
  assert.ok(commit !== null);
  await workspaces.changes(repository, base, commit);
  await workspaces.push(repository, { branch: 'planwright/issue-1', commit, expected: null }, token);
  await workspaces.sweep(new Set(['r1']));
  await workspaces.remove('r1');
  await workspaces.writableCheckout(repository, base, 'r1');
  return commit;
}

const files = { 'a.txt': 'a\n', 'plan.md': '# Plan\n' };

test('S50, S51, S52, case 102: no kind of git tampering reaches the host when it keeps, commits and pushes a tree', async () => {
  const sprung: string[] = [];
  const planted: string[] = [];
  for (const [kind, kinds] of Map.groupBy(tamperings, ({ tree }) => tree)) {
    const tree = await worldWithTree(files);
    const trap = setTrap(tree.root, tree.forge);
    const { path } = tree.checkout;
    for (const one of kinds) trap.plant(path, one);
    planted.push(...kinds.map((one) => one.kind));
    if (kind === 'git file') {
      renameSync(join(path, '.git'), join(tree.root, 'hostile'));
      writeFileSync(join(path, '.git'), `gitdir: ${tree.root}/hostile\n`);
    }
    writeFileSync(join(path, 'a.txt'), 'changed\n');
    const mend = () => {
      for (const folder of ['nested', 'bare']) rmSync(join(path, folder), { recursive: true });
    };
    const commit = await workOn(tree, kind === 'within' ? mend : undefined);
    sprung.push(...trap.sprung());
    assert.equal(await tree.workspaces.readFile(tree.repository, commit, 'a.txt'), 'changed\n', kind);
    assert.equal(await tree.workspaces.readFile(tree.repository, commit, 'plan.md'), null, kind);
  }
  assert.deepEqual([planted.length, new Set(planted).size, sprung], [29, 29, []]);
  console.log(`${planted.length} kinds of git tampering: ${sprung.length} reached the host`);
});

/** What only some versions of git do: a transport that is off by default, and hooks by configuration (2.54). */
const versionsDiffer = ['ext:: remote', 'hook by configuration'];

test('S51: the same kinds reach whoever calls git in a tree that it trusts', () => {
  const { root, forge } = world(files);
  const trap = setTrap(root, forge);
  const template = join(root, 'template');
  git(root, ['init', '--quiet', '--initial-branch', 'main', template]);
  const places = join(template, '.git');
  const base = {
    'a.txt': 'a\n',
    '.gitmodules': '[submodule "sub"]\n\tpath = sub\n\turl = ./x\n',
    sub: ['160000', '1'.repeat(40)],
  } as const;
  const first = commitFiles(places, base);
  git(template, ['update-ref', 'refs/heads/side', first]);
  commitFiles(places, { 'a.txt': 'side\n' }, 'side');
  commitFiles(places, { 'a.txt': 'main\n' });
  git(template, ['reset', '--quiet', '--hard']);
  cpSync(places, join(template, 'sub', '.git'), { recursive: true });
  for (const one of tamperings) {
    const tree = join(root, 'trusting', one.kind.replaceAll(/\W/g, '-'));
    cpSync(template, tree, { recursive: true });
    if (one.folder.startsWith('nested')) cpSync(places, join(tree, one.folder), { recursive: true });
    trap.plant(tree, one);
    writeFileSync(join(tree, 'a.txt'), 'changed\n');
    for (const call of trap.calls(tree, one)) trustingGit(tree, call);
  }
  const sprung = trap.sprung();
  const expected = tamperings.map(({ kind }) => kind).filter((kind) => !versionsDiffer.includes(kind));
  assert.deepEqual(
    expected.filter((kind) => !sprung.includes(kind)),
    [],
  );
  console.log(`${tamperings.length} kinds of git tampering: ${sprung.length} spring on a git that trusts the tree`);
});

test('S50: a .git that is a link to a hostile repository is not read', async () => {
  const tree = await worldWithTree(files);
  const trap = setTrap(tree.root, tree.forge);
  const hostile = join(tree.root, 'hostile');
  for (const one of tamperings.filter((each) => each.tree === 'plain')) trap.plant(hostile, one);
  symlinkSync(join(hostile, '.git'), join(tree.checkout.path, '.git'));
  writeFileSync(join(tree.checkout.path, 'a.txt'), 'changed\n');
  await workOn(tree);
  assert.deepEqual(trap.sprung(), []);
});

test('a git directory in the place of a submodule is refused and runs nothing', async () => {
  const commit = '1'.repeat(40);
  const tree = await worldWithTree({ ...files, sub: ['160000', commit] });
  const trap = setTrap(tree.root, tree.forge);
  const place = join(tree.checkout.path, 'sub');
  git(place, ['init', '--quiet']);
  writeFileSync(join(place, 'f.txt'), 'a\n');
  git(place, ['add', '.']);
  for (const one of tamperings.filter((each) => each.tree === 'plain')) trap.plant(place, one);
  writeFileSync(join(place, '.git', 'HEAD'), `${commit}\n`);
  writeFileSync(join(place, 'f.txt'), 'b\n');
  await tree.workspaces.snapshot(tree.repository, tree.checkout, 'r1');
  await assert.rejects(tree.workspaces.commitStep(tree.repository, tree.checkout, step), {
    name: 'PatchRefused',
    reasons: ['sub: it is a repository of its own; remove its git directory'],
  });
  assert.deepEqual(trap.sprung(), []);
});

test('a submodule stays as it is, or goes with its folder', async () => {
  const tree = await worldWithTree({ ...files, sub: ['160000', '1'.repeat(40)] });
  const place = join(tree.checkout.path, 'sub');
  const commit = () => tree.workspaces.commitStep(tree.repository, tree.checkout, step);
  writeFileSync(join(place, 'x'), 'x\n');
  await assert.rejects(commit(), { reasons: ['sub/x: it lies in a submodule; leave that empty'] });
  rmSync(place, { recursive: true });
  writeFileSync(place, 'x\n');
  await assert.rejects(commit(), { reasons: ['sub: it stands where a submodule was; leave that'] });
  rmSync(place);
  const made = await commit();
  assert.deepEqual(await tree.workspaces.changes(tree.repository, tree.base, made ?? ''), [
    { path: 'sub', change: 'delete', from: null, mode: '000000' },
  ]);
});

test('a hostile repository on the forge runs nothing when it is fetched and written out', async () => {
  const tree = await worldWithTree({
    '.gitattributes': '* filter=evil diff=evil merge=evil\n',
    '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = ext::touch x\n\tupdate = checkout\n',
    '.gitconfig': '[core]\n\tfsmonitor = /bin/false\n',
    'hooks/post-checkout': ['100755', '#!/bin/sh\nexit 1\n'],
    HEAD: 'ref: refs/heads/main\n',
    config: '[core]\n\tbare = true\n\tworktree = .\n\tfsmonitor = touch marker\n',
    'objects/x': 'x\n',
    'refs/x': 'x\n',
    'a.txt': 'a\n',
  });
  writeFileSync(join(tree.checkout.path, 'a.txt'), 'changed\n');
  const commit = await tree.workspaces.commitStep(tree.repository, tree.checkout, step);
  assert.deepEqual(await tree.workspaces.changes(tree.repository, tree.base, commit ?? ''), [
    { path: 'a.txt', change: 'modify', from: null, mode: '100644' },
  ]);
});
