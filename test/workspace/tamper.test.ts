/** What an agent that owns its tree could plant there against the host's git. Each payload leaves a file named after its vector. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PatchRefused } from '../../src/workspace/workspace.ts';
import { git } from './git-server.ts';
import { step, useGitServer, worldWithTree } from './workspace-fixture.ts';

useGitServer();

type Tree = Awaited<ReturnType<typeof worldWithTree>>;

const hookNames = [
  ...[
    'pre-commit',
    'commit-msg',
    'prepare-commit-msg',
    'post-commit',
    'pre-push',
    'post-checkout',
    'post-index-change',
  ],
  ...['reference-transaction', 'pre-merge-commit', 'post-merge', 'pre-auto-gc', 'update', 'push-to-checkout'],
];

interface Trap {
  readonly payload: (vector: string) => string;
  readonly sprung: () => readonly string[];
}

function setTrap(tree: Tree): Trap {
  const markers = join(tree.root, 'markers');
  const scripts = join(tree.root, 'scripts');
  mkdirSync(markers);
  mkdirSync(scripts);
  return {
    payload: (vector) => {
      const script = join(scripts, vector);
      writeFileSync(
        script,
        `#!/bin/sh\n: > "${markers}/${vector}"\ncase "${vector}" in filter.*) cat;; esac\nexit 0\n`,
      );
      chmodSync(script, 0o755);
      return script;
    },
    sprung: () => readdirSync(markers).sort(),
  };
}

/** Every vector that a repository's own configuration, hooks and attributes offer. */
function plantConfig(gitDir: string, { payload }: Trap): void {
  const set = (key: string, vector = key): void => {
    git('/', ['config', '--file', join(gitDir, 'config'), '--add', key, payload(vector)]);
  };
  for (const key of ['core.fsmonitor', 'core.sshCommand', 'core.editor', 'core.askPass', 'core.pager', 'core.gitProxy'])
    set(key);
  for (const key of ['core.alternateRefsCommand', 'diff.external', 'diff.evil.command', 'diff.evil.textconv']) set(key);
  for (const key of ['filter.evil.clean', 'filter.evil.smudge', 'merge.evil.driver', 'gpg.program', 'sequence.editor'])
    set(key);
  for (const key of ['credential.helper', 'trailer.evil.command', 'trailer.evil.cmd', 'hook.evil.command']) set(key);
  for (const key of ['uploadpack.packObjectsHook', 'remote.origin.receivepack', 'remote.origin.uploadpack']) set(key);
  const filter = join(gitDir, 'config');
  git('/', ['config', '--file', filter, 'submodule.x.update', `!${payload('submodule.update')}`]);
  git('/', ['config', '--file', filter, 'commit.gpgsign', 'true']);
  git('/', ['config', '--file', filter, 'hook.evil.event', 'pre-commit']);
  git('/', ['config', '--file', filter, 'protocol.ext.allow', 'always']);
  git('/', ['config', '--file', filter, 'remote.origin.pushurl', `ext::${payload('pushurl')}`]);
  git('/', ['config', '--file', filter, `url.ext::${payload('insteadOf')} .insteadOf`, 'http://']);
  git('/', ['config', '--file', filter, 'core.attributesFile', join(gitDir, 'planted-attributes')]);
  git('/', ['config', '--file', filter, 'include.path', join(gitDir, 'included')]);
  writeFileSync(join(gitDir, 'included'), `[filter "included"]\n\tclean = "${payload('filter.included')}"\n`);
  for (const name of ['planted-attributes', 'info/attributes']) {
    mkdirSync(join(gitDir, 'info'), { recursive: true });
    writeFileSync(join(gitDir, name), '* filter=evil diff=evil merge=evil\n*.inc filter=included\n');
  }
  mkdirSync(join(gitDir, 'hooks'), { recursive: true });
  for (const name of hookNames) {
    writeFileSync(join(gitDir, 'hooks', name), `#!/bin/sh\n${payload(`hook-${name}`)}\n`);
    chmodSync(join(gitDir, 'hooks', name), 0o755);
  }
}

function plantInTree(tree: Tree, trap: Trap): void {
  const { path } = tree.checkout;
  git(path, ['init', '--quiet']);
  plantConfig(join(path, '.git'), trap);
  writeFileSync(join(path, 'a.txt'), 'changed\n');
  writeFileSync(join(path, 'b.inc'), 'new\n');
  writeFileSync(
    join(path, '.gitattributes'),
    '* filter=evil diff=evil merge=evil text eol=crlf ident\n*.inc filter=included\n',
  );
}

/** All that the host does with a tree. */
async function workOn(tree: Tree): Promise<string> {
  const { workspaces, repository, checkout, base, token } = tree;
  await workspaces.snapshot(repository, checkout, 'r1');
  const commit = await workspaces.commitStep(repository, checkout, { ...step, remove: ['plan.md'] });
  assert.ok(commit !== null);
  await workspaces.changes(repository, base, commit);
  await workspaces.push(repository, { branch: 'planwright/issue-1', commit, expected: null }, token);
  await workspaces.sweep(new Set(['r1']));
  return commit;
}

