import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { readCheckout } from '../../src/agent/checkout-reader.ts';

test('the lint reads the files of the checkout, and nothing that lies outside of it', async (t) => {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'lint-')));
  t.after(() => rm(folder, { recursive: true }));
  const checkout = path.join(folder, 'checkout');
  await mkdir(path.join(checkout, 'src'), { recursive: true });
  await writeFile(path.join(folder, 'secret.ts'), 'canary');
  await writeFile(path.join(checkout, 'src', 'a.ts'), 'export const a = 1;\n');
  await writeFile(path.join(checkout, 'binary.bin'), Buffer.from([1, 0, 2]));
  await writeFile(path.join(checkout, 'large.ts'), 'x'.repeat(2 * 1024 * 1024 + 1));
  await symlink('../secret.ts', path.join(checkout, 'link.ts'));
  await symlink('..', path.join(checkout, 'up'));
  const tree = readCheckout(checkout);
  const asked = [
    'src/a.ts',
    'src',
    'src/b.ts',
    'binary.bin',
    'large.ts',
    'link.ts',
    'up/secret.ts',
    '../secret.ts',
    '',
  ];
  assert.deepEqual(
    asked.map((each) => [each, tree.exists(each), tree.textOf(each)]),
    [
      ['src/a.ts', true, 'export const a = 1;\n'],
      ['src', false, null],
      ['src/b.ts', false, null],
      ['binary.bin', true, null],
      ['large.ts', true, null],
      ['link.ts', false, null],
      ['up/secret.ts', false, null],
      ['../secret.ts', false, null],
      ['', false, null],
    ],
  );
  assert.deepEqual(tree.namesIn('').toSorted(), ['binary.bin', 'large.ts', 'link.ts', 'src/', 'up']);
  assert.deepEqual([tree.namesIn('src'), tree.namesIn('up'), tree.namesIn('gone')], [['a.ts'], [], []]);
});
