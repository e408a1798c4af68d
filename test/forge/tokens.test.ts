import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import {
  archiveRepository,
  changeInstallation,
  createIssue,
  deleteInstallation,
  setCollaborator,
  suspendInstallation,
} from '../../src/local/forge/operations.ts';
import { createRepository } from '../../src/local/forge/setup.ts';
import { appClient, appToken, at, createWorld, jwtClient, personClient, refusalOf } from './world.ts';

const DOCUMENTATION = ' - https://docs.github.com/rest';

test('a token may do what was asked for it and no more', async (context) => {
  const world = await createWorld(context);
  createIssue(world.forge, world.actors.writer, world.repository, { title: 'T' });
  const octokit = appClient(world, { permissions: { issues: 'read' } });
  assert.equal((await octokit.issues.get({ ...at, issue_number: 1 })).data.title, 'T');
  const response = await fetch(`${world.forge.webUrl}/api/v3/repos/acme/shop/issues/1/comments`, {
    method: 'POST',
    body: JSON.stringify({ body: 'hello' }),
    headers: { authorization: `token ${world.forge.state.tokens.at(-1)?.token}` },
  });
  assert.equal(response.status, 403);
  assert.equal(response.headers.get('x-accepted-github-permissions'), 'issues=write');
  assert.deepEqual(await response.json(), {
    message: 'Resource not accessible by integration',
    documentation_url: 'https://docs.github.com/rest',
    status: '403',
  });
});

test('a token is minted for one repository, with the permissions named, for one hour', async (context) => {
  const world = await createWorld(context);
  const { data } = await jwtClient(world).apps.createInstallationAccessToken({
    installation_id: world.installation.id,
    repository_ids: [world.repository.id],
    permissions: { contents: 'read' },
  });
  assert.match(data.token, /^ghs_\d+_eyJ[\w-]+\.eyJ[\w-]+\.[\w-]{300,}$/);
  assert.equal(data.expires_at, '2026-11-30T13:00:00Z');
  assert.deepEqual(data.permissions, { contents: 'read', metadata: 'read' });
  assert.deepEqual(
    data.repositories?.map((each) => each.full_name),
    ['acme/shop'],
  );
});

test('nobody gets more than the installation has', async (context) => {
  const world = await createWorld(context);
  const other = createRepository(world.forge, { owner: world.people.owner, name: 'other' });
  const app = jwtClient(world);
  const ask = { installation_id: world.installation.id };
  const workflows = await refusalOf(
    app.apps.createInstallationAccessToken({ ...ask, permissions: { workflows: 'write' } }),
  );
  assert.deepEqual(workflows, {
    status: 422,
    message: `The permissions requested are not granted to this installation.${DOCUMENTATION}`,
  });
  const foreign = await refusalOf(app.apps.createInstallationAccessToken({ ...ask, repository_ids: [other.id] }));
  assert.equal(foreign.status, 422);
});

test('an expired, a revoked and an unknown token are answered 401', async (context) => {
  const world = await createWorld(context);
  const octokit = appClient(world);
  world.time.now += 60 * 60 * 1000;
  assert.deepEqual(await refusalOf(octokit.repos.get(at)), { status: 401, message: `Bad credentials${DOCUMENTATION}` });
  const revoked = appClient(world);
  await revoked.apps.revokeInstallationAccessToken();
  assert.equal((await refusalOf(revoked.repos.get(at))).status, 401);
  const response = await fetch(`${world.forge.webUrl}/api/v3/repos/acme/shop`);
  assert.equal(response.status, 401);
});

test('a suspended installation is answered 403, a deleted one 401', async (context) => {
  const world = await createWorld(context);
  const octokit = appClient(world);
  suspendInstallation(world.forge, world.actors.owner, world.installation, '2026-11-30T12:00:00Z');
  assert.deepEqual(await refusalOf(octokit.repos.get(at)), {
    status: 403,
    message: `This installation has been suspended${DOCUMENTATION}`,
  });
  suspendInstallation(world.forge, world.actors.owner, world.installation, null);
  assert.equal((await octokit.repos.get(at)).status, 200);
  deleteInstallation(world.forge, world.actors.owner, world.installation);
  assert.equal((await refusalOf(octokit.repos.get(at))).status, 401);
});

