import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { claimDataFolder, UnsafeDataFolder } from '../../src/engine/data-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'data-folder-'));
after(() => rmSync(root, { recursive: true }));

test("a data folder that is made is its owner's alone", () => {
  const folder = join(root, 'new', 'data');
  claimDataFolder(folder);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  claimDataFolder(folder);
});

for (const mode of [0o755, 0o750, 0o770, 0o701, 0o702, 0o710]) {
  test(`a data folder with mode ${mode.toString(8)} is refused with what to do, and stays as it is`, () => {
    const folder = join(root, mode.toString(8));
    mkdirSync(folder);
    chmodSync(folder, mode);
    assert.throws(
      () => claimDataFolder(folder),
      (error) =>
        error instanceof UnsafeDataFolder &&
        error.message ===
          `expected the data folder ${folder} to be its owner's alone, got mode ${mode.toString(8)}; run "chmod 700 ${folder}", and see whether anyone was there`,
    );
    assert.equal(statSync(folder).mode & 0o777, mode);
  });
}

test('a place where no data folder can be made, or written in, is refused with what to do', () => {
  writeFileSync(join(root, 'file'), '');
  symlinkSync('nowhere', join(root, 'link'));
  mkdirSync(join(root, 'read-only'), { mode: 0o500 });
  const isRoot = process.getuid?.() === 0;
  for (const [name, code] of [['file', 'EEXIST'], ['link', 'ENOENT'], ...(isRoot ? [] : [['read-only', 'EACCES']])]) {
    const folder = join(root, name ?? '');
    const message = `expected a data folder ${folder} that this account can make and write in, got ${code}; set DATA_DIR to one`;
    assert.throws(() => claimDataFolder(folder), new UnsafeDataFolder(message));
  }
});

test('a data folder of another account is refused, whoever can read it', () => {
  const own = process.getuid?.();
  // Only root can give a folder away; for anyone else the system's own will do.
  const folder = own === 0 ? join(root, 'foreign') : '/usr';
  if (own === 0) {
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, 65_534, 65_534);
  }
  const uid = statSync(folder).uid;
  assert.throws(
    () => claimDataFolder(folder),
    new UnsafeDataFolder(
      `expected the data folder ${folder} to belong to the account that runs the app (uid ${own}), got uid ${uid}; run the app as that account, or set DATA_DIR to a folder of its own`,
    ),
  );
});
