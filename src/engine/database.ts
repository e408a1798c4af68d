import { PGlite } from '@electric-sql/pglite';
import { Kysely, PGliteDialect } from 'kysely';
import { fromPglite, PgBoss } from 'pg-boss';
import { claimDataFolder } from './data-folder.ts';
import { lockDataFolder } from './data-lock.ts';
import { migrate } from './migrate.ts';
import type { Schema } from './schema.ts';

/** The tables and the queues, on one database that this process alone has open. */
export interface Database {
  readonly db: Kysely<Schema>;
  /** Not started: the engine starts it once its queues' workers may run. */
  readonly boss: PgBoss;
  /** Closes the tables and lets the folder go. The queues must have been stopped. */
  close(): Promise<void>;
}

/**
 * Its default is 128 MB of buffers, all written at the start. Every call of git copies the page tables of this process, and
 * the system keeps what is read often in memory anyhow.
 */
const startParams = [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'];

/**
 * Opens, and on first use makes, the database in `dataDir`, a folder that is its owner's alone.
 * It survives the death of the process at any moment, not that of the host: PGlite never calls fsync.
 * @throws {UnsafeDataFolder} @throws {DataFolderTaken}
 */
export async function openDatabase(dataDir: string): Promise<Database> {
  claimDataFolder(dataDir);
  const lock = lockDataFolder(dataDir);
  try {
    const pglite = await PGlite.create(`${dataDir}/database`, { startParams });
    const db = new Kysely<Schema>({ dialect: new PGliteDialect({ pglite }) });
    await migrate(db);
    return { db, boss: createQueues(pglite), close: () => pglite.close().finally(() => lock.release()) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function createQueues(pglite: PGlite): PgBoss {
  return new PgBoss({
    db: fromPglite(pglite),
    backend: 'pglite',
    useListenNotify: true,
    schedule: false,
    registerInstance: false,
    monitorIntervalSeconds: 10,
    superviseIntervalSeconds: 10,
  });
}
