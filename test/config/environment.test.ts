import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import {
  forgetSecrets,
  InvalidEnvironment,
  readAppEnvironment,
  readDataDir,
  readDemoEnvironment,
  readEnvironment,
  readModelEnvironment,
  readProgramPath,
} from '../../src/config/environment.ts';
import { environmentVariables } from '../../src/config/environment-variables.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pkcs1 = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const secret = 'f3b1c2d4e5a6978812';
const folder = mkdtempSync(join(tmpdir(), 'planwright-environment-'));
after(() => rmSync(folder, { recursive: true }));

const complete = { APP_ID: '12', PRIVATE_KEY: pkcs1, WEBHOOK_SECRET: secret, ANTHROPIC_API_KEY: 'key-1' };

function problemsOf(env: Record<string, string | undefined>): readonly string[] {
  try {
    readEnvironment(env);
  } catch (error) {
    assert.ok(error instanceof InvalidEnvironment);
    assert.ok(error.problems.every((problem) => error.message.includes(problem)));
    return error.problems;
  }
  return [];
}

test('to verify, the app and its forge are enough', () => {
  assert.deepEqual(readAppEnvironment({ APP_ID: '12', PRIVATE_KEY: pkcs1, GHE_HOST: 'git.test' }), {
    appId: '12',
    privateKey: pkcs1,
    apiUrl: 'https://git.test/api/v3',
    graphqlUrl: 'https://git.test/api/graphql',
    webUrl: 'https://git.test',
  });
  assert.throws(() => readAppEnvironment({ PRIVATE_KEY: pkcs1 }), {
    name: 'InvalidEnvironment',
    problems: ['APP_ID: expected a value, got none; set it'],
  });
});

test('S7: nothing starts where certificates are not checked', () => {
  const problem =
    'NODE_TLS_REJECT_UNAUTHORIZED: expected certificates to be checked, got 0; unset it, and name your own authority in NODE_EXTRA_CA_CERTS';
  const env = { ...complete, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  for (const read of [readEnvironment, readAppEnvironment, readModelEnvironment]) {
    assert.throws(() => read(env), { problems: [problem] });
  }
  assert.deepEqual(problemsOf({ ...env, NODE_TLS_REJECT_UNAUTHORIZED: '1' }), []);
});

test('S32, S33: once they are read, the secrets are no part of what a program could be started with', () => {
  const env: Record<string, string | undefined> = { ...complete, PATH: '/bin' };
  forgetSecrets(env);
  assert.deepEqual(env, { APP_ID: '12', PATH: '/bin' });
});

test('four variables are enough; the rest has defaults', () => {
  assert.deepEqual(readEnvironment(complete), {
    appId: '12',
    privateKey: pkcs1,
    webhookSecret: secret,
    apiUrl: 'https://api.github.com',
    graphqlUrl: 'https://api.github.com/graphql',
    webUrl: 'https://github.com',
    installations: null,
    sandboxHosts: [],
    webhookProxyUrl: null,
    host: 'localhost',
    port: 3000,
    logLevel: 'info',
    model: { apiKey: 'key-1', baseUrl: null, id: 'claude-sonnet-5-5', maxOutputTokens: 16_000 },
    prices: new Map(),
    dataDir: resolve('.data'),
    writeIntervalMs: 1000,
    sweepIntervalMs: 300_000,
  });
});

test('every variable that is set is used', () => {
  const env = {
    ...complete,
    GHE_HOST: '127.0.0.1:3001',
    GHE_PROTOCOL: 'http',
    PLANWRIGHT_INSTALLATIONS: '7',
    PLANWRIGHT_SANDBOX_HOSTS: 'registry.example.com, files.example.com',
    WEBHOOK_PROXY_URL: 'https://smee.io/abc',
    HOST: '0.0.0.0',
    PORT: '0',
    LOG_LEVEL: 'DEBUG',
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:4000/',
    ANTHROPIC_MODEL: 'claude-opus-5-5',
    PLANWRIGHT_MAX_OUTPUT_TOKENS: '4096',
    DATA_DIR: join(folder, 'data'),
    PLANWRIGHT_WRITE_INTERVAL_MS: '0',
    PLANWRIGHT_SWEEP_INTERVAL_MS: '500',
    PLANWRIGHT_PRICES_PATH: join(folder, 'prices.json'),
  };
  const price = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 };
  writeFileSync(env.PLANWRIGHT_PRICES_PATH, JSON.stringify({ 'model-1': price }));
  assert.deepEqual(readEnvironment(env), {
    appId: '12',
    privateKey: pkcs1,
    webhookSecret: secret,
    apiUrl: 'http://127.0.0.1:3001/api/v3',
    graphqlUrl: 'http://127.0.0.1:3001/api/graphql',
    webUrl: 'http://127.0.0.1:3001',
    installations: new Set([7]),
    sandboxHosts: ['registry.example.com', 'files.example.com'],
    webhookProxyUrl: 'https://smee.io/abc',
    host: '0.0.0.0',
    port: 0,
    logLevel: 'debug',
    model: { apiKey: 'key-1', baseUrl: 'http://127.0.0.1:4000', id: 'claude-opus-5-5', maxOutputTokens: 4096 },
    prices: new Map([['model-1', { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }]]),
    dataDir: join(folder, 'data'),
    writeIntervalMs: 0,
    sweepIntervalMs: 500,
  });
});

