import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PatchRefused } from '../../src/workspace/workspace.ts';
import { git } from './git-server.ts';
import { step, useGitServer, world, worldWithTree } from './workspace-fixture.ts';

useGitServer();

type Tree = Awaited<ReturnType<typeof worldWithTree>>;

function write(tree: Tree, path: string, content: string | Buffer): void {
  mkdirSync(join(tree.checkout.path, path, '..'), { recursive: true });
  writeFileSync(join(tree.checkout.path, path), content);
}

function commitStep(tree: Tree, more: { readonly remove?: readonly string[] } = {}): Promise<string | null> {
  return tree.workspaces.commitStep(tree.repository, tree.checkout, { ...step, ...more });
}

async function committed(tree: Tree): Promise<string> {
  const commit = await commitStep(tree);
  assert.ok(commit !== null, 'expected a commit');
  return commit;
}

function inMirror(tree: Tree, args: readonly string[]): string {
  return git(tree.root, ['--git-dir', join(tree.root, 'mirrors', `${tree.repository.id}.git`), ...args]);
}

async function refusal(tree: Tree): Promise<readonly string[]> {
  const error: unknown = await commitStep(tree).catch((caught: unknown) => caught);
  assert.ok(error instanceof PatchRefused, `expected PatchRefused, got ${String(error)}`);
  assert.equal(await tree.workspaces.lastCommit(tree.repository, 'r1'), null);
  return error.reasons;
}

test('S79, case 160: a commit whose message holds a secret is not made, and what refuses it does not repeat it', async () => {
  const tree = await worldWithTree();
  write(tree, 'a.txt', 'b\n');
  const token = `ghp_${'aB3dE5fG7hJ9'.repeat(3)}`;
  for (const said of [token, token.split('').reverse().join(''), Buffer.from(token).toString('base64')]) {
    const message = () => `Use ${said}\n\nPlanwright-Run: r1\n`;
    const made = tree.workspaces.commitStep(tree.repository, tree.checkout, { ...step, message });
    await assert.rejects(
      made,
      new PatchRefused(['the message of a commit holds what looks like a GitHub token; say it in other words']),
    );
  }
  assert.equal(await tree.workspaces.lastCommit(tree.repository, 'r1'), null);
});

test('a step commits edits, creations, deletions and modes, and nothing when nothing changed', async () => {
  const tree = await worldWithTree({ 'a.txt': 'a\n', 'gone.txt': 'x\n', 'run.sh': '#!/bin/sh\n' });
  assert.equal(await commitStep(tree), null);
  write(tree, 'a.txt', 'b\n');
  write(tree, 'new/dir/b.txt', 'b\n');
  unlinkSync(join(tree.checkout.path, 'gone.txt'));
  chmodSync(join(tree.checkout.path, 'run.sh'), 0o755);
  const commit = await committed(tree);
  assert.deepEqual(await tree.workspaces.changes(tree.repository, tree.base, commit), [
    { path: 'a.txt', change: 'modify', from: null, mode: '100644' },
    { path: 'gone.txt', change: 'delete', from: null, mode: '000000' },
    { path: 'new/dir/b.txt', change: 'create', from: null, mode: '100644' },
    { path: 'run.sh', change: 'modify', from: null, mode: '100755' },
  ]);
  assert.equal(await commitStep(tree), null);
  assert.equal(await tree.workspaces.lastCommit(tree.repository, 'r1'), commit);
});

test('each step stands on the one before, with the app as author and the message as given', async () => {
  const tree = await worldWithTree();
  write(tree, 'a.txt', '1\n');
  const first = await committed(tree);
  write(tree, 'a.txt', '2\n');
  const second = await committed(tree);
  const format = '--format=%H %P %an <%ae> %cn <%ce>%n%B';
  const app = 'planwright[bot] <1+planwright[bot]@users.noreply.github.com>';
  assert.equal(
    inMirror(tree, ['log', '-1', format, second]),
    `${second} ${first} ${app} ${app}\nfeat: a step\n\nPlanwright-Phase: implement`,
  );
  assert.equal(inMirror(tree, ['log', '-1', '--format=%P', first]), tree.base);
});

