import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { createKnownSecrets } from '../../src/text/known-secrets.ts';
import { scanChange } from '../../src/workspace/diff-scan.ts';
import { PatchRefused } from '../../src/workspace/workspace.ts';
import { rsaKey, secretForms } from '../text/secret-forms.ts';
import { furtherForms, requiredForms } from '../text/written-forms.ts';
import { step, useGitServer, worldWithTree } from './workspace-fixture.ts';

useGitServer();

const scan = (after: string | Buffer | null, before: readonly string[] = [], path = 'a.txt') =>
  scanChange([
    { path, before: before.map((text) => Buffer.from(text)), after: after === null ? null : Buffer.from(after) },
  ]);

const secret = (what: string, lines = 'line 1') =>
  `a.txt: what looks like a ${what} is new in ${lines}; take it out and say where it comes from instead`;
const hidden = (names: string, lines = 'line 1') =>
  `a.txt: invisible characters (${names}) are new in ${lines}; leave them out or write them as escapes`;

const token = secretForms[0]?.[1] ?? '';
const held = 'f4c1d2a90b7e6358cc01947ab2de58f3';
const known = createKnownSecrets([{ what: 'webhook secret of this app', value: held }]);

test('S61, S79, case 98: what the app itself holds is let into no commit, in whatever form, and into no name of a file', async () => {
  const asFile = (path: string, text: string) => scanChange([{ path, before: [], after: Buffer.from(text) }], known);
  for (const [form, write] of Object.entries({ ...requiredForms, ...furtherForms })) {
    const [fault = '', ...more] = await asFile('a.txt', `one\n${write(held)}\nthree\n`);
    assert.equal(more.length, form === 'with characters that nobody sees' ? 1 : 0, form);
    assert.match(fault, /^a\.txt: what looks like a webhook secret of this app is new in line 2; /, form);
  }
  assert.deepEqual(await asFile(`logs/${held.slice(7)}.txt`, 'x\n'), [
    'the name of a file holds what looks like a webhook secret of this app; name it otherwise',
  ]);
  assert.deepEqual(await asFile('a.txt', 'one\ntwo\n'), []);
});

test('S61, S79: a token that is encoded, spaced out or backwards is let into no commit', async () => {
  for (const form of ['reversed', 'base64', 'hex', 'spaced', 'URL']) {
    assert.equal((await scan(`one\n${requiredForms[form]?.(token)}\nthree\n`)).length, 1, form);
  }
});

test('S61: no secret is let into a commit, in whichever form its service hands it out', async () => {
  for (const [what, text] of secretForms) {
    assert.deepEqual(await scan(`one\nkey = "${text}";\nthree\n`), [secret(what, 'line 2')], text);
  }
});

test('S61: a refusal never repeats the secret, not even one in the name of a file', async () => {
  for (const [, text] of secretForms.filter(([, form]) => !/[\n\\/]/.test(form))) {
    for (const faults of [await scan(text), await scan('x\n', [], `${text}.txt`)]) {
      assert.equal(faults.length, 1);
      assert.ok(!faults.join().includes(text.slice(10)));
    }
  }
});

test('S61: what only speaks of secrets is let in', async () => {
  for (const text of [
    "if (text.includes('-----BEGIN RSA PRIVATE KEY-----')) refuse();",
    'Set `GITHUB_TOKEN`: it begins with `ghp_`, `ghs_` or `github_pat_`.',
    'ANTHROPIC_API_KEY=sk-ant-...',
    `git clone https://x-access-token:$\{TOKEN}@github.com/o/r.git`,
    'integrity sha512-aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5==',
    'aws_account_id = 123456789012',
  ]) {
    assert.deepEqual(await scan(text), [], text);
  }
});

test('S61: a text cannot declare its own secret harmless', async () => {
  assert.deepEqual(await scan(`/* secretlint-disable */\n${token}\n`), [secret('GitHub token', 'line 2')]);
});

