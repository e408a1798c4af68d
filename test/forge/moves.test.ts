import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  archiveRepository,
  createIssue,
  deleteIssue,
  transferIssue,
  transferRepository,
  unarchiveRepository,
} from '../../src/local/forge/operations.ts';
import { createAccount, createRepository, install } from '../../src/local/forge/setup.ts';
import { appClient, at, createWorld, personClient, refusalOf } from './world.ts';

test('a deleted issue is answered 410, and its number is not used again', async (context) => {
  const world = await createWorld(context);
  const { forge, actors, repository } = world;
  const issue = createIssue(forge, actors.owner, repository, { title: 'Gone' });
  deleteIssue(forge, actors.owner, repository, issue);
  const refusal = await refusalOf(appClient(world).issues.get({ ...at, issue_number: issue.number }));
  assert.equal(refusal.status, 410);
  const next = createIssue(forge, actors.owner, repository, { title: 'Next' });
  assert.equal(next.number, issue.number + 1);
});

test('the number of a transferred issue leads a read to where it is now, and a write to nothing out of reach', async (context) => {
  const world = await createWorld(context);
  const { forge, actors, repository, people } = world;
  const to = createRepository(forge, { owner: people.owner, name: 'attic' });
  const issue = createIssue(forge, actors.owner, repository, { title: 'Moved' });
  const place = { ...at, issue_number: issue.number };
  transferIssue(forge, actors.owner, repository, issue, to);
  const { data } = await personClient(world, people.owner).issues.get(place);
  assert.equal(data.title, 'Moved');
  assert.match(data.url, /\/acme\/attic\/issues\/1$/);
  assert.equal((await refusalOf(appClient(world).issues.createComment({ ...place, body: 'Here?' }))).status, 404);
  assert.deepEqual(to.issues[0]?.comments, []);
});

test('a transferred repository is read by its old name with a token of the new owner, and no longer with the old one', async (context) => {
  const world = await createWorld(context);
  const { forge, actors, repository } = world;
  const owner = createAccount(forge, 'globex', 'Organization');
  const installation = install(forge, world.app, owner, []);
  const before = appClient(world);
  transferRepository(forge, actors.owner, repository, owner, [installation]);
  assert.equal((await refusalOf(before.repos.get(at))).status, 404);
  const { data } = await appClient({ ...world, installation }).repos.get(at);
  assert.equal(data.full_name, 'globex/shop');
});

test('a repository that is archived no longer takes writes again', async (context) => {
  const world = await createWorld(context);
  archiveRepository(world.forge, world.actors.owner, world.repository);
  unarchiveRepository(world.forge, world.actors.owner, world.repository);
  const { status } = await appClient(world).issues.createLabel({ ...at, name: 'plan' });
  assert.equal(status, 201);
});
