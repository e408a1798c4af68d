import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createKnownSecrets } from '../../src/text/known-secrets.ts';
import { findSecrets } from '../../src/text/secret-scan.ts';
import { furtherForms, requiredForms } from './written-forms.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
let drawn = 0;
/** The same in every run. */
function randomBytes(length: number): Buffer {
  drawn += 1;
  return createHash('shake256', { outputLength: length }).update(`draw ${drawn}`).digest();
}
const random = (length: number) => [...randomBytes(length)].map((byte) => alphabet[byte % 62]).join('');
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (signature: string) =>
  `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iss: 'https://api.github.test', aud: 1234567, jti: random(32), exp: 1_796_148_000 })}.${signature}`;

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();

const four = {
  'an installation token of 40 characters': `ghs_${random(36)}`,
  'an installation token of about 520': `ghs_1234567_${jwt(randomBytes(256).toString('base64url'))}`,
  'a personal token': `github_pat_${random(22)}_${random(59)}`,
  'a model key': `sk-ant-api03-${random(93)}AA`,
};
const held = { ...four, 'a webhook secret': randomBytes(32).toString('hex'), 'the private key': pem };

const known = createKnownSecrets(Object.entries(held).map(([what, value]) => ({ what, value })));

test('S79: of four kinds of secrets in eight forms, 32 of 32 are found on the way out', async (context) => {
  const missed: string[] = [];
  for (const [what, secret] of Object.entries(four)) {
    for (const [form, write] of Object.entries(requiredForms)) {
      const { found } = await findSecrets(`The value is ${write(secret)} and no other.`, known);
      if (found.length !== 1 || found[0]?.what !== what) missed.push(`${what}, ${form}`);
    }
  }
  context.diagnostic(`secret forms: ${32 - missed.length} of 32 found`);
  assert.deepEqual(missed, []);
});

test('S79: every secret that the app holds is found in every form, by itself', () => {
  const missed: string[] = [];
  for (const [what, secret] of Object.entries(held)) {
    for (const [form, write] of Object.entries({ ...requiredForms, ...furtherForms })) {
      // Of the key, its first half is mostly public.
      const given = what === 'the private key' && form.includes('half') ? secret.slice(secret.length / 2) : secret;
      const found = known.find(`The value is ${write(given)} and no other.`);
      if (!found.some((each) => each.what === what)) missed.push(`${what}, ${form}`);
    }
  }
  assert.deepEqual(missed, []);
});

test('S79: a secret is told by where it stands, whatever it is written in', () => {
  const secret = held['a webhook secret'];
  const before = 'Der Schlüssel: ';
  for (const write of [(text: string) => text, (text: string) => text.replace(/./g, '$& ').trimEnd()]) {
    const written = write(secret);
    const [found] = known.find(`${before}${written} .`);
    assert.deepEqual(found, {
      what: 'a webhook secret',
      start: before.length,
      end: before.length + written.length,
    });
  }
});

test('S79: a token that nobody told of is found by its form, encoded, spaced or backwards', async () => {
  const missed: string[] = [];
  const forms = ['raw', 'reversed', 'base64', 'hex', 'spaced', 'URL'];
  const further = Object.keys(furtherForms).filter((form) =>
    /^(?:base64 (?:for|behind|in|reversed|spaced|of rev)|hex (?:in|with|rev)|bytes|escapes|entities)/.test(form),
  );
  for (const [what, secret] of Object.entries(four)) {
    for (const form of [...forms, ...further]) {
      const write = requiredForms[form] ?? furtherForms[form];
      const { found } = await findSecrets(`The value is ${write?.(secret)} and no other.`);
      if (found.length === 0) missed.push(`${what}, ${form}`);
    }
  }
  assert.deepEqual(missed, []);
});

const receipt = sign('sha256', Buffer.from('a receipt'), privateKey).toString('base64');
const publicKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
const lorem = readFileSync('README.md', 'utf8');

/** What looks random, and is nobody's secret. */
const innocent: Readonly<Record<string, string>> = {
  'SHA-1 ids of commits': Array.from({ length: 400 }, () => randomBytes(20).toString('hex')).join('\n'),
  'SHA-256 sums': Array.from({ length: 200 }, () => createHash('sha256').update(randomBytes(8)).digest('hex')).join(
    ' ',
  ),
  UUIDs: Array.from({ length: 200 }, () => crypto.randomUUID()).join('\n'),
  'the integrity of packages': readFileSync('package-lock.json', 'utf8'),
  'an image as data': `![x](data:image/png;base64,${randomBytes(30_000).toString('base64')})`,
  'bytes in hex': randomBytes(20_000).toString('hex'),
  'a signature of this app': receipt,
  'the public key of this app': `${privateKey.type}${createHash('sha1').update(pem).digest('hex')}`,
  'a public key': publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  'a receipt in a check': `\`\`\`json\n{"base":"${'0123abcd'.repeat(5)}","reviewers":[{"id":583231,"login":"octocat"}]}\n\`\`\`\n\n\`\`\`text\n${receipt}\n\`\`\``,
  'a marker':
    '<!-- planwright:answer 1234%2342 3f1c0b1e%2D5b7a%2D4c55%2D9a55%2D0c2f6f6d1f11%2FPRRT_kwDOABCDEF4ABCDE -->',
  'node ids': 'PRRT_kwDOKq1Zns5Xb8jN MDExOlB1bGxSZXF1ZXN0NDI= PR_kwDOABCDEF5qWertyU',
  'long names':
    'createInstallationAccessTokenForRepositoryAndPermissions a_very_long_name_of_a_function_that_goes_on_and_on',
  'words on tokens':
    'Tokens begin with ghp_ or ghs_ and 36 more characters; keys of the model with sk-ant-, e.g. `sk-ant-…`. -----BEGIN RSA PRIVATE KEY----- heads a key.',
  'the header of a token': 'A JWT begins with eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9. and goes on.',
  'a diff': lorem
    .split('\n')
    .map((line, index) => `${index % 2 === 0 ? '+' : '-'}${line}`)
    .join('\n'),
  prose: lorem,
  'an address with many escapes': '%E2%82%AC'.repeat(300),
};

