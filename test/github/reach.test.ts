import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAppKey } from '../../src/github/app-key.ts';
import { Forbidden } from '../../src/github/github.ts';
import {
  archiveRepository,
  closeIssue,
  deleteInstallation,
  suspendInstallation,
} from '../../src/local/forge/operations.ts';
import { createRepository, install } from '../../src/local/forge/setup.ts';
import { contextOf, startWorld, type WorldOptions } from './forge-world.ts';
import { newPrivateKey } from './keys.ts';

async function inWorld(t: { after(done: () => Promise<void>): void }, options: WorldOptions = {}) {
  const world = await startWorld(options);
  t.after(() => world.close());
  return world;
}

test('the app knows who it is, before any thread and after', async (t) => {
  const world = await inWorld(t);
  const self = { id: world.app.account.id, login: 'planwright[bot]', slug: 'planwright', appId: world.app.id };
  assert.deepEqual(await world.github.self(), self);
  world.takeRequests();
  assert.deepEqual(await world.github.self(), self);
  assert.deepEqual(world.takeRequests(), []);
  const other = world.connect();
  await other.observe(world.threadOf(world.issue()));
  world.takeRequests();
  assert.deepEqual(await other.self(), self);
  assert.deepEqual(world.takeRequests(), []);
});

test('candidates are the open issues with the trigger label or a status label', async (t) => {
  const world = await inWorld(t);
  const [labelled, building, closed] = [world.issue('a'), world.issue('b'), world.issue('c'), world.issue('d')];
  assert.ok(labelled && building && closed);
  world.label(labelled);
  world.label(building, 'wes', 'plan: building');
  world.label(closed);
  closeIssue(world.forge, world.actor('ann'), world.repository, closed);
  const repository = { id: world.repository.id, owner: 'ann', name: 'shop' };
  assert.deepEqual(await world.github.candidates(), [
    { installation: world.installation.id, repository, issue: labelled.number },
    { installation: world.installation.id, repository, issue: building.number },
  ]);
});

test('more candidates than a page holds are all found, once each', async (t) => {
  const world = await inWorld(t);
  for (let made = 0; made < 103; made += 1) world.label(world.issue(`issue ${made}`));
  const found = await world.github.candidates();
  assert.equal(new Set(found.map(({ issue }) => issue)).size, 103);
  assert.equal(found.length, 103);
});

test('S6: a repository outside of the installation that a payload names is neither read nor written', async (t) => {
  const world = await inWorld(t);
  const issue = world.issue();
  const owner = world.account('wes');
  const theirs = createRepository(world.forge, { owner, name: 'vault' });
  install(world.forge, world.app, owner, [theirs]);
  const foreign = { ...world.threadOf(issue), repository: { id: theirs.id, owner: 'wes', name: 'vault' } };
  world.takeRequests();
  await assert.rejects(world.github.observe(foreign), Forbidden);
  await assert.rejects(
    world.github.withToken(foreign, 'publish', () => assert.fail('expected no token, got one')),
    Forbidden,
  );
  const asked = world.takeRequests();
  const installation = `/app/installations/${world.installation.id}`;
  const [mint, why] = [`POST ${installation}/access_tokens`, `GET ${installation}`];
  assert.deepEqual(asked, [mint, why, mint, why]);
});

test('S6: an installation that is not listed is not searched, and asked for nothing', async (t) => {
  const world = await inWorld(t);
  const issue = world.issue();
  world.label(issue);
  const github = world.connect(10_000, {
    installations: new Set([world.installation.id + 1]),
    onMint: async () => undefined,
  });
  world.takeRequests();
  assert.deepEqual(await github.candidates(), []);
  await assert.rejects(github.observe(world.threadOf(issue)), Forbidden);
  await assert.rejects(github.self(), /expected an installation of the app that it works for, got none/);
  assert.deepEqual(world.takeRequests(), [
    'GET /app/installations?per_page=100',
    'GET /app/installations?per_page=100',
  ]);
});

test('S6: whoever installs the app as well keeps it from nothing: it is told who it is by an installation that is listed, wherever', async (t) => {
  const world = await inWorld(t);
  const stranger = world.account('wes');
  for (let made = 0; made < 100; made += 1) install(world.forge, world.app, stranger, []);
  const { id } = install(world.forge, world.app, world.account('ann'), [world.repository]);
  const github = world.connect(10_000, { installations: new Set([id]), onMint: async () => undefined });
  assert.equal((await github.self()).login, 'planwright[bot]');
});

test('a suspended installation is searched by nobody, and its threads are refused', async (t) => {
  const world = await inWorld(t);
  const issue = world.issue();
  world.label(issue);
  suspendInstallation(world.forge, world.actor('ann'), world.installation, new Date().toISOString());
  assert.deepEqual(await world.github.candidates(), []);
  world.takeRequests();
  await assert.rejects(world.github.observe(world.threadOf(issue)), Forbidden);
  assert.equal(world.takeRequests().length, 1);
});

