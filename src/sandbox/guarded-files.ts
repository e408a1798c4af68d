/**
 * Reading, writing, moving and deleting what the path guard has let through. Between its look and the use, a file or a
 * folder may be swapped for something else; what was opened is held against what was looked at, and used through the open
 * handle alone.
 *
 * 1. A link in the place of the file leads elsewhere: the last part is never followed.
 * 2. A link in the place of a folder on the way: where an open file lies is asked of the kernel, not of its path.
 * 3. A named pipe in the place of the file blocks its reader for ever: opening one does not wait, and it is not read.
 * 4. A file elsewhere that gets its second name here: a file with two hard links is not read.
 * 5. A link that is put where a file is about to be written: a new file takes its place, beneath the folder that is held
 *    open.
 */
import { randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, realpath, rename, rm, unlink } from 'node:fs/promises';
import path from 'node:path';
import { type GuardedPath, PathRefused } from './path-guard.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY, O_CREAT, O_EXCL, O_WRONLY } = constants;
/** Modes of what is made: its owner's alone. Git keeps no more than whether a file can be executed. */
const newFileMode = 0o600;
const newFolderMode = 0o700;

type Guarded = Pick<GuardedPath, 'absolute' | 'relative'>;

/** Has `use` read a file that the guard has found. @throws PathRefused where it is no longer that file */
export async function readGuarded<Value>(place: Guarded, use: (file: FileHandle) => Promise<Value>): Promise<Value> {
  return reporting(place, async () => {
    const file = await open(place.absolute, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (!stats.isFile() || stats.nlink !== 1 || !(await liesAt(file, place.absolute))) throw swapped(place);
      return await use(file);
    } finally {
      await file.close();
    }
  });
}

/**
 * Puts a file where the guard has found one or nothing, at once and whole; a file that is there keeps its mode.
 * @throws PathRefused where the place is no longer what it was, or the system refuses
 */
export async function replaceGuarded(place: Guarded, bytes: Buffer): Promise<void> {
  await makeFolder(place);
  await within(place, (folder, name) => putInto(folder, name, bytes));
}

/** Moves what the guard has found to where it has found nothing, a link as a link. @throws PathRefused */
export async function moveGuarded(from: Guarded, to: Guarded): Promise<void> {
  await makeFolder(to);
  await within(from, (source, name) =>
    within(to, (target, newName) => rename(path.join(source, name), path.join(target, newName))),
  );
}

/** Deletes what the guard has found, a link as a link. @throws PathRefused */
export async function removeGuarded(place: Guarded): Promise<void> {
  await within(place, (folder, name) => unlink(path.join(folder, name)));
}

function makeFolder(place: Guarded): Promise<unknown> {
  return reporting(place, () => mkdir(path.dirname(place.absolute), { recursive: true, mode: newFolderMode }));
}

/** Has `act` change a name in its folder, which is held open. */
async function within(place: Guarded, act: (folder: string, name: string) => Promise<void>): Promise<void> {
  await reporting(place, async () => {
    const parent = path.dirname(place.absolute);
    const folder = await open(parent, O_RDONLY | O_NOFOLLOW | O_DIRECTORY);
    try {
      if (!(await liesAt(folder, parent))) throw swapped(place);
      await act(beneath(folder, parent), path.basename(place.absolute));
    } finally {
      await folder.close();
    }
  });
}

async function putInto(folder: string, name: string, bytes: Buffer): Promise<void> {
  const passing = path.join(folder, `.passing-${randomUUID()}`);
  const target = path.join(folder, name);
  const mode = await modeOf(target);
  try {
    const file = await open(passing, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, newFileMode);
    try {
      if (mode !== null) await file.chmod(mode);
      await file.writeFile(bytes);
    } finally {
      await file.close();
    }
    await rename(passing, target);
  } catch (error) {
    await rm(passing, { force: true });
    throw error;
  }
}

/** `null` where there is no file. */
async function modeOf(target: string): Promise<number | null> {
  try {
    const stats = await lstat(target);
    return stats.isFile() ? stats.mode & 0o777 : null;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

const handles = '/proc/self/fd';

/** Whether an open file lies there, without a link on the way. Where the kernel tells nothing, the path is followed anew. */
async function liesAt(file: FileHandle, place: string): Promise<boolean> {
  return (existsSync(handles) ? await readlink(`${handles}/${file.fd}`) : await realpath(place)) === place;
}

/** A path to an open folder that leads there whatever happens to its names. */
function beneath(folder: FileHandle, place: string): string {
  return existsSync(handles) ? `${handles}/${folder.fd}` : place;
}

function swapped({ relative }: Guarded): PathRefused {
  return new PathRefused(`expected ${relative} to be the file that was looked at, got another; look at it again`);
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** The system's own words name folders of the host. */
async function reporting<Value>(place: Guarded, act: () => Promise<Value>): Promise<Value> {
  try {
    return await act();
  } catch (error) {
    const code = codeOf(error);
    if (code === null) throw error;
    if (code === 'ELOOP' || code === 'ENOTDIR') throw swapped(place);
    throw new PathRefused(`expected ${place.relative} to be a file that can be used, got ${code} of the system`);
  }
}
