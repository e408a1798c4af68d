import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import nock from 'nock';
import { createAppClient } from '../../src/github/client.ts';
import { Forbidden, type ThreadRef } from '../../src/github/github.ts';
import { createTokens, type TokenUse } from '../../src/github/tokens.ts';

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const api = 'http://ghe.test/api/v3';
const environment = { appId: '7', privateKey, apiUrl: api, graphqlUrl: 'http://ghe.test/api/graphql' };
const log = { debug() {}, info() {}, warn() {}, error() {} };
const thread: ThreadRef = { installation: 5, repository: { id: 11, owner: 'ann', name: 'shop' }, issue: 42 };

before(() => nock.disableNetConnect());
afterEach(() => {
  assert.deepEqual(nock.pendingMocks(), []);
  nock.cleanAll();
});
after(() => {
  nock.enableNetConnect();
  nock.restore();
});

let time = 0;
function tokens() {
  time = Date.parse('2026-12-01T09:00:00Z');
  return createTokens(createAppClient({ environment, log, secondMs: 1 }), () => time);
}

type Body = Readonly<Record<string, number[] | Record<string, string>>>;

function minted(body: Body, token: string) {
  nock(api, { reqheaders: { authorization: /^bearer ey/ } })
    .post('/app/installations/5/access_tokens', { ...body })
    .reply(201, { token, expires_at: new Date(time + 3_600_000).toISOString() });
}

const permissions = {
  observe: { metadata: 'read', contents: 'read', issues: 'read', pull_requests: 'read', checks: 'read' },
  act: { metadata: 'read', contents: 'read', issues: 'write', pull_requests: 'write', checks: 'write' },
  settle: { metadata: 'read', contents: 'write', pull_requests: 'write' },
  clone: { metadata: 'read', contents: 'read' },
  publish: { metadata: 'read', contents: 'write' },
  teams: { metadata: 'read', members: 'read' },
} as const satisfies Record<TokenUse, object>;

for (const use of ['observe', 'act', 'settle', 'clone', 'publish', 'teams'] as const) {
  test(`a token to ${use} reaches one repository and has the least permissions`, async () => {
    const minting = tokens();
    minted({ repository_ids: [11], permissions: { ...permissions[use] } }, 'ghs_one');
    assert.equal((await minting.get(thread, use)).token, 'ghs_one');
  });
}

test('a token to search an installation reads issues and nothing else', async () => {
  const minting = tokens();
  minted({ permissions: { metadata: 'read', issues: 'read' } }, 'ghs_all');
  assert.equal(await minting.discover(5), 'ghs_all');
  assert.equal(await minting.discover(5), 'ghs_all');
});

test('tokens to observe, to act and to read teams are used again until five minutes before they expire', async () => {
  const minting = tokens();
  for (const use of ['observe', 'act', 'teams'] as const) {
    time = Date.parse('2026-12-01T09:00:00Z');
    const body = { repository_ids: [11], permissions: { ...permissions[use] } };
    minted(body, 'ghs_first');
    const [a, b] = await Promise.all([minting.get(thread, use), minting.get(thread, use)]);
    assert.deepEqual([a.token, b.token], ['ghs_first', 'ghs_first']);
    time += 55 * 60 * 1000 - 1;
    assert.equal((await minting.get(thread, use)).token, 'ghs_first');
    time += 1;
    minted(body, 'ghs_second');
    assert.equal((await minting.get(thread, use)).token, 'ghs_second');
  }
});

test('tokens to clone, to publish and to settle are minted for each use', async () => {
  const minting = tokens();
  for (const use of ['clone', 'publish', 'settle'] as const) {
    const body = { repository_ids: [11], permissions: { ...permissions[use] } };
    minted(body, 'ghs_1');
    minted(body, 'ghs_2');
    assert.deepEqual(
      [(await minting.get(thread, use)).token, (await minting.get(thread, use)).token],
      ['ghs_1', 'ghs_2'],
    );
  }
});

test('minting tells what the repository is called now', async () => {
  const minting = tokens();
  nock(api)
    .post('/app/installations/5/access_tokens')
    .reply(201, {
      token: 'ghs_x',
      expires_at: '2026-12-01T10:00:00Z',
      repositories: [{ id: 11, name: 'store', owner: { login: 'org' } }],
    });
  assert.deepEqual((await minting.get(thread, 'clone')).repository, { owner: 'org', name: 'store' });
});

test('a permission that is not granted is named', async () => {
  const minting = tokens();
  nock(api)
    .post('/app/installations/5/access_tokens')
    .reply(422, { message: 'The permissions requested are not granted to this installation.' })
    .get('/app/installations/5')
    .reply(200, { permissions: { metadata: 'read', contents: 'write', issues: 'write', pull_requests: 'read' } });
  await assert.rejects(minting.get(thread, 'act'), (error) => {
    assert.ok(error instanceof Forbidden);
    assert.equal(error.permission, 'pull_requests: write, checks: write');
    return true;
  });
});

test('a suspended or removed installation is refused at once, without a retry', async () => {
  for (const [status, message] of [
    [403, 'This installation has been suspended'],
    [404, 'Not Found'],
  ] as const) {
    const minting = tokens();
    nock(api).post('/app/installations/5/access_tokens').reply(status, { message });
    await assert.rejects(minting.get(thread, 'observe'), Forbidden);
  }
});

test('a failed minting is not kept', async () => {
  const minting = tokens();
  nock(api).post('/app/installations/5/access_tokens').reply(404, { message: 'Not Found' });
  await assert.rejects(minting.get(thread, 'observe'), Forbidden);
  minted({ repository_ids: [11], permissions: permissions.observe }, 'ghs_again');
  assert.equal((await minting.get(thread, 'observe')).token, 'ghs_again');
});

test('a lost answer to a minting is asked for again', async () => {
  const minting = tokens();
  nock(api).post('/app/installations/5/access_tokens').reply(502, 'Bad Gateway');
  minted({ repository_ids: [11], permissions: permissions.clone }, 'ghs_late');
  assert.equal((await minting.get(thread, 'clone')).token, 'ghs_late');
});
