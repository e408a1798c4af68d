/** A writer who pushes what this app has made to where it has not made it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { holdsCode, recordedBase } from '../../src/lifecycle/branch.ts';
import { git } from '../../src/local/forge/git-repository.ts';
import { startWorld, type World } from './forge-world.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const code = {
  phase: 'implement',
  run: 'run-2',
  base: 'b'.repeat(40),
  plan: null,
  reviews: [],
  approvedBy: [],
  receipt: null,
} as const;

test('S16: a plan that this app has made for another issue is no plan of its own on the branch of this one', async () => {
  const [other, issue] = [world.issue(), world.issue()];
  const plan = world.plan(other);
  git(world.repository.gitDir, ['update-ref', `refs/heads/planwright/issue-${issue.number}`, plan]);
  const facts = await world.github.observe(world.threadOf(issue));
  assert.deepEqual(
    facts.branches.map(({ head }) => [head.sha, head.trailers]),
    [[plan, null]],
  );
});

test('S16: commits of another issue or attempt that are merged into a plan neither make it code nor move its base', async () => {
  const other = world.issue();
  const issue = world.issue();
  const branch = `planwright/issue-${issue.number}`;
  world.plan(issue);
  world.open(branch);
  const own = (await world.github.observe(world.threadOf(issue))).pullRequests[0];
  assert.ok(own);
  for (const from of [`planwright/issue-${other.number}`, `${branch}-2`]) {
    const { gitDir } = world.repository;
    const foreign = world.commit(world.app.account, from, { [`${from}.txt`]: 'x' }, world.signed('Work', code));
    const head = world.head(branch) ?? '';
    const tree = git(gitDir, ['rev-parse', `${head}^{tree}`]).trim();
    const merge = git(gitDir, ['commit-tree', tree, '-p', head, '-p', foreign, '-m', 'Merge']).trim();
    git(gitDir, ['update-ref', `refs/heads/${branch}`, merge]);
    world.commit(world.account('wes'), branch, {}, `After ${from}`);
  }
  const merged = (await world.github.observe(world.threadOf(issue))).pullRequests[0];
  assert.ok(merged);
  assert.equal(merged.commits.length, 7);
  assert.equal(holdsCode(merged), false);
  assert.equal(recordedBase(merged), recordedBase(own));
});
