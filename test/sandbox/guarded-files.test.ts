/** What is swapped between the guard's look and the use: each test puts something else there after the look. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, link, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { moveGuarded, readGuarded, removeGuarded, replaceGuarded } from '../../src/sandbox/guarded-files.ts';
import { guardEntry, guardPath, PathRefused } from '../../src/sandbox/path-guard.ts';
import { writeTree } from '../agent/write-tree.ts';

let folder = '';
let root = '';

beforeEach(async () => {
  await rm(folder, { recursive: true, force: true });
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'guarded-files-')));
  root = path.join(folder, 'checkout');
  await writeTree(folder, { secret: 'canary', 'outside/a.ts': 'canary', 'checkout/src/a.ts': 'export {};\n' });
});

after(() => rm(folder, { recursive: true, force: true }));

const readAll = async (asked: string, swap: () => Promise<unknown>): Promise<string> => {
  const place = await guardPath(root, asked);
  await swap();
  return readGuarded(place, async (file) => (await file.readFile()).toString());
};

const writeAll = async (asked: string, swap: () => Promise<unknown>): Promise<void> => {
  const place = await guardPath(root, asked);
  await swap();
  await replaceGuarded(place, Buffer.from('written'));
};

const aside = (): Promise<void> => rename(path.join(root, 'src'), path.join(root, 'aside'));
const inPlaceOfFile = async (target: string): Promise<void> => {
  await rm(path.join(root, 'src/a.ts'));
  await symlink(target, path.join(root, 'src/a.ts'));
};
const inPlaceOfFolder = async (): Promise<void> => {
  await aside();
  await symlink(path.join(folder, 'outside'), path.join(root, 'src'));
};

test('S31: a file that is what the guard saw is read, and written at once and whole, with its mode', async () => {
  assert.equal(await readAll('src/a.ts', async () => undefined), 'export {};\n');
  await chmod(path.join(root, 'src/a.ts'), 0o755);
  await writeAll('src/a.ts', async () => undefined);
  await writeAll('new/deep/b.ts', async () => undefined);
  assert.equal(await readFile(path.join(root, 'src/a.ts'), 'utf8'), 'written');
  assert.equal(await readFile(path.join(root, 'new/deep/b.ts'), 'utf8'), 'written');
  assert.equal((await stat(path.join(root, 'src/a.ts'))).mode & 0o777, 0o755);
  assert.deepEqual(await readdir(path.join(root, 'src')), ['a.ts']);
});

test('S31: a link that takes the place of a file after the look is not read', async () => {
  for (const target of [path.join(folder, 'secret'), '/proc/self/environ']) {
    await assert.rejects(
      readAll('src/a.ts', () => inPlaceOfFile(target)),
      new PathRefused('expected src/a.ts to be the file that was looked at, got another; look at it again'),
    );
    await rm(path.join(root, 'src'), { recursive: true });
    await writeTree(root, { 'src/a.ts': 'export {};\n' });
  }
});

test('S31: a link that takes the place of a folder after the look is not read through and not written through', async () => {
  await assert.rejects(readAll('src/a.ts', inPlaceOfFolder), PathRefused);
  await rm(path.join(root, 'src'));
  await rename(path.join(root, 'aside'), path.join(root, 'src'));
  await assert.rejects(writeAll('src/a.ts', inPlaceOfFolder), PathRefused);
  assert.deepEqual(await readdir(path.join(folder, 'outside')), ['a.ts']);
  assert.equal(await readFile(path.join(folder, 'outside/a.ts'), 'utf8'), 'canary');
});

test('S31: a link further up, by which the same names lead elsewhere, is not read through and not written through', async () => {
  await writeTree(folder, { 'checkout/a/b/c.ts': 'mine', 'outside/b/c.ts': 'canary' });
  const swap = async (): Promise<void> => {
    await rename(path.join(root, 'a'), path.join(root, 'aside'));
    await symlink(path.join(folder, 'outside'), path.join(root, 'a'));
  };
  await assert.rejects(readAll('a/b/c.ts', swap), PathRefused);
  await rm(path.join(root, 'a'));
  await rename(path.join(root, 'aside'), path.join(root, 'a'));
  await assert.rejects(writeAll('a/b/c.ts', swap), PathRefused);
  assert.equal(await readFile(path.join(folder, 'outside/b/c.ts'), 'utf8'), 'canary');
});

test('S31: a link in the place of what is written is replaced, and what it leads to stays', async () => {
  await writeAll('src/a.ts', () => inPlaceOfFile(path.join(folder, 'secret')));
  assert.equal(await readFile(path.join(folder, 'secret'), 'utf8'), 'canary');
  assert.equal(await readFile(path.join(root, 'src/a.ts'), 'utf8'), 'written');
});

test('S31: nothing is moved or deleted through a link that takes the place of a folder', async () => {
  const from = await guardEntry(root, 'src/a.ts');
  const to = await guardEntry(root, 'src/b.ts');
  await inPlaceOfFolder();
  const kept = await guardEntry(root, 'aside/a.ts');
  await assert.rejects(removeGuarded(from), PathRefused);
  await assert.rejects(moveGuarded(from, kept), PathRefused);
  await assert.rejects(moveGuarded(kept, to), PathRefused);
  assert.deepEqual(await readdir(path.join(folder, 'outside')), ['a.ts']);
  assert.equal(await readFile(path.join(folder, 'outside/a.ts'), 'utf8'), 'canary');
  await moveGuarded(kept, await guardEntry(root, 'new/deep/a.ts'));
  await removeGuarded(await guardEntry(root, 'src'));
  assert.equal(await readFile(path.join(root, 'new/deep/a.ts'), 'utf8'), 'export {};\n');
  assert.deepEqual(await readdir(path.join(folder, 'outside')), ['a.ts']);
});

test('case 150: a pipe, a folder or a file with a second name that takes the place of a file is not waited for and not read', async () => {
  const file = path.join(root, 'src/a.ts');
  const swaps = {
    pipe: async () => execFileSync('mkfifo', [file]),
    folder: () => mkdir(file),
    'second name': () => link(path.join(folder, 'secret'), file),
    nothing: async () => undefined,
  };
  for (const [what, put] of Object.entries(swaps)) {
    await assert.rejects(
      readAll('src/a.ts', async () => {
        await rm(file);
        await put();
      }),
      (error: unknown) => error instanceof PathRefused && !error.message.includes(folder),
      what,
    );
    await rm(file, { recursive: true, force: true });
    await writeTree(root, { 'src/a.ts': 'export {};\n' });
  }
});

test('S31: what the system refuses is told by its code, without a folder of the host, and leaves nothing behind', async () => {
  await assert.rejects(
    writeAll('src/a.ts', async () => {
      await rm(path.join(root, 'src/a.ts'));
      await mkdir(path.join(root, 'src/a.ts'));
    }),
    new PathRefused('expected src/a.ts to be a file that can be used, got EISDIR of the system'),
  );
  assert.deepEqual(await readdir(path.join(root, 'src')), ['a.ts']);
});
