/** Going on with one run's work in another: its commits made anew on a later head, and its tree as it was last kept. */
import { makeCommit, treeOf } from './commit-run.ts';
import type { Git, Identity } from './git.ts';
import { runRefs, snapshotRef, workRef } from './layout.ts';
import { assertKnown, deleteRefs, readRef, updateRefs } from './mirror.ts';
import type { CarriedWork } from './workspace.ts';

/**
 * Nothing on disk takes part, and refs move only once everything is made: a process that dies on the way leaves the work
 * of `from` as it is, and the same call does it all again.
 */
export async function carryOver(
  git: Git,
  gitDir: string,
  work: CarriedWork,
  identity: Identity,
): Promise<ReadonlyMap<string, string> | null> {
  for (const commit of [work.base, work.onto]) await assertKnown(git, gitDir, commit);
  const last = await readRef(git, gitDir, workRef(work.from));
  const kept = (await readRef(git, gitDir, snapshotRef(work.from))) ?? last;
  if (kept === null) return null;
  const planted = await plantCommits(git, gitDir, work, { last, identity });
  const tree = await mergedTree(git, gitDir, work.onto, kept);
  if (planted === null || tree === null) return null;
  const tip = planted.tip ?? work.onto;
  const snapshot =
    tree === (await treeOf(git, gitDir, tip))
      ? tip
      : await makeCommit(git, gitDir, { tree, parents: [tip], message: () => 'snapshot' }, identity);
  await deleteRefs(git, gitDir, runRefs(work.to));
  await updateRefs(git, gitDir, {
    [snapshotRef(work.to)]: snapshot,
    ...(planted.tip === null ? {} : { [workRef(work.to)]: planted.tip }),
  });
  return planted.commits;
}

interface Planted {
  readonly commits: ReadonlyMap<string, string>;
  /** The last of them; `null` where there is none. */
  readonly tip: string | null;
}

async function plantCommits(
  git: Git,
  gitDir: string,
  { base, onto, message }: CarriedWork,
  { last, identity }: { readonly last: string | null; readonly identity: Identity },
): Promise<Planted | null> {
  const commits = new Map<string, string>();
  let tip: string | null = null;
  if (last === null || message === null) return { commits, tip };
  const listed = await git.text({ args: ['rev-list', '--reverse', '--first-parent', `${base}..${last}`], gitDir });
  for (const commit of listed.split('\n').filter((line) => line !== '')) {
    const tree = await mergedTree(git, gitDir, onto, commit);
    if (tree === null) return null;
    const parent: string = tip ?? onto;
    if (tree === (await treeOf(git, gitDir, parent))) continue;
    tip = await makeCommit(git, gitDir, { tree, parents: [parent], message: message(commit) }, identity);
    commits.set(commit, tip);
  }
  return { commits, tip };
}

/**
 * The tree of `onto` with what `commit` changes since the two parted; `null` where both changed the same lines. Files are
 * compared by path alone: nothing is moved because a folder seems to have been.
 */
async function mergedTree(git: Git, gitDir: string, onto: string, commit: string): Promise<string | null> {
  const plain = ['-c', 'merge.renames=false', '-c', 'merge.directoryRenames=false'];
  const args = [...plain, 'merge-tree', '--write-tree', '--no-messages', onto, commit];
  const { code, stdout } = await git.answer({ args, gitDir });
  return code === 0 ? stdout.toString('utf8').trim() : null;
}
