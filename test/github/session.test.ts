import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import nock from 'nock';
import { Forbidden, type ThreadRef, Unreadable } from '../../src/github/github.ts';
import { statusOf } from '../../src/github/response-errors.ts';
import { createSession, type Held } from '../../src/github/session.ts';
import type { Tokens } from '../../src/github/tokens.ts';
import { createWriteLimiter } from '../../src/github/write-limiter.ts';
import { createKnownSecrets } from '../../src/text/known-secrets.ts';
import { createOutGate } from '../../src/text/out-gate.ts';

const api = 'http://ghe.test/api/v3';
const graphqlUrl = 'http://ghe.test/api/graphql';
const log = { debug() {}, info() {}, warn() {}, error() {} };
const gate = createOutGate(createKnownSecrets([]));
const thread: ThreadRef = { installation: 5, repository: { id: 11, owner: 'ann', name: 'shop' }, issue: 42 };
const where = { owner: 'ann', repo: 'shop', issue_number: 42 };

before(() => nock.disableNetConnect());
afterEach(() => {
  assert.deepEqual(nock.pendingMocks(), []);
  nock.cleanAll();
});
after(() => {
  nock.enableNetConnect();
  nock.restore();
});

/** A session whose tokens are `ghs_1`, then `ghs_2` once GitHub answers 401 to that, and so on. */
function session() {
  let number = 1;
  const tokens: Tokens = {
    lend: async (_thread, _use, work) => {
      try {
        return await work({ token: `ghs_${number}`, expiresAt: Number.POSITIVE_INFINITY, repository: null });
      } catch (error) {
        if (statusOf(error) === 401) number += 1;
        throw error;
      }
    },
    lendToDiscover: (_installation, work) => work('ghs_all'),
    close: async () => undefined,
  };
  const environment = { appId: '7', privateKey: '', apiUrl: api, graphqlUrl };
  return createSession({ environment, log, secondMs: 1, gate }, tokens, createWriteLimiter(0));
}

const comment = ({ client }: Held) => client.rest.issues.createComment({ ...where, body: 'hello' });
const read = ({ client }: Held) => client.rest.issues.get(where);

test('a POST whose answer is lost is not sent again', async () => {
  for (const status of [500, 502, 503, 504]) {
    nock(api).post('/repos/ann/shop/issues/42/comments').reply(status, 'oops');
    await assert.rejects(session().write(thread, 'comment', comment), { status });
  }
});

test('a POST that GitHub refuses is not sent again', async () => {
  nock(api).post('/repos/ann/shop/issues/42/comments').reply(422, { message: 'Validation Failed' });
  await assert.rejects(session().write(thread, 'comment', comment), { status: 422 });
});

test('a read is sent again after a server error, and no more than twice', async () => {
  nock(api)
    .get('/repos/ann/shop/issues/42')
    .times(2)
    .reply(502, 'oops')
    .get('/repos/ann/shop/issues/42')
    .reply(200, {});
  await session().read(thread, 'read', read);
  nock(api).get('/repos/ann/shop/issues/42').times(3).reply(502, 'oops');
  await assert.rejects(session().read(thread, 'read', read), { status: 502 });
});

test('a secondary rate limit is waited for as long as GitHub says, and the write is then done once', async () => {
  for (const status of [403, 429]) {
    const message = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
    nock(api)
      .post('/repos/ann/shop/issues/42/comments', { body: 'hello' })
      .reply(status, { message }, { 'retry-after': '30' })
      .post('/repos/ann/shop/issues/42/comments', { body: 'hello' })
      .reply(201, { id: 1 });
    const began = performance.now();
    await session().write(thread, 'comment', comment);
    assert.ok(performance.now() - began >= 29, "thirty of the test's short seconds");
  }
});

