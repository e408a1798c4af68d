/**
 * One bare git directory for each repository, kept and fetched into. Nothing but this module's callers writes it.
 *
 *     refs/planwright/commits/<sha>          commits that were fetched and checked, or made here
 *     refs/planwright/runs/<run>/work        the run's last commit
 *     refs/planwright/runs/<run>/snapshot    the run's tree when it was last kept
 *     refs/planwright/incoming/…             fetched and not yet checked; gone after a restart
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { failure, type Git, type GitCall } from './git.ts';
import { attributesOff } from './git-settings.ts';
import { assertCommit } from './layout.ts';
import { WorkspaceError } from './workspace.ts';

/** The ref that keeps a commit which was fetched and checked, or made here. */
export function commitRef(commit: string): string {
  return `refs/planwright/commits/${commit}`;
}

/**
 * Makes the mirror where there is none or only half of one, and clears up after a process that died in it.
 * To be called once in a process for each mirror: it removes locks.
 */
export async function openMirror(git: Git, folder: string): Promise<void> {
  await rm(`${folder}.new`, { recursive: true, force: true });
  if (await isSound(git, folder)) {
    await removeLeftovers(folder);
    await dropIncoming(git, folder);
    return;
  }
  await rm(folder, { recursive: true, force: true });
  await makeMirror(git, folder);
}

/** Only git's own word that this is no repository counts: a mirror holds what runs did, and is not thrown away for less. */
async function isSound(git: Git, folder: string): Promise<boolean> {
  if (!existsSync(folder)) return false;
  const call: GitCall = { args: ['rev-parse', '--is-bare-repository'], gitDir: folder };
  const result = await git.attempt(call);
  if (result.code === 0 && result.stopped === null) return true;
  if (/not a git repository/.test(result.stderr)) return false;
  throw failure(call, result);
}

async function makeMirror(git: Git, folder: string): Promise<void> {
  const half = `${folder}.new`;
  await git.bytes({ args: ['init', '--bare', '--quiet', '--template=', '--initial-branch=none', '--', half] });
  await mkdir(join(half, 'info'), { recursive: true });
  await writeFile(join(half, 'info', 'attributes'), attributesOff);
  await rename(half, folder);
}

/** Lock files and half-written packs: whoever made them is dead, as one process owns the mirror. */
async function removeLeftovers(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const leftovers = entries.filter((entry) => entry.isFile() && /\.lock$|^tmp_/.test(entry.name));
  await Promise.all(leftovers.map((entry) => rm(join(entry.parentPath, entry.name), { force: true })));
}

/** Forgets what was fetched and not checked. */
export async function dropIncoming(git: Git, gitDir: string): Promise<void> {
  await deleteRefs(git, gitDir, 'refs/planwright/incoming');
}

/** Deletes every ref under `prefix`. */
export async function deleteRefs(git: Git, gitDir: string, prefix: string): Promise<void> {
  if (await lacksRefs(gitDir, prefix)) return;
  found.get(git)?.delete(gitDir);
  const orders = await git.text({ args: ['for-each-ref', '--format=delete %(refname)', '--', prefix], gitDir });
  if (orders !== '') await git.bytes({ args: ['update-ref', '--stdin'], gitDir, input: `${orders}\n` });
}

/** Moves refs of commits that may be trusted, all together or not at all, and deletes those in `gone` with them. */
export async function updateRefs(
  git: Git,
  gitDir: string,
  refs: Readonly<Record<string, string>>,
  gone: readonly string[] = [],
): Promise<void> {
  found.get(git)?.delete(gitDir);
  const orders = Object.entries(refs).map(([ref, commit]) => `update ${ref} ${commit}\n`);
  const deletions = gone.map((ref) => `delete ${ref}\n`);
  const input = `start\n${orders.join('')}${deletions.join('')}prepare\ncommit\n`;
  await git.bytes({ args: ['update-ref', '--stdin'], gitDir, input });
  for (const commit of Object.values(refs)) foundIn(git, gitDir).add(commit);
}

