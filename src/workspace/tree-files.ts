/** Writing a commit's files out, and the bits on them. */
import { randomUUID } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Git } from './git.ts';
import { assertFit } from './tree-size.ts';

export interface WriteOut {
  readonly gitDir: string;
  readonly commit: string;
  readonly folder: string;
  /** The index that describes the files afterwards; made anew. */
  readonly index: string;
  /** Whether links are made as links; otherwise as small text files. */
  readonly symlinks: boolean;
}

/** Replaces `folder` by the commit's files: no git directory, no submodules, no filters. @throws {WorkspaceError} */
export async function writeOut(git: Git, { gitDir, commit, folder, index, symlinks }: WriteOut): Promise<void> {
  await assertFit(git, gitDir, commit);
  await removeTree(folder);
  await mkdir(folder, { recursive: true });
  await mkdir(dirname(index), { recursive: true });
  await rm(`${index}.lock`, { force: true });
  await rm(index, { force: true });
  await git.bytes({ args: ['read-tree', commit], gitDir, index });
  const args = ['checkout-index', '--all', '--force', '--quiet', '--index'];
  await git.bytes({ args, gitDir, workTree: folder, index, symlinks });
}

/** Takes every write bit away: files 0444, folders 0555. Root is not held by bits; no tool is given more than a view of this. */
export async function sealTree(folder: string): Promise<void> {
  await eachEntry(Buffer.from(folder), async (path, isFolder) => {
    await chmod(path, isFolder ? 0o555 : 0o444);
  });
  await chmod(folder, 0o555);
}

/** Removes a folder with all it holds, whatever its bits are; links are removed, not followed. */
export async function removeTree(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => null);
  if (found === null) return;
  if (found.isDirectory()) await unseal(Buffer.from(folder));
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** Room for one more name in what the system takes for a path. */
const maxPathBytes = 2048;

/** Folders that lie deeper than a path can say are brought up first: otherwise nothing would ever remove them. */
async function unseal(top: Buffer): Promise<void> {
  const waiting = [top];
  for (const folder of waiting) {
    await chmod(folder, 0o700);
    const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
    for (const entry of entries) {
      if (!entry.isDirectory()) continue;
      const inner = childOf(folder, entry.name);
      waiting.push(inner.length > maxPathBytes ? await bringUp(top, inner) : inner);
    }
  }
}

async function bringUp(top: Buffer, folder: Buffer): Promise<Buffer> {
  const near = childOf(top, Buffer.from(`.deep-${randomUUID()}`));
  // To move a folder is to write it.
  await chmod(folder, 0o700);
  await rename(folder, near);
  return near;
}

/** Contents before their folder. Names are bytes: a repository's need not be UTF-8. Links are left alone. */
async function eachEntry(folder: Buffer, act: (path: Buffer, isFolder: boolean) => Promise<void>): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
  for (const entry of entries) {
    const path = childOf(folder, entry.name);
    if (entry.isDirectory()) await eachEntry(path, act);
    if (entry.isDirectory() || entry.isFile()) await act(path, entry.isDirectory());
  }
}

function childOf(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, Buffer.from('/'), name]);
}