for (const [form, text, expected] of [
  ['PKCS#8', pkcs8, pkcs8],
  ['with line breaks written out', pkcs1.replaceAll('\n', '\\n'), pkcs1],
  ['with its line breaks lost', pkcs1.replaceAll('\n', ''), pkcs1],
  ['in base64', Buffer.from(pkcs1).toString('base64'), pkcs1],
  ['in base64, with line breaks written out', Buffer.from(pkcs1.replaceAll('\n', '\\n')).toString('base64'), pkcs1],
  ['with Windows line ends', pkcs1.replaceAll('\n', '\r\n'), pkcs1],
] as const) {
  test(`a private key is read ${form}`, () => {
    assert.equal(readEnvironment({ ...complete, PRIVATE_KEY: text }).privateKey, expected);
  });
}

test('a private key is read from its file, and the inline one goes first', () => {
  const path = join(folder, 'app.pem');
  writeFileSync(path, pkcs8, { mode: 0o600 });
  assert.equal(readEnvironment({ ...complete, PRIVATE_KEY: undefined, PRIVATE_KEY_PATH: path }).privateKey, pkcs8);
  assert.equal(readEnvironment({ ...complete, PRIVATE_KEY_PATH: path }).privateKey, pkcs1);
});

test('an empty environment is told everything that is missing, at once', () => {
  assert.deepEqual(problemsOf({ WEBHOOK_SECRET: '   ' }), [
    'APP_ID: expected a value, got none; set it',
    'PRIVATE_KEY: expected the private key of the app, got none; set it, or PRIVATE_KEY_PATH to its file',
    'WEBHOOK_SECRET: expected a value, got none; set it',
    'ANTHROPIC_API_KEY: expected a value, got none; set it',
  ]);
});

for (const known of [
  'development',
  'secret',
  'changeme',
  'Change-Me-Please!!',
  'your-webhook-secret-123',
  "It's a Secret to Everybody",
  'aaaaaaaaaaaaaaaaaaaaaaaa',
]) {
  test(`the webhook secret ${JSON.stringify(known)} is too well known to start with`, () => {
    assert.deepEqual(problemsOf({ ...complete, WEBHOOK_SECRET: known }), [
      'WEBHOOK_SECRET: expected a secret that nobody can guess, got a well-known one; make one, e.g. with "openssl rand -hex 32", and give it to the app on GitHub as well',
    ]);
  });
}

test('a webhook secret of 15 characters is too short, one of 16 is not', () => {
  assert.deepEqual(problemsOf({ ...complete, WEBHOOK_SECRET: secret.slice(0, 15) }), [
    'WEBHOOK_SECRET: expected at least 16 characters, got 15; make one, e.g. with "openssl rand -hex 32", and give it to the app on GitHub as well',
  ]);
  assert.deepEqual(problemsOf({ ...complete, WEBHOOK_SECRET: secret.slice(0, 16) }), []);
});

test('a PostgreSQL database is refused as long as it is not supported', () => {
  assert.deepEqual(problemsOf({ ...complete, DATABASE_URL: 'postgres://app:canary@db/app' }), [
    'DATABASE_URL: expected none, as PostgreSQL is not supported yet, got one; unset it to use the embedded database in DATA_DIR',
  ]);
});

for (const host of [
  'https://ghe.example.com',
  'ghe.example.com/api',
  'user:canary@ghe.example.com',
  'ghe.example.com:99999',
  'a b',
]) {
  test(`${host} is no host`, () => {
    assert.deepEqual(problemsOf({ ...complete, GHE_HOST: host }), [
      'GHE_HOST: expected a host name, with ":port" if need be, got something else; leave out "https://" and any path',
    ]);
  });
}

test('numbers and words out of range are told with what is expected', () => {
  const env = {
    ...complete,
    PORT: '70000',
    LOG_LEVEL: 'loud',
    GHE_PROTOCOL: 'ssh',
    PLANWRIGHT_WRITE_INTERVAL_MS: '1s',
  };
  assert.deepEqual(problemsOf(env), [
    'GHE_PROTOCOL: expected one of https, http, got "ssh"',
    'PORT: expected a whole number from 0 to 65535, got "70000"',
    'LOG_LEVEL: expected one of trace, debug, info, warn, error, fatal, silent, got "loud"',
    'PLANWRIGHT_WRITE_INTERVAL_MS: expected a whole number from 0 to 600000, got "1s"',
  ]);
});

