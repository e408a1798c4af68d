/**
 * Looks through a tree that an agent could write, without git: git would read a nested repository to see what it is.
 * Paths are byte strings (latin1), as names on disk and in git need not be UTF-8.
 */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { isLeftOut } from './path-rules.ts';

export interface Scan {
  /** Files and links that the repository does not have and does not ignore. */
  readonly untracked: readonly string[];
  /** Folders that are repositories of their own, with or without `.git`. */
  readonly nested: readonly string[];
  /** Left out for what they are: key files, installed packages, sockets and other special files, folders that lie too deep. */
  readonly leftOut: readonly string[];
}

/** Which of the paths the repository ignores; folders end in `/`. */
export type Ignores = (paths: readonly string[]) => Promise<ReadonlySet<string>>;

/** What lies deeper could not be looked into: the system takes no path that names it. */
const maxPathBytes = 2048;

interface Level {
  readonly candidates: string[];
  readonly next: string[];
}

/** @param tree the folder @param tracked paths of the index, as byte strings; what they name is not looked for */
export async function scanTree(tree: string, tracked: ReadonlySet<string>, ignores: Ignores): Promise<Scan> {
  const folders = foldersOf(tracked);
  const found = { untracked: [] as string[], nested: [] as string[], leftOut: [] as string[] };
  let level: readonly string[] = [''];
  while (level.length > 0) {
    const { candidates, next }: Level = { candidates: [], next: [] };
    for (const folder of level) {
      const entries = await entriesOf(tree, folder);
      if (isRepository(folder, entries, folders)) found.nested.push(folder.slice(0, -1));
      else for (const entry of entries) sort(entry, folder, { candidates, next });
    }
    const ignored = candidates.length === 0 ? new Set() : await ignores(candidates);
    for (const path of candidates.filter((candidate) => !ignored.has(candidate))) {
      if (path.endsWith('/')) next.push(path);
      else found.untracked.push(path);
    }
    level = next;
  }
  return found;

  function sort(entry: Dirent<Buffer>, folder: string, { candidates, next }: Level): void {
    const name = entry.name.toString('latin1');
    const path = folder + name;
    // The run's own repository at the top is its affair: it is not read and not committed.
    if (name === '.git') return;
    if (entry.isDirectory() && folders.has(path)) next.push(`${path}/`);
    else if (tracked.has(path) && !entry.isDirectory()) return;
    else if (isLeftOut(name)) found.leftOut.push(path);
    else if (entry.isDirectory() && path.length > maxPathBytes) found.leftOut.push(path);
    else if (entry.isDirectory()) candidates.push(`${path}/`);
    else if (entry.isFile() || entry.isSymbolicLink()) candidates.push(path);
    else found.leftOut.push(path);
  }
}

function entriesOf(tree: string, folder: string): Promise<Dirent<Buffer>[]> {
  return readdir(onDisk(tree, folder), { withFileTypes: true, encoding: 'buffer' });
}

/** Below the top: a `.git` of any kind, or what git takes for a bare repository where the repository has no such folder itself. */
function isRepository(folder: string, entries: readonly Dirent<Buffer>[], folders: ReadonlySet<string>): boolean {
  if (folder === '') return false;
  const names = new Set(entries.map((entry) => entry.name.toString('latin1')));
  if (names.has('.git')) return true;
  return names.has('HEAD') && names.has('objects') && names.has('refs') && !folders.has(`${folder}refs`);
}

function foldersOf(tracked: ReadonlySet<string>): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const path of tracked) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}

/** The place on disk of a byte-string path. */
export function onDisk(tree: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${tree}/`), Buffer.from(path, 'latin1')]);
}

/** The path as text; U+FFFD where it is not UTF-8. */
export function asText(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}
