/**
 * Git's objects, read where git keeps each in a file of its own: a process for each look takes a hundred times as long.
 * `null` leaves the question to git: for what is packed, not there, or not plain. Source: gitrepository-layout(5)
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';

export interface StoredObject {
  readonly type: string;
  readonly body: Buffer;
}

export interface StoredCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  /** The lines of `author` and `committer` without that word. */
  readonly author: string;
  readonly committer: string;
  readonly message: string;
}

const ID = /^[0-9a-f]{40}$/;

export function readStored(gitDir: string, id: string): StoredObject | null {
  if (!ID.test(id)) return null;
  const bytes = readInflated(join(gitDir, 'objects', id.slice(0, 2), id.slice(2)));
  if (bytes === null) return null;
  const end = bytes.indexOf(0);
  const [type = ''] = bytes.toString('latin1', 0, end).split(' ');
  return { type, body: bytes.subarray(end + 1) };
}

function readInflated(file: string): Buffer | null {
  try {
    return inflateSync(readFileSync(file));
  } catch {
    return null;
  }
}

/** Nothing but these four in their order: a signature or another encoding is for git to judge. */
const COMMIT = /^tree ([0-9a-f]{40})\n((?:parent [0-9a-f]{40}\n)*)author ([^\n]+)\ncommitter ([^\n]+)\n\n([\s\S]*)$/;

export function readStoredCommit(gitDir: string, id: string): StoredCommit | null {
  const stored = readStored(gitDir, id);
  const found = stored?.type === 'commit' ? COMMIT.exec(stored.body.toString()) : null;
  if (found === null) return null;
  const [, tree = '', parents = '', author = '', committer = '', message = ''] = found;
  return { tree, parents: parents.match(/[0-9a-f]{40}/g) ?? [], author, committer, message };
}

export interface StoredEntry {
  readonly mode: string;
  readonly id: string;
}

/** What a commit or tree holds at a plain path. */
export function findStored(gitDir: string, root: string, path: string): StoredEntry | 'nothing' | null {
  let at: StoredEntry = { mode: '40000', id: readStoredCommit(gitDir, root)?.tree ?? root };
  for (const name of path.split('/')) {
    const tree = readStored(gitDir, at.id);
    if (tree?.type !== 'tree' || /^\.{0,2}$/.test(name)) return null;
    const entry = findEntry(tree.body, name);
    if (entry === null) return 'nothing';
    at = entry;
  }
  return at;
}

function findEntry(tree: Buffer, name: string): StoredEntry | null {
  const wanted = Buffer.from(name);
  for (let at = 0; at < tree.length; ) {
    const [space, end] = [tree.indexOf(' ', at), tree.indexOf(0, at)];
    if (tree.subarray(space + 1, end).equals(wanted)) {
      return { mode: tree.toString('latin1', at, space), id: tree.toString('hex', end + 1, end + 21) };
    }
    at = end + 21;
  }
  return null;
}
