import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { WorkspaceError } from '../../src/workspace/workspace.ts';
import { commitFiles, git } from './git-server.ts';
import { emptyWorld, step, useGitServer, world, worldWithTree } from './workspace-fixture.ts';

useGitServer();

test('S55: a read-only checkout holds the files without a write bit, links as small text files, and no git directory', async () => {
  const { workspaces, repository, base, token } = world({
    'src/a.ts': 'a\n',
    'run.sh': ['100755', '#!/bin/sh\n'],
    link: ['120000', '/etc/passwd'],
  });
  await workspaces.fetch(repository, [base], token);
  const checkout = await workspaces.readOnlyCheckout(repository, base, 'r1');
  const mode = (path: string): string => (lstatSync(join(checkout.path, path)).mode & 0o7777).toString(8);
  assert.equal(checkout.commit, base);
  assert.deepEqual(readdirSync(checkout.path).sort(), ['link', 'run.sh', 'src']);
  assert.deepEqual(['.', 'src', 'src/a.ts', 'run.sh', 'link'].map(mode), ['555', '555', '444', '444', '444']);
  assert.equal(readFileSync(join(checkout.path, 'link'), 'utf8'), '/etc/passwd');
});

test('a writable checkout keeps executable bits and links', async () => {
  const { checkout } = await worldWithTree({ 'run.sh': ['100755', '#!/bin/sh\n'], link: ['120000', 'run.sh'] });
  assert.equal(lstatSync(join(checkout.path, 'run.sh')).mode & 0o111, 0o111);
  assert.equal(readlinkSync(join(checkout.path, 'link')), 'run.sh');
  assert.ok(!existsSync(join(checkout.path, '.git')));
});

