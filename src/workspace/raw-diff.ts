/** Git's raw diff format with `-z` (git-diff-tree(1), "Raw output format"). */
import type { Git } from './git.ts';
import { asText } from './tree-scan.ts';
import { type FileChange, WorkspaceError } from './workspace.ts';

export interface RawChange {
  readonly oldMode: string;
  readonly newMode: string;
  /** Blobs; only zeros where there is none, or where git has not read it. */
  readonly oldId: string;
  readonly newId: string;
  /** A, M, D, T or R. */
  readonly status: string;
  /** Where it was; the same as `path` but for a move. */
  readonly from: string;
  readonly path: string;
}

/** @param encoding `latin1` keeps the bytes of names that are not UTF-8. */
export function parseRawDiff(output: Buffer, encoding: 'utf8' | 'latin1'): readonly RawChange[] {
  const fields = output.toString(encoding).split('\0');
  const changes: RawChange[] = [];
  let at = 0;
  while (at < fields.length - 1) {
    const head = /^:(\d{6}) (\d{6}) (\S+) (\S+) ([A-Z])\d*$/.exec(fields[at] ?? '');
    const [, oldMode, newMode, oldId, newId, status] = head ?? [];
    const from = fields[at + 1];
    const path = status === 'R' ? fields[at + 2] : from;
    if (
      oldMode === undefined ||
      newMode === undefined ||
      oldId === undefined ||
      newId === undefined ||
      status === undefined ||
      from === undefined ||
      path === undefined
    ) {
      throw new WorkspaceError(`expected git's raw diff, got ${JSON.stringify(fields[at])}`);
    }
    changes.push({ oldMode, newMode, oldId, newId, status, from, path });
    at += status === 'R' ? 3 : 2;
  }
  return changes;
}

/** What differs between two commits or trees, moves found. */
export async function changesBetween(
  git: Git,
  gitDir: string,
  from: string,
  to: string,
): Promise<readonly FileChange[]> {
  return asFileChanges(await rawChanges(git, gitDir, from, to));
}

/** More than that is not read: some trees of a few kilobytes differ in billions of paths. */
const maxToldBytes = 64 * 1024 * 1024;

/** The same as git tells it; paths are byte strings. */
export async function rawChanges(git: Git, gitDir: string, from: string, to: string): Promise<readonly RawChange[]> {
  const args = diffArguments(from, to, ['-M', '--raw', '-z']);
  return parseRawDiff(await git.bytes({ args, gitDir, maxOutputBytes: maxToldBytes }), 'latin1');
}

export function asFileChanges(changes: readonly RawChange[]): readonly FileChange[] {
  return changes.map(({ status, newMode, from, path }) => ({
    path: asText(path),
    change: status === 'A' ? 'create' : status === 'D' ? 'delete' : status === 'R' ? 'move' : 'modify',
    from: status === 'R' ? asText(from) : null,
    mode: newMode,
  }));
}

const noMode = '000000';
const noId = '0'.repeat(40);

/** Each move as what it is on disk, a file that goes and one that comes, in git's order. Paths are byte strings. */
export function withoutMoves(changes: readonly RawChange[]): readonly RawChange[] {
  return changes
    .flatMap((change): readonly RawChange[] => {
      if (change.status !== 'R') return [change];
      const { from, path } = change;
      return [
        { ...change, status: 'D', path: from, newMode: noMode, newId: noId },
        { ...change, status: 'A', from: path, oldMode: noMode, oldId: noId },
      ];
    })
    .toSorted((one, other) => (one.path < other.path ? -1 : Number(one.path > other.path)));
}

/** A comparison of two commits or trees that no setting, attribute or program of the repository takes part in. */
export function diffArguments(from: string, to: string, options: readonly string[]): string[] {
  return ['diff-tree', '-r', '--no-ext-diff', '--no-textconv', '--no-commit-id', ...options, from, to, '--'];
}
