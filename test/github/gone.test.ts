import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Forbidden, Gone } from '../../src/github/github.ts';
import {
  deleteIssue,
  lockIssue,
  renameRepository,
  transferIssue,
  transferRepository,
} from '../../src/local/forge/operations.ts';
import { createAccount, createRepository, install } from '../../src/local/forge/setup.ts';
import { startWorld, type World } from './forge-world.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

/** What a look that comes to nothing may cost, its waits included. */
const maxRequests = 9;

async function expectGone(thread: ReturnType<World['threadOf']>): Promise<void> {
  world.takeRequests();
  await assert.rejects(world.github.observe(thread), Gone);
  const asked = world.takeRequests();
  assert.ok(asked.length <= maxRequests, `expected at most ${maxRequests} requests, got ${asked.join(', ')}`);
}

test('an issue that was deleted is gone, after a few requests', async () => {
  const issue = world.issue();
  const thread = world.threadOf(issue);
  await world.github.observe(thread);
  deleteIssue(world.forge, world.actor('ann'), world.repository, issue);
  await expectGone(thread);
});

test('an issue that was transferred is gone, and nothing of this app follows it', async () => {
  const issue = world.issue();
  const thread = world.threadOf(issue);
  const to = createRepository(world.forge, { owner: world.account('ann'), name: 'attic' });
  const moved = transferIssue(world.forge, world.actor('ann'), world.repository, issue, to);
  await expectGone(thread);
  assert.deepEqual(moved.comments, []);
});

test('that the issue is gone is said once on its pull request, with what to do next', async () => {
  const issue = world.issue();
  world.label(issue);
  world.plan(issue);
  const pull = world.open(`planwright/issue-${issue.number}`);
  const thread = world.threadOf(issue);
  deleteIssue(world.forge, world.actor('ann'), world.repository, issue);
  await world.github.tellGone(thread, pull.number);
  await world.connect().tellGone(thread, pull.number);
  assert.equal(pull.comments.length, 1);
  assert.match(pull.comments[0]?.body ?? '', /is gone from this repository.*stopped.*To go on, set the trigger label/s);
});

test('a locked pull request is told nothing, without an error', async () => {
  const issue = world.issue();
  world.plan(issue);
  const pull = world.open(`planwright/issue-${issue.number}`);
  lockIssue(world.forge, world.actor('ann'), world.repository, pull, true);
  world.forge.faults.add({
    match: { method: 'POST', path: /\/comments$/ },
    effect: { kind: 'status', status: 403, body: { message: 'Unable to create comment because issue is locked.' } },
  });
  await world.github.tellGone(world.threadOf(issue), pull.number);
  assert.deepEqual(pull.comments, []);
});

test('a repository that is renamed, then transferred, is read and written by its id, and no write is lost in a redirect', async () => {
  const issue = world.issue();
  world.label(issue);
  const thread = world.threadOf(issue);
  await world.github.observe(thread);
  renameRepository(world.forge, world.actor('ann'), world.repository, 'store');
  const renamed = await world.github.observe(thread);
  assert.deepEqual([renamed.repository.owner, renamed.repository.name], ['ann', 'store']);
  const owner = createAccount(world.forge, 'globex', 'Organization');
  world.repository.collaborators.set('ann', 'admin');
  const installation = install(world.forge, world.app, owner, []);
  transferRepository(world.forge, world.actor('ann'), world.repository, owner, [installation]);
  await assert.rejects(world.github.observe(thread), Forbidden);
  const after = { ...thread, installation: installation.id };
  const facts = await world.github.observe(after);
  assert.deepEqual([facts.repository.owner, facts.repository.name], ['globex', 'store']);
  assert.equal(facts.repository.id, thread.repository.id);
  // From facts that bear the old name: a rename between a look and its writes.
  const stale = { ...facts, repository: { ...facts.repository, owner: 'ann', name: 'shop' } };
  const context = { thread: after, facts: stale, memory: { runs: [] }, pullRequest: null, head: null };
  const refusal = { kind: 'refuse', cause: 'LE_1', login: 'rea', why: 'Only writers can.' } as const;
  await world.github.act(refusal, context);
  assert.match(issue.comments.at(-1)?.body ?? '', /Nothing was started/);
});
