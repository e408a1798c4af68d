import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { DataFolderTaken, lockDataFolder } from '../../src/engine/data-lock.ts';
import { temporaryFolder } from './engine-fixture.ts';

const lockModule = join(import.meta.dirname, '../../src/engine/data-lock.ts');

/** A process that holds the folder until it is killed. */
async function holdElsewhere(folder: string): Promise<ChildProcess> {
  const script = `
    const { lockDataFolder } = await import(${JSON.stringify(lockModule)});
    globalThis.lock = lockDataFolder(${JSON.stringify(folder)});
    process.stdout.write('held');
    setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  return holder;
}

test('a second process on a data folder is told which folder it is and what to do', async () => {
  await using folder = await temporaryFolder();
  const holder = await holdElsewhere(folder.path);
  try {
    assert.throws(
      () => lockDataFolder(folder.path),
      (error) =>
        error instanceof DataFolderTaken &&
        error.message ===
          `expected to be the only process on the data folder ${folder.path}, got a lock that another process holds; ` +
            'stop that process, or set DATA_DIR to another folder',
    );
  } finally {
    holder.kill('SIGKILL');
    await once(holder, 'exit');
  }
});

test('the folder of a killed process is free at once', async () => {
  await using folder = await temporaryFolder();
  const holder = await holdElsewhere(folder.path);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  const lock = lockDataFolder(folder.path);
  assert.ok((await stat(join(folder.path, 'lock'))).isFile());
  lock.release();
});

test('a released folder can be taken again by the same process', async () => {
  await using folder = await temporaryFolder();
  lockDataFolder(folder.path).release();
  lockDataFolder(folder.path).release();
});
