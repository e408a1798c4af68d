/** What a commit of ours may hold. Read from the git tree that would be committed, so nothing on disk can change under it. */
import type { KnownSecrets } from '../text/known-secrets.ts';
import { scanChange } from './diff-scan.ts';
import { failure, type Git, type GitCall } from './git.ts';
import { pathFault } from './path-rules.ts';
import { diffArguments, type RawChange } from './raw-diff.ts';
import { readBlobs } from './read-blobs.ts';
import { asText } from './tree-scan.ts';

export interface PatchLimits {
  /** Files that the run may change against its base; default 100. */
  readonly maxFiles: number;
  /** Size of the patch against the base, in bytes; default 4 MiB. */
  readonly maxPatchBytes: number;
  /** Size of one file, in bytes, unless it was as large before; default 1 MiB. */
  readonly maxNewFileBytes: number;
  /** Secrets that may be in no file, in whatever form. */
  readonly known?: KnownSecrets;
}

/** What would be committed, and how it differs from the commits below it, each move told as two changes. */
export interface Patch {
  /** What the whole run began from. */
  readonly base: string;
  readonly tree: string;
  /** Against the commit that it is committed on. */
  readonly step: readonly RawChange[];
  /** Against `base`. */
  readonly whole: readonly RawChange[];
}

/** Reasons against committing `tree`; none where it may be. */
export async function patchFaults(
  git: Git,
  gitDir: string,
  patch: Patch,
  limits: PatchLimits,
): Promise<readonly string[]> {
  const { step } = patch;
  const faults = step.flatMap(({ path, newMode, status }) => {
    const fault = status === 'D' ? null : (modeFault(newMode) ?? pathFault(asText(path)));
    return fault === null ? [] : [`${asText(path)}: ${fault}`];
  });
  if (faults.length > 0) return faults;
  const large = await largeFiles(git, gitDir, step, limits.maxNewFileBytes);
  if (large.length > 0) return large;
  const unfit = await patchAsAWhole(git, gitDir, patch, limits);
  // Each commit by itself: what a later one takes out again would still be in the history.
  return unfit.length > 0 ? unfit : scanStep(git, gitDir, patch, limits.known);
}

/** Bytes of the files of one step, as they were and as they are, that are read to be scanned. */
const maxReadBytes = 64 * 1024 * 1024;

async function scanStep(
  git: Git,
  gitDir: string,
  { step, whole }: Patch,
  known: KnownSecrets | undefined,
): Promise<readonly string[]> {
  const atBase = new Map(whole.map((change) => [change.path, oldBlob(change)]));
  const changes = step.map((change) => {
    // What does not differ from the base is what the base holds.
    const base = atBase.has(change.path) ? (atBase.get(change.path) ?? null) : newBlob(change);
    const before = [...new Set([oldBlob(change), base])].filter((id) => id !== null);
    return { path: asText(change.path), before, after: newBlob(change) };
  });
  const ids = changes.flatMap(({ before, after }) => (after === null ? before : [...before, after]));
  const blobs = await readBlobs(git, gitDir, ids, maxReadBytes);
  if (blobs === null) {
    return [`expected changed files of at most ${maxReadBytes} bytes in all, got more; change less in one step`];
  }
  return scanChange(
    changes.map(({ path, before, after }) => ({
      path,
      before: before.map(blobs),
      after: after === null ? null : blobs(after),
    })),
    known,
  );
}

function newBlob({ status, newId }: RawChange): string | null {
  return status === 'D' ? null : newId;
}

/** `null` where there was none: no file, or a repository within. */
function oldBlob({ oldMode, oldId }: RawChange): string | null {
  return oldMode === '000000' || oldMode === '160000' ? null : oldId;
}

function modeFault(mode: string): string | null {
  if (mode === '120000') return 'it is a new or changed symbolic link; use a file';
  if (mode === '160000') return 'it is a new or changed submodule or nested repository; use files';
  return /^100(?:644|755)$/.test(mode) ? null : `expected a file, got mode ${mode}`;
}

async function largeFiles(
  git: Git,
  gitDir: string,
  step: readonly RawChange[],
  maxBytes: number,
): Promise<readonly string[]> {
  const ids = step.flatMap(({ oldId, newId }) => [oldId, newId]).filter((id) => !/^0+$/.test(id));
  if (ids.length === 0) return [];
  const args = ['cat-file', '--batch-check=%(objectname) %(objectsize)'];
  const lines = (await git.text({ args, gitDir, input: `${ids.join('\n')}\n` })).split('\n');
  const sizes = new Map(lines.map((line) => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])]));
  return step.flatMap(({ path, oldId, newId }) => {
    const size = sizes.get(newId) ?? 0;
    if (!(size > Math.max(maxBytes, sizes.get(oldId) ?? 0))) return [];
    return [
      `${asText(path)}: expected a file of at most ${maxBytes} bytes, got ${size}; keep it out of the repository`,
    ];
  });
}

async function patchAsAWhole(
  git: Git,
  gitDir: string,
  { base, tree, whole }: Patch,
  limits: PatchLimits,
): Promise<readonly string[]> {
  if (whole.length === 0) return [];
  if (whole.length > limits.maxFiles) {
    return [`expected at most ${limits.maxFiles} changed files, got ${whole.length}; change fewer`];
  }
  const args = diffArguments(base, tree, ['--patch', '--text']);
  const call: GitCall = { args, gitDir, maxOutputBytes: limits.maxPatchBytes };
  const patch = await git.attempt(call);
  if (patch.stopped === 'output limit') {
    return [`expected a patch of at most ${limits.maxPatchBytes} bytes, got more; change less`];
  }
  if (patch.code !== 0 || patch.stopped !== null) throw failure(call, patch);
  return conflictMarkers(patch.stdout.toString('latin1'), whole);
}

/**
 * Files with an added line by which git marks a conflict. The patch has its files in the order of `whole`; a line of a
 * file's own never begins like the head of one.
 */
function conflictMarkers(patch: string, whole: readonly RawChange[]): readonly string[] {
  // A file that becomes something else is two patches: one that takes it away, one that brings the other.
  const paths = whole.flatMap(({ path, status }) => (status === 'T' ? [path, path] : [path]));
  const marked = new Set<string>();
  let at = -1;
  for (const line of patch.split('\n')) {
    if (line.startsWith('diff --git ')) at += 1;
    else if (/^\+(?:<{7}|>{7})(?: |\r?$)/.test(line)) marked.add(paths[at] ?? '');
  }
  return [...marked].map((path) => `${asText(path)}: it holds a conflict marker; settle the conflict`);
}