test('line endings, byte order marks and missing last newlines come through byte for byte', async () => {
  const mixed = '\u{FEFF}one\r\ntwo\nthree\r\nfour';
  const tree = await worldWithTree({
    '.gitattributes': '* text=auto eol=lf\n',
    'mixed.txt': mixed,
    'crlf.txt': 'a\r\n',
  });
  assert.equal(readFileSync(join(tree.checkout.path, 'mixed.txt'), 'utf8'), mixed);
  write(tree, 'mixed.txt', mixed.replace('two', '2'));
  const commit = await committed(tree);
  assert.equal(await tree.workspaces.readFile(tree.repository, commit, 'mixed.txt'), mixed.replace('two', '2'));
  assert.match(inMirror(tree, ['diff', '--numstat', tree.base, commit]), /^(?:1\t1|-\t-)\tmixed.txt$/);
});

test('a file that becomes a folder and a folder that becomes a file are committed', async () => {
  const tree = await worldWithTree({ a: 'a\n', 'b/c': 'c\n' });
  unlinkSync(join(tree.checkout.path, 'a'));
  write(tree, 'a/x', 'x\n');
  rmSync(join(tree.checkout.path, 'b'), { recursive: true });
  write(tree, 'b', 'b\n');
  const commit = await committed(tree);
  assert.equal(inMirror(tree, ['ls-tree', '-r', '--name-only', commit]), 'a/x\nb');
});

test('a removed path leaves the commit and the tree, and a link on the way to it is not followed', async () => {
  const tree = await worldWithTree({ 'plan.md': '# Plan\n', 'docs/plan.md': '# Plan\n', 'a.txt': 'a\n' });
  const commit = await commitStep(tree, { remove: ['plan.md'] });
  assert.equal(inMirror(tree, ['ls-tree', '-r', '--name-only', commit ?? '']), 'a.txt\ndocs/plan.md');
  assert.ok(!existsSync(join(tree.checkout.path, 'plan.md')));
  const outside = join(tree.root, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'plan.md'), 'the host’s\n');
  rmSync(join(tree.checkout.path, 'docs'), { recursive: true });
  symlinkSync(outside, join(tree.checkout.path, 'docs'));
  await assert.rejects(commitStep(tree, { remove: ['docs/plan.md'] }), PatchRefused);
  assert.ok(existsSync(join(outside, 'plan.md')));
});

test('case 98: what the base ignores, key files and installed packages stay out, whatever the tree says now', async () => {
  const tree = await worldWithTree({
    '.gitignore': 'dist/\n*.log\n!keep.log\n/top\n',
    'pkg/.gitignore': 'local\n',
    'dist/tracked.js': 'x\n',
    '.env': 'TRACKED=1\n',
  });
  write(tree, '.gitignore', '# nothing is ignored any more\n!.env\n');
  for (const path of [
    'dist/new.js',
    'x.log',
    'sub/y.log',
    'keep.log',
    'top',
    'sub/top',
    'pkg/local',
    'local',
    ':(top)odd',
  ]) {
    write(tree, path, 'x\n');
  }
  for (const path of ['sub/.env', '.env.local', '.env.example', 'key.pem', 'node_modules/a/index.js', 'id_rsa']) {
    write(tree, path, 'x\n');
  }
  write(tree, 'dist/tracked.js', 'y\n');
  const commit = await committed(tree);
  const changes = await tree.workspaces.changes(tree.repository, tree.base, commit);
  assert.deepEqual(
    changes.map(({ path }) => path),
    ['.env.example', '.gitignore', ':(top)odd', 'dist/tracked.js', 'keep.log', 'local', 'sub/top'],
  );
  assert.deepEqual([...tree.leftOut].sort(), ['.env.local', 'id_rsa', 'key.pem', 'node_modules', 'sub/.env']);
});

