/**
 * Where a file tool may reach: beneath the checkout, and nowhere else. The model is treated as hostile, and so is the
 * tree, because a repository may carry any link and a command may have made any file.
 *
 * 1. A link in the path leads out of the checkout: every link is followed first, and what it leads to must lie beneath.
 * 2. `..` climbs out, or hides behind a link: no path with such a part is taken.
 * 3. An absolute path, or `~`, names a place outside.
 * 4. `/proc` and `/sys` give away the environment and memory of processes: no link that leads there is followed.
 * 5. A named pipe blocks its reader for ever: only regular files and directories are opened.
 * 6. A device or a socket is no file, and reading one may never end.
 * 7. `.git`, in any letter case and in the spellings that other file systems take for it, makes the host run what it says.
 * 8. A second hard link shares its bytes with a file that may lie elsewhere.
 * 9. A NUL byte or a name beyond the system's limit reads differently here than in the system.
 *
 * Between this look and the use something may be swapped: `guarded-files.ts` holds what it uses against what was looked at.
 * Searches go by paths alone; tools that run commands never run beside tools that read or write (see
 * `agent/tools/turn-order.ts`), and no process outlives its command.
 */
import type { Stats } from 'node:fs';
import { lstat, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { isGitName } from '../workspace/path-rules.ts';

/** Thrown for a path that a tool may not use; the message says why, in one line, and names only what was asked for. */
export class PathRefused extends Error {
  override readonly name = 'PathRefused';
}

export interface GuardedPath {
  /** Free of links; beneath the checkout. */
  readonly absolute: string;
  /** From the checkout's root, with `/`; where a link led inside, the path that it leads to. Empty for the root. */
  readonly relative: string;
  /** What is there; `null` where nothing is. */
  readonly found: 'file' | 'directory' | 'link' | null;
}

const MAX_PATH_LENGTH = 4096;
const MAX_LINKS = 40;

function refuse(asked: string, why: string): never {
  const shown = asked.length > 200 ? `${asked.slice(0, 200)}…` : asked;
  throw new PathRefused(`expected a path beneath the repository's root, got ${JSON.stringify(shown)}: ${why}`);
}

function checkText(asked: string): readonly string[] {
  if (asked.length > MAX_PATH_LENGTH || asked.includes('\0')) refuse(asked, 'not a path');
  if (path.isAbsolute(asked) || asked.startsWith('~')) {
    refuse(asked, 'absolute; give it from the root, without a slash');
  }
  const parts = asked.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) refuse(asked, 'it holds ".."');
  if (parts.some(isGitName)) refuse(asked, "git's own folder is out of reach");
  return parts;
}

async function look(place: string): Promise<Stats | null> {
  try {
    return await lstat(place);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
    throw new PathRefused('expected a path that can be looked at, got one that the system refuses');
  }
}

interface Walk {
  readonly root: string;
  readonly asked: string;
  readonly followsLast: boolean;
}

/** Follows the path part by part, so that a link to nothing is seen as a link too. */
async function follow(walk: Walk, parts: readonly string[]): Promise<{ place: string; stats: Stats | null }> {
  let place = walk.root;
  let rest = [...parts];
  let links = 0;
  let stats = await look(place);
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    const next = path.join(place, part);
    stats = await look(next);
    const isLast = rest.length === 0;
    if (!stats?.isSymbolicLink() || (isLast && !walk.followsLast)) {
      place = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) refuse(walk.asked, 'too many links');
    const target = path.resolve(place, await readlink(next));
    rest = [...beneath(walk, target), ...rest];
    place = walk.root;
  }
  return { place, stats };
}

function beneath(walk: Walk, target: string): string[] {
  const relative = path.relative(walk.root, target);
  if (relative === '..' || relative.startsWith('../') || path.isAbsolute(relative)) {
    refuse(walk.asked, 'a link leads out of the repository');
  }
  const parts = relative.split('/').filter((part) => part !== '');
  if (parts.some(isGitName)) refuse(walk.asked, "a link leads into git's own folder");
  return parts;
}

function kindOf(asked: string, stats: Stats | null): GuardedPath['found'] {
  if (stats === null) return null;
  if (stats.isSymbolicLink()) return 'link';
  if (stats.isDirectory()) return 'directory';
  if (!stats.isFile()) refuse(asked, 'neither a file nor a folder');
  if (stats.nlink > 1) refuse(asked, 'the file has a second hard link');
  return 'file';
}

async function guard(root: string, asked: string, followsLast: boolean): Promise<GuardedPath> {
  const walk: Walk = { root: await realpath(root), asked, followsLast };
  const { place, stats } = await follow(walk, checkText(asked));
  return {
    absolute: place,
    relative: path.relative(walk.root, place),
    found: kindOf(asked, stats),
  };
}

/**
 * Resolves a path from the checkout's root, following links that stay inside.
 * @throws PathRefused for every path of the list above.
 */
export async function guardPath(root: string, asked: string): Promise<GuardedPath> {
  return guard(root, asked, true);
}

/**
 * Like `guardPath`, for moving and deleting: the last part is taken as it stands, a link as a link.
 * @throws PathRefused
 */
export async function guardEntry(root: string, asked: string): Promise<GuardedPath> {
  return guard(root, asked, false);
}
