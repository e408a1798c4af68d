import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startWorld } from './forge-world.ts';
import { createDriver, planReady, report } from './thread-driver.ts';

test('a whole path from label to ready takes at most 40 calls of the API beside those that revoke tokens, and rests without a write', async (t) => {
  const world = await startWorld();
  t.after(() => world.close());
  const issue = world.issue();
  world.label(issue);
  world.takeRequests();
  const driver = createDriver(world, issue);
  assert.equal(await driver.look(), 'pending');
  assert.equal(await driver.work(planReady(world, issue)), 'awaiting_approval');
  const [pull] = world.repository.issues.filter((each) => each.pullRequest !== null);
  assert.ok(pull);
  world.review(world.pullRequest(pull.number), 'mia', { event: 'APPROVE' });
  assert.equal(await driver.look(), 'implementing');
  assert.equal(await driver.work({ kind: 'work_ready', commit: 'x', report }), 'implemented');
  const calls = world.takeRequests();
  t.diagnostic(`${calls.length} calls of the API`);

  const shown = world.pullRequest(pull.number);
  assert.equal(shown.pullRequest.draft, false);
  assert.deepEqual(issue.labels, ['plan', 'plan: done']);
  assert.equal(issue.comments.length, 1);
  const runs = world.repository.checkRuns.filter((run) => run.headSha === shown.pullRequest.headSha);
  assert.deepEqual(runs.map(({ name, conclusion }) => `${name} ${conclusion}`).toSorted(), [
    'planwright/code action_required',
    'planwright/plan success',
  ]);
  assert.equal(shown.pullRequest.reviews[0]?.state, 'DISMISSED');
  assert.equal(await driver.look(), 'implemented');
  const atRest = world.takeRequests();
  assert.deepEqual(
    atRest.filter((call) => !call.startsWith('GET ')),
    ['graphql Thread'],
  );
  assert.deepEqual(world.forge.violations, []);
  const needed = calls.filter((call) => call !== 'DELETE /installation/token');
  assert.ok(needed.length <= 40, `expected at most 40 calls, got ${needed.length}:\n${calls.join('\n')}`);
});