test('S79: hashes, ids, images, receipts, diffs and prose hold no secret', async (context) => {
  const wrong: unknown[] = [];
  for (const [what, text] of Object.entries(innocent)) {
    for (const each of (await findSecrets(text, known)).found)
      wrong.push({ what, text: text.slice(each.start, each.end), each });
  }
  context.diagnostic(`innocent texts: ${Object.keys(innocent).length}, found secrets in them: ${wrong.length}`);
  assert.deepEqual(wrong, []);
});

test('what stands for a secret in examples is none; what is added to a real one does not make it one', async () => {
  const examples = [
    `GITHUB_TOKEN=ghp_${'x'.repeat(36)}`,
    `github_pat_${'X'.repeat(22)}_${'X'.repeat(59)}`,
    `npm_${'0'.repeat(36)}`,
    'sk-ant-api03-your-key-goes-here-and-so-on',
    'ghs_installation_token_for_thread_number_one',
    'mongodb+srv://<username>:<password>@cluster0.mongodb.net',
    'postgres://someuser:somepassword@somehost:381/somedatabase',
    'https://x-access-token:TOKEN@github.com/o/r',
    `https://user:pass@example.com/x`,
  ];
  for (const text of examples) assert.deepEqual((await findSecrets(text)).found, [], text);
  const token = `ghp_${random(36)}`;
  for (const text of [
    `${token}${'x'.repeat(36)}`,
    `ghp_${'x'.repeat(36)}${random(36)}`,
    `https://user:${random(20)}@e.com`,
  ]) {
    assert.equal((await findSecrets(text)).found.length, 1, text);
  }
});

test('of a secret that is made of words, each word is allowed, and the secret is not', () => {
  const wordy = createKnownSecrets([
    { what: 'webhook secret', value: 'repository-webhook-secret-for-prod' },
    { what: 'webhook secret', value: 'planwright-webhook' },
  ]);
  assert.deepEqual(wordy.find('The planwright/plan check of the repository has a webhook secret.'), []);
  assert.equal(wordy.find('repository_webhook secret for PROD, or planwright.webhook').length, 2);
});

test('S79: the public half of the key of the app is no secret', () => {
  const open = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const own = createKnownSecrets([
    { what: 'private key', value: open.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString() },
    { what: 'private key', value: open.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() },
  ]);
  assert.deepEqual(own.find(open.publicKey.export({ type: 'spki', format: 'pem' }).toString()), []);
  assert.deepEqual(own.find(open.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString()), []);
});

test('S79: a body as long as GitHub takes is looked through in some milliseconds', (context) => {
  const bodies = { prose: lorem.repeat(2).slice(0, 65_536), base64: randomBytes(49_152).toString('base64') };
  for (const [what, text] of Object.entries(bodies)) {
    known.find(text);
    const begin = performance.now();
    known.find(text);
    const took = performance.now() - begin;
    context.diagnostic(`65,536 characters of ${what}: ${took.toFixed(1)} ms`);
    assert.ok(took < 200, `${what}: ${took} ms`);
  }
});

test('a secret that is added later is found from then on, and words that are one are not', () => {
  const later = createKnownSecrets([{ what: 'a word', value: 'mysecret' }]);
  const token = `ghs_${random(36)}`;
  assert.deepEqual(later.find(`mysecret ${token}`), []);
  later.add({ what: 'installation token', value: token });
  assert.deepEqual(later.find(`mysecret ${token}`), [{ what: 'installation token', start: 9 + 4, end: 9 + 40 }]);
});

test('S79: of tokens that are added the last 200 are looked for, as older ones are over, and what the app was given for as long as it runs', () => {
  const [given, first] = [random(16), random(16)];
  const later = createKnownSecrets([{ what: 'webhook secret', value: given }]);
  later.add({ what: 'token', value: first });
  const others = Array.from({ length: 199 }, () => random(16));
  for (const value of others) later.add({ what: 'token', value });
  const whatIn = (text: string) => later.find(text).map(({ what }) => what);
  assert.deepEqual(whatIn(`${given} ${first} ${others[0]}`), ['webhook secret', 'token', 'token']);
  later.add({ what: 'token', value: random(16) });
  assert.deepEqual(whatIn(`${given} ${first} ${others[0]}`), ['webhook secret', 'token']);
});
