// Needs rg.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, open, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { boundText } from '../../src/agent/tools/bounded-text.ts';
import { readTools } from '../../src/agent/tools/read-files.ts';
import { readPiece } from '../../src/agent/tools/read-piece.ts';
import { callTool } from './call-tool.ts';

let folder = '';
let root = '';

before(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'read-files-')));
  root = path.join(folder, 'checkout');
  await mkdir(path.join(root, 'src'), { recursive: true });
  await mkdir(path.join(root, '.git'));
  await writeFile(path.join(root, '.git', 'config'), 'canary-git');
  await writeFile(path.join(folder, 'secret.txt'), 'canary-outside');
  await writeFile(path.join(root, 'src', 'a.ts'), 'one\ntwo\nthree\n');
  await symlink('a.ts', path.join(root, 'src', 'alias.ts'));
  await symlink(folder, path.join(root, 'out'));
  await symlink('/proc/self/environ', path.join(root, 'environ'));
  await writeFile(path.join(root, 'logo.png'), Buffer.from([0x89, 0x50, 0, 0, 1]));
  await writeFile(path.join(root, 'wide.json'), `{"canary":"${'x'.repeat(5_000_000)}"}`);
  execFileSync('mkfifo', [path.join(root, 'pipe')]);
});

after(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function call(name: string, input: unknown): Promise<string> {
  const readHistory = async (asked: string | null, limit: number) => (asked === 'new.js' ? '' : `${asked} ${limit}`);
  const tools = readTools({ access: 'read-only', path: root, commit: '' }, readHistory);
  return callTool(tools, name, input);
}

test('a file is read whole, by lines, and through a link that stays inside', async () => {
  assert.equal(await call('read', { file_path: 'src/a.ts' }), 'one\ntwo\nthree\n');
  assert.equal(await call('read', { file_path: './src/alias.ts', view_range: [2, 3] }), 'two\nthree');
});

test('paths in results are from the root, and no result names a folder of the host', async () => {
  assert.equal(await call('glob', { pattern: 'src/*.ts' }), 'src/a.ts');
  assert.equal(await call('glob', { pattern: '*.ts', path: 'src' }), 'src/a.ts');
  assert.match(await call('grep', { pattern: 't[wx]o', path: 'src' }), /^src\/a\.ts:2:two\n$/);
  const all = [
    await call('glob', { pattern: '**/*' }),
    await call('grep', { pattern: 'o' }),
    await call('grep', { pattern: '(' }),
    await call('read', { file_path: 'nowhere.ts' }),
    await call('read', { file_path: 'src' }),
    await call('read', { file_path: 'src/a.ts', view_range: [9, 4] }),
  ].join('\n');
  assert.ok(!all.includes(folder), all);
});

const outside: readonly (readonly [string, unknown])[] = [
  ['read', { file_path: '../secret.txt' }],
  ['read', { file_path: 'out/secret.txt' }],
  ['read', { file_path: '/etc/passwd' }],
  ['read', { file_path: '/proc/self/environ' }],
  ['read', { file_path: 'environ' }],
  ['read', { file_path: '.git/config' }],
  ['read', { file_path: '.GIT/config' }],
  ['read', { file_path: 'pipe' }],
  ['glob', { pattern: '../*' }],
  ['glob', { pattern: '/etc/*' }],
  ['glob', { pattern: '*', path: 'out' }],
  ['glob', { pattern: '*', path: '.git' }],
  ['grep', { pattern: 'canary', path: 'out' }],
  ['grep', { pattern: 'canary', path: '..' }],
  ['grep', { pattern: 'canary', path: '.git' }],
  ['grep', { pattern: '.', path: 'pipe' }],
  ['grep', { pattern: '.', path: '/proc/self' }],
];

for (const [name, input] of outside) {
  test(`${name} ${JSON.stringify(input)} is refused`, async () => {
    const result = await call(name, input);
    assert.match(result, /^refused: /);
    assert.doesNotMatch(result, /canary-/);
  });
}

test('cases 147, 150: searches do not follow links out, do not look into git, and do not wait for a pipe', async () => {
  assert.doesNotMatch(await call('grep', { pattern: 'canary-' }), /canary-/);
  const listed = await call('glob', { pattern: '{out,.git,**}/**' });
  assert.doesNotMatch(listed, /secret|config|passwd/);
  assert.doesNotMatch(await call('glob', { pattern: '.git/*' }), /config/);
});

test('a hit is left out for the place it stands in, never for what its text says', async () => {
  await writeFile(path.join(root, 'notes.txt'), 'see a/.git/config\nx:.git:y\nsrc/.git/hooks:12:run\n');
  assert.equal(
    await call('grep', { pattern: 'git', path: 'notes.txt' }),
    '1:see a/.git/config\n2:x:.git:y\n3:src/.git/hooks:12:run\n',
  );
  const found = await call('grep', { pattern: 'git' });
  assert.equal(found, 'notes.txt:1:see a/.git/config\nnotes.txt:2:x:.git:y\nnotes.txt:3:src/.git/hooks:12:run\n');
});

test('140: a pattern that would take minutes is refused at once, and ordinary ones are not', async () => {
  const bad = ['{a,b}'.repeat(20), '{1..1000000}', `${'*a'.repeat(100)}b`, '+(a|aa)+(a|aa)b', `{${'a,'.repeat(40)}a}`];
  for (const pattern of bad) assert.match(await call('glob', { pattern }), /^refused: expected a glob pattern of at/);
  assert.equal(await call('glob', { pattern: '{src,test}/**/*.{ts,js}' }), 'src/a.ts');
  assert.equal(await call('glob', { pattern: 'src/[a-c].ts' }), 'src/a.ts');
});

test('lines that are not there are refused, and the last one is had without the end', async () => {
  assert.equal(await call('read', { file_path: 'src/a.ts', view_range: [3, 99] }), 'three\n');
  assert.equal(await call('read', { file_path: 'src/a.ts', view_range: [1, 1] }), 'one');
  const past = await call('read', { file_path: 'src/a.ts', view_range: [4, 5] });
  assert.equal(past, 'refused: expected a line of the file, which has 3, got 4');
  await writeFile(path.join(root, 'empty.txt'), '');
  assert.equal(await call('read', { file_path: 'empty.txt', view_range: [1, 5] }), '');
  assert.equal(await call('read', { file_path: 'empty.txt' }), '');
});

test('140: a file of one line of five megabytes is read in pieces, each of which says where the next begins', async () => {
  const first = await call('read', { file_path: 'wide.json' });
  assert.equal(first.slice(50_000), '\n[cut: bytes 0 to 50000 of 5000013; read on with from_byte: 50000]');
  const second = await call('read', { file_path: 'wide.json', from_byte: 50_000 });
  assert.match(second, /^x{50000}\n\[cut: bytes 50000 to 100000 of 5000013; read on with from_byte: 100000\]$/);
  assert.equal(await call('read', { file_path: 'wide.json', from_byte: 5_000_010 }), 'x"}');
  assert.match(await call('read', { file_path: 'wide.json', from_byte: 5_000_013 }), /^refused: .*which has 5000013/);
  assert.equal(await call('read', { file_path: 'wide.json', view_range: [1, 1] }), first);
  assert.match(
    await call('read', { file_path: 'src/a.ts', view_range: [1, 1], from_byte: 0 }),
    /^refused: .*got both$/,
  );
});

test('140: lines are not looked for through a whole file of gigabytes', async () => {
  const file = await open(path.join(root, 'huge.log'), 'w');
  await file.write('one\ntwo\n');
  await file.write(`\n${'x'.repeat(60_000)}`, 40 * 1024 * 1024);
  await file.truncate(8 * 1024 ** 3);
  await file.close();
  assert.equal(await call('read', { file_path: 'huge.log', view_range: [2, 2] }), 'two');
  assert.match(
    await call('read', { file_path: 'huge.log', view_range: [4, 9] }),
    /^refused: expected a line within the first 33554432 bytes, which are 3 lines, got 4; read on with from_byte: 33554432$/,
  );
  await rm(path.join(root, 'huge.log'));
});

test('140: a piece of a file ends between characters, and the pieces are the file', async () => {
  const text = 'aé€😀'.repeat(8);
  await writeFile(path.join(root, 'letters.txt'), text);
  const file = await open(path.join(root, 'letters.txt'));
  let read = '';
  for (let from = 0; ; ) {
    const [piece = '', next] = (await readPiece(file, { from }, 7)).split('\n[cut: ');
    read += piece;
    if (next === undefined) break;
    from = Number(/from_byte: (\d+)/.exec(next)?.[1]);
  }
  await file.close();
  assert.equal(read, text);
});

test('140: a hit in a line of five megabytes leaves room for the others, and says how to read on', async () => {
  const found = await call('grep', { pattern: 'canary"', path: 'wide.json' });
  assert.match(found, /^1:\{"canary":"x+ \[cut: the line is longer; read the file with from_byte\]\n/);
  assert.ok(Buffer.byteLength(found) < 1_200, `expected one short line, got ${Buffer.byteLength(found)} bytes`);
});

test('140: a million hits are cut, and the notice says how to get fewer', async () => {
  await writeFile(path.join(root, 'hits.txt'), 'hit\n'.repeat(1_000_000));
  const found = await call('grep', { pattern: 'hit' });
  assert.ok(Buffer.byteLength(found) < 51_000);
  assert.match(found, /\[cut: there is more; search one folder or use a narrower expression\]$/);
});

test('a binary file is not read as text', async () => {
  assert.equal(
    await call('read', { file_path: 'logo.png' }),
    'refused: expected a text file, got logo.png, which is binary',
  );
});

test('140: a long list of files is cut with a notice', async () => {
  await mkdir(path.join(root, 'many'));
  await Promise.all(
    Array.from({ length: 250 }, (_, index) => writeFile(path.join(root, 'many', `${'n'.repeat(200)}${index}`), '')),
  );
  const listed = await call('glob', { pattern: 'many/*' });
  assert.ok(Buffer.byteLength(listed) < 51_000);
  assert.match(listed, /\[cut: the first 200 files; narrow the pattern or give a folder\]$/);
});

test('a text within the limit stays; a longer one is cut between characters', () => {
  assert.equal(boundText('äöü', 'more', 6), 'äöü');
  assert.equal(boundText('äöü', 'ask for more', 5), 'äö\n[cut: the first 4 of 6 bytes; ask for more]');
});

test('the history of a path comes from the host: twenty commits unless more are asked for, and never more than a hundred', async () => {
  assert.equal(await call('git_log', {}), 'null 20');
  assert.equal(await call('git_log', { path: 'src', limit: 3 }), 'src 3');
  assert.equal(await call('git_log', { path: 'new.js' }), 'No commit changed that.');
  assert.match(await call('git_log', { limit: 101 }), /^refused: expected an input that fits the schema of git_log/);
});