test('a rate limit that does not end is given up, and is no refusal', async () => {
  const message = 'You have exceeded a secondary rate limit.';
  nock(api).post('/repos/ann/shop/issues/42/comments').times(3).reply(403, { message }, { 'retry-after': '1' });
  await assert.rejects(session().write(thread, 'comment', comment), (error) => !(error instanceof Forbidden));
});

test('a 403 without a rate limit is a refusal at once, with the permission that is missing', async () => {
  nock(api)
    .post('/repos/ann/shop/issues/42/comments')
    .reply(
      403,
      { message: 'Resource not accessible by integration' },
      { 'x-accepted-github-permissions': 'issues=write; pull_requests=write' },
    );
  await assert.rejects(session().write(thread, 'comment', comment), (error) => {
    assert.ok(error instanceof Forbidden);
    assert.equal(error.permission, 'issues: write; pull_requests: write');
    assert.equal(error.message, 'expected to comment, got 403: Resource not accessible by integration');
    return true;
  });
});

test('an archived, blocked or missing repository is a refusal', async () => {
  for (const [status, message] of [
    [403, 'Repository was archived so is read-only.'],
    [404, 'Not Found'],
    [410, 'Issues are disabled for this repo'],
    [451, 'Repository access blocked'],
  ] as const) {
    nock(api).post('/repos/ann/shop/issues/42/comments').reply(status, { message });
    await assert.rejects(session().write(thread, 'comment', comment), Forbidden);
  }
});

test('a token that GitHub no longer accepts is renewed once', async () => {
  nock(api, { reqheaders: { authorization: 'token ghs_1' } })
    .post('/repos/ann/shop/issues/42/comments')
    .reply(401, { message: 'Bad credentials' });
  nock(api, { reqheaders: { authorization: 'token ghs_2' } })
    .post('/repos/ann/shop/issues/42/comments')
    .reply(201, { id: 1 });
  await session().write(thread, 'comment', comment);
  nock(api).post('/repos/ann/shop/issues/42/comments').times(2).reply(401, { message: 'Bad credentials' });
  await assert.rejects(session().write(thread, 'comment', comment), { status: 401 });
});

test('GraphQL goes to its own address, and any error makes the answer unreadable', async () => {
  const ask = ({ query }: Held) => query('query Q($a: Int!) { x(a: $a) }', { a: 1 });
  const body = { query: 'query Q($a: Int!) { x(a: $a) }', variables: { a: 1 } };
  nock('http://ghe.test')
    .post('/api/graphql', body)
    .reply(200, { data: { x: 2 } });
  assert.deepEqual(await session().read(thread, 'ask', ask), { x: 2 });
  for (const type of ['RATE_LIMITED', 'MAX_NODE_LIMIT_EXCEEDED', 'SOMETHING_NEW']) {
    nock('http://ghe.test')
      .post('/api/graphql')
      .reply(200, { data: { x: 2 }, errors: [{ type, message: 'no' }] });
    await assert.rejects(session().read(thread, 'ask', ask), Unreadable);
  }
  nock('http://ghe.test')
    .post('/api/graphql')
    .reply(200, { data: null, errors: [{ type: 'FORBIDDEN', message: 'no' }] });
  await assert.rejects(session().read(thread, 'ask', ask), Forbidden);
});

test('a query is repeated after a server error; a mutation only where that does no harm', async () => {
  nock('http://ghe.test').post('/api/graphql').reply(502, 'oops').post('/api/graphql').reply(200, { data: 1 });
  assert.equal(await session().read(thread, 'ask', ({ query }) => query('query { x }', {})), 1);
  nock('http://ghe.test').post('/api/graphql').reply(502, 'oops').post('/api/graphql').reply(200, { data: 2 });
  assert.equal(await session().write(thread, 'ask', ({ mutate }) => mutate('mutation { x }', {}, true)), 2);
  nock('http://ghe.test').post('/api/graphql').reply(502, 'oops');
  await assert.rejects(
    session().write(thread, 'ask', ({ mutate }) => mutate('mutation { x }', {})),
    { status: 502 },
  );
});