test('S56: new and changed links are refused, links that stand stay', async () => {
  const tree = await worldWithTree({ stands: ['120000', 'a.txt'], moves: ['120000', 'a.txt'], 'a.txt': 'a\n' });
  write(tree, 'a.txt', 'b\n');
  assert.ok(await commitStep(tree));
  const other = await worldWithTree({ stands: ['120000', 'a.txt'], moves: ['120000', 'a.txt'], 'a.txt': 'a\n' });
  symlinkSync('/etc/passwd', join(other.checkout.path, 'new'));
  unlinkSync(join(other.checkout.path, 'moves'));
  symlinkSync('/etc', join(other.checkout.path, 'moves'));
  unlinkSync(join(other.checkout.path, 'a.txt'));
  symlinkSync('/etc/passwd', join(other.checkout.path, 'a.txt'));
  assert.deepEqual(await refusal(other), [
    'a.txt: it is a new or changed symbolic link; use a file',
    'moves: it is a new or changed symbolic link; use a file',
    'new: it is a new or changed symbolic link; use a file',
  ]);
});

test('S56: a nested repository is refused, in a new folder, in a tracked one, in place of a file, and as a bare one', async () => {
  const tree = await worldWithTree({ 'src/a.ts': 'a\n', file: 'x\n' });
  for (const folder of ['new', 'src', 'file']) {
    if (folder === 'file') unlinkSync(join(tree.checkout.path, folder));
    git(tree.checkout.path, ['init', '--quiet', folder]);
    git(join(tree.checkout.path, folder), ['commit', '--quiet', '--allow-empty', '-m', 'x']);
  }
  git(tree.checkout.path, ['init', '--quiet', '--bare', 'deep/bare']);
  assert.deepEqual([...(await refusal(tree))].sort(), [
    'deep/bare: it is a repository of its own; remove its git directory',
    'file: it is a repository of its own; remove its git directory',
    'new: it is a repository of its own; remove its git directory',
    'src: it is a repository of its own; remove its git directory',
  ]);
});

test('S56: names that stand for a git directory somewhere, or deceive, are refused', async () => {
  const tree = await worldWithTree();
  for (const path of [
    '.GIT/config',
    'a/.Git./x',
    'git~1',
    'x/.g\u{200C}it/y',
    'b\u{7}ell',
    'a\\b',
    'rtl\u{202E}txt.exe',
  ]) {
    write(tree, path, 'x\n');
  }
  assert.deepEqual([...(await refusal(tree))].map((reason) => reason.replace(/^.*?: /s, '')).sort(), [
    'its name holds a backslash, which is a separator on Windows',
    'its name holds control characters',
    'its name holds invisible or direction-changing characters',
    'its name holds invisible or direction-changing characters',
    'its name stands for a git directory on some system',
    'its name stands for a git directory on some system',
    'its name stands for a git directory on some system',
  ]);
});

test('a file, a patch or a number of files above the limit is refused, on the limit it is not', async () => {
  const limits = { maxFileBytes: 100, maxFiles: 3, maxPatchBytes: 1000 };
  const tree = await worldWithTree({ 'README.md': 'hello\n' }, limits);
  write(tree, 'big.bin', 'x'.repeat(101));
  assert.deepEqual(await refusal(tree), [
    'big.bin: expected at most 100 bytes, got 101; keep it out of the repository',
  ]);
  write(tree, 'big.bin', 'x'.repeat(100));
  for (const name of ['a', 'b', 'c']) write(tree, name, 'x\n');
  assert.deepEqual(await refusal(tree), ['expected at most 3 changed files, got 4; change fewer']);
  unlinkSync(join(tree.checkout.path, 'a'));
  assert.ok(await commitStep(tree));
  const wide = await worldWithTree({ 'README.md': 'hello\n' }, { ...limits, maxFiles: 50 });
  for (let at = 0; at < 20; at += 1) write(wide, `f${at}`, 'x'.repeat(80));
  assert.deepEqual(await refusal(wide), ['expected a patch of at most 1000 bytes, got more; change less']);
});

