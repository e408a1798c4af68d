import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitStep, finish } from '../../src/engine/implementation.ts';
import { git } from '../workspace/git-server.ts';
import { useGitServer } from '../workspace/workspace-fixture.ts';
import { approvedWork } from './approved-work.ts';

useGitServer();

test('of two approved plans the second, implemented once the first is merged, reverts none of its lines', async () => {
  const { workspaces, repository, forge, token, base, work, write, writeIn, done } = await approvedWork();
  const first = await workspaces.commitPlan(repository, {
    parent: base,
    path: 'plan.md',
    text: '# The first\n',
    message: () => 'Plan\n',
  });
  const checkout = await workspaces.writableCheckout(repository, first, 'r0');
  writeIn(checkout, 'README.md', 'hello, world\n');
  const step = { run: 'r0', message: () => 'Greet\n', remove: ['plan.md'] };
  const greeted = await workspaces.commitStep(repository, checkout, step);
  assert.ok(greeted !== null);
  await workspaces.push(repository, { branch: 'planwright/issue-41', commit: greeted, expected: null }, token);
  git(forge, ['update-ref', 'refs/heads/main', greeted]);

  write('src/cache.js', 'new\n');
  const kept = await commitStep(work, 'Keep entries');
  const outcome = await finish(work, [kept], done);
  assert.ok(outcome.kind === 'work_ready');
  await workspaces.push(repository, { branch: work.run.branch, commit: outcome.commit, expected: null }, token);

  assert.equal(git(forge, ['diff', '--name-only', `main...${outcome.commit}`]).trim(), 'src/cache.js');
  const [tree = ''] = git(forge, ['merge-tree', '--write-tree', 'main', outcome.commit]).split('\n');
  assert.equal(git(forge, ['show', `${tree}:README.md`]).trim(), 'hello, world');
  assert.equal(git(forge, ['show', `${tree}:src/cache.js`]).trim(), 'new');
});
