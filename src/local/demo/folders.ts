/** The demo's temporary folder. */
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder below the system's own for temporary files. */
export function createFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'planwright-demo-'));
}

/** Removes it with all that is in it. Read-only checkouts have no write bit, which stops everyone but root. */
export async function removeFolder(folder: string): Promise<void> {
  await allowWriting(folder);
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

async function allowWriting(folder: string): Promise<void> {
  await chmod(folder, 0o700).catch(() => undefined);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory());
  await Promise.all(folders.map((entry) => allowWriting(join(folder, entry.name))));
}
