import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitsBetween } from '../../src/local/forge/commit-graph.ts';
import { branchHead, git, readCommit, tryGit } from '../../src/local/forge/git-repository.ts';
import { commitFile, createWorld } from './world.ts';

test('what moves is asked anew each time; what a commit says is told alike each time', async (context) => {
  const world = await createWorld(context);
  const { gitDir } = world.repository;
  const base = branchHead(gitDir, 'main');
  assert.ok(base !== null);
  const first = commitFile(world, 'work', 'a.md', 'a\n');
  assert.equal(branchHead(gitDir, 'work'), first);
  assert.deepEqual(commitsBetween(gitDir, 'main', 'work'), [first]);
  assert.equal(git(gitDir, ['show', 'work:a.md']), 'a\n');
  const second = commitFile(world, 'work', 'a.md', 'b\n');
  assert.equal(branchHead(gitDir, 'work'), second);
  assert.deepEqual(commitsBetween(gitDir, 'main', 'work'), [first, second]);
  assert.deepEqual(commitsBetween(gitDir, base, second), [first, second]);
  assert.equal(git(gitDir, ['cat-file', 'blob', 'work:a.md']), 'b\n');
  assert.deepEqual(readCommit(gitDir, first), readCommit(gitDir, first));
});

test('a branch is found wherever git keeps it, and none outside of its refs', async (context) => {
  const world = await createWorld(context);
  const { gitDir } = world.repository;
  const head = commitFile(world, 'work', 'a.md', 'a\n');
  git(gitDir, ['pack-refs', '--all']);
  assert.equal(branchHead(gitDir, 'work'), head);
  git(gitDir, ['symbolic-ref', 'refs/heads/alias', 'refs/heads/work']);
  assert.equal(branchHead(gitDir, 'alias'), head);
  git(gitDir, ['update-ref', '-d', 'refs/heads/work']);
  for (const name of ['work', 'none', '../../HEAD', 'work.lock', '..']) assert.equal(branchHead(gitDir, name), null);
});

test('a commit that is not there yet is found once it is', async (context) => {
  const world = await createWorld(context);
  const { gitDir } = world.repository;
  const input = 'Later.\n';
  const id = git(gitDir, ['hash-object', '--stdin'], { input }).trim();
  assert.equal(tryGit(gitDir, ['cat-file', 'blob', id]).ok, false);
  const check = () => git(gitDir, ['cat-file', '--batch-check'], { input: `${id}\n` });
  assert.match(check(), / missing$/m);
  git(gitDir, ['hash-object', '-w', '--stdin'], { input });
  assert.match(check(), / blob 7$/m);
  assert.equal(git(gitDir, ['cat-file', 'blob', id]), input);
});

test('what a commit does not hold is told alike each time, and only while the commit is there', async (context) => {
  const world = await createWorld(context);
  const { gitDir } = world.repository;
  const head = branchHead(gitDir, 'main');
  const ask = (commit: string | null) =>
    tryGit(gitDir, ['cat-file', '--batch-check'], { input: `${commit}:none.md\n${commit}\n` });
  assert.match(ask(head).stdout, /^[0-9a-f]{40}:none\.md missing\n[0-9a-f]{40} commit \d+\n$/);
  assert.equal(ask(head), ask(head));
  assert.notEqual(ask('0'.repeat(40)), ask('0'.repeat(40)));
});