test('S61: a secret that the file held already may stay and move; another one in its place may not', async () => {
  const old = `a\n${token}\nb\n${rsaKey}\n`;
  assert.deepEqual(await scan(`  ${rsaKey.replaceAll('\n', '\n  ')}\nb\n  const key = '${token}';\n`, [old]), []);
  const other = token.replace('aB3', 'aB4');
  assert.deepEqual(await scan(old.replace(token, other), [old]), [secret('GitHub token', 'line 2')]);
  // Keys of one kind begin alike.
  assert.deepEqual(await scan(old.replace('zA5aB3dE5', 'zA5aB3dE6'), [old]), [secret('private key', 'line 4')]);
});

test('S61: a secret may move with its file, and is refused where it is copied into another', async () => {
  const file = Buffer.from(`x\n${token}\n`);
  const created = { path: 'a.txt', before: [], after: file };
  assert.deepEqual(await scanChange([created, { path: 'old.txt', before: [file], after: null }]), []);
  const kept = { path: 'old.txt', before: [file], after: Buffer.from(`y\n${token}\n`) };
  assert.deepEqual(await scanChange([created, kept]), [secret('GitHub token', 'line 2')]);
});

test('S61: a secret of which only a part is new is found, and so is one in a binary file or in characters of two bytes', async () => {
  const [head, ...body] = rsaKey.split('\n');
  const gap = [head, 'put the key here', body.at(-1)].join('\n');
  assert.deepEqual(await scan(rsaKey, [gap]), [secret('private key')]);
  assert.deepEqual(await scan(Buffer.from(`\0\0${token}\0`)), [secret('GitHub token')]);
  assert.deepEqual(await scan(Buffer.from(`\ufeff${token}`, 'utf16le')), [secret('GitHub token')]);
});

