/**
 * The data folder holds conversations, private source and the queue of what is pushed: whoever can read it reads those,
 * and whoever can write it says what is done.
 *
 * 1. Another account that reads or writes it: none but its owner may.
 * 2. Another account that owns it, and could open it again at any time: the owner is the account that runs the app.
 */
import { accessSync, constants, mkdirSync, statSync } from 'node:fs';

/** The folder cannot be relied on. The message says why and what to do. */
export class UnsafeDataFolder extends Error {
  override readonly name = 'UnsafeDataFolder';
}

/** Makes the folder, its owner's alone, where it is not there. @throws {UnsafeDataFolder} */
export function claimDataFolder(dataDir: string): void {
  attempt(dataDir, () => mkdirSync(dataDir, { recursive: true, mode: 0o700 }));
  const { mode, uid } = statSync(dataDir);
  const own = process.getuid?.();
  if (own !== undefined && uid !== own) {
    throw new UnsafeDataFolder(
      `expected the data folder ${dataDir} to belong to the account that runs the app (uid ${own}), got uid ${uid}; ` +
        'run the app as that account, or set DATA_DIR to a folder of its own',
    );
  }
  if ((mode & 0o077) !== 0) {
    throw new UnsafeDataFolder(
      `expected the data folder ${dataDir} to be its owner's alone, got mode ${(mode & 0o777).toString(8)}; ` +
        `run "chmod 700 ${dataDir}", and see whether anyone was there`,
    );
  }
  attempt(dataDir, () => accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK));
}

function attempt(dataDir: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'a failure';
    throw new UnsafeDataFolder(
      `expected a data folder ${dataDir} that this account can make and write in, got ${code}; set DATA_DIR to one`,
      { cause },
    );
  }
}
