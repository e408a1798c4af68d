import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Readiness } from '../../src/engine/engine.ts';
import type { Delivery, Inbox } from '../../src/engine/inbox.ts';
import { createHealthHandler } from '../../src/web/health.ts';
import { maxBodyBytes } from '../../src/web/request-body.ts';
import { webhookPath } from '../../src/web/server.ts';
import { secret, startWebhookServer, type WebhookServer } from './webhook-server.ts';

const stored: Delivery[] = [];
let storage: 'works' | 'fails' = 'works';
let ready: Readiness['queue'] = 'ready';
let server: WebhookServer;
let origin: string;

const inbox: Inbox = {
  store: async (delivery) => {
    if (storage === 'fails') throw new Error('disk full at /data');
    stored.push(delivery);
    return 'woken';
  },
};

before(async () => {
  const health = createHealthHandler(async () => ({
    isReady: ready === 'ready',
    database: 'ready',
    queue: ready,
    sandbox: 'missing',
    sandboxFault: 'not installed: bwrap',
    lastLookError: null,
    runs: 0,
  }));
  server = await startWebhookServer(inbox, [health]);
  origin = `http://127.0.0.1:${server.port}`;
});

after(() => server[Symbol.asyncDispose]());

interface Request {
  readonly body?: string | Uint8Array;
  readonly headers?: Record<string, string | null>;
  readonly method?: string;
}

async function send({ body = '{}', headers = {}, method = 'POST' }: Request): Promise<number> {
  const all: Record<string, string | null> = {
    'content-type': 'application/json',
    'x-github-event': 'issues',
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    ...headers,
  };
  const sent = Object.entries(all).flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[name, value]],
  );
  const response = await fetch(`${origin}${webhookPath}`, {
    method,
    headers: sent,
    ...(method === 'GET' ? {} : { body }),
  });
  await response.body?.cancel();
  return response.status;
}

const payload = JSON.stringify({
  action: 'labeled',
  installation: { id: 7 },
  repository: { id: 100, name: 'shop', owner: { login: 'octo' } },
  sender: { id: 5, login: 'ada', type: 'User' },
  issue: { number: 42 },
});

test('a genuine delivery is stored, then answered', async () => {
  const guid = randomUUID();
  stored.length = 0;
  assert.equal(await send({ body: payload, headers: { 'x-github-delivery': guid } }), 200);
  assert.deepEqual(stored, [
    {
      guid,
      event: 'issues',
      payload: JSON.parse(payload),
      destination: {
        kind: 'issue',
        installation: 7,
        repository: { id: 100, owner: 'octo', name: 'shop' },
        issue: 42,
      },
    },
  ]);
});

