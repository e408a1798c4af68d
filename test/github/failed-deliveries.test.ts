import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, afterEach, before, test } from 'node:test';
import nock from 'nock';
import { createAppClient } from '../../src/github/client.ts';
import { createFailedDeliveries } from '../../src/github/failed-deliveries.ts';
import { Forbidden } from '../../src/github/github.ts';
import { createKnownSecrets } from '../../src/text/known-secrets.ts';
import { createOutGate } from '../../src/text/out-gate.ts';
import { startWorld } from './forge-world.ts';
import { newPrivateKey } from './keys.ts';

const api = 'http://ghe.test/api/v3';
const log = { debug() {}, info() {}, warn() {}, error() {} };
let privateKey: string;

before(() => {
  privateKey = newPrivateKey();
});
afterEach(() => {
  assert.deepEqual(nock.pendingMocks(), []);
  nock.cleanAll();
});
after(() => nock.restore());

function deliveriesAt(apiUrl: string) {
  const environment = { appId: '7', privateKey, apiUrl, graphqlUrl: 'http://ghe.test/api/graphql' };
  const client = createAppClient({ environment, log, secondMs: 1, gate: createOutGate(createKnownSecrets([])) });
  return createFailedDeliveries(client, apiUrl);
}

function listed(id: string, more = ''): string {
  return `[{"id":${id},"guid":"0b98","delivered_at":"2026-03-01T10:00:00Z","status":"OK","status_code":200,"installation_id":5${more}}]`;
}

const json = { 'content-type': 'application/json; charset=utf-8' };

test('R4: deliveries are listed newest first, page after page, and one that failed is sent again under its GUID', async (t) => {
  const world = await startWorld();
  t.after(() => world.close());
  let status = 500;
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status).end());
  });
  t.after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  world.app.webhookUrl = `http://127.0.0.1:${address.port}/`;
  const { deliveries } = world.github;
  for (let made = 0; made < 102; made += 1) world.issue(`issue ${made}`);
  await world.forge.webhooks.idle();
  const first = await deliveries.list(null);
  assert.ok(first !== null);
  const second = await deliveries.list(first.next);
  assert.deepEqual([first.attempts.length, second?.attempts.length, second?.next], [100, 2, null]);
  const [made] = world.forge.state.deliveries;
  const oldest = second?.attempts.at(-1);
  assert.ok(made !== undefined);
  const failed = {
    id: String(made.id),
    guid: made.guid,
    deliveredAt: Date.parse(made.deliveredAt),
    isOk: false,
    isAnswered: true,
    installation: world.installation.id,
  };
  assert.deepEqual(oldest, failed);
  status = 202;
  assert.equal(await deliveries.askAgain(String(made.id)), 'asked');
  await world.forge.webhooks.idle();
  const newest = (await deliveries.list(null))?.attempts[0];
  assert.deepEqual({ ...newest, id: null }, { ...failed, id: null, isOk: true });
  assert.equal(await deliveries.askAgain('1'), 'gone');
  assert.deepEqual(world.forge.violations, []);
});

test('a number past what a number holds is asked for as GitHub gave it', async () => {
  nock(api).get('/app/hook/deliveries?per_page=100').reply(200, listed('3804004623172239366'), json);
  const page = await deliveriesAt(api).list(null);
  assert.equal(page?.attempts[0]?.id, '3804004623172239366');
  nock(api).post('/app/hook/deliveries/3804004623172239366/attempts').reply(202, '{}', json);
  assert.equal(await deliveriesAt(api).askAgain('3804004623172239366'), 'asked');
});

test('a page that GitHub knows no more is told from a list that it refuses', async () => {
  nock(api).get('/app/hook/deliveries?per_page=100&cursor=v1_7').reply(422, { message: 'Invalid cursor' });
  assert.equal(await deliveriesAt(api).list('v1_7'), null);
  for (const status of [403, 404]) {
    nock(api).get('/app/hook/deliveries?per_page=100').reply(status, { message: 'No' });
    await assert.rejects(deliveriesAt(api).list(null), Forbidden);
  }
  nock(api).get('/app/hook/deliveries?per_page=100').times(3).reply(502, 'oops');
  await assert.rejects(deliveriesAt(api).list(null), { status: 502 });
});

test('R5: GitHub keeps deliveries for three days, an Enterprise Server for seven', () => {
  const days = (apiUrl: string) => deliveriesAt(apiUrl).keptMs / 86_400_000;
  const addresses = ['https://api.github.com', 'https://api.octo.ghe.com', 'https://ghe.test/api/v3'];
  assert.deepEqual(addresses.map(days), [3, 3, 7]);
});
