/**
 * From a tree on disk to a git tree, through the host's git directory and an index outside of the tree.
 * The tree was an agent's: it is read as files. A `.git`, attributes, hooks or configuration in it have no effect.
 */
import { existsSync } from 'node:fs';
import { lstat, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git, GitCall } from './git.ts';
import { ignoreRules } from './ignore-rules.ts';
import { type IndexContent, indexKey, type Memory } from './memory.ts';
import { pathFault } from './path-rules.ts';
import { parseRawDiff } from './raw-diff.ts';
import { asText, onDisk, scanTree } from './tree-scan.ts';

export interface TreeOnDisk {
  readonly gitDir: string;
  readonly folder: string;
  /** The host's folder for this run's index and ignore rules. */
  readonly indexFolder: string;
  /** Whose `.gitignore` files count. */
  readonly base: string;
  /** The commit that the tree was last the same as; what the index is made from where it is missing. */
  readonly last: string;
  readonly maxFileBytes: number;
  readonly memory: Memory;
}

export interface Recorded {
  readonly tree: string;
  /** What the tree holds and the git tree does not, one reason each, beginning with the path. */
  readonly faults: readonly string[];
  readonly leftOut: readonly string[];
}

/** The index file in a run's folder of the host. */
export function indexOf(indexFolder: string): string {
  return join(indexFolder, 'index');
}

/** Everything that can be recorded, with the reasons for what cannot. Changes nothing but the index. */
export async function recordTree(git: Git, on: TreeOnDisk): Promise<Recorded> {
  const call = { gitDir: on.gitDir, workTree: on.folder, index: indexOf(on.indexFolder), symlinks: true };
  await readyIndex(git, on, call);
  const known = await recall(on.memory, call.index);
  const { tracked, submodules } = known ?? (await entriesOf(git, call));
  const ignores = await ignoreRules(git, on.gitDir, on.base, on.indexFolder);
  const scan = await scanTree(on.folder, tracked, ignores);
  const changed = parseRawDiff(await git.bytes({ ...call, args: changedOnDisk }), 'latin1');
  const gone = changed.filter(({ status }) => status === 'D').map(({ path }) => path);
  const replaced: string[] = [];
  for (const path of submodules) {
    const found = await lstat(onDisk(on.folder, path)).catch(() => null);
    if (found === null) gone.push(path);
    else if (!found.isDirectory()) replaced.push(path);
  }
  const nested = scan.nested.map((path) => `${asText(path)}: it is a repository of its own; remove its git directory`);
  const isInside = (path: string): boolean =>
    scan.nested.some((folder) => path === folder || path.startsWith(`${folder}/`));
  const here = changed.filter(({ status }) => status !== 'D').map(({ path }) => path);
  const faults = [...nested, ...replaced.map((path) => `${asText(path)}: it stands where a submodule was; leave that`)];
  const taken: string[] = [];
  for (const path of [...here, ...scan.untracked].filter((candidate) => !isInside(candidate))) {
    const fault = isWithin(path, submodules) ? 'it lies in a submodule; leave that empty' : await faultOf(on, path);
    if (fault === null) taken.push(path);
    else faults.push(`${asText(path)}: ${fault}`);
  }
  const removed = gone.filter((path) => !isInside(path));
  const leftOut = scan.leftOut.map(asText);
  if (known !== null && removed.length + taken.length === 0) return { tree: known.tree, faults, leftOut };
  await updateIndex(git, call, ['--force-remove'], removed);
  await updateIndex(git, call, ['--add'], taken);
  const tree = await git.text({ ...call, args: ['write-tree'] });
  const entries = removed.length + taken.length === 0 ? { tracked, submodules } : await entriesOf(git, call);
  await remember(on.memory, call.index, { ...entries, tree });
  return { tree, faults, leftOut };
}

async function recall(memory: Memory, index: string): Promise<IndexContent | null> {
  const key = await indexKey(index);
  return key === null ? null : (memory.indexes.get(key) ?? null);
}

async function remember(memory: Memory, index: string, content: IndexContent): Promise<void> {
  const key = await indexKey(index);
  if (key !== null) memory.indexes.set(key, content);
}

/**
 * Git looks into a submodule's folder with `git status`, which would run what a git directory that the run has put there
 * says. It is told to leave them alone: a submodule's entry stays, or goes with its folder.
 */
const leaveSubmodules = '--ignore-submodules=all';

/** Unlike `diff-files`, it compares the content of a file that was only touched. */
const changedOnDisk = ['diff', leaveSubmodules, '--no-ext-diff', '--no-textconv', '--no-renames', '--raw', '-z'];

/** What the index holds. */
async function entriesOf(git: Git, call: IndexCall): Promise<Pick<IndexContent, 'tracked' | 'submodules'>> {
  const output = await git.bytes({ ...call, args: ['ls-files', '--stage', '-z'] });
  const entries = output.toString('latin1').split('\0').slice(0, -1);
  const pathOf = (entry: string): string => entry.slice(entry.indexOf('\t') + 1);
  const submodules = entries.filter((entry) => entry.startsWith('160000 ')).map(pathOf);
  return { tracked: new Set(entries.map(pathOf)), submodules: new Set(submodules) };
}

/** Whether one of the folders on the way to `path` is among `folders`. */
function isWithin(path: string, folders: ReadonlySet<string>): boolean {
  if (folders.size === 0) return false;
  const parts = path.split('/');
  return parts.some((_, index) => index > 0 && folders.has(parts.slice(0, index).join('/')));
}

type IndexCall = Omit<GitCall, 'args'> & { readonly index: string };

async function readyIndex(git: Git, on: TreeOnDisk, call: IndexCall): Promise<void> {
  await mkdir(on.indexFolder, { recursive: true });
  // One operation at a time writes here, so a lock is a dead process's.
  await rm(`${call.index}.lock`, { force: true });
  if (existsSync(call.index)) return;
  await git.bytes({ args: ['read-tree', on.last], gitDir: on.gitDir, index: call.index });
  // 1 says that files differ from the index.
  await git.answer({ ...call, args: ['update-index', '-q', '--ignore-submodules', '--refresh'] });
}

async function faultOf(on: TreeOnDisk, path: string): Promise<string | null> {
  const name = pathFault(asText(path));
  if (name !== null) return name;
  const found = await lstat(onDisk(on.folder, path)).catch(() => null);
  if (found === null) return 'it went away while it was read';
  if (!found.isFile() && !found.isSymbolicLink()) return 'it is neither a file nor a link';
  if (found.size <= on.maxFileBytes) return null;
  return `expected at most ${on.maxFileBytes} bytes, got ${found.size}; keep it out of the repository`;
}

/** Runs `git update-index` with `options` on the paths; nothing where there are none. */
export async function updateIndex(
  git: Git,
  call: IndexCall,
  options: readonly string[],
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return;
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
  await git.bytes({ ...call, args: ['update-index', ...options, '-z', '--stdin'], input });
}
