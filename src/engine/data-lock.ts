import { DatabaseSync } from 'node:sqlite';

/** Thrown when another process holds the data folder. The message says which folder and what to do. */
export class DataFolderTaken extends Error {
  override readonly name = 'DataFolderTaken';
  constructor(dataDir: string, options?: ErrorOptions) {
    super(
      `expected to be the only process on the data folder ${dataDir}, got a lock that another process holds; ` +
        'stop that process, or set DATA_DIR to another folder',
      options,
    );
  }
}

export interface DataLock {
  release(): void;
}

/**
 * Takes the folder for this process. PGlite has no lock of its own, and two processes that open one data folder lose
 * each other's rows. SQLite's exclusive lock is the kernel's: it is gone as soon as its process is, however it died.
 * @throws {DataFolderTaken}
 */
export function lockDataFolder(dataDir: string): DataLock {
  const file = new DatabaseSync(`${dataDir}/lock`, { timeout: 0 });
  try {
    file.exec('PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    file.close();
    throw isBusy(cause) ? new DataFolderTaken(dataDir, { cause }) : cause;
  }
  return { release: () => file.close() };
}

/** SQLITE_BUSY is 5, in the low byte of SQLite's extended codes. Source: https://sqlite.org/rescode.html */
function isBusy(cause: unknown): boolean {
  return (
    cause instanceof Error && 'errcode' in cause && typeof cause.errcode === 'number' && (cause.errcode & 0xff) === 5
  );
}