test('a removed installation refuses its threads', async (t) => {
  const world = await inWorld(t);
  const issue = world.issue();
  deleteInstallation(world.forge, world.actor('ann'), world.installation);
  await assert.rejects(world.github.observe(world.threadOf(issue)), Forbidden);
});

test("a repository out of the installation's reach is refused", async (t) => {
  const world = await inWorld(t);
  const other = createRepository(world.forge, { owner: world.account('ann'), name: 'secret' });
  const thread = { ...world.threadOf(world.issue()), repository: { id: other.id, owner: 'ann', name: 'secret' } };
  await assert.rejects(world.github.observe(thread), Forbidden);
});

test('a permission that was not granted is named', async (t) => {
  const world = await inWorld(t, { permissions: { contents: 'write', issues: 'write', pull_requests: 'write' } });
  await assert.rejects(world.github.observe(world.threadOf(world.issue())), (error) => {
    assert.ok(error instanceof Forbidden);
    assert.equal(error.permission, 'checks: read');
    return true;
  });
});

test('case 76: where a permission was not accepted, nothing is half done: the first write names it', async (t) => {
  const permissions = { contents: 'write', issues: 'write', pull_requests: 'write', checks: 'read' } as const;
  const world = await inWorld(t, { permissions });
  const thread = world.threadOf(world.issue());
  const facts = await world.github.observe(thread);
  world.takeRequests();
  const actions = [
    { kind: 'react', to: { kind: 'issue' }, reaction: 'eyes' },
    { kind: 'setStatusLabel', label: 'plan: queued' },
  ] as const;
  for (const action of actions) {
    await assert.rejects(world.github.act(action, contextOf(thread, facts)), { permission: 'checks: write' });
  }
  assert.deepEqual(
    world.takeRequests().filter((call) => !call.startsWith('GET ') && !call.includes('/access_tokens')),
    [],
  );
});

test('S83: a new private key is all that a change of keys takes; the old one mints nothing, and what it signed counts for nothing', async (t) => {
  const world = await inWorld(t);
  const issue = world.issue();
  const thread = world.threadOf(issue);
  world.plan(issue);
  const before = await world.github.observe(thread);
  assert.equal(before.branches[0]?.head.trailers?.run, 'run-1');
  const privateKey = newPrivateKey();
  Object.assign(world.app, { publicKey: createAppKey(privateKey).publicKey });
  await assert.rejects(world.connect().observe(thread), { status: 401 });
  const github = world.connect(undefined, undefined, privateKey);
  const after = await github.observe(thread);
  assert.deepEqual(
    after.branches.map(({ head }) => [head.sha, head.trailers]),
    [[before.branches[0]?.head.sha, null]],
  );
});

test('an archived repository is read, and refuses to be written', async (t) => {
  const world = await inWorld(t);
  const issue = world.issue();
  archiveRepository(world.forge, world.actor('ann'), world.repository);
  const thread = world.threadOf(issue);
  const facts = await world.github.observe(thread);
  assert.equal(facts.repository.isArchived, true);
  const action = { kind: 'react', to: { kind: 'issue' }, reaction: 'eyes' } as const;
  await assert.rejects(world.github.act(action, contextOf(thread, facts)), Forbidden);
});

test('a repository without a commit is read as one', async (t) => {
  const world = await inWorld(t, { empty: true });
  const facts = await world.github.observe(world.threadOf(world.issue()));
  assert.equal(facts.repository.defaultBranch, null);
  assert.ok('plan' in facts.policy);
});

test('a token revoked meanwhile is renewed, and the thread is read', async (t) => {
  const world = await inWorld(t);
  const thread = world.threadOf(world.issue());
  await world.github.observe(thread);
  world.forge.state.tokens = [];
  assert.equal((await world.github.observe(thread)).issue.number, thread.issue);
});

test('a token to publish is fresh each time and reaches one repository', async (t) => {
  const world = await inWorld(t);
  const thread = world.threadOf(world.issue());
  const read = async (token: string) => {
    const found = world.forge.state.tokens.find((each) => each.token === token);
    return { repositoryIds: found?.repositoryIds, permissions: found?.permissions };
  };
  assert.deepEqual(
    [await world.github.withToken(thread, 'publish', read), await world.github.withToken(thread, 'clone', read)],
    [
      { repositoryIds: [world.repository.id], permissions: { metadata: 'read', contents: 'write' } },
      { repositoryIds: [world.repository.id], permissions: { metadata: 'read', contents: 'read' } },
    ],
  );
});
