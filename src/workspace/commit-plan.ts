/** Committing the plan file without a tree on disk. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { KnownSecrets } from '../text/known-secrets.ts';
import { assertPath, makeCommit, treeOf } from './commit-run.ts';
import { scanChange } from './diff-scan.ts';
import type { Git, Identity } from './git.ts';
import { assertKnown, commitRef, passingName, updateRefs } from './mirror.ts';
import { assertFit } from './tree-size.ts';
import { type MessageOf, NothingToCommit, PatchRefused, WorkspaceError } from './workspace.ts';

export interface PlanCommit {
  readonly parent: string;
  /**
   * A commit of the base branch to plan on: the tree is its tree with the plan, and nothing else of `parent`. It is merged
   * where `parent` does not descend from it.
   */
  readonly base?: string;
  readonly path: string;
  readonly text: string;
  /** Where the plan moves from: what it holds there may be held. */
  readonly from?: { readonly commit: string; readonly path: string };
  readonly message: MessageOf;
  /** Secrets that may be in no text, in whatever form. */
  readonly known?: KnownSecrets | undefined;
}

/**
 * @throws {NothingToCommit} where the parent already holds this text at this path.
 * @throws {PatchRefused} where the path is taken by something that is no file, where the text brings in a secret or hidden
 * characters, or where `base` and `parent` have no history in common.
 */
export async function makePlanCommit(git: Git, gitDir: string, plan: PlanCommit, identity: Identity): Promise<string> {
  assertPath(plan.path);
  if (plan.text === '') throw new WorkspaceError('expected the text of a plan, got none; commit a placeholder');
  await assertKnown(git, gitDir, plan.parent);
  const faults = await planFaults(git, gitDir, plan);
  if (faults.length > 0) throw new PatchRefused(faults);
  const blob = await git.text({ args: ['hash-object', '-w', '--stdin', '--no-filters'], gitDir, input: plan.text });
  const merged = await baseToMerge(git, gitDir, plan);
  const tree = await treeWith(git, gitDir, plan, plan.base ?? plan.parent, blob);
  if (merged === null && tree === (await treeOf(git, gitDir, plan.parent))) {
    throw new NothingToCommit(`${plan.path} at ${plan.parent} already holds this plan byte for byte`);
  }
  const { parent, message, known } = plan;
  const input = { tree, parents: merged === null ? [parent] : [parent, merged], message, known };
  const commit = await makeCommit(git, gitDir, input, identity);
  await updateRefs(git, gitDir, { [commitRef(commit)]: commit });
  return commit;
}

/** What was larger holds nothing that may be held. */
const maxBeforeBytes = 4 * 1024 * 1024;

/** What people may have put into the plan before is theirs, and stands on GitHub already. */
async function planFaults(
  git: Git,
  gitDir: string,
  { parent, path, text, from, known }: PlanCommit,
): Promise<readonly string[]> {
  const places = [{ commit: parent, path }, ...(from === undefined ? [] : [from])];
  const before = await Promise.all(places.map((place) => blobAt(git, gitDir, place)));
  return scanChange(
    [{ path, before: before.filter((blob) => blob !== null), after: Buffer.from(text, 'utf8') }],
    known,
  );
}

async function blobAt(
  git: Git,
  gitDir: string,
  { commit, path }: { readonly commit: string; readonly path: string },
): Promise<Buffer | null> {
  const entry = await git.text({ args: ['ls-tree', '-z', '--long', '--full-tree', commit, '--', path], gitDir });
  const [, id, size] = /^100\d{3} blob ([0-9a-f]+) +(\d+)\t/.exec(entry) ?? [];
  return id === undefined || Number(size) > maxBeforeBytes
    ? null
    : git.bytes({ args: ['cat-file', 'blob', id], gitDir });
}

async function baseToMerge(git: Git, gitDir: string, { base, parent }: PlanCommit): Promise<string | null> {
  if (base === undefined) return null;
  await assertKnown(git, gitDir, base);
  const { code } = await git.answer({ args: ['merge-base', '--is-ancestor', base, parent], gitDir });
  if (code === 0) return null;
  if ((await git.answer({ args: ['merge-base', base, parent], gitDir })).code === 0) return base;
  throw new PatchRefused([
    'the base branch was rewritten and shares no commit with the branch of the plan, so the two are not joined; close the pull request and ask for a new plan',
  ]);
}

/**
 * @throws {PatchRefused} where something else stands at the path, a file where one of its folders would be, or a name that
 * some file systems take for the same.
 */
async function assertRoom(git: Git, gitDir: string, from: string, path: string): Promise<void> {
  const parts = path.split('/');
  const refuse = (place: string, what: string): never => {
    throw new PatchRefused([`${place}: the plan cannot be put at ${path}, as ${what} is there; set plan.path`]);
  };
  for (const [depth, part] of parts.entries()) {
    const folder = parts
      .slice(0, depth)
      .map((name) => `${name}/`)
      .join('');
    const entries = await entriesIn(git, gitDir, from, folder);
    const alike = entries.find(({ name }) => name !== part && folded(name) === folded(part));
    if (alike !== undefined) refuse(`${folder}${alike.name}`, 'a name that differs in letter case alone');
    const entry = entries.find(({ name }) => name === part);
    if (entry === undefined) return;
    const isLast = depth === parts.length - 1;
    if (isLast ? !entry.isFile : !entry.isFolder) {
      refuse(`${folder}${part}`, entry.isFolder ? 'a folder' : 'a file, link or submodule');
    }
  }
}

async function entriesIn(git: Git, gitDir: string, from: string, folder: string) {
  const place = folder === '' ? [] : ['--', folder];
  const output = await git.bytes({ args: ['ls-tree', '-z', '--full-tree', from, ...place], gitDir });
  return output
    .toString('utf8')
    .split('\0')
    .slice(0, -1)
    .map((line) => ({
      name: line.slice(line.indexOf('\t') + 1 + folder.length),
      isFolder: line.startsWith('040000 '),
      isFile: line.startsWith('100'),
    }));
}

/** As file systems compare names that take no account of letter case. */
function folded(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

async function treeWith(git: Git, gitDir: string, plan: PlanCommit, from: string, blob: string): Promise<string> {
  await assertRoom(git, gitDir, from, plan.path);
  await assertFit(git, gitDir, from);
  const index = join(gitDir, passingName());
  try {
    await git.bytes({ args: ['read-tree', from], gitDir, index });
    // One argument, so that no path can be an option.
    await git.bytes({ args: ['update-index', '--add', '--cacheinfo', `100644,${blob},${plan.path}`], gitDir, index });
    return await git.text({ args: ['write-tree'], gitDir, index });
  } finally {
    await rm(index, { force: true });
  }
}