test('no message holds the value of anything that may be secret', () => {
  const canary = 'canary';
  const env = {
    APP_ID: canary,
    PRIVATE_KEY: `-----BEGIN RSA PRIVATE KEY-----${canary}-----END RSA PRIVATE KEY-----`,
    WEBHOOK_SECRET: canary,
    DATABASE_URL: `postgres://x:${canary}@db`,
    GHE_HOST: `x:${canary}@host`,
    ANTHROPIC_BASE_URL: `https://x:${canary}@host`,
    WEBHOOK_PROXY_URL: canary,
  };
  const problems = problemsOf(env);
  assert.deepEqual(
    problems.map((problem) => problem.split(':', 1)[0]),
    [
      'DATABASE_URL',
      'APP_ID',
      'PRIVATE_KEY',
      'WEBHOOK_SECRET',
      'GHE_HOST',
      'WEBHOOK_PROXY_URL',
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_BASE_URL',
    ],
  );
  assert.equal(problems.join().includes(canary), false);
});

test('a key file that is not there, and one that holds no key, are told apart', () => {
  const path = join(folder, 'no.pem');
  const env = { ...complete, PRIVATE_KEY: undefined, PRIVATE_KEY_PATH: path };
  assert.deepEqual(problemsOf(env), [
    `PRIVATE_KEY_PATH: expected a file that can be read, got ${JSON.stringify(path)}`,
  ]);
  writeFileSync(path, 'canary', { mode: 0o600 });
  assert.deepEqual(problemsOf(env), [
    'PRIVATE_KEY_PATH: expected an RSA private key in PEM, got 6 characters that are none; download a new one',
  ]);
});

for (const mode of [0o640, 0o604, 0o620, 0o644]) {
  test(`a key file that others can read or write (${mode.toString(8)}) is refused, as ssh refuses it`, () => {
    const path = join(folder, `open-${mode.toString(8)}.pem`);
    writeFileSync(path, pkcs8);
    chmodSync(path, mode);
    assert.deepEqual(problemsOf({ ...complete, PRIVATE_KEY: undefined, PRIVATE_KEY_PATH: path }), [
      `PRIVATE_KEY_PATH: expected a file that its owner alone can read, got mode ${mode.toString(8)} of ${JSON.stringify(path)}; run "chmod 600" on it`,
    ]);
  });
}

test('S6: installations are listed by number, and what is none is named', () => {
  const installationsOf = (list: string) =>
    readEnvironment({ ...complete, PLANWRIGHT_INSTALLATIONS: list }).installations;
  assert.deepEqual(installationsOf(' 7, 12 '), new Set([7, 12]));
  assert.equal(installationsOf(' '), null);
  const rule =
    "each to be the number of an installation, the last part of its settings' address, https://github.com/settings/installations/NUMBER";
  for (const [list, named] of [
    ['7,acme', '"acme"'],
    ['7,', '""'],
    ['*', '"*"'],
    ['-7, 0x7, 7.0', '"-7", "0x7", "7.0"'],
    ['9007199254740993', '"9007199254740993"'],
  ] as const) {
    assert.deepEqual(problemsOf({ ...complete, PLANWRIGHT_INSTALLATIONS: list }), [
      `PLANWRIGHT_INSTALLATIONS: expected ${rule}, got ${named}; put commas between them`,
    ]);
  }
});

test('the demo needs no key and takes one', () => {
  assert.deepEqual(readDemoEnvironment({}), { modelApiKey: null, modelBaseUrl: null, modelId: null });
  const env = {
    ANTHROPIC_API_KEY: ' key ',
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
    ANTHROPIC_MODEL: 'claude-opus-5-5',
  };
  assert.deepEqual(readDemoEnvironment(env), {
    modelApiKey: 'key',
    modelBaseUrl: 'http://127.0.0.1:9',
    modelId: 'claude-opus-5-5',
  });
});

test('the data folder is known without the rest of the environment', () => {
  assert.equal(readDataDir({ DATA_DIR: '/srv/data/' }), '/srv/data');
  assert.equal(readDataDir({}), resolve('.data'));
});

test("child processes find programs on the host's path", () => {
  assert.equal(readProgramPath({ PATH: '/opt/bin' }), '/opt/bin');
  assert.equal(readProgramPath({}), '/usr/local/bin:/usr/bin:/bin');
});

test('a variable is in the table once, and what is required has no default', () => {
  const names = environmentVariables.map((variable) => variable.name);
  assert.deepEqual(names, [...new Set(names)]);
  assert.deepEqual(
    environmentVariables.filter((variable) => variable.isRequired && variable.default !== null),
    [],
  );
});
