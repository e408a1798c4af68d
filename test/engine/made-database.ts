import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/engine/database.ts';
import { createJobQueues } from '../../src/engine/queue.ts';

/** Puts a new database, its queues made, into a data folder. */
export async function copyDatabase(dataDir: string): Promise<void> {
  await cp(await madeDatabase(), dataDir, { recursive: true });
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
