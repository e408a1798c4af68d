/** The repository that a plan is wanted for. Git only reads it: nothing in it is written and nothing of it is run. */
import { copyFile, realpath, stat, utimes } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { Git, GitResult } from '../workspace/git.ts';

/** It cannot be planned for. The message says why and what to do. */
export class UnfitRepository extends Error {
  override readonly name = 'UnfitRepository';
}

export interface SourceRepository {
  /** As it was named, made absolute. */
  readonly path: string;
  /** The git directory that holds its commits; that of the main one for a linked working tree. Absolute. */
  readonly gitDir: string;
  /** Where HEAD and index lie. Absolute. */
  readonly ownGitDir: string;
  /** The root of its files; `null` for a bare one. */
  readonly top: string | null;
  readonly head: string;
  /** `null` where HEAD is detached. */
  readonly branch: string | null;
  readonly isShallow: boolean;
}

/**
 * Finds the repository that a path is in, or that it is.
 * @throws {UnfitRepository}
 */
export async function findRepository(git: Git, named: string): Promise<SourceRepository> {
  const path = await realpath(resolve(named)).catch(() => {
    throw new UnfitRepository(`expected a git repository at ${named}, got no such path`);
  });
  const place = await locate(git, path);
  const { ownGitDir } = place;
  const at = { gitDir: ownGitDir };
  const head = await git.attempt({ args: ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], ...at });
  if (head.code !== 0) {
    throw new UnfitRepository(`expected a commit at HEAD of ${path}, got none; commit something there first`);
  }
  const commit = textOf(head);
  if (!/^[0-9a-f]{40}$/.test(commit)) {
    throw new UnfitRepository(`expected a repository of SHA-1 objects at ${path}, got another; it is not supported`);
  }
  const branch = await git.attempt({ args: ['symbolic-ref', '--quiet', '--short', 'HEAD'], ...at });
  return { path, ...place, head: commit, branch: branch.code === 0 ? textOf(branch) : null };
}

type Place = Pick<SourceRepository, 'gitDir' | 'ownGitDir' | 'top' | 'isShallow'>;

const questions = ['--path-format=absolute', '--git-common-dir', '--absolute-git-dir', '--is-shallow-repository'];

/** A bare one is not looked for: it counts only where it is named. */
async function locate(git: Git, path: string): Promise<Place> {
  const found = await git.attempt({ args: ['-C', path, 'rev-parse', ...questions, '--show-toplevel'] });
  if (found.code === 0) return readPlace(found);
  if (/dubious ownership/.test(found.stderr)) {
    throw new UnfitRepository(
      `expected a repository of your own at ${path}, got one of another user; run this as its owner`,
    );
  }
  const bare = await git.attempt({ args: ['rev-parse', ...questions], gitDir: path });
  if (bare.code === 0) return readPlace(bare);
  throw new UnfitRepository(`expected a git repository at ${path}, got none; name a folder of one with --repo`);
}

function readPlace(result: GitResult): Place {
  const [gitDir = '', ownGitDir = '', isShallow, top] = textOf(result).split('\n');
  return { gitDir, ownGitDir, isShallow: isShallow === 'true', top: top ?? null };
}

function textOf(result: GitResult): string {
  return result.stdout.toString('utf8').trim();
}

/** What a person may not expect of the plan, one sentence each. */
export function describeSource({ path, top, branch, head, isShallow }: SourceRepository): readonly string[] {
  const where = branch === null ? 'a detached HEAD' : `branch ${branch}`;
  const inside = top === null ? '' : relative(top, path);
  return [
    `Reading ${top ?? path} at ${head.slice(0, 10)} (${where}).`,
    ...(inside === '' ? [] : [`${path} is a part of it; the plan is for all of it.`]),
    ...(isShallow ? ['It is a shallow clone: of its history only that part is known.'] : []),
  ];
}

/**
 * How many files are not as HEAD has them, untracked ones included; `null` where that cannot be told, or there are none. Read through the
 * mirror and a copy of the index, so that no filter or hook of the repository runs and nothing is refreshed in it.
 */
export async function countUncommitted(
  git: Git,
  source: SourceRepository,
  mirror: { readonly gitDir: string; readonly index: string },
): Promise<number | null> {
  const { top, head } = source;
  if (top === null || !(await copyIndex(join(source.ownGitDir, 'index'), mirror.index))) return null;
  const at = { gitDir: mirror.gitDir, workTree: top, index: mirror.index, symlinks: true };
  const changed = await git.attempt({
    args: ['-C', top, 'diff-index', '--name-only', '-z', '--no-renames', '--ignore-submodules=all', head, '--'],
    ...at,
  });
  const untracked = await git.attempt({
    args: ['-C', top, 'ls-files', '-z', '--others', '--exclude-standard', '--directory', '--no-empty-directory'],
    ...at,
  });
  if (changed.code !== 0 || untracked.code !== 0) return null;
  return countNames(changed) + countNames(untracked);
}

/** With its time, by which git knows the files that may have changed since without a sign of it. */
async function copyIndex(from: string, to: string): Promise<boolean> {
  try {
    const { atime, mtime } = await stat(from);
    await copyFile(from, to);
    await utimes(to, atime, mtime);
    return true;
  } catch {
    return false;
  }
}

function countNames(result: GitResult): number {
  return result.stdout.toString('latin1').split('\0').length - 1;
}
