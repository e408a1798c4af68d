import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitsBetween } from '../../src/local/forge/commit-graph.ts';
import { branchHead, git, readCommit, resolveCommit, tryGit } from '../../src/local/forge/git-repository.ts';
import { findObject } from '../../src/local/forge/graphql/git-object.ts';
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

test('objects in files of their own are read as git reads them in a pack', async (context) => {
  const world = await createWorld(context);
  const { repository } = world;
  const { gitDir } = repository;
  const first = commitFile(world, 'work', 'folder/a.md', 'a\n');
  const when = { GIT_AUTHOR_DATE: '2026-02-28T23:30:00-0330', GIT_COMMITTER_DATE: '2026-03-01T03:00:00+0000' };
  const identity = { ...when, GIT_AUTHOR_NAME: 'Zoë <', GIT_AUTHOR_EMAIL: 'zoe@example.com' };
  const input = 'Täglich\n\nMore of it.\n\n';
  const second = git(gitDir, ['commit-tree', `${first}^{tree}`, '-p', first, '-F', '-'], {
    env: identity,
    input,
  }).trim();
  git(gitDir, ['update-ref', 'refs/heads/work', second]);
  git(gitDir, ['tag', '-a', '-m', 'Tagged', 'tagged', second]);
  const tree = git(gitDir, ['rev-parse', `${second}:folder`]).trim();
  const paths = ['folder/a.md', 'folder', 'folder/b.md', 'b.md', './folder/../folder', 'folder/a.md/c', ''];
  const names = [...paths.map((path) => `${second}:${path}`), second, tree, `${tree}:a.md`, 'work', 'tagged', 'none'];
  const read = () => ({
    commits: [first, second].map((id) => readCommit(gitDir, id)),
    resolved: [second, tree, 'work', 'refs/heads/work', 'refs/tags/tagged', 'refs/tags/none', '0'.repeat(40)].map(
      (name) => resolveCommit(gitDir, name),
    ),
    objects: names.map((name) => findObject(repository, name)),
  });
  const loose = read();
  git(gitDir, ['repack', '-a', '-d', '-q']);
  assert.deepEqual(git(gitDir, ['count-objects']).split(' ', 1), ['0']);
  assert.deepEqual(read(), loose);
  assert.equal(loose.objects.filter((found) => found !== null).length, 8);
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
