import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { formatMarker } from '../../src/github/identifiers.ts';
import { decide } from '../../src/lifecycle/decide.ts';
import { startWorld, type World } from './forge-world.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

/** An issue, and a pull request that looks like this app's in everything that can be copied. */
function copied(headRepository: 'fork' | 'gone' | 'same') {
  const issue = world.issue();
  const branch = `planwright/issue-${issue.number}`;
  world.commit(world.account('wes'), branch, { 'plan.md': '# A plan\n' }, 'Plan: Cache is never cleared');
  const pull = world.open(branch, world.actor('wes'));
  const head = pull.pullRequest.headSha;
  const thread = `${world.repository.id}#${issue.number}`;
  pull.body = `This pull request holds a plan.\n\n${formatMarker({ kind: 'pull-request', thread, cause: branch })}`;
  if (headRepository === 'fork') pull.pullRequest.headRepositoryId = world.repository.id + 1000;
  if (headRepository === 'gone') pull.pullRequest.headRepositoryId = null;
  world.review(pull, 'ann', { event: 'APPROVE' });
  return { issue, branch, pull, head };
}

const heads = {
  fork: 'from a fork',
  gone: 'whose fork is gone',
  same: 'of a person from the same repository',
} as const;

for (const headRepository of ['fork', 'gone', 'same'] as const) {
  test(`cases 65, 66: a pull request ${heads[headRepository]}, with the branch's name, a plan and a copied marker, is none of this app's and approves nothing`, async () => {
    const { issue, branch, head } = copied(headRepository);
    const facts = await world.github.observe(world.threadOf(issue));
    assert.deepEqual(facts.pullRequests, []);
    assert.deepEqual(decide(facts, { runs: [] }).actions, []);
    assert.equal(world.head(branch), head, 'the branch is left as it is');
  });

  test(`cases 65, 66: a pull request ${heads[headRepository]} is passed by: a request gets a branch and a pull request of its own`, async () => {
    const { issue, branch, head } = copied(headRepository);
    world.label(issue);
    const facts = await world.github.observe(world.threadOf(issue));
    const orders = decide(facts, { runs: [] }).actions.flatMap((action) =>
      action.kind === 'startRun' ? [[action.order.phase, action.order.branch, action.order.approval]] : [],
    );
    assert.deepEqual(orders, [['plan', `${branch}-2`, null]]);
    assert.equal(world.head(branch), head);
  });
}
