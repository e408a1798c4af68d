import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { copyHead } from '../../src/local/demo/real-demo.ts';
import { parseIssue } from '../../src/local/demo/stage.ts';
import { createForge } from '../../src/local/forge/forge.ts';
import { GIT_ENVIRONMENT, git, listRefs } from '../../src/local/forge/git-repository.ts';
import { createAccount, createRepository } from '../../src/local/forge/setup.ts';

function openFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'real-demo-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

function emptyRepository(t: TestContext) {
  const forge = createForge({ gitRoot: openFolder(t) });
  return createRepository(forge, { owner: createAccount(forge, 'acme'), name: 'copy' });
}

test('the copy has what is committed at HEAD, and the original stays as it is', (t) => {
  const source = openFolder(t);
  const run = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: source, env: { ...GIT_ENVIRONMENT }, encoding: 'utf8' });
  run('init', '--quiet', '--initial-branch=trunk');
  writeFileSync(join(source, 'kept.txt'), 'committed\n');
  run('add', '.');
  run('commit', '--quiet', '-m', 'First');
  run('tag', 'v1');
  writeFileSync(join(source, 'kept.txt'), 'changed\n');
  writeFileSync(join(source, 'loose.txt'), 'not committed\n');
  const before = [run('status', '--porcelain'), run('for-each-ref'), readdirSync(join(source, '.git')).toSorted()];

  const repository = emptyRepository(t);
  copyHead(source, repository);

  assert.deepEqual([...listRefs(repository.gitDir)], [['refs/heads/main', run('rev-parse', 'HEAD').trim()]]);
  assert.equal(git(repository.gitDir, ['show', 'main:kept.txt']), 'committed\n');
  assert.equal(git(repository.gitDir, ['ls-tree', '--name-only', 'main']), 'kept.txt\n');
  assert.deepEqual(
    [run('status', '--porcelain'), run('for-each-ref'), readdirSync(join(source, '.git')).toSorted()],
    before,
  );
});

test('a folder that holds no commit is named', (t) => {
  const source = openFolder(t);
  assert.throws(() => copyHead(source, emptyRepository(t)), {
    name: 'WaitFailure',
    message: new RegExp(`^expected a git repository with a commit at ${source}, got: `),
  });
});

test("an issue's first line is its title", () => {
  assert.deepEqual(parseIssue('# Broken\n\nIt is.\n\nReally.\n'), { title: 'Broken', body: 'It is.\n\nReally.' });
  assert.deepEqual(parseIssue('Broken'), { title: 'Broken', body: '' });
});
