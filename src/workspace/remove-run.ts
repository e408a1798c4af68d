/** Clearing away what runs leave on disk. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from './git.ts';
import type { Layout } from './layout.ts';
import { deleteRefs } from './mirror.ts';
import { removeTree } from './tree-files.ts';

/** The run's trees, temporary files and index; its commits stay. `run` is the name of its folder. */
export async function removeRun(layout: Layout, run: string): Promise<void> {
  await removeTree(join(layout.runs, run));
  await removeTree(join(layout.indexes, run));
}

/** Clears away what is on disk of every run but those in `keep`; their commits stay. */
export async function removeRunsExcept(layout: Layout, keep: ReadonlySet<string>): Promise<void> {
  const found = new Set([...(await namesIn(layout.runs)), ...(await namesIn(layout.indexes))]);
  for (const run of found) {
    if (!keep.has(run)) await removeRun(layout, run);
  }
}

/** Ids of the repositories that have a mirror. */
export async function mirroredRepositories(layout: Layout): Promise<readonly number[]> {
  const names = await namesIn(layout.mirrors);
  return names.flatMap((name) => {
    const id = /^(\d+)\.git$/.exec(name)?.[1];
    return id === undefined ? [] : [Number(id)];
  });
}

/** Forgets the commits of all runs but those in `keep`, and packs what stays. */
export async function dropRunsExcept(git: Git, gitDir: string, keep: ReadonlySet<string>): Promise<void> {
  const prefix = 'refs/planwright/runs/';
  const refs = await git.text({ args: ['for-each-ref', '--format=%(refname)', '--', prefix], gitDir });
  const runs = new Set(refs.split('\n').map((ref) => ref.slice(prefix.length).split('/')[0] ?? ''));
  for (const run of runs) {
    if (run !== '' && !keep.has(run)) await deleteRefs(git, gitDir, `${prefix}${run}/`);
  }
  const tidy = ['-c', 'gc.auto=6700', '-c', 'gc.autoDetach=false', 'gc', '--auto', '--quiet'];
  await git.bytes({ args: tidy, gitDir });
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
