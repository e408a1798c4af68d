/** Commits, trees and blobs, read from the repository's real git. */
import { branchHead, git, tryGit } from '../git-repository.ts';
import { findStored, readStored } from '../loose-objects.ts';
import { nodeId } from '../node-id.ts';
import { repositoryPage } from '../shapes/repository.ts';
import type { Repository } from '../state.ts';
import { commitSource } from './commit.ts';
import { repositorySource } from './repository.ts';
import type { Source } from './source.ts';
import { requireRead, type View } from './view.ts';

/** GitHub cuts a blob's `text` behind this many bytes and says so in `isTruncated`. */
const MAX_TEXT_BYTES = 512_000;

/** A blob with a NUL byte this early is binary, as git judges it. */
const BINARY_PROBE_BYTES = 8_000;

export interface GitObject {
  readonly oid: string;
  readonly type: string;
  readonly size: number;
}

/** The object that git's expression names, e.g. `HEAD:.github/planwright.yml` or `main`; `null` where there is none. */
export function findObject(repository: Repository, expression: string): GitObject | null {
  if (/[\0\n]/.test(expression)) return null;
  const { defaultBranch } = repository;
  const head = branchHead(repository.gitDir, defaultBranch) ?? `refs/heads/${defaultBranch}`;
  const revision = expression.replace(/^HEAD(?=$|[:^~])/, () => head);
  const stored = findStoredObject(repository.gitDir, revision);
  if (stored !== 'unclear') return stored;
  // Behind it the commit whose path it is: what a commit that is there does not hold, it will never hold.
  const input = `${revision}\n${revision.split(':', 1)[0]}\n`;
  const answer = tryGit(repository.gitDir, ['cat-file', '--batch-check'], { input });
  const match = answer.ok ? /^([0-9a-f]{40}) (\w+) (\d+)\n/.exec(answer.stdout) : null;
  if (match === null) return null;
  return { oid: match[1] ?? '', type: match[2] ?? '', size: Number(match[3]) };
}

/** What stands at `<commit>:<path>`, or has that id, where no process of git is needed to say so. */
function findStoredObject(gitDir: string, revision: string): GitObject | null | 'unclear' {
  const [, root = '', path] = /^([0-9a-f]{40})(?::(.+))?$/.exec(revision) ?? [];
  const found = path === undefined ? { id: root } : findStored(gitDir, root, path);
  if (found === 'nothing') return null;
  const stored = found === null ? null : readStored(gitDir, found.id);
  if (found === null || stored === null) return 'unclear';
  return { oid: found.id, type: stored.type, size: stored.body.length };
}

/** @throws {ForgeError} 403 without the permission to read contents */
export function objectSource(view: View, repository: Repository, expression: string): Source | null {
  requireRead(view, repository, 'contents');
  const object = findObject(repository, expression);
  if (object === null) return null;
  if (object.type === 'commit') return commitSource(view, repository, object.oid);
  if (object.type === 'tree') return treeSource(view, repository, object.oid);
  if (object.type === 'blob') return blobSource(view, repository, object);
  return objectSource(view, repository, `${object.oid}^{}`);
}

/** The fields of GitHub's `GitObject` interface. */
export function objectFields(view: View, repository: Repository, kind: 'commit' | 'tree' | 'blob', oid: string) {
  const commitUrl = `${repositoryPage(view.forge, repository)}/commit/${oid}`;
  return {
    id: nodeId(kind, `${repository.id}:${oid}`),
    oid,
    abbreviatedOid: oid.slice(0, 7),
    commitUrl,
    commitResourcePath: commitUrl.slice(view.forge.webUrl.length),
    repository: () => repositorySource(view, repository),
  };
}

function blobSource(view: View, repository: Repository, blob: GitObject): Source {
  const content = readBlob(repository.gitDir, blob.oid);
  const isBinary = content.subarray(0, BINARY_PROBE_BYTES).includes(0);
  const kept = content.subarray(0, MAX_TEXT_BYTES);
  return {
    __typename: 'Blob',
    ...objectFields(view, repository, 'blob', blob.oid),
    byteSize: content.length,
    isBinary,
    isTruncated: content.length > MAX_TEXT_BYTES,
    text: isBinary ? null : new TextDecoder('utf-8', { ignoreBOM: true }).decode(kept),
  };
}

function readBlob(gitDir: string, oid: string): Buffer {
  const stored = readStored(gitDir, oid);
  if (stored?.type === 'blob') return stored.body;
  const answer = tryGit(gitDir, ['cat-file', 'blob', oid]);
  if (answer.ok) return answer.bytes;
  throw new Error(`expected a blob at ${oid}, got: ${answer.stderr.trim()}`);
}

export function treeSource(view: View, repository: Repository, oid: string): Source {
  return {
    __typename: 'Tree',
    ...objectFields(view, repository, 'tree', oid),
    entries: () => readTree(repository, oid, []).map((entry) => entrySource(view, repository, entry)),
  };
}

interface TreeEntry {
  readonly mode: string;
  readonly type: string;
  readonly oid: string;
  readonly size: number;
  readonly path: string;
}

function readTree(repository: Repository, treeish: string, paths: readonly string[]): readonly TreeEntry[] {
  const listing = git(repository.gitDir, ['--literal-pathspecs', 'ls-tree', '-z', '-l', treeish, '--', ...paths]);
  return listing
    .split('\0')
    .filter((row) => row !== '')
    .map((row) => {
      const tab = row.indexOf('\t');
      const [mode = '', type = '', oid = '', size = ''] = row.slice(0, tab).split(/ +/);
      return { mode, type, oid, size: Number(size) || 0, path: row.slice(tab + 1) };
    });
}

function entrySource(view: View, repository: Repository, entry: TreeEntry): Source {
  const name = entry.path.slice(entry.path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return {
    __typename: 'TreeEntry',
    name,
    path: entry.path,
    nameRaw: Buffer.from(name).toString('base64'),
    pathRaw: Buffer.from(entry.path).toString('base64'),
    extension: dot <= 0 ? '' : name.slice(dot),
    mode: Number.parseInt(entry.mode, 8),
    type: entry.type,
    oid: entry.oid,
    size: entry.size,
    object: () => objectSource(view, repository, entry.oid),
    repository: () => repositorySource(view, repository),
  };
}

/** The entry at a path of a commit; `null` where the commit has none. */
export function fileSource(view: View, repository: Repository, commit: string, path: string): Source | null {
  const entry = readEntry(repository, commit, path.replace(/\/+$/, ''));
  return entry === null ? null : entrySource(view, repository, entry);
}

function readEntry(repository: Repository, commit: string, path: string): TreeEntry | null {
  const found = findStored(repository.gitDir, commit, path);
  if (found === 'nothing') return null;
  const stored = found === null ? null : readStored(repository.gitDir, found.id);
  if (found === null || stored === null) return readTree(repository, commit, [path])[0] ?? null;
  const { type, body } = stored;
  return { mode: found.mode, type, oid: found.id, size: type === 'blob' ? body.length : 0, path };
}
