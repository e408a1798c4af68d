import assert from 'node:assert/strict';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { Probot } from 'probot';
import type { Delivery } from '../../src/engine/inbox.ts';
import { createPick, genuine, mutations, rawMutations, type Sent } from './webhook-mutations.ts';
import { startWebhookServer, type WebhookServer } from './webhook-server.ts';

const seed = 20_261_201;
const count = 2000;
const stored: Delivery[] = [];
const agent = new Agent({ keepAlive: true, maxSockets: 8 });
let server: WebhookServer;

before(async () => {
  server = await startWebhookServer({
    store: async (delivery) => {
      stored.push(delivery);
      return 'woken';
    },
  });
});

after(async () => {
  agent.destroy();
  await server[Symbol.asyncDispose]();
});

/** All that a caller whose delivery is not taken is ever told. */
const said = [
  '',
  '{"error":"Required headers missing: x-hub-signature-256"}',
  '{"error":"Error: [@octokit/webhooks] signature does not match event payload and secret"}',
  '{"error":"SyntaxError: Invalid JSON"}',
  '{"error":"Unsupported \\"Content-Type\\" header value. Must be \\"application/json\\""}',
  '{"error":"expected a JSON object"}\n',
  '{"error":"expected the header x-github-delivery"}\n',
  '{"error":"expected the header x-github-event"}\n',
  '{"error":"nothing is here"}\n',
];

interface Answer {
  readonly status: number;
  readonly body: string;
}

async function send({ method, path, headers, body }: Sent): Promise<Answer> {
  const given = [...headers, ['content-length', String(body.length)] as const];
  const names = [...new Set(given.map(([name]) => name))];
  const all = Object.fromEntries(
    names.map((name) => {
      // What a header cannot hold as a letter goes as its bytes.
      const values = given.flatMap(([each, value]) => (each === name ? [Buffer.from(value).toString('latin1')] : []));
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
  const call = request({ host: '127.0.0.1', port: server.port, agent, method, path, headers: all });
  call.end(body);
  const [response] = await once(call, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, body: Buffer.concat(chunks).toString() };
}

/** The status of every answer on a connection of its own, until the server closes it. */
async function sendBytes(bytes: Buffer): Promise<readonly Answer[]> {
  const socket = connect(server.port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => undefined);
  socket.write(bytes);
  await once(socket, 'close');
  const text = Buffer.concat(chunks).toString('latin1');
  return text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((answer) => answer !== '')
    .map((answer) => ({ status: Number(answer.slice(9, 12)), body: answer.split('\r\n\r\n')[1] ?? '' }));
}

test('S1, S3, cases 34 and 36: of 2,000 deliveries that something is wrong with none is taken, and the next genuine one is', async (t) => {
  const pick = createPick(seed);
  const kinds = [...Object.keys(mutations), ...Object.keys(rawMutations)];
  const accepted: string[] = [];
  const unclear: string[] = [];
  const bodies = new Set<string>();
  const sendOne = async (number: number) => {
    const kind = kinds[number % kinds.length] ?? '';
    const sent = genuine(randomUUID(), pick);
    const answers =
      mutations[kind] !== undefined
        ? [await send(mutations[kind](sent, pick))]
        : await sendBytes(rawMutations[kind]?.(sent, pick) ?? Buffer.alloc(0));
    for (const { status, body } of answers) {
      bodies.add(body);
      if (status < 300) accepted.push(`${number} ${kind}`);
      else if (status < 400 || status > 499) unclear.push(`${number} ${kind}: ${status}`);
    }
  };
  for (let at = 0; at < count; at += 40) {
    await Promise.all(Array.from({ length: 40 }, (_, index) => sendOne(at + index)));
  }
  t.diagnostic(`${count} mutated deliveries: ${accepted.length} accepted (seed ${seed}, ${kinds.length} kinds)`);
  assert.deepEqual({ accepted, unclear, stored }, { accepted: [], unclear: [], stored: [] });
  const unknown = [...bodies].filter((body) => !said.includes(body));
  assert.deepEqual(unknown, [], 'an answer says nothing of what was sent, expected or stored');
  const { status } = await send(genuine('1b2c', pick));
  assert.deepEqual([status, stored.map(({ guid }) => guid)], [200, ['1b2c']]);
});

test("S1: GitHub's published test vector holds, and no other signature of it", async () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const probot = new Probot({ appId: 1, privateKey, secret: "It's a Secret to Everybody" });
  await probot.ready();
  const { webhooks } = probot;
  const published = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
  assert.equal(await webhooks.verify('Hello, World!', published), true);
  assert.equal(await webhooks.verify('Hello, World', published), false);
  assert.equal(await webhooks.verify('Hello, World!', published.replace('=7', '=8')), false);
});