test('the limits count the whole run against its base, not one step', async () => {
  const tree = await worldWithTree({ 'README.md': 'hello\n' }, { maxFiles: 2 });
  write(tree, 'a', 'x\n');
  write(tree, 'b', 'x\n');
  const first = await committed(tree);
  write(tree, 'c', 'x\n');
  await assert.rejects(commitStep(tree), { reasons: ['expected at most 2 changed files, got 3; change fewer'] });
  assert.equal(await tree.workspaces.lastCommit(tree.repository, 'r1'), first);
});

test('a snapshot is what the next checkout of the run holds, without a commit of the run', async () => {
  const tree = await worldWithTree({ 'a.txt': 'a\n', 'gone.txt': 'x\n' });
  write(tree, 'a.txt', 'half done\n');
  write(tree, 'new.txt', 'new\n');
  unlinkSync(join(tree.checkout.path, 'gone.txt'));
  git(tree.checkout.path, ['init', '--quiet', 'nested']);
  await tree.workspaces.snapshot(tree.repository, tree.checkout, 'r1');
  await tree.workspaces.snapshot(tree.repository, tree.checkout, 'r1');
  assert.equal(await tree.workspaces.lastCommit(tree.repository, 'r1'), null);
  await tree.workspaces.remove('r1');
  const again = tree.restart();
  const checkout = await again.writableCheckout(tree.repository, tree.base, 'r1');
  assert.equal(readFileSync(join(checkout.path, 'a.txt'), 'utf8'), 'half done\n');
  assert.ok(existsSync(join(checkout.path, 'new.txt')));
  assert.ok(!existsSync(join(checkout.path, 'gone.txt')));
  assert.equal(checkout.commit, tree.base);
  const commit = await again.commitStep(tree.repository, checkout, step);
  assert.equal(inMirror(tree, ['log', '-1', '--format=%P', commit ?? '']), tree.base);
});

