/** What a commit of ours may hold. Read from the git tree that would be committed, so nothing on disk can change under it. */
import { failure, type Git, type GitCall } from './git.ts';
import { pathFault } from './path-rules.ts';
import { diffArguments, parseRawDiff } from './raw-diff.ts';
import { asText } from './tree-scan.ts';

export interface PatchLimits {
  /** Files that the run may change against its base; default 100. */
  readonly maxFiles: number;
  /** Size of the patch against the base, in bytes; default 4 MiB. */
  readonly maxPatchBytes: number;
}

/** Reasons against committing `tree`; none where it may be. `last` is what it is committed on, `base` what the whole run began from. */
export async function patchFaults(
  git: Git,
  gitDir: string,
  { base, last, tree }: { readonly base: string; readonly last: string; readonly tree: string },
  limits: PatchLimits,
): Promise<readonly string[]> {
  const step = parseRawDiff(await git.bytes({ args: diffArguments(last, tree, ['--raw', '-z']), gitDir }), 'latin1');
  const faults = step.flatMap(({ path, newMode, status }) => {
    const fault = status === 'D' ? null : (modeFault(newMode) ?? pathFault(asText(path)));
    return fault === null ? [] : [`${asText(path)}: ${fault}`];
  });
  if (faults.length > 0) return faults;
  return sizeFaults(git, gitDir, base, tree, limits);
}

function modeFault(mode: string): string | null {
  if (mode === '120000') return 'it is a new or changed symbolic link; use a file';
  if (mode === '160000') return 'it is a new or changed submodule or nested repository; use files';
  return /^100(?:644|755)$/.test(mode) ? null : `expected a file, got mode ${mode}`;
}

async function sizeFaults(
  git: Git,
  gitDir: string,
  base: string,
  tree: string,
  limits: PatchLimits,
): Promise<readonly string[]> {
  const whole = parseRawDiff(await git.bytes({ args: diffArguments(base, tree, ['--raw', '-z']), gitDir }), 'latin1');
  if (whole.length > limits.maxFiles) {
    return [`expected at most ${limits.maxFiles} changed files, got ${whole.length}; change fewer`];
  }
  const args = diffArguments(base, tree, ['--patch', '--binary']);
  const call: GitCall = { args, gitDir, maxOutputBytes: limits.maxPatchBytes };
  const patch = await git.attempt(call);
  if (patch.stopped === 'output limit') {
    return [`expected a patch of at most ${limits.maxPatchBytes} bytes, got more; change less`];
  }
  if (patch.code !== 0 || patch.stopped !== null) throw failure(call, patch);
  return [];
}