test('S61: no character that hides text from a reviewer is let in', async () => {
  const table = [
    ...['\u00ad', '\u034f', '\u061c', '\u115f', '\u1160', '\u17b4', '\u180e', '\u200b', '\u200c', '\u200d', '\u200e'],
    ...['\u200f', '\u2028', '\u2029', '\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2060', '\u2061', '\u2062'],
    ...['\u2063', '\u2064', '\u2065', '\u2066', '\u2067', '\u2068', '\u2069', '\u206a', '\u206f', '\u3164', '\ufe00'],
    ...['\ufe0e', '\ufe0f', '\ufeff', '\uffa0', '\ufff9', '\ufffb', '\u{e0001}', '\u{e0041}', '\u{e007f}'],
    ...['\u{e0100}', '\u{e01ef}'],
  ];
  for (const character of table) {
    const name = `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
    assert.deepEqual(await scan(`a${character}b\n`), [hidden(name)], name);
  }
  assert.deepEqual(await scan('ok\na\u200bb\n\u202ex\u{e0041}\n'), [hidden('U+200B, U+202E, U+E0041', 'lines 2, 3')]);
});

test('S61: what hides behind an emoji, a flag or a joined letter is no part of it', async () => {
  for (const [text, names] of [
    ['👍\ufe0f\ufe0f', 'U+FE0F'],
    ['👍\u{e0101}', 'U+E0101'],
    ['👩\u200d', 'U+200D'],
    ['👩\u200da', 'U+200D'],
    ['\u{1f3f4}\u{e0068}\u{e0069}\u{e007f}', 'U+E0068, U+E0069, U+E007F'],
    ['می\u200c\u200cخواهم', 'U+200C'],
    ['5\ufe0f', 'U+FE0F'],
  ] as const) {
    assert.deepEqual(await scan(text), [hidden(names)], names);
  }
});

test('S61: emoji, right-to-left prose, joined scripts and a byte order mark are let in', async () => {
  for (const text of [
    '👍🏽 ❤️ ❤️‍🔥 👩‍🚀 👩🏽‍🚀 👨‍👩‍👧‍👦 🏳️‍🌈 🏴‍☠️ 🧑‍🤝‍🧑 ☎︎ ↩︎ ©️',
    '🇩🇪 \u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} 1️⃣ #️⃣',
    'שלום עולם (hello), مرحبا بالعالم!',
    'می‌خواهم · क्‍ष · ශ්‍රී',
    '\ufeffusing System;\n',
    'naïve Ελληνικά 日本語 한국어 café\n',
  ]) {
    assert.deepEqual(await scan(text), [], text);
  }
});

test('S61: hidden characters in lines that stood there may stay, move and be indented; binary files have none', async () => {
  const old = 'a\u200bb\nc\u202ed\n';
  assert.deepEqual(await scan(`new\r\n\tc\u202ed\r\n  a\u200bb\r\n`, [old]), []);
  assert.deepEqual(await scan(`${old}e\u200bf\n`, [old]), [hidden('U+200B', 'line 3')]);
  assert.deepEqual(await scan(Buffer.from('\0\u200b')), []);
});

test('S61: what is too much to look through is refused, not passed over; megabytes take no seconds', async () => {
  const began = performance.now();
  const line = 'The quick brown fox jumps over the lazy dog.\n';
  assert.deepEqual(await scan(`${line.repeat(50_000)}${token}\n`), [secret('GitHub token', 'line 50001')]);
  const tooMuch = 'expected at most 200000 new lines and 8388608 characters to look through; change less in one step';
  assert.deepEqual(await scan('x\n'.repeat(200_001)), [tooMuch]);
  assert.deepEqual(await scan('x'.repeat(8 * 1024 * 1024 + 1)), [tooMuch]);
  const many = Array.from({ length: 9000 }, (_, index) => `${token}${index}`);
  assert.deepEqual(await scan(many.map((each) => `= ${each}`).join('\n'), [`${many.join('\n')}\n`]), [
    'a.txt: it holds too many secrets to tell old from new ones; leave it as it is',
  ]);
  assert.ok(performance.now() - began < 10_000);
});

type Tree = Awaited<ReturnType<typeof worldWithTree>>;

function write(tree: Tree, path: string, content: string): void {
  mkdirSync(dirname(join(tree.checkout.path, path)), { recursive: true });
  writeFileSync(join(tree.checkout.path, path), content);
}

/** Why a step is not committed: the look before says the same as the commit. */
async function refusal(tree: Tree): Promise<readonly string[]> {
  const { workspaces, repository, checkout } = tree;
  const { faults } = await workspaces.inspect(repository, checkout, 'r1');
  await assert.rejects(workspaces.commitStep(repository, checkout, step), new PatchRefused(faults));
  return faults;
}

test('S61: each commit is scanned by itself, so no secret comes into the history for a later step to take out', async () => {
  const tree = await worldWithTree({ 'a.txt': 'one\n', 'key.txt': `${token}\n`, link: ['120000', 'a.txt'] });
  const { workspaces, repository, checkout } = tree;
  write(tree, 'a.txt', 'one\ntwo\n');
  const first = await workspaces.commitStep(repository, checkout, step);
  assert.ok(first !== null);
  write(tree, 'a.txt', `one\n${rsaKey}\nx\u202e\n`);
  assert.deepEqual(await refusal(tree), [secret('private key', 'line 2'), hidden('U+202E', 'line 29')]);
  assert.equal(await workspaces.lastCommit(repository, 'r1'), first);
  write(tree, 'a.txt', 'one\nthree\n');
  rmSync(join(checkout.path, 'key.txt'));
  const second = await workspaces.commitStep(repository, checkout, step);
  assert.ok(second !== null);
  // What the base held may come back in a later step.
  write(tree, 'key.txt', `${token}\n`);
  write(tree, 'link', '');
  assert.ok((await workspaces.commitStep(repository, checkout, step)) !== null);
});

test('S61: no plan with a secret or hidden characters is committed, unless a person has put it there', async () => {
  const { workspaces, repository, base } = await worldWithTree({ 'a.txt': `${token}\n` });
  const plan = { parent: base, path: 'a.md', text: '# Plan\n', message: () => 'Plan' };
  const text = `# Plan\n\nUse ${token}.\nRun\u200b it.\n`;
  const refused = new PatchRefused(
    [secret('GitHub token', 'line 3'), hidden('U+200B', 'line 4')].map((fault) => fault.replace('a.txt', 'a.md')),
  );
  await assert.rejects(workspaces.commitPlan(repository, { ...plan, text }), refused);
  const persons = { ...plan, path: 'a.txt', text: `# Plan\n\nUse ${token}.\n` };
  const revised = await workspaces.commitPlan(repository, persons);
  const archived = { ...persons, parent: base, path: 'docs/plan.md', from: { commit: revised, path: 'a.txt' } };
  assert.notEqual(await workspaces.commitPlan(repository, archived), revised);
});
