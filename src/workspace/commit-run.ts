/** Keeping what a run did: its snapshot, and one commit a step. */
import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { KnownSecrets } from '../text/known-secrets.ts';
import { findSecrets } from '../text/secret-scan.ts';
import type { Git, Identity } from './git.ts';
import { snapshotRef, workRef } from './layout.ts';
import type { TreeDifference } from './memory.ts';
import { readRef, updateRefs } from './mirror.ts';
import { type PatchLimits, patchFaults } from './patch-check.ts';
import { pathFault } from './path-rules.ts';
import { asFileChanges, rawChanges, withoutMoves } from './raw-diff.ts';
import { indexOf, type Recorded, recordTree, type TreeOnDisk, updateIndex } from './record-tree.ts';
import { type CommitContent, type MessageOf, PatchRefused, type TreeInspection, WorkspaceError } from './workspace.ts';

export interface RunTree extends Omit<TreeOnDisk, 'last'> {
  readonly run: string;
  readonly identity: Identity;
}

/** Records what can be recorded; what cannot be committed (links stay, the rest is left out) stops no snapshot. */
export async function keepSnapshot(git: Git, tree: RunTree): Promise<void> {
  const { gitDir } = tree;
  const { last, kept } = await refsOf(git, tree);
  const recorded = await recordTree(git, { ...tree, last: kept });
  if (recorded.tree === (await treeBelow(git, tree, kept))) return;
  const commit = await commitTree(git, tree, { tree: recorded.tree, parents: [last], message: () => 'snapshot' });
  await updateRefs(git, gitDir, { [snapshotRef(tree.run)]: commit });
}

/** How a run's tree stands; looking changes nothing. */
export async function inspectTree(git: Git, tree: RunTree, limits: PatchLimits): Promise<TreeInspection> {
  return inspectionOf(await look(git, tree, limits));
}

interface Look {
  /** The run's last commit. */
  readonly last: string;
  readonly recorded: Recorded;
  readonly difference: TreeDifference;
}

async function look(git: Git, tree: RunTree, limits: PatchLimits): Promise<Look> {
  const { last, kept } = await refsOf(git, tree);
  const recorded = await recordTree(git, { ...tree, last: kept });
  return { last, recorded, difference: await differenceOf(git, tree, { last, recorded }, limits) };
}

/** What differs, and what is wrong with it, follows from the ids alone. */
async function differenceOf(
  git: Git,
  { gitDir, base, memory }: RunTree,
  { last, recorded: { tree } }: Omit<Look, 'difference'>,
  limits: PatchLimits,
): Promise<TreeDifference> {
  const key = differenceKey(base, last, tree);
  const known = memory.differences.get(key);
  if (known !== undefined) return known;
  const against = async (commit: string) =>
    tree === (await treeBelow(git, { gitDir, memory }, commit)) ? [] : rawChanges(git, gitDir, commit, tree);
  const whole = await against(base);
  const step = last === base ? whole : await against(last);
  const patch = { base, tree, step: withoutMoves(step), whole: withoutMoves(whole) };
  const difference = { whole, step, faults: await patchFaults(git, gitDir, patch, limits) };
  memory.differences.set(key, difference);
  return difference;
}

function differenceKey(base: string, last: string, tree: string): string {
  return [base, last, tree].join(' ');
}

function inspectionOf({ recorded, difference: { whole, step, faults } }: Look): TreeInspection {
  return {
    faults: [...recorded.faults, ...faults],
    changes: asFileChanges(whole),
    uncommitted: asFileChanges(step),
  };
}

export interface Step {
  readonly message: MessageOf;
  readonly remove: readonly string[];
  /** What it throws, nothing is committed. */
  readonly judge?: ((tree: TreeInspection) => void) | undefined;
  readonly limits: PatchLimits;
}

export interface Committed {
  /** `null` where nothing changed. */
  readonly commit: string | null;
  readonly leftOut: readonly string[];
}