const files = { 'a.txt': 'a\n', 'plan.md': '# Plan\n' };

test('nothing that is planted in a tree runs when the host records, commits and pushes it', async () => {
  const tree = await worldWithTree(files);
  const trap = setTrap(tree);
  plantInTree(tree, trap);
  const commit = await workOn(tree);
  await tree.workspaces.remove('r1');
  await tree.workspaces.writableCheckout(tree.repository, tree.base, 'r1');
  assert.deepEqual(trap.sprung(), []);
  assert.deepEqual(await tree.workspaces.changes(tree.repository, tree.base, commit), [
    { path: '.gitattributes', change: 'create', from: null, mode: '100644' },
    { path: 'a.txt', change: 'modify', from: null, mode: '100644' },
    { path: 'b.inc', change: 'create', from: null, mode: '100644' },
    { path: 'plan.md', change: 'delete', from: null, mode: '000000' },
  ]);
  assert.equal(await tree.workspaces.readFile(tree.repository, commit, 'a.txt'), 'changed\n');
});

test('the same traps spring on a git that trusts the tree', async () => {
  const tree = await worldWithTree(files);
  const trap = setTrap(tree);
  plantInTree(tree, trap);
  const env = { PATH: process.env.PATH, HOME: tree.root, GIT_AUTHOR_NAME: 'x', GIT_AUTHOR_EMAIL: 'x@y', EMAIL: 'x@y' };
  const calls = [
    ['status'],
    ['add', '-A'],
    ['diff', '--cached'],
    ['commit', '-m', 'x'],
    ['commit', '--no-gpg-sign', '-m', 'x'],

    ['push', 'origin', 'HEAD:x'],
    ['fetch', 'http://127.0.0.1:1/x'],
  ];
  for (const args of calls) spawnSync('git', args, { cwd: tree.checkout.path, env, timeout: 5000 });
  const sprung = trap.sprung();
  const expected = [
    ...['core.fsmonitor', 'diff.evil.command', 'filter.evil.clean', 'filter.included', 'gpg.program'],
    ...['hook-pre-commit', 'hook-post-commit', 'insteadOf', 'pushurl'],
  ];
  assert.deepEqual(
    expected.filter((vector) => !sprung.includes(vector)),
    [],
    `sprung: ${sprung.join(', ')}`,
  );
});

test('a .git that is a file or a link to a hostile repository, or points elsewhere, is not read', async () => {
  for (const kind of ['file', 'link', 'worktree'] as const) {
    const tree = await worldWithTree(files);
    const trap = setTrap(tree);
    const hostile = join(tree.root, 'scratch-hostile');
    git(tree.root, ['init', '--quiet', '--bare', hostile]);
    plantConfig(hostile, trap);
    const place = join(tree.checkout.path, '.git');
    if (kind === 'file') writeFileSync(place, `gitdir: ${hostile}\n`);
    if (kind === 'link') symlinkSync(hostile, place);
    if (kind === 'worktree') {
      git(tree.checkout.path, ['init', '--quiet']);
      appendFileSync(join(place, 'config'), '[core]\n\tworktree = /etc\n');
    }
    writeFileSync(join(tree.checkout.path, 'a.txt'), 'changed\n');
    const commit = await workOn(tree);
    assert.deepEqual(trap.sprung(), [], kind);
    assert.equal(await tree.workspaces.readFile(tree.repository, commit, 'a.txt'), 'changed\n', kind);
  }
});

test('nested and bare repositories with traps are refused and run nothing', async () => {
  const tree = await worldWithTree(files);
  const trap = setTrap(tree);
  for (const options of [['nested'], ['--bare', 'bare']]) git(tree.checkout.path, ['init', '--quiet', ...options]);
  plantConfig(join(tree.checkout.path, 'nested', '.git'), trap);
  plantConfig(join(tree.checkout.path, 'bare'), trap);
  const error: unknown = await tree.workspaces
    .commitStep(tree.repository, tree.checkout, step)
    .catch((caught: unknown) => caught);
  assert.ok(error instanceof PatchRefused);
  assert.deepEqual([...error.reasons].sort(), [
    'bare: it is a repository of its own; remove its git directory',
    'nested: it is a repository of its own; remove its git directory',
  ]);
  await tree.workspaces.snapshot(tree.repository, tree.checkout, 'r1');
  assert.deepEqual(trap.sprung(), []);
});

test('a git directory in the place of a submodule is refused and runs nothing', async () => {
  const commit = '1'.repeat(40);
  const tree = await worldWithTree({ ...files, sub: ['160000', commit] });
  const trap = setTrap(tree);
  const place = join(tree.checkout.path, 'sub');
  git(place, ['init', '--quiet']);
  writeFileSync(join(place, '.gitattributes'), '* filter=evil diff=evil\n');
  writeFileSync(join(place, 'f.txt'), 'a\n');
  git(place, ['add', '.']);
  plantConfig(join(place, '.git'), trap);
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
