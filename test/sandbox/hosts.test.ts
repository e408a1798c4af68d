// Needs bwrap, socat, rg.
import assert from 'node:assert/strict';
import dns from 'node:dns';
import { copyFile, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { createServer, isIP } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, mock, test } from 'node:test';
import type { CommandRunner } from '../../src/sandbox/command-runner.ts';

/** What names are resolved to; all of them may be reached by name. */
const addresses = {
  'loopback.example.com': ['127.0.0.1'],
  'six.example.com': ['::1', '::ffff:127.0.0.1'],
  'private.example.com': ['10.0.0.7'],
  'private-too.example.com': ['172.16.3.4', '192.168.1.1', '100.64.0.1', 'fd00::1'],
  'link-local.example.com': ['169.254.169.254', 'fe80::1'],
  'metadata.example.com': ['100.100.100.200', 'fd00:ec2::254', '168.63.129.16'],
  'translated.example.com': ['64:ff9b::a00:7'],
  'tunnelled.example.com': ['2001:0:a00:7::1', '2002:a00:7::1', '192.88.99.1'],
  'documented.example.com': ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1', '100::1', '5f00::1'],
  'nowhere.example.com': ['0.0.0.0', '255.255.255.255', '224.0.0.1', '240.0.0.1'],
} as const;
const outside = 'outside.example.com';

let folder = '';
let runner: CommandRunner = { available: false, reason: 'not started' };
let connections = 0;
const asked: string[] = [];
const listener = createServer((socket) => {
  connections += 1;
  socket.destroy();
});

type Answer = (error: Error | null, found: { readonly address: string; readonly family: number }[]) => void;

before(async () => {
  const table = new Map<string, readonly string[]>(Object.entries(addresses));
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'hosts-')));
  const [checkout, scratch] = [path.join(folder, 'checkout'), path.join(folder, 'scratch')];
  for (const each of [checkout, scratch]) await mkdir(each);
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  mock.method(dns, 'lookup', (name: string, _: object, answer: Answer) => {
    if (isIP(name) !== 0) {
      answer(null, [{ address: name, family: isIP(name) }]);
      return;
    }
    asked.push(name);
    const found = (table.get(name) ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    answer(found.length === 0 ? Object.assign(new Error('not found'), { code: 'ENOTFOUND' }) : null, found);
  });
  syncBuiltinESMExports();
  const { createCommandRunner } = await import('../../src/sandbox/command-runner.ts');
  runner = await createCommandRunner({
    checkout,
    scratch,
    writable: true,
    readOnly: [],
    hosts: [...Object.keys(addresses), 'gone.example.com'],
  });
});

after(async () => {
  if (runner.available) await runner.close();
  mock.restoreAll();
  syncBuiltinESMExports();
  await new Promise((resolve) => listener.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

async function run(command: string): Promise<string> {
  assert.ok(runner.available, `expected a working sandbox, got: ${runner.available ? '' : runner.reason}`);
  return (await runner.run(command, { timeoutMs: 30_000, signal: new AbortController().signal })).output;
}

test('a name that may be reached leads to no address of the host or of its networks (S40)', async () => {
  const names = Object.keys(addresses);
  const output = await run(
    names
      .map((name) => `curl -sS -m 5 -o /dev/null -w "${name} %{http_connect}\\n" https://${name}/ 2>/dev/null`)
      .join('\n'),
  );
  assert.deepEqual(
    output.trim().split('\n'),
    names.map((name) => `${name} 403`),
  );
  assert.deepEqual([...new Set(asked)].toSorted(), names.toSorted());
  assert.equal(connections, 0);
});

test('a name is let through as far as its address where both lists hold it, and no other name is even looked up (S39, S40)', async () => {
  const others = [outside, `${outside}\\0.loopback.example.com`, 'a.loopback.example.com', '127.0.0.1'];
  asked.length = 0;
  const output = await run(
    [
      'curl -sS -m 5 -o /dev/null -w "%{http_connect}\\n" https://gone.example.com/ 2>/dev/null',
      ...others.map((name) => `curl -sS -m 5 -o /dev/null -w "%{http_connect}\\n" 'https://${name}/' 2>/dev/null`),
      'curl -sS -m 5 -o /dev/null -w "%{http_connect}\\n" https://gone.example.com:22/ 2>/dev/null',
    ].join('\n'),
  );
  const [gone, ...refused] = output.trim().split('\n');
  assert.match(gone ?? '', /^50\d$/);
  assert.deepEqual(
    [...new Set(refused)].filter((code) => code !== '403' && code !== '000'),
    [],
  );
  assert.deepEqual([...new Set(asked)], ['gone.example.com']);
});

test('there is no way but the proxy (S39, S41)', async () => {
  const address = listener.address();
  assert.ok(address !== null && typeof address !== 'string');
  const ways = [
    `curl -sS -m 3 --noproxy '*' http://127.0.0.1:${address.port}/ && echo reached`,
    `curl -sS -m 3 --noproxy '*' http://loopback.example.com:${address.port}/ && echo reached`,
    `curl -sS -m 3 --socks5-hostname localhost:1080 http://loopback.example.com:${address.port}/ && echo reached`,
    `env -u http_proxy -u HTTP_PROXY curl -sS -m 3 http://loopback.example.com:${address.port}/ && echo reached`,
    `exec 3<>/dev/tcp/127.0.0.1/${address.port} && echo reached`,
  ];
  assert.doesNotMatch(await run(ways.map((way) => `(${way})`).join('\n')), /^reached$/m);
  assert.equal(connections, 0);
});

test('no spelling, second request or protocol makes the proxy let through another host than it dials (S39, S41)', async () => {
  await copyFile(path.join(import.meta.dirname, 'raw-client.mjs'), path.join(folder, 'checkout', 'raw-client.mjs'));
  asked.length = 0;
  const refused = { reply: 2 };
  assert.deepEqual(JSON.parse(await run('node raw-client.mjs')), {
    'a second request on one connection': '502,403,502',
    'an absolute URI behind an allowed Host': '403',
    'a name before the host': '403',
    'an escaped NUL': '500',
    'a request of two lengths': '400',
    'CONNECT to an address within an address': '403',
    'CONNECT to a decimal address': '403',
    'CONNECT to another port': '403',
    'SOCKS by an allowed name': { reply: 4 },
    'SOCKS by a name with NUL': refused,
    'SOCKS by a name with an escape': refused,
    'SOCKS by a name with a name before it': refused,
    'SOCKS by an octal address': refused,
    'SOCKS by an address': refused,
    'SOCKS by an address within an address': refused,
    'SOCKS to bind': { reply: 7 },
    'SOCKS for UDP': { reply: 7 },
    'SOCKS without the password': { reply: 2 },
  });
  assert.deepEqual([...new Set(asked)], ['gone.example.com']);
  assert.equal(connections, 0);
});