test('a repository outside the token or the installation is not found', async (context) => {
  const world = await createWorld(context);
  const other = createRepository(world.forge, { owner: world.people.owner, name: 'other' });
  const place = { owner: 'acme', repo: 'other' };
  assert.equal((await refusalOf(appClient(world).repos.get(place))).status, 404);
  changeInstallation(world.forge, world.actors.owner, world.installation, { add: [other] });
  assert.equal((await appClient(world).repos.get(place)).status, 200);
  const narrow = appClient(world, { repositoryIds: [world.repository.id] });
  assert.equal((await refusalOf(narrow.repos.get(place))).status, 404);
  const { data } = await narrow.apps.listReposAccessibleToInstallation();
  assert.deepEqual(
    data.repositories.map((each) => each.name),
    ['shop'],
  );
});

test('an archived repository is read-only', async (context) => {
  const world = await createWorld(context);
  archiveRepository(world.forge, world.actors.owner, world.repository);
  const octokit = appClient(world);
  assert.equal((await octokit.repos.get(at)).data.archived, true);
  assert.deepEqual(await refusalOf(octokit.issues.createLabel({ ...at, name: 'plan' })), {
    status: 403,
    message: `Repository was archived so is read-only.${DOCUMENTATION}`,
  });
});

test("an app's token must be signed by its key, current and short-lived", async (context) => {
  const world = await createWorld(context);
  const seconds = Math.floor(world.time.now / 1000);
  assert.equal((await jwtClient(world).apps.getAuthenticated()).data?.slug, 'planwright');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  for (const client of [
    jwtClient({ ...world, privateKey }),
    jwtClient(world, { iss: 1 }),
    jwtClient(world, { exp: seconds }),
    jwtClient(world, { exp: seconds + 3600 }),
    jwtClient(world, { iat: seconds + 300 }),
    appClient(world),
  ]) {
    assert.equal((await refusalOf(client.apps.getAuthenticated())).status, 401);
  }
  const authorization = `bearer ${appToken(world)}`;
  const response = await fetch(`${world.forge.webUrl}/api/v3/repos/acme/shop`, { headers: { authorization } });
  assert.equal(response.status, 403);
});

test('the permission of a person is the old word with the role beside it', async (context) => {
  const world = await createWorld(context);
  const octokit = appClient(world);
  setCollaborator(world.forge, world.actors.owner, world.repository, world.people.reader, 'maintain');
  const read = async (username: string) => {
    const { data } = await octokit.repos.getCollaboratorPermissionLevel({ ...at, username });
    return [data.permission, data.role_name];
  };
  assert.deepEqual(await read('acme'), ['admin', 'admin']);
  assert.deepEqual(await read('rita'), ['write', 'maintain']);
  assert.deepEqual(await read('wendy'), ['write', 'write']);
  assert.deepEqual(await read('sam'), ['read', 'read']);
  world.repository.private = true;
  assert.deepEqual(await read('sam'), ['none', 'none']);
  for (const username of ['nobody', 'planwright[bot]']) {
    const refused = await refusalOf(octokit.repos.getCollaboratorPermissionLevel({ ...at, username }));
    assert.equal(refused.status, 404);
  }
});

test('people do what their role allows', async (context) => {
  const world = await createWorld(context);
  createIssue(world.forge, world.actors.writer, world.repository, { title: 'T' });
  const place = { ...at, issue_number: 1 };
  const reader = personClient(world, world.people.reader);
  assert.equal((await refusalOf(reader.issues.addLabels({ ...place, labels: ['plan'] }))).status, 403);
  assert.equal((await reader.issues.createComment({ ...place, body: 'mine' })).status, 201);
  await personClient(world, world.people.writer).issues.lock(place);
  assert.deepEqual(await refusalOf(reader.issues.createComment({ ...place, body: 'more' })), {
    status: 403,
    message: `Unable to create comment because issue is locked.${DOCUMENTATION}`,
  });
  assert.equal((await appClient(world).issues.createComment({ ...place, body: 'still' })).status, 201);
});
