import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Unreadable } from '../../src/github/github.ts';
import { addLabels, removeLabel, replyToThread } from '../../src/local/forge/operations.ts';
import { startWorld, type World } from './forge-world.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const times = (count: number) => Array.from({ length: count }, (_, index) => index);

test('every list of a thread is read to its end, in order', async () => {
  const issue = world.issue();
  for (const index of times(120)) world.comment(issue, 'wes', `comment ${index}`);
  for (const _ of times(60)) {
    world.label(issue, 'wes');
    removeLabel(world.forge, world.actor('wes'), world.repository, issue, 'plan');
  }
  addLabels(
    world.forge,
    world.actor('wes'),
    world.repository,
    issue,
    times(101).map((index) => `label-${index}`),
  );
  world.plan(issue);
  const branch = `planwright/issue-${issue.number}`;
  const files = Object.fromEntries(times(101).map((index) => [`f/${index}.txt`, `${index}\n`]));
  world.commit(world.app.account, branch, files, 'Many files');
  const pull = world.open(branch);
  for (const index of times(101)) world.comment(pull, 'wes', `on it ${index}`);
  world.review(pull, 'wes', {
    event: 'COMMENT',
    comments: times(55).map((index) => ({ path: `f/${index}.txt`, line: 1, body: `remark ${index}` })),
  });
  for (const index of times(100)) world.review(pull, 'mia', { event: 'COMMENT', body: `review ${index}` });
  const [thread] = world.pullRequest(pull.number).pullRequest.threads;
  assert.ok(thread);
  for (const index of times(51)) {
    replyToThread(
      world.forge,
      world.actor('wes'),
      world.repository,
      world.pullRequest(pull.number),
      thread,
      `re ${index}`,
    );
  }
  const facts = await world.github.observe(world.threadOf(issue));
  const [found] = facts.pullRequests;
  assert.ok(found);
  assert.deepEqual(
    facts.issue.comments.map(({ body }) => body),
    times(120).map((index) => `comment ${index}`),
  );
  assert.equal(facts.issue.labelEvents.length, 120 + 101);
  assert.equal(facts.issue.labels.length, 101);
  assert.equal(found.files.length, 102);
  assert.equal(found.comments.at(-1)?.body, 'on it 100');
  assert.equal(found.comments.length, 101);
  assert.ok(found.reviews.length >= 101);
  assert.equal(found.threads.length, 55);
  assert.deepEqual(
    found.threads[0]?.comments.map(({ body }) => body),
    ['remark 0', ...times(51).map((index) => `re ${index}`)],
  );
});

test('a thread whose further pages do not come is unreadable', async () => {
  const issue = world.issue();
  for (const index of times(101)) world.comment(issue, 'wes', `comment ${index}`);
  const isPage = ({ body }: { readonly body: unknown }) => JSON.stringify(body).includes('query Page');
  for (const body of [{ data: { node: null } }, { data: { node: { page: { nodes: [null] } } } }]) {
    world.forge.faults.add({ match: isPage, effect: { kind: 'status', status: 200, body } });
    await assert.rejects(world.github.observe(world.threadOf(issue)), Unreadable);
  }
  assert.equal((await world.github.observe(world.threadOf(issue))).issue.comments.length, 101);
});

test("no call of all these breaks GitHub's own description", () => {
  assert.deepEqual(world.forge.violations, []);
});
