import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/engine/database.ts';
import { createJobQueues } from '../../src/engine/queue.ts';

/** Puts a new database, its queues made, into a data folder. */
export async function copyDatabase(dataDir: string): Promise<void> {
  copyFolder(await madeDatabase(), dataDir);
}

/** Databases that only new ones are made from: nothing opens them, so that all copies may share their files. */
const templates = /\/base\/[14]$/;

/** In one go: `cp` takes three times as long for a thousand small files. */
function copyFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  const put = templates.test(from) ? linkSync : copyFileSync;
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyFolder(source, target);
    else put(source, target);
  }
}

/**
 * A folder with a new database to copy. Making one takes seconds, so it is made once for each version of what makes it,
 * and moved to its place in one step: files of tests run at the same time.
 */
async function madeDatabase(): Promise<string> {
  const made = join(tmpdir(), `planwright-engine-database-${await versionOfDatabase()}`);
  if (existsSync(made)) return made;
  const making = await mkdtemp(`${made}-`);
  const database = await openDatabase(making);
  await database.boss.start();
  await createJobQueues(database.boss);
  await database.boss.stop({ graceful: false });
  await database.close();
  try {
    await rename(making, made);
  } catch {
    await rm(making, { recursive: true });
  }
  return made;
}

async function versionOfDatabase(): Promise<string> {
  const makers = ['src/engine/migrate.ts', 'src/engine/queue.ts', 'package-lock.json'];
  const hash = createHash('sha256');
  for (const maker of makers) {
    hash.update(await readFile(join(import.meta.dirname, '../..', maker)));
  }
  return hash.digest('hex').slice(0, 12);
}
