/** What the file tools leave of a file: every byte that they were not asked to change. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { writeTools } from '../../src/agent/tools/write-files.ts';
import { callTool } from './call-tool.ts';
import { writeTree } from './write-tree.ts';

let root = '';

before(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'file-bytes-')));
});

after(() => rm(root, { recursive: true, force: true }));

async function call(name: string, input: unknown): Promise<string> {
  const tools = writeTools({ access: 'writable', path: root, commit: '' }, () => undefined);
  return callTool(tools, name, input);
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const utf16 = Buffer.from('\u{FEFF}one\ntwo\n', 'utf16le');

interface Row {
  readonly rule: string;
  readonly before: string | Buffer;
  readonly old: string;
  readonly new: string;
  /** A refusal leaves the file as it is. */
  readonly after: string | Buffer | RegExp;
}

const rows: readonly Row[] = [
  {
    rule: 'an edit of a file with Windows line ends changes its line and no other byte',
    before: 'one\r\ntwo\r\nthree\r\n',
    old: 'two',
    new: '2',
    after: 'one\r\n2\r\nthree\r\n',
  },
  {
    rule: 'lines that an edit adds to a file with Windows line ends get such ends',
    before: 'one\r\ntwo\r\nthree\r\n',
    old: 'one\ntwo\n',
    new: 'one\nand a half\ntwo\n',
    after: 'one\r\nand a half\r\ntwo\r\nthree\r\n',
  },
  {
    rule: 'in a file of mixed line ends each line keeps its own',
    before: 'one\r\ntwo\nthree\r\nfour',
    old: 'three',
    new: '3',
    after: 'one\r\ntwo\n3\r\nfour',
  },
  {
    rule: 'in a file of mixed line ends a passage is found whichever ends it has',
    before: 'zero\none\r\ntwo\r\nthree\n',
    old: 'one\ntwo',
    new: '1\n2',
    after: 'zero\n1\r\n2\r\nthree\n',
  },
  { rule: 'a file without a last line end gets none', before: 'one\ntwo', old: 'two', new: '2', after: 'one\n2' },
  {
    rule: 'a byte order mark stays',
    before: '\u{FEFF}one\ntwo\n',
    old: 'one',
    new: '1',
    after: '\u{FEFF}1\ntwo\n',
  },
  {
    rule: 'bytes that are no UTF-8 stay as they are',
    before: latin1('café = 1\nnaïve = 2\n'),
    old: ' = 2',
    new: ' = 3',
    after: latin1('café = 1\nnaïve = 3\n'),
  },
  {
    rule: 'a file of another encoding gets no characters of UTF-8',
    before: latin1('café = 1\n'),
    old: ' = 1',
    new: ' = é',
    after: /not UTF-8, so that only passages of ASCII/,
  },
  { rule: 'a file of two-byte characters is not edited', before: utf16, old: 'o', new: 'oo', after: /binary one or/ },
  {
    rule: 'signs that have a meaning in replacements are taken as they stand',
    before: 'a.b\n',
    old: 'a.b',
    new: '$& $1 $$',
    after: '$& $1 $$\n',
  },
  {
    rule: 'a passage that is there twice is not replaced',
    before: 'a\na\n',
    old: 'a',
    new: 'b',
    after: /got it 2 times/,
  },
];

for (const row of rows) {
  test(`case 96: ${row.rule}`, async () => {
    await writeTree(root, { file: row.before });
    const said = await call('edit', { file_path: 'file', old_string: row.old, new_string: row.new });
    const wanted = row.after instanceof RegExp ? row.before : row.after;
    assert.match(said, row.after instanceof RegExp ? row.after : /^edited file \(1 replacement\(s\)\)$/);
    assert.deepEqual(await readFile(path.join(root, 'file')), Buffer.from(wanted));
  });
}

test('case 96: a file that is written anew keeps its line ends, its byte order mark and its mode', async () => {
  await writeTree(root, {
    'whole.bat': '\u{FEFF}one\r\ntwo\r\n',
    'mixed.txt': 'one\r\ntwo\n',
    'old.txt': latin1('é\n'),
  });
  const { mode } = await stat(path.join(root, 'whole.bat'));
  assert.equal(await call('write', { file_path: 'whole.bat', content: 'one\n2\n' }), 'wrote 11 bytes to whole.bat');
  assert.equal(await readFile(path.join(root, 'whole.bat'), 'utf8'), '\u{FEFF}one\r\n2\r\n');
  assert.equal((await stat(path.join(root, 'whole.bat'))).mode, mode);
  assert.equal(await call('write', { file_path: 'mixed.txt', content: 'a\r\nb\n' }), 'wrote 5 bytes to mixed.txt');
  assert.equal(await readFile(path.join(root, 'mixed.txt'), 'utf8'), 'a\r\nb\n');
  assert.match(await call('write', { file_path: 'old.txt', content: 'à\n' }), /^refused: .*another encoding/);
  assert.deepEqual(await readFile(path.join(root, 'old.txt')), latin1('é\n'));
});

test('case 96: a file is moved byte for byte, whatever it holds', async () => {
  const bytes = Buffer.from([0, 0xff, 0x0d, 0x0a, 0xef, 0xbb, 0xbf, 0x0d]);
  await writeTree(root, { 'odd.bin': bytes });
  await call('move', { from: 'odd.bin', to: 'deep/odd.bin' });
  assert.deepEqual(await readFile(path.join(root, 'deep/odd.bin')), bytes);
});

test('case 95: a pointer to a large file is text like any other, and stays as it is where nobody edits it', async () => {
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n';
  await writeTree(root, { 'model.bin': pointer, 'a.txt': 'a\n' });
  await call('edit', { file_path: 'a.txt', old_string: 'a', new_string: 'b' });
  assert.equal(await readFile(path.join(root, 'model.bin'), 'utf8'), pointer);
});

test('case 140: a file beyond four megabytes is not edited, and says so', async () => {
  await writeTree(root, { 'wide.json': Buffer.alloc(4 * 1024 * 1024 + 1, 'x') });
  const edit = { file_path: 'wide.json', old_string: 'x', new_string: 'y', replace_all: true };
  assert.match(
    await call('edit', edit),
    /^refused: expected a file of at most 4194304 bytes, got wide\.json of 4194305$/,
  );
});
