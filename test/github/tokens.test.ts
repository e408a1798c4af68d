import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, afterEach, before, test } from 'node:test';
import { inspect } from 'node:util';
import nock from 'nock';
import { createAppClient, createTokenClient } from '../../src/github/client.ts';
import { Forbidden, type ThreadRef } from '../../src/github/github.ts';
import { everyInstallation, type Minting, type MintNote } from '../../src/github/minting.ts';
import { createTokenReturn } from '../../src/github/token-return.ts';
import { createTokens, type MintedToken, type TokenUse } from '../../src/github/tokens.ts';
import { createKnownSecrets } from '../../src/text/known-secrets.ts';
import { createOutGate } from '../../src/text/out-gate.ts';

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const api = 'http://ghe.test/api/v3';
const environment = { appId: '7', privateKey, apiUrl: api, graphqlUrl: 'http://ghe.test/api/graphql' };
const log = { debug() {}, info() {}, warn() {}, error() {} };
const gate = createOutGate(createKnownSecrets([]));
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
function tokens(minting: Minting = everyInstallation) {
  time = Date.parse('2026-12-01T09:00:00Z');
  const options = { environment, log, secondMs: 1, gate };
  return createTokens(options, createAppClient(options), () => time, minting);
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

/** The token, for as long as the work goes on. */
const lent = ({ token }: MintedToken) => Promise.resolve(token);

/** GitHub is given the token back. */
function revoked(token: string, status = 204) {
  return nock(api, { reqheaders: { authorization: `token ${token}` } })
    .delete('/installation/token')
    .reply(status);
}

for (const use of ['settle', 'clone', 'publish'] as const) {
  test(`S81, S82: a token to ${use} reaches one repository, has the least permissions, and is revoked after its work`, async () => {
    const minting = tokens();
    for (const token of ['ghs_1', 'ghs_2']) {
      minted({ repository_ids: [11], permissions: { ...permissions[use] } }, token);
      const revoking = revoked(token);
      const seen = await minting.lend(thread, use, async (held) => {
        assert.equal(revoking.isDone(), false);
        return held.token;
      });
      assert.equal(seen, token);
      await minting.close();
      assert.equal(revoking.isDone(), true);
    }
  });
}

for (const use of ['observe', 'act', 'teams'] as const) {
  test(`S81, R34: a token to ${use} reaches one repository, has the least permissions, and is lent until five minutes before its hour is up`, async () => {
    const minting = tokens();
    const body = { repository_ids: [11], permissions: { ...permissions[use] } };
    minted(body, 'ghs_first');
    const both = [minting.lend(thread, use, lent), minting.lend(thread, use, lent)];
    assert.deepEqual(await Promise.all(both), ['ghs_first', 'ghs_first']);
    time += 55 * 60 * 1000 - 1;
    assert.equal(await minting.lend(thread, use, lent), 'ghs_first');
    time += 1;
    minted(body, 'ghs_second');
    const revoking = revoked('ghs_first');
    assert.equal(await minting.lend(thread, use, lent), 'ghs_second');
    revoked('ghs_second');
    await minting.close();
    assert.equal(revoking.isDone(), true);
  });
}

test('S81, S82: a token to search an installation reads issues and nothing else, and is revoked when the app stops', async () => {
  const minting = tokens();
  minted({ permissions: { metadata: 'read', issues: 'read' } }, 'ghs_all');
  const token = async (each: string) => each;
  assert.equal(await minting.lendToDiscover(5, token), 'ghs_all');
  assert.equal(await minting.lendToDiscover(5, token), 'ghs_all');
  revoked('ghs_all');
  await minting.close();
});

test('S84: each token is told before it is used, without its value; one of which nobody can be told is given back unused', async () => {
  const told: MintNote[] = [];
  const minting = tokens({ installations: new Set([5]), onMint: async (note) => void told.push(note) });
  minted({ repository_ids: [11], permissions: permissions.clone }, 'ghs_1');
  revoked('ghs_1');
  await minting.lend(thread, 'clone', async () => assert.equal(told.length, 1));
  await minting.close();
  const expiresAt = time + 3_600_000;
  const order = { installation: 5, repository: 11, use: 'clone', permissions: permissions.clone };
  assert.deepEqual(told, [{ ...order, thread: '11#42', expiresAt }]);

  const untold = tokens({ installations: null, onMint: () => Promise.reject(new Error('disk full')) });
  minted({ repository_ids: [11], permissions: permissions.publish }, 'ghs_2');
  revoked('ghs_2');
  await assert.rejects(
    untold.lend(thread, 'publish', () => assert.fail('expected the token to be used for nothing')),
    /disk full/,
  );
  await untold.close();
});

test('S6: no token is minted for an installation that is not listed, and GitHub is not asked', async () => {
  const minting = tokens({ installations: new Set([6]), onMint: async () => undefined });
  const message = 'expected an installation of PLANWRIGHT_INSTALLATIONS, got 5; list it there, or uninstall the app';
  await assert.rejects(minting.lend(thread, 'observe', lent), new Forbidden(message, null));
  await assert.rejects(minting.lend(thread, 'publish', lent), new Forbidden(message, null));
  await assert.rejects(
    minting.lendToDiscover(5, (token) => Promise.resolve(token)),
    new Forbidden(message, null),
  );
});

test('S82: a token that is replaced is not revoked under a work that still has it', async () => {
  const minting = tokens();
  const body = { repository_ids: [11], permissions: permissions.act };
  minted(body, 'ghs_first');
  const going = Promise.withResolvers<void>();
  const slow = minting.lend(thread, 'act', async ({ token }) => {
    await going.promise;
    return token;
  });
  await minting.lend(thread, 'act', lent);
  time += 55 * 60 * 1000;
  minted(body, 'ghs_second');
  assert.equal(await minting.lend(thread, 'act', lent), 'ghs_second');
  const revoking = revoked('ghs_first');
  revoked('ghs_second');
  assert.equal(revoking.isDone(), false);
  going.resolve();
  assert.equal(await slow, 'ghs_first');
  await minting.close();
});

test('S82: a token is revoked although its work failed', async () => {
  const minting = tokens();
  minted({ repository_ids: [11], permissions: permissions.clone }, 'ghs_1');
  revoked('ghs_1');
  const failing = minting.lend(thread, 'clone', () => Promise.reject(new Error('cannot clone')));
  await assert.rejects(failing, /cannot clone/);
  await minting.close();
});

test('a token that GitHub answers 401 to is not lent again, and is revoked, lest the answer was a mistake', async () => {
  const minting = tokens();
  const body = { repository_ids: [11], permissions: permissions.observe };
  minted(body, 'ghs_first');
  const refusal = Object.assign(new Error('Bad credentials'), { status: 401 });
  await assert.rejects(
    minting.lend(thread, 'observe', () => Promise.reject(refusal)),
    refusal,
  );
  minted(body, 'ghs_second');
  revoked('ghs_first', 401);
  assert.equal(await minting.lend(thread, 'observe', lent), 'ghs_second');
  revoked('ghs_second');
  await minting.close();
});

test('S82: a token that cannot be revoked harms no work, and is told of without its value', async () => {
  const told: string[] = [];
  const warn = (...args: readonly unknown[]) => void told.push(inspect(args, { depth: 9 }));
  const options = { environment, log: { ...log, warn }, secondMs: 1, gate };
  for (const status of [500, 403, 404]) {
    const minting = createTokens(options, createAppClient(options), () => time, everyInstallation);
    minted({ repository_ids: [11], permissions: permissions.publish }, 'ghs_canary');
    revoked('ghs_canary', status);
    assert.equal(await minting.lend(thread, 'publish', lent), 'ghs_canary');
    await minting.close();
  }
  assert.equal(told.filter((line) => line.includes('could not be taken back')).length, 3);
  assert.ok(told.every((line) => !line.includes('ghs_canary')));
});

test('S82: a stop waits for GitHub no longer than it may', async () => {
  const minting = tokens();
  minted({ repository_ids: [11], permissions: permissions.clone }, 'ghs_1');
  nock(api).delete('/installation/token').delay(400).reply(204);
  await minting.lend(thread, 'clone', lent);
  const began = performance.now();
  await minting.close(20);
  assert.ok(performance.now() - began < 300);
});

test('S82: tokens that GitHub does not take back hold up nothing else', async (t) => {
  const server = createServer((request, response) => {
    if (request.method !== 'DELETE') response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  nock.enableNetConnect('127.0.0.1');
  t.after(() => {
    nock.disableNetConnect();
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const apiUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const options = { environment: { ...environment, apiUrl }, log, gate };
  const takeBack = createTokenReturn(options);
  for (let number = 0; number < 20; number += 1) takeBack.now(`ghs_${number}`);
  await once(server, 'request');
  const began = performance.now();
  await createTokenClient(options, 'ghs_other').request('GET /zen');
  assert.ok(performance.now() - began < 2000);
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
  revoked('ghs_x');
  const repository = await minting.lend(thread, 'clone', async (held) => held.repository);
  assert.deepEqual(repository, { owner: 'org', name: 'store' });
  await minting.close();
});

test('case 76: a token with less than was asked for is lent to no work, and what is missing is named', async () => {
  const minting = tokens();
  for (const use of ['publish', 'act'] as const) {
    const { metadata } = permissions[use];
    nock(api)
      .post('/app/installations/5/access_tokens')
      .reply(201, {
        token: 'ghs_less',
        expires_at: '2026-12-01T10:00:00Z',
        permissions: { metadata, contents: 'read' },
      });
    const revoking = revoked('ghs_less');
    const permission = use === 'publish' ? 'contents: write' : 'issues: write, pull_requests: write, checks: write';
    await assert.rejects(
      minting.lend(thread, use, () => assert.fail('expected no work')),
      {
        name: 'Forbidden',
        permission,
        message: `expected the permission ${permission}, got an installation without it; grant it to the app and accept it for the installation`,
      },
    );
    await minting.close();
    assert.equal(revoking.isDone(), true);
  }
});

test('case 76: a permission that is not granted is named', async () => {
  const minting = tokens();
  nock(api)
    .post('/app/installations/5/access_tokens')
    .reply(422, { message: 'The permissions requested are not granted to this installation.' })
    .get('/app/installations/5')
    .reply(200, { permissions: { metadata: 'read', contents: 'write', issues: 'write', pull_requests: 'read' } });
  await assert.rejects(minting.lend(thread, 'act', lent), (error) => {
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
    await assert.rejects(minting.lend(thread, 'observe', lent), Forbidden);
  }
});

test('a failed minting is not kept', async () => {
  const minting = tokens();
  nock(api).post('/app/installations/5/access_tokens').reply(404, { message: 'Not Found' });
  await assert.rejects(minting.lend(thread, 'observe', lent), Forbidden);
  minted({ repository_ids: [11], permissions: permissions.observe }, 'ghs_again');
  assert.equal(await minting.lend(thread, 'observe', lent), 'ghs_again');
});

test('a lost answer to a minting is asked for again', async () => {
  const minting = tokens();
  nock(api).post('/app/installations/5/access_tokens').reply(502, 'Bad Gateway');
  minted({ repository_ids: [11], permissions: permissions.clone }, 'ghs_late');
  revoked('ghs_late');
  assert.equal(await minting.lend(thread, 'clone', lent), 'ghs_late');
  await minting.close();
});
