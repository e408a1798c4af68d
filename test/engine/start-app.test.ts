import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { chmod, readdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { z } from 'zod';
import { eventually, type TemporaryFolder, temporaryFolder } from './engine-fixture.ts';
import { copyDatabase } from './made-database.ts';

const main = join(import.meta.dirname, '../../src/main.ts');
const secret = 'a secret that nobody else knows';

/** A forge that refuses everything, and notes what it was asked. */
const asked: string[] = [];
const children: ChildProcess[] = [];
let forge: Server;
let folder: TemporaryFolder;

before(async () => {
  folder = await temporaryFolder();
  await copyDatabase(folder.path);
  forge = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"Not Found"}');
  });
  forge.listen(0, '127.0.0.1');
  await once(forge, 'listening');
});

after(async () => {
  for (const child of children) child.kill('SIGKILL');
  forge.closeAllConnections();
  forge.close();
  await folder[Symbol.asyncDispose]();
});

interface Started {
  readonly process: ChildProcess;
  readonly lines: string[];
  readonly url: Promise<string>;
  readonly exit: Promise<number | null>;
}

function start(more: Readonly<Record<string, string>> = {}): Started {
  const address = forge.address();
  assert.ok(address !== null && typeof address === 'object');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const child = spawn(process.execPath, ['--liftoff-only', main, 'start'], {
    env: {
      APP_ID: '3',
      PRIVATE_KEY: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
      WEBHOOK_SECRET: secret,
      ANTHROPIC_API_KEY: 'sk-ant-canary-key',
      GHE_HOST: `127.0.0.1:${address.port}`,
      GHE_PROTOCOL: 'http',
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: folder.path,
      PATH: '/usr/bin:/bin',
      ...more,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const lines: string[] = [];
  const { promise: url, resolve } = Promise.withResolvers<string>();
  const read = (text: string) => {
    lines.push(text);
    const found = /"url":"([^"]+)","msg":"taking deliveries"/.exec(lines.join(''))?.[1];
    if (found !== undefined) resolve(found);
  };
  child.stdout.setEncoding('utf8').on('data', read);
  child.stderr.setEncoding('utf8').on('data', read);
  const exit = once(child, 'close').then(() => child.exitCode);
  return { process: child, lines, url, exit };
}

async function deliver(url: string): Promise<number> {
  const body = JSON.stringify({
    action: 'labeled',
    installation: { id: 7 },
    repository: { id: 100, name: 'shop', owner: { login: 'octo' } },
    sender: { id: 5, login: 'ada', type: 'User' },
    issue: { number: 42 },
  });
  const response = await fetch(`${url}/api/github/webhooks`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'issues',
      'x-github-delivery': 'a0b1c2d3-0000-4000-8000-000000000000',
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
  });
  await response.body?.cancel();
  return response.status;
}

test('the process from start to kill, to start, to drain', { timeout: 60_000 }, async (t) => {
  const first = start();
  const url = await first.url;

  await t.test('a second process on the data folder says so and exits with 1', async () => {
    const second = start();
    assert.equal(await second.exit, 1);
    assert.match(
      second.lines.join(''),
      /^expected to be the only process on the data folder .+; stop that process, or set DATA_DIR/,
    );
  });

  await t.test('S46: soon after the start what is ready and the log say whether commands can be confined', async () => {
    const read = async () =>
      z.object({ sandbox: z.string() }).parse(await (await fetch(`${url}/readyz`)).json()).sandbox;
    await eventually('the proof of the sandbox', async () => (await read()) !== 'unknown', 40_000);
    const said =
      (await read()) === 'available' ? 'commands of runs can be confined' : 'no command of a run will be carried out';
    assert.ok(first.lines.join('').includes(said));
  });

  await t.test('a delivery whose answer was 2xx survives a kill right after it', async () => {
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    assert.equal(await deliver(url), 200);
    first.process.kill('SIGKILL');
    await first.exit;
    asked.length = 0;
    const next = start();
    await next.url;
    await eventually('a look at the thread', () => asked.includes('POST /api/v3/app/installations/7/access_tokens'));
    assert.equal(await deliver(await next.url), 200);
    next.process.kill('SIGTERM');
    assert.equal(await next.exit, 0);
    assert.equal(next.lines.join('').includes('sk-ant-canary'), false);
  });
});

test('where git cannot be relied on nothing starts, and the reason is said', { timeout: 60_000 }, async () => {
  const { exit, lines } = start({ PATH: folder.path });
  assert.equal(await exit, 1);
  assert.equal(lines.join(''), 'expected git to start, got: Error: spawn git ENOENT; install git 2.39 or later\n');
});

test('a data folder that others can read is refused before anything is opened in it', async () => {
  await using open = await temporaryFolder();
  await chmod(open.path, 0o755);
  const { exit, lines } = start({ DATA_DIR: open.path });
  assert.equal(await exit, 1);
  assert.match(lines.join(''), /^expected the data folder .+ to be its owner's alone, got mode 755; run "chmod 700 /);
  assert.deepEqual(await readdir(open.path), []);
});

test('a proxy that is asked for and not installed is said, not passed over', { timeout: 60_000 }, async () => {
  const { exit, lines } = start({ WEBHOOK_PROXY_URL: 'https://smee.test/channel' });
  assert.equal(await exit, 1);
  assert.match(lines.join(''), /WEBHOOK_PROXY_URL: expected the package smee-client to be installed, got none/);
});

test('an environment that cannot be used is explained, every problem at once', async () => {
  const { exit, lines } = start({ WEBHOOK_SECRET: ' ', APP_ID: '' });
  assert.equal(await exit, 1);
  assert.match(lines.join(''), /APP_ID: [\s\S]*WEBHOOK_SECRET: /);
});