test('whatever is not a genuine delivery is refused with 4xx, stores nothing, and the next one is taken', async () => {
  stored.length = 0;
  const sha1 = `sha1=${createHmac('sha1', secret).update(payload).digest('hex')}`;
  const withDevelopment = `sha256=${createHmac('sha256', 'development').update(payload).digest('hex')}`;
  const truncated = `sha256=${createHmac('sha256', secret).update(payload).digest('hex').slice(0, 40)}`;
  const bad: Readonly<Record<string, readonly [number, Request]>> = {
    unsigned: [400, { body: payload, headers: { 'x-hub-signature-256': null } }],
    'signed with SHA-1 alone': [
      400,
      { body: payload, headers: { 'x-hub-signature-256': null, 'x-hub-signature': sha1 } },
    ],
    'SHA-1 in the place of SHA-256': [400, { body: payload, headers: { 'x-hub-signature-256': sha1 } }],
    'signed with the well-known secret': [400, { body: payload, headers: { 'x-hub-signature-256': withDevelopment } }],
    'a truncated signature': [400, { body: payload, headers: { 'x-hub-signature-256': truncated } }],
    'no signature in the header': [400, { body: payload, headers: { 'x-hub-signature-256': 'x' } }],
    'another body than was signed': [
      400,
      {
        body: JSON.stringify(JSON.parse(payload), null, 1),
        headers: { 'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(payload).digest('hex')}` },
      },
    ],
    'broken JSON': [400, { body: '{"action": ' }],
    'a JSON string': [400, { body: '"labeled"' }],
    'a JSON null': [400, { body: 'null' }],
    'an empty body': [400, { body: '' }],
    'invalid UTF-8': [400, { body: new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]) }],
    'a form': [415, { body: payload, headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    'no event header': [400, { body: payload, headers: { 'x-github-event': null } }],
    'no delivery header': [400, { body: payload, headers: { 'x-github-delivery': null } }],
    'another method': [404, { method: 'GET' }],
  };
  const got = Object.fromEntries(
    await Promise.all(
      Object.entries(bad).map(async ([name, [, request]]) => {
        const body = request.body === '' ? ' ' : request.body;
        return [name, await send(body === undefined ? request : { ...request, body })] as const;
      }),
    ),
  );
  assert.deepEqual(got, Object.fromEntries(Object.entries(bad).map(([name, [status]]) => [name, status])));
  assert.deepEqual(stored, []);
  assert.equal(await send({ body: payload }), 200);
});

test('a body above 25 MB is refused with 413, announced or not', async () => {
  stored.length = 0;
  const large = new Uint8Array(maxBodyBytes + 1).fill(0x20);
  large[0] = 0x7b;
  assert.equal(await send({ body: large, headers: { 'x-hub-signature-256': 'sha256=0' } }), 413);
  const chunked = new ReadableStream({
    start: (stream) => {
      stream.enqueue(large);
      stream.close();
    },
  });
  const unannounced = await fetch(`${origin}${webhookPath}`, {
    method: 'POST',
    body: chunked,
    duplex: 'half',
    headers: { 'content-type': 'application/json' },
  }).then(
    (response) => response.status,
    () => 'hung up',
  );
  assert.ok(unannounced === 413 || unannounced === 'hung up', String(unannounced));
  assert.deepEqual(stored, []);
  assert.equal(await send({ body: payload }), 200);
});

test('unknown events and actions are stored and ignored', async () => {
  stored.length = 0;
  const bodies = [
    ['ping', '{"zen":"Keep it simple."}'],
    ['a_new_event', '{"action":"done"}'],
    ['issues', '{"action":"a_new_action"}'],
    ['constructor', '{}'],
  ] as const;
  for (const [event, body] of bodies) {
    assert.equal(await send({ body, headers: { 'x-github-event': event } }), 200);
  }
  assert.deepEqual(
    stored.map(({ event, destination }) => [event, destination]),
    [
      ['ping', { kind: 'ignored', reason: 'the event is not listened to' }],
      ['a_new_event', { kind: 'ignored', reason: 'the event is not listened to' }],
      ['issues', { kind: 'ignored', reason: 'the action is not listened to' }],
      ['constructor', { kind: 'ignored', reason: 'the event is not listened to' }],
    ],
  );
});

test('S3, S5: what is signed and makes no sense is kept, wakes nothing, and the next one is taken', async () => {
  stored.length = 0;
  const change = (name: string, value: unknown) => JSON.stringify({ ...JSON.parse(payload), [name]: value });
  const bodies = [
    `{"action":"labeled","issue":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
    ...[-1, 0, 1.5, '42', null, 1e300, { id: 7 }, [7]].map((number) => change('issue', { number })),
    ...[-1, '7', 2 ** 60, null].map((id) => change('installation', { id })),
    ...['octo', null, [], { login: 'x'.repeat(101) }].map((owner) => change('repository', { id: 1, name: 'a', owner })),
    change('sender', { id: 5, login: 'ada', type: 'Person' }),
    change('sender', null),
    change('action', ['labeled']),
    '{"__proto__":{"action":"labeled"},"constructor":{}}',
  ];
  for (const body of bodies) assert.equal(await send({ body }), 200);
  assert.equal(stored.length, bodies.length);
  assert.deepEqual(new Set(stored.map(({ destination }) => destination.kind)), new Set(['ignored']));
  assert.equal(await send({ body: payload }), 200);
});

test('a delivery that cannot be stored is answered with 5xx, without the reason, and the next one is taken', async () => {
  storage = 'fails';
  server.logged.length = 0;
  const guid = randomUUID();
  assert.equal(await send({ body: payload, headers: { 'x-github-delivery': guid } }), 500);
  storage = 'works';
  assert.ok(server.logged.some((line) => line.includes('disk full') && line.includes(guid)));
  assert.equal(await send({ body: payload }), 200);
});

test('no secret and no payload reaches the log', async () => {
  server.logged.length = 0;
  await send({ body: payload.replace('shop', 'CANARY'), headers: { 'x-hub-signature-256': 'sha256=00' } });
  storage = 'fails';
  await send({ body: payload.replace('shop', 'CANARY') });
  storage = 'works';
  const log = server.logged.join('');
  assert.ok(log.length > 0);
  for (const canary of ['CANARY', secret, 'sk-ant-canary', 'PRIVATE KEY']) {
    assert.equal(log.includes(canary), false, `${canary} in ${log}`);
  }
});

test('/healthz is 200 exactly while deliveries are taken; /readyz says what is ready', async () => {
  assert.equal((await fetch(`${origin}/healthz`)).status, 200);
  ready = 'draining';
  assert.equal((await fetch(`${origin}/healthz`)).status, 503);
  const response = await fetch(`${origin}/readyz`);
  assert.deepEqual(
    [response.status, await response.json()],
    [
      503,
      {
        ...{ isReady: false, database: 'ready', queue: 'draining' },
        ...{ sandbox: 'missing', sandboxFault: 'not installed: bwrap', lastLookError: null, runs: 0 },
      },
    ],
  );
  ready = 'ready';
  assert.equal((await fetch(`${origin}/nowhere`)).status, 404);
  assert.equal((await fetch(`${origin}/readyz`, { method: 'POST' })).status, 405);
});