test('case 95: the pointer to an LFS object is what is checked out, asked for nowhere, and committed as it is', async () => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'4'.repeat(64)}\nsize 12345\n`;
  const tree = await worldWithTree({
    '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
    '.lfsconfig': '[lfs]\n\turl = https://127.0.0.1:1/\n',
    'model.bin': pointer,
    'a.txt': 'a\n',
  });
  assert.equal(readFileSync(join(tree.checkout.path, 'model.bin'), 'utf8'), pointer);
  writeFileSync(join(tree.checkout.path, 'a.txt'), 'b\n');
  const commit = await tree.workspaces.commitStep(tree.repository, tree.checkout, step);
  assert.deepEqual(await tree.workspaces.changes(tree.repository, tree.base, commit ?? ''), [
    { path: 'a.txt', change: 'modify', from: null, mode: '100644' },
  ]);
  assert.deepEqual(
    tree.server.requests.filter((request) => /lfs/.test(request)),
    [],
  );
});

test('S47: each run has a tree and temporary files of its own, and nothing of another run, before or beside it', async () => {
  const { workspaces, repository, base, checkout } = await worldWithTree({ 'a.txt': 'a\n' });
  writeFileSync(join(checkout.path, 'a.txt'), 'poisoned\n');
  mkdirSync(join(checkout.path, 'node_modules'));
  writeFileSync(join(await workspaces.scratch('r1'), 'cache'), 'poisoned\n');
  const beside = await workspaces.writableCheckout(repository, base, 'r2');
  assert.deepEqual(readdirSync(beside.path), ['a.txt']);
  assert.equal(readFileSync(join(beside.path, 'a.txt'), 'utf8'), 'a\n');
  assert.deepEqual(readdirSync(await workspaces.scratch('r2')), []);
  await workspaces.remove('r1');
  const later = await workspaces.writableCheckout(repository, base, 'r3');
  assert.deepEqual(readdirSync(later.path), ['a.txt']);
  assert.deepEqual(readdirSync(await workspaces.scratch('r3')), []);
});

test('attributes of the repository change no byte on the way out', async () => {
  const { workspaces, repository, base, token } = world({
    '.gitattributes': '* text eol=crlf ident working-tree-encoding=UTF-16 filter=lfs\n[attr]raw -text\n',
    'a.txt': 'one\r\ntwo $Id$\nthree',
  });
  await workspaces.fetch(repository, [base], token);
  const checkout = await workspaces.readOnlyCheckout(repository, base, 'r1');
  assert.equal(readFileSync(join(checkout.path, 'a.txt'), 'utf8'), 'one\r\ntwo $Id$\nthree');
});

test('case 94: a submodule that cannot be reached, by https or ssh, is an empty folder and asks nobody', async () => {
  const { server, workspaces, repository, base, token } = world({
    '.gitmodules':
      '[submodule "x"]\n\tpath = x\n\turl = https://127.0.0.1:1/x.git\n[submodule "y"]\n\tpath = y\n\turl = git@127.0.0.1:y.git\n',
    x: ['160000', '1'.repeat(40)],
    y: ['160000', '2'.repeat(40)],
    'a.txt': 'a\n',
  });
  await workspaces.fetch(repository, [base], token);
  const asked = server.requests.length;
  const checkout = await workspaces.readOnlyCheckout(repository, base, 'r1');
  for (const folder of ['x', 'y']) assert.deepEqual(readdirSync(join(checkout.path, folder)), []);
  assert.equal(server.requests.length, asked);
});

test('a checkout made again replaces a read-only one that was changed', async () => {
  const { workspaces, repository, base, token } = world({ 'src/a.ts': 'a\n' });
  await workspaces.fetch(repository, [base], token);
  await workspaces.readOnlyCheckout(repository, base, 'r1');
  const checkout = await workspaces.writableCheckout(repository, base, 'r1');
  assert.equal(lstatSync(join(checkout.path, 'src')).mode & 0o200, 0o200);
});

test('names that are not UTF-8 are written out as they are', async () => {
  const there = emptyWorld();
  const blob = git(there.forge, ['hash-object', '-w', '--stdin'], 'x\n');
  const entry = Buffer.concat([Buffer.from(`100644 blob ${blob}\tcaf`), Buffer.from([0xe9]), Buffer.from('\0')]);
  const tree = git(there.forge, ['mktree', '-z'], entry);
  const base = git(there.forge, ['commit-tree', tree, '-m', 'latin1']);
  git(there.forge, ['update-ref', 'refs/heads/main', base]);
  await there.workspaces.fetch(there.repository, [base], there.token);
  const sealed = await there.workspaces.readOnlyCheckout(there.repository, base, 'r1');
  assert.deepEqual(readdirSync(Buffer.from(sealed.path), { encoding: 'buffer' }), [
    Buffer.from([0x63, 0x61, 0x66, 0xe9]),
  ]);
  await there.workspaces.remove('r1');
  const checkout = await there.workspaces.writableCheckout(there.repository, base, 'r1');
  assert.equal(await there.workspaces.commitStep(there.repository, checkout, step), null);
});

test('S45: a few trees that stand for billions of files, or for gigabytes, are neither written out nor planned on', async () => {
  const there = emptyWorld();
  const zeros = git(there.forge, ['hash-object', '-w', '--stdin'], '\0'.repeat(1024 * 1024));
  const grown = (kind: string, times: number): string => {
    let [id, entry] = [zeros, '100644 blob'];
    for (let depth = 0; depth < times; depth += 1) {
      const names = Array.from({ length: 10 }, (_, index) => `${entry} ${id}\t${kind}${index}\0`);
      [id, entry] = [git(there.forge, ['mktree', '-z'], names.join('')), '040000 tree'];
    }
    const commit = git(there.forge, ['commit-tree', id, '-m', kind]);
    git(there.forge, ['update-ref', `refs/heads/${kind}`, commit]);
    return commit;
  };
  for (const [kind, depth] of [
    ['many', 9],
    ['large', 4],
  ] as const) {
    const base = grown(kind, depth);
    await there.workspaces.fetch(there.repository, [base], there.token);
    const refused = {
      name: 'WorkspaceError',
      message: `expected a commit of at most 500000 files and 4 GiB, got more in ${base}; no run can work on it`,
    };
    const plan = { parent: base, path: 'plan.md', text: 'Plan\n', message: () => 'Plan' };
    await assert.rejects(there.workspaces.readOnlyCheckout(there.repository, base, 'r1'), refused);
    await assert.rejects(there.workspaces.commitPlan(there.repository, plan), refused);
    await assert.rejects(there.workspaces.filesNamed(there.repository, base, ['AGENTS.md']), refused);
  }
});

test('folders that lie deeper than a path can say are left out of a commit, and removed with their run', async () => {
  const { workspaces, repository, checkout, root, leftOut } = await worldWithTree();
  const names = 'a'.repeat(200);
  const dig = `for depth in $(seq 30); do mkdir -p ${names}/sealed && cd ${names} && touch file && chmod 0 sealed; done`;
  execFileSync('bash', ['-c', dig], { cwd: checkout.path });
  execFileSync('bash', ['-c', dig], { cwd: await workspaces.scratch('r1') });
  writeFileSync(join(checkout.path, 'README.md'), 'b\n');
  const commit = await workspaces.commitStep(repository, checkout, { ...step, judge: () => undefined });
  assert.ok(commit !== null);
  assert.deepEqual(leftOut.length, 1);
  await workspaces.writableCheckout(repository, checkout.commit, 'r1');
  await workspaces.sweep(new Set());
  assert.deepEqual(readdirSync(join(root, 'runs')), []);
});

test('a commit that was not fetched cannot be checked out', async () => {
  const { workspaces, repository } = world();
  await assert.rejects(workspaces.readOnlyCheckout(repository, 'a'.repeat(40), 'r1'), {
    name: 'WorkspaceError',
    message: `expected commit ${'a'.repeat(40)} in the mirror, got none; fetch it first`,
  });
});

test('revisions and run ids that are no plain names are refused before git sees them', async () => {
  const { workspaces, repository, token } = world();
  for (const commit of ['HEAD', '--help', 'main', '--upload-pack=touch /tmp/x', 'A'.repeat(40), '']) {
    await assert.rejects(workspaces.fetch(repository, [commit], token), WorkspaceError);
    await assert.rejects(workspaces.readOnlyCheckout(repository, commit, 'r1'), WorkspaceError);
  }
  for (const run of ['..', '../x', '', '-r', 'a/b', 'a.lock', 'a..b', 'x\n']) {
    await assert.rejects(workspaces.scratch(run), WorkspaceError);
    await assert.rejects(workspaces.remove(run), WorkspaceError);
  }
});

test('remove takes read-only trees and temporary files away', async () => {
  const { workspaces, repository, base, token, root } = world({ 'src/a.ts': 'a\n' });
  await workspaces.fetch(repository, [base], token);
  await workspaces.readOnlyCheckout(repository, base, 'r1');
  await workspaces.scratch('r1');
  await workspaces.remove('r1');
  assert.deepEqual(readdirSync(join(root, 'runs')), []);
  assert.deepEqual(readdirSync(join(root, 'indexes')), []);
  await workspaces.remove('r1');
});

test('remove does not follow links out of the tree', async () => {
  const { workspaces, checkout, root } = await worldWithTree();
  const outside = join(root, 'outside');
  mkdirSync(outside, { mode: 0o755 });
  writeFileSync(join(outside, 'a.txt'), 'x\n');
  symlinkSync(outside, join(checkout.path, 'link'));
  await workspaces.remove('r1');
  assert.deepEqual(readdirSync(outside), ['a.txt']);
  assert.equal(lstatSync(outside).mode & 0o777, 0o755);
  symlinkSync(outside, join(root, 'runs', 'r2'));
  await workspaces.remove('r2');
  assert.deepEqual(readdirSync(outside), ['a.txt']);
});

test('a disk that fails is told as such', async () => {
  const { workspaces, repository, base, token, root } = world();
  writeFileSync(join(root, 'mirrors'), 'in the way');
  await assert.rejects(workspaces.fetch(repository, [base], token), {
    name: 'WorkspaceError',
    message: /^the disk of the workspaces failed: EEXIST.*; look at its space and permissions$/,
  });
  unlinkSync(join(root, 'mirrors'));
  await workspaces.fetch(repository, [base], token);
});

test('sweep removes the trees and commits of every run but those to keep', async () => {
  const { workspaces, repository, base, token, root } = world();
  await workspaces.fetch(repository, [base], token);
  for (const run of ['kept', 'gone']) {
    const checkout = await workspaces.writableCheckout(repository, base, run);
    await workspaces.commitStep(repository, checkout, { run, message: () => 'feat: x', remove: ['README.md'] });
  }
  await workspaces.sweep(new Set(['kept']));
  assert.deepEqual(readdirSync(join(root, 'runs')), ['kept']);
  assert.equal(await workspaces.lastCommit(repository, 'gone'), null);
  assert.match((await workspaces.lastCommit(repository, 'kept')) ?? '', /^[0-9a-f]{40}$/);
});

test('a file is read as text at a commit, and is null where it is none', async () => {
  const { workspaces, repository, base, token } = world({
    'plan.md': '\u{FEFF}# Plan\r\nno end',
    'src/a.ts': 'a\n',
    'image.png': Buffer.from([0x89, 0x50, 0, 1]),
    'latin1.txt': Buffer.from([0x63, 0xe9]),
    link: ['120000', 'plan.md'],
  });
  await workspaces.fetch(repository, [base], token);
  const read = (path: string): Promise<string | null> => workspaces.readFile(repository, base, path);
  assert.equal(await read('plan.md'), '\u{FEFF}# Plan\r\nno end');
  for (const path of ['none', 'src', 'src/', 'image.png', 'latin1.txt', 'link', '../x', '--help', ':(glob)*', '']) {
    assert.equal(await read(path), null, path);
  }
});

test('changes tell creations, edits, deletions, moves and modes', async () => {
  const { workspaces, repository, forge, base, token } = world({
    'edit.txt': 'a\n',
    'old.txt': 'the same text over\nseveral lines\nand more\n',
    'gone.txt': 'x\n',
    'run.sh': '#!/bin/sh\necho\n',
  });
  const next = commitFiles(forge, {
    'edit.txt': 'b\n',
    'old.txt': null,
    'dir/new name.txt': 'the same text over\nseveral lines\nand more\n',
    'gone.txt': null,
    'run.sh': ['100755', '#!/bin/sh\necho\n'],
    'été.txt': 'new\n',
  });
  await workspaces.fetch(repository, [base, next], token);
  const changes = await workspaces.changes(repository, base, next);
  assert.deepEqual(
    [...changes].sort((a, b) => (a.path < b.path ? -1 : 1)),
    [
      { path: 'dir/new name.txt', change: 'move', from: 'old.txt', mode: '100644' },
      { path: 'edit.txt', change: 'modify', from: null, mode: '100644' },
      { path: 'gone.txt', change: 'delete', from: null, mode: '000000' },
      { path: 'run.sh', change: 'modify', from: null, mode: '100755' },
      { path: 'été.txt', change: 'create', from: null, mode: '100644' },
    ],
  );
});