/** @throws {PatchRefused} */
export async function makeStep(git: Git, tree: RunTree, step: Step): Promise<Committed> {
  const { gitDir } = tree;
  step.remove.forEach(assertPath);
  const found = await look(git, tree, step.limits);
  step.judge?.(inspectionOf(found));
  const { recorded, last, difference } = found;
  if (recorded.faults.length > 0) throw new PatchRefused(recorded.faults);
  const result = await treeWithout(git, tree, recorded, step.remove);
  if (result === (await treeBelow(git, tree, last))) return { commit: null, leftOut: recorded.leftOut };
  // What is taken out of the commit, the plan, is no part of the patch.
  if (difference.faults.length > 0) throw new PatchRefused(difference.faults);
  const commit = await commitTree(git, tree, {
    tree: result,
    parents: [last],
    message: step.message,
    known: step.limits.known,
  });
  await updateRefs(git, gitDir, { [workRef(tree.run)]: commit, [snapshotRef(tree.run)]: commit });
  // What was committed as it was found, the next look finds without anything uncommitted.
  if (result === recorded.tree) {
    tree.memory.differences.set(differenceKey(tree.base, commit, result), { ...difference, step: [] });
  }
  for (const path of step.remove) await removeFile(tree.folder, path);
  return { commit, leftOut: recorded.leftOut };
}

async function treeWithout(
  git: Git,
  { gitDir, folder, indexFolder }: RunTree,
  recorded: Recorded,
  paths: readonly string[],
): Promise<string> {
  if (paths.length === 0) return recorded.tree;
  const call = { gitDir, workTree: folder, index: indexOf(indexFolder) };
  const removed = paths.map((path) => Buffer.from(path).toString('latin1'));
  await updateIndex(git, call, ['--force-remove'], removed);
  return git.text({ ...call, args: ['write-tree'] });
}

/** The run's last commit, or the one it began with; and the commit with its tree as it was last kept. */
async function refsOf(
  git: Git,
  { gitDir, run, base }: RunTree,
): Promise<{ readonly last: string; readonly kept: string }> {
  const last = (await readRef(git, gitDir, workRef(run))) ?? base;
  return { last, kept: (await readRef(git, gitDir, snapshotRef(run))) ?? last };
}

/** The tree of a commit that a run's tree stands on. */
async function treeBelow(
  git: Git,
  { gitDir, memory }: Pick<RunTree, 'gitDir' | 'memory'>,
  commit: string,
): Promise<string> {
  const known = memory.trees.get(commit);
  if (known !== undefined) return known;
  const tree = await treeOf(git, gitDir, commit);
  memory.trees.set(commit, tree);
  return tree;
}

async function commitTree(git: Git, { gitDir, memory, identity }: RunTree, input: CommitInput): Promise<string> {
  const commit = await makeCommit(git, gitDir, input, identity);
  memory.trees.set(commit, input.tree);
  return commit;
}

/** The tree of a commit. */
export function treeOf(git: Git, gitDir: string, commit: string): Promise<string> {
  return git.text({ args: ['rev-parse', '--verify', `${commit}^{tree}`], gitDir });
}

interface CommitInput extends CommitContent {
  readonly message: MessageOf;
  /** Secrets that may not be in the message, in whatever form. */
  readonly known?: KnownSecrets | undefined;
}

/**
 * Makes a commit and no ref to it.
 * @returns its SHA
 * @throws {WorkspaceError} on a message without text @throws {PatchRefused} on one that holds a secret
 */
export async function makeCommit(
  git: Git,
  gitDir: string,
  { tree, parents, message: messageOf, known }: CommitInput,
  identity: Identity,
): Promise<string> {
  const message = messageOf({ tree, parents });
  if (message.trim() === '' || message.includes('\0')) {
    throw new WorkspaceError('expected a commit message of text, got none or one with a NUL; give it a subject');
  }
  const [secret] = (await findSecrets(message, known)).found;
  if (secret !== undefined) {
    throw new PatchRefused([`the message of a commit holds what looks like a ${secret.what}; say it in other words`]);
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
