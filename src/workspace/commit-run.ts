/** Keeping what a run did: its snapshot, and one commit a step. */
import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git, Identity } from './git.ts';
import { snapshotRef, workRef } from './layout.ts';
import { readRef, updateRefs } from './mirror.ts';
import { type PatchLimits, patchFaults } from './patch-check.ts';
import { pathFault } from './path-rules.ts';
import { changesBetween } from './raw-diff.ts';
import { indexOf, recordTree, type TreeOnDisk, updateIndex } from './record-tree.ts';
import { type CommitContent, type MessageOf, PatchRefused, type TreeInspection, WorkspaceError } from './workspace.ts';

export interface RunTree extends Omit<TreeOnDisk, 'last'> {
  readonly run: string;
  readonly identity: Identity;
}

/** Records what can be recorded; what cannot be committed (links stay, the rest is left out) stops no snapshot. */
export async function keepSnapshot(git: Git, tree: RunTree): Promise<void> {
  const { gitDir } = tree;
  const parent = await lastOf(git, tree);
  const snapshot = await readRef(git, gitDir, snapshotRef(tree.run));
  const recorded = await recordTree(git, { ...tree, last: snapshot ?? parent });
  if (recorded.tree === (await treeOf(git, gitDir, snapshot ?? parent))) return;
  const commit = await makeCommit(
    git,
    gitDir,
    { tree: recorded.tree, parents: [parent], message: () => 'snapshot' },
    tree.identity,
  );
  await updateRefs(git, gitDir, { [snapshotRef(tree.run)]: commit });
}

/** How a run's tree stands; looking changes nothing. */
export async function inspectTree(git: Git, tree: RunTree, limits: PatchLimits): Promise<TreeInspection> {
  const { gitDir, base } = tree;
  const last = await lastOf(git, tree);
  const snapshot = await readRef(git, gitDir, snapshotRef(tree.run));
  const recorded = await recordTree(git, { ...tree, last: snapshot ?? last });
  const faults = await patchFaults(git, gitDir, { base, last, tree: recorded.tree }, limits);
  return {
    faults: [...recorded.faults, ...faults],
    changes: await changesBetween(git, gitDir, base, recorded.tree),
    uncommitted: await changesBetween(git, gitDir, last, recorded.tree),
  };
}

export interface Step {
  readonly message: MessageOf;
  readonly remove: readonly string[];
  readonly limits: PatchLimits;
}

export interface Committed {
  /** `null` where nothing changed. */
  readonly commit: string | null;
  readonly leftOut: readonly string[];
}

/** @throws {PatchRefused} */
export async function makeStep(git: Git, tree: RunTree, step: Step): Promise<Committed> {
  const { gitDir, base } = tree;
  step.remove.forEach(assertPath);
  const parent = await lastOf(git, tree);
  const snapshot = await readRef(git, gitDir, snapshotRef(tree.run));
  const recorded = await recordTree(git, { ...tree, last: snapshot ?? parent });
  if (recorded.faults.length > 0) throw new PatchRefused(recorded.faults);
  const index = { gitDir, workTree: tree.folder, index: indexOf(tree.indexFolder) };
  const removed = step.remove.map((path) => Buffer.from(path).toString('latin1'));
  await updateIndex(git, index, ['--force-remove'], removed);
  const result = removed.length === 0 ? recorded.tree : await git.text({ ...index, args: ['write-tree'] });
  if (result === (await treeOf(git, gitDir, parent))) return { commit: null, leftOut: recorded.leftOut };
  // What is taken out of the commit, the plan, is no part of the patch.
  const faults = await patchFaults(git, gitDir, { base, last: parent, tree: recorded.tree }, step.limits);
  if (faults.length > 0) throw new PatchRefused(faults);
  const commit = await makeCommit(
    git,
    gitDir,
    { tree: result, parents: [parent], message: step.message },
    tree.identity,
  );
  await updateRefs(git, gitDir, { [workRef(tree.run)]: commit, [snapshotRef(tree.run)]: commit });
  for (const path of step.remove) await removeFile(tree.folder, path);
  return { commit, leftOut: recorded.leftOut };
}

async function lastOf(git: Git, tree: RunTree): Promise<string> {
  return (await readRef(git, tree.gitDir, workRef(tree.run))) ?? tree.base;
}

/** The tree of a commit. */
export function treeOf(git: Git, gitDir: string, commit: string): Promise<string> {
  return git.text({ args: ['rev-parse', '--verify', `${commit}^{tree}`], gitDir });
}

interface CommitInput extends CommitContent {
  readonly message: MessageOf;
}

/** Makes a commit and no ref to it. @returns its SHA @throws {WorkspaceError} on a message without text. */
export async function makeCommit(
  git: Git,
  gitDir: string,
  { tree, parents, message: messageOf }: CommitInput,
  identity: Identity,
): Promise<string> {
  const message = messageOf({ tree, parents });
  if (message.trim() === '' || message.includes('\0')) {
    throw new WorkspaceError('expected a commit message of text, got none or one with a NUL; give it a subject');
  }
  const input = message.endsWith('\n') ? message : `${message}\n`;
  const on = parents.flatMap((parent) => ['-p', parent]);
  return git.text({ args: ['commit-tree', tree, ...on, '-F', '-'], gitDir, input, identity });
}

/** @throws {WorkspaceError} where the path is not a plain one within a repository. */
export function assertPath(path: string): void {
  const fault = pathFault(path);
  if (fault !== null) {
    throw new WorkspaceError(`expected a path in the repository, got ${JSON.stringify(path)}: ${fault}`);
  }
}

/** Removes a file of the tree, unless a link on the way would lead out of the tree. */
async function removeFile(folder: string, path: string): Promise<void> {
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth += 1) {
    const found = await lstat(join(folder, ...parts.slice(0, depth))).catch(() => null);
    if (found === null || !found.isDirectory()) return;
  }
  const file = join(folder, ...parts);
  const found = await lstat(file).catch(() => null);
  if (found !== null && !found.isDirectory()) await rm(file, { force: true });
}