test('a step after a lost index commits the same', async () => {
  const tree = await worldWithTree({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  write(tree, 'a.txt', 'changed\n');
  rmSync(join(tree.root, 'indexes'), { recursive: true });
  const commit = await committed(tree);
  assert.deepEqual(await tree.workspaces.changes(tree.repository, tree.base, commit), [
    { path: 'a.txt', change: 'modify', from: null, mode: '100644' },
  ]);
});

test('the plan is committed alone, without a tree on disk', async () => {
  const { workspaces, repository, base, token, root } = world({ 'a.txt': 'a\n' });
  await workspaces.fetch(repository, [base], token);
  const plan = { parent: base, path: 'plan.md', text: '\u{FEFF}# Plan\r\nx', message: () => 'docs: plan\n' };
  const commit = await workspaces.commitPlan(repository, plan);
  assert.equal(await workspaces.readFile(repository, commit, 'plan.md'), plan.text);
  assert.deepEqual(await workspaces.changes(repository, base, commit), [
    { path: 'plan.md', change: 'create', from: null, mode: '100644' },
  ]);
  assert.ok(!existsSync(join(root, 'runs', 'r1')));
  await assert.rejects(workspaces.commitPlan(repository, { ...plan, parent: commit }), { name: 'NothingToCommit' });
  for (const path of ['../plan.md', '.git/plan.md', '/plan.md', 'a\nb', '']) {
    await assert.rejects(workspaces.commitPlan(repository, { ...plan, path }), { name: 'WorkspaceError' });
  }
  const option = await workspaces.commitPlan(repository, { ...plan, path: '--help' });
  assert.equal(await workspaces.readFile(repository, option, '--help'), plan.text);
});

test('case 151: a plan takes the place of nothing but a plan: what else stands there is named', async () => {
  const { workspaces, repository, base, token } = world({
    'plan.md/x': 'x\n',
    docs: 'a file\n',
    link: ['120000', 'docs'],
    sub: ['160000', '1'.repeat(40)],
    'deep/plan.md': 'old\n',
    'other/PLAN.md': 'theirs\n',
  });
  await workspaces.fetch(repository, [base], token);
  const plan = { parent: base, text: '# Plan\n', message: () => 'docs: plan\n' };
  for (const [path, place, what] of [
    ['plan.md', 'plan.md', 'a folder'],
    ['docs/plan.md', 'docs', 'a file, link or submodule'],
    ['link', 'link', 'a file, link or submodule'],
    ['link/plan.md', 'link', 'a file, link or submodule'],
    ['sub', 'sub', 'a file, link or submodule'],
    ['other/plan.md', 'other/PLAN.md', 'a name that differs in letter case alone'],
    ['Other/new/plan.md', 'other', 'a name that differs in letter case alone'],
  ] as const) {
    await assert.rejects(workspaces.commitPlan(repository, { ...plan, path }), {
      name: 'PatchRefused',
      reasons: [`${place}: the plan cannot be put at ${path}, as ${what} is there; set plan.path`],
    });
  }
  const commit = await workspaces.commitPlan(repository, { ...plan, path: 'deep/plan.md' });
  assert.equal(await workspaces.readFile(repository, commit, 'deep/plan.md'), plan.text);
});

test('a plan against a newer base merges it: the plan alone differs from that base, and both are ancestors', async () => {
  const { workspaces, repository, base, token } = world({ 'a.txt': 'a\n' });
  await workspaces.fetch(repository, [base], token);
  const plan = { path: 'plan.md', message: () => 'docs: plan\n' };
  const first = await workspaces.commitPlan(repository, { ...plan, parent: base, text: 'one\n' });
  const newBase = await workspaces.commitPlan(repository, {
    parent: base,
    path: 'b.txt',
    text: 'b\n',
    message: () => 'feat: b\n',
  });
  const merge = await workspaces.commitPlan(repository, { ...plan, parent: first, base: newBase, text: 'two\n' });
  assert.deepEqual(await workspaces.changes(repository, newBase, merge), [
    { path: 'plan.md', change: 'create', from: null, mode: '100644' },
  ]);
  await workspaces.push(repository, { branch: 'planwright/issue-1', commit: first, expected: null }, token);
  await workspaces.push(repository, { branch: 'planwright/issue-1', commit: merge, expected: first }, token);
  const code = await workspaces.commitPlan(repository, {
    parent: merge,
    path: 'c.txt',
    text: 'c\n',
    message: () => 'feat: c\n',
  });
  const again = await workspaces.commitPlan(repository, { ...plan, parent: code, base: newBase, text: 'three\n' });
  assert.deepEqual(await workspaces.changes(repository, newBase, again), [
    { path: 'plan.md', change: 'create', from: null, mode: '100644' },
  ]);
  await workspaces.push(repository, { branch: 'planwright/issue-1', commit: again, expected: merge }, token);
});

test('the history of a path names the commits that changed it, newest first, and a path is never a pattern or an option', async () => {
  const { workspaces, repository, base, token } = world({ 'a.txt': 'a\n' });
  await workspaces.fetch(repository, [base], token);
  const add = (parent: string, path: string, subject: string) =>
    workspaces.commitPlan(repository, { parent, path, text: subject, message: () => `${subject}\n` });
  const first = await add(base, 'b.txt', 'feat: b');
  const second = await add(first, 'c.txt', 'feat: c\u{1f}d');
  const subjects = async (path: string | null, limit = 10) =>
    (await workspaces.history(repository, second, path, limit)).map(({ subject }) => subject);
  assert.deepEqual((await subjects(null)).slice(0, 2), ['feat: c\u{1f}d', 'feat: b']);
  assert.deepEqual(await subjects(null, 1), ['feat: c\u{1f}d']);
  assert.deepEqual(await subjects('b.txt'), ['feat: b']);
  for (const path of ['*.txt', ':(glob)*', '--all', '../x', 'gone']) assert.deepEqual(await subjects(path), [], path);
});
