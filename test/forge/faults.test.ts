import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIssue } from '../../src/local/forge/operations.ts';
import { appClient, at, createWorld, refusalOf } from './world.ts';

test('a fault befalls the matching requests as often as it says', async (context) => {
  const world = await createWorld(context);
  const octokit = appClient(world);
  const headers = { 'retry-after': '7' };
  const effect = { kind: 'status', status: 503, headers, body: { message: 'Away' } } as const;
  world.forge.faults.add({ match: { method: 'GET', path: /^\/api\/v3\/repos\/acme\/shop$/ }, times: 2, effect });
  assert.equal((await octokit.rateLimit.get()).status, 200);
  assert.deepEqual(await refusalOf(octokit.repos.get(at)), { status: 503, message: 'Away' });
  const response = await fetch(`${world.forge.webUrl}/api/v3/repos/acme/shop`);
  assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '7']);
  assert.equal((await octokit.repos.get(at)).status, 200);
});

test('a request can take effect and still look failed, or get no answer', async (context) => {
  const world = await createWorld(context);
  const { forge, repository } = world;
  createIssue(forge, world.actors.writer, repository, { title: 'T' });
  const octokit = appClient(world);
  const comment = (body: string) => refusalOf(octokit.issues.createComment({ ...at, issue_number: 1, body }));
  const match = { method: 'POST', path: /\/comments$/ };
  forge.faults.add({ match, effect: { kind: 'performThenStatus', status: 502 } });
  assert.equal((await comment('first')).status, 502);
  forge.faults.add({ match, effect: { kind: 'cut', perform: true } });
  await comment('second');
  forge.faults.add({ match, effect: { kind: 'cut' } });
  await comment('third');
  assert.deepEqual(
    repository.issues[0]?.comments.map(({ body }) => body),
    ['first', 'second'],
  );
});

test('a delayed request is answered as usual', async (context) => {
  const world = await createWorld(context);
  world.forge.faults.add({ match: () => true, effect: { kind: 'delay', ms: 5 } });
  assert.equal((await appClient(world).repos.get(at)).status, 200);
});

test('every request is kept with its method, path, bearer, body and status', async (context) => {
  const world = await createWorld(context);
  const octokit = appClient(world);
  await octokit.issues.create({ ...at, title: 'T' });
  await refusalOf(octokit.issues.get({ ...at, issue_number: 9 }));
  await fetch(`${world.forge.webUrl}/acme/shop.git/info/refs?service=git-upload-pack`);
  const common = { at: world.time.now };
  assert.deepEqual(world.forge.requests, [
    {
      ...common,
      kind: 'rest',
      method: 'POST',
      path: '/api/v3/repos/acme/shop/issues',
      token: 'installation',
      body: { title: 'T' },
      status: 201,
    },
    {
      ...common,
      kind: 'rest',
      method: 'GET',
      path: '/api/v3/repos/acme/shop/issues/9',
      token: 'installation',
      body: null,
      status: 404,
    },
    {
      ...common,
      kind: 'git',
      method: 'GET',
      path: '/acme/shop.git/info/refs?service=git-upload-pack',
      token: 'none',
      body: null,
      status: 401,
    },
  ]);
});
