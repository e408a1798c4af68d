import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidEnvironment, readEnvironment } from '../../src/config/environment.ts';
import { parseRepositoryConfig, toPolicy } from '../../src/config/repository-config.ts';
import { isHostName } from '../../src/sandbox/host-name.ts';

const rule =
  'the exact name of a host on the internet in lower-case ASCII, without a port, a wildcard, "%", "@" or a dot at its end';

const refused = [
  'evil.example\0.example.com',
  'example.com%00',
  'user@example.com',
  'user:password@example.com',
  'example.com.',
  'example.com:443',
  '*.example.com',
  'https://example.com',
  'example.com/path',
  'Example.com',
  'exämple.com',
  'ｅxample.com',
  'example。com',
  '127.0.0.1',
  '127.1',
  '0x7f.1',
  '2130706433',
  '169.254.169.254',
  '[::1]',
  '::1',
  'localhost',
  'a.localhost',
  'localhost.localdomain',
  'metadata.google.internal',
  'printer.local',
  'example',
  'example..com',
  '-a.example.com',
  'exam ple.com',
  `${'a'.repeat(64)}.com`,
  `${'a.'.repeat(130)}com`,
  '',
];

test('only one spelling of a name of a host on the internet is taken (S40)', () => {
  assert.deepEqual(refused.filter(isHostName), []);
  const taken = [
    'registry.npmjs.org',
    'a-b.example.com',
    'xn--exmple-cua.com',
    '1.example.com',
    'files.pythonhosted.org',
  ];
  assert.deepEqual(taken.filter(isHostName), taken);
});

test('a host that cannot be listed is named with line and key (S40)', () => {
  const text = 'sandbox:\n  hosts:\n    - registry.example.com\n    - "*.example.com"\n    - "127.0.0.1"\n';
  const read = parseRepositoryConfig(text);
  assert.ok('problems' in read);
  assert.deepEqual(
    read.problems.map((problem) => problem.split(', got ')[0]),
    [`line 4, sandbox.hosts.1: expected ${rule}`, `line 5, sandbox.hosts.2: expected ${rule}`],
  );
});

test('hosts that a repository lists are part of its policy; there are none by default (S39)', () => {
  const hostsOf = (text: string) => {
    const read = parseRepositoryConfig(text);
    assert.ok('config' in read);
    return toPolicy(read.config, 'plan.md').hosts;
  };
  assert.deepEqual(hostsOf('sandbox: { hosts: [registry.example.com] }'), ['registry.example.com']);
  assert.deepEqual(hostsOf(''), []);
});

test('what the operator allows is read with the same strictness, and nothing is allowed by default (S39, S40)', () => {
  const read = (list?: string): readonly string[] => {
    try {
      return readEnvironment({ PLANWRIGHT_SANDBOX_HOSTS: list }).sandboxHosts;
    } catch (error) {
      assert.ok(error instanceof InvalidEnvironment);
      return error.problems.filter((problem) => problem.startsWith('PLANWRIGHT_SANDBOX_HOSTS'));
    }
  };
  assert.deepEqual(read('registry.example.com, localhost ,10.0.0.1'), [
    `PLANWRIGHT_SANDBOX_HOSTS: expected each to be ${rule}, got "localhost", "10.0.0.1"; put commas between them`,
  ]);
  assert.deepEqual(read(' registry.example.com,files.example.com '), []);
});
