/**
 * How large a commit's tree is, before it is written out or read into an index.
 *
 * 1. A tree that names one folder many times, which does the same: a pack of some kilobytes stands for billions of files,
 *    and git would take all of the host's memory for their names.
 * 2. A file of zeros, packed to nothing: written out it fills the disk.
 */
import { failure, type Git, type GitCall } from './git.ts';
import { WorkspaceError } from './workspace.ts';

const maxTreeFiles = 500_000;
const maxTreeBytes = 4 * 1024 ** 3;

/** Of the sizes of so many files, with the end of each line. */
const maxToldBytes = 12 * maxTreeFiles;

/** Commits whose tree was found to be fit. */
const fit = new WeakMap<Git, Set<string>>();

/** @throws {WorkspaceError} where the tree of the commit is too large to be worked on */
export async function assertFit(git: Git, gitDir: string, commit: string): Promise<void> {
  const known = fit.get(git) ?? new Set();
  if (known.has(commit)) return;
  const args = ['ls-tree', '-r', '--full-tree', '--format=%(objectsize)', commit];
  const call: GitCall = { args, gitDir, maxOutputBytes: maxToldBytes };
  const told = await git.attempt(call);
  const isCut = told.stopped === 'output limit';
  if (!isCut && (told.code !== 0 || told.stopped !== null)) throw failure(call, told);
  if (isCut || isTooLarge(told.stdout)) {
    throw new WorkspaceError(
      `expected a commit of at most ${maxTreeFiles} files and ${maxTreeBytes / 1024 ** 3} GiB, got more in ${commit}; no run can work on it`,
    );
  }
  fit.set(git, known.add(commit));
}

function isTooLarge(sizes: Buffer): boolean {
  const files = sizes.toString('latin1').split('\n').slice(0, -1);
  // What a submodule stands for has no size.
  const bytes = files.reduce((total, size) => total + (Number(size) || 0), 0);
  return files.length > maxTreeFiles || bytes > maxTreeBytes;
}