/** The commit a ref points at; `null` where there is no such ref. */
export async function readRef(git: Git, gitDir: string, ref: string): Promise<string | null> {
  const loose = await readLoose(gitDir, ref);
  if (loose !== 'ask git') return loose;
  const found = await git.attempt({ args: ['rev-parse', '--verify', '--quiet', ref], gitDir });
  if (found.code === 0) return found.stdout.toString('utf8').trim();
  if (found.code === 1) return null;
  throw new WorkspaceError(`expected to read ${ref}, got: ${found.stderr.trim()}`);
}

/**
 * What the file of a ref says, which saves a process for each of many looks. All but a plain SHA is git's to judge, and so
 * is a ref without a file where refs are kept in another way too. Source: gitrepository-layout(5)
 */
async function readLoose(gitDir: string, ref: string): Promise<string | null | 'ask git'> {
  try {
    const text = await readFile(join(gitDir, ref), 'latin1');
    return /^[0-9a-f]{40}\n$/.test(text) ? text.trimEnd() : 'ask git';
  } catch (error) {
    return isAbsent(error) && hasLooseRefsAlone(gitDir) ? null : 'ask git';
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function hasLooseRefsAlone(gitDir: string): boolean {
  const others = ['packed-refs', 'reftable'].map((name) => join(gitDir, name));
  return existsSync(join(gitDir, 'refs')) && !others.some((path) => existsSync(path));
}

/** Whether there is surely no ref under `prefix`; otherwise git is to be asked. */
export async function lacksRefs(gitDir: string, prefix: string): Promise<boolean> {
  try {
    const entries = await readdir(join(gitDir, prefix), { recursive: true, withFileTypes: true });
    return entries.every((entry) => entry.isDirectory()) && hasLooseRefsAlone(gitDir);
  } catch (error) {
    return isAbsent(error) && hasLooseRefsAlone(gitDir);
  }
}

/** What each mirror is known to hold; all of it is forgotten when a ref moves or goes. */
const found = new WeakMap<Git, Map<string, Set<string>>>();

function foundIn(git: Git, gitDir: string): Set<string> {
  const mirrors = found.get(git) ?? new Map<string, Set<string>>();
  const commits = mirrors.get(gitDir) ?? new Set();
  found.set(git, mirrors.set(gitDir, commits));
  return commits;
}

/** Whether the commit is here with all of its history: it, or a commit that descends from it, has been checked or made here. */
export async function isKnown(git: Git, gitDir: string, commit: string): Promise<boolean> {
  if ((await readRef(git, gitDir, commitRef(commit))) !== null) return true;
  const known = foundIn(git, gitDir);
  if (known.has(commit)) return true;
  if (await lacksRefs(gitDir, 'refs/planwright')) return false;
  const trusted = ['refs/planwright/commits', 'refs/planwright/runs'];
  const call: GitCall = {
    args: ['for-each-ref', '--count=1', `--contains=${commit}`, '--', ...trusted],
    gitDir,
  };
  const result = await git.attempt(call);
  if (result.code === 0 && result.stopped === null) {
    if (result.stdout.length === 0) return false;
    known.add(commit);
    return true;
  }
  // Git fails where it has no such commit.
  const object = await git.attempt({ args: ['cat-file', '-e', `${commit}^{commit}`], gitDir });
  if (object.code !== 0) return false;
  throw failure(call, result);
}

/** @throws {WorkspaceError} unless it is a commit by its full SHA that has been fetched or made here. */
export async function assertKnown(git: Git, gitDir: string, commit: string): Promise<void> {
  assertCommit(commit);
  if (await isKnown(git, gitDir, commit)) return;
  throw new WorkspaceError(`expected commit ${commit} in the mirror, got none; fetch it first`);
}

/** A file name in the mirror that no other operation uses, and that is cleared up after a crash. */
export function passingName(): string {
  return `tmp_${randomUUID()}`;
}
