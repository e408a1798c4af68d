/** Bringing commits into a mirror: by SHA, checked before they count as present. */
import { failure, type Git, type GitCall, type GitResult } from './git.ts';
import { assertCommit } from './layout.ts';
import { commitRef, dropIncoming, isKnown, lacksRefs, updateRefs } from './mirror.ts';
import { explainRemote, lacksCommit } from './remote-answer.ts';
import { type TokenSource, WorkspaceError } from './workspace.ts';

export interface Remote {
  readonly url: string;
  /** `owner/name`, for messages. */
  readonly label: string;
  readonly timeoutMs: number;
  /** Whether a history that the remote itself holds only a part of will do. */
  readonly mayBeShallow: boolean;
}

/**
 * Afterwards every commit is in the mirror with its whole history. Asks the remote only for those that are missing; then one
 * request, by SHA, and where the server does not give commits by SHA, a second for its branches.
 * @throws {WorkspaceError}
 */
export async function fetchCommits(
  git: Git,
  gitDir: string,
  remote: Remote,
  commits: readonly string[],
  token: TokenSource,
): Promise<void> {
  const missing: string[] = [];
  for (const commit of new Set(commits)) {
    assertCommit(commit);
    if (!(await isKnown(git, gitDir, commit))) missing.push(commit);
  }
  if (missing.length === 0) return;
  try {
    await token((lent) => bringIn(git, gitDir, remote, missing, { url: remote.url, token: lent }));
    await check(git, gitDir, remote, missing);
  } catch (error) {
    // What stays behind is not trusted, and is dropped when the mirror is opened again.
    await dropIncoming(git, gitDir).catch(() => undefined);
    throw error;
  }
  const refs = Object.fromEntries(missing.map((commit) => [commitRef(commit), commit]));
  await updateRefs(git, gitDir, refs, missing.map(incoming));
  await dropIncoming(git, gitDir);
}

type Access = NonNullable<GitCall['remote']>;

async function bringIn(
  git: Git,
  gitDir: string,
  remote: Remote,
  commits: readonly string[],
  access: Access,
): Promise<void> {
  const bySha = await fetchRefs(
    git,
    gitDir,
    remote,
    commits.map((commit) => `${commit}:${incoming(commit)}`),
    access,
  );
  if (bySha.code === 0) return;
  if (!lacksCommit(bySha.stderr)) throw cannotFetch(remote, bySha);
  const branches = await fetchRefs(git, gitDir, remote, ['+refs/heads/*:refs/planwright/incoming/heads/*'], access);
  if (branches.code !== 0) throw cannotFetch(remote, branches);
  const heads = await git.text({ args: ['for-each-ref', '--count=1', '--', 'refs/planwright/incoming/heads'], gitDir });
  if (heads === '') {
    throw new WorkspaceError(`expected commits in ${remote.label}, got an empty repository; push a first commit to it`);
  }
  for (const commit of commits) await assertBrought(git, gitDir, remote, commit);
}

async function fetchRefs(
  git: Git,
  gitDir: string,
  remote: Remote,
  refspecs: readonly string[],
  access: Access,
): Promise<GitResult> {
  const options = ['--no-tags', '--no-auto-gc', '--no-write-fetch-head', '--no-recurse-submodules', '--quiet'];
  if (remote.mayBeShallow) options.push('--update-shallow');
  const args = ['fetch', ...options, '--', remote.url, ...refspecs];
  return git.attempt({ args, gitDir, remote: access, timeoutMs: remote.timeoutMs });
}

async function assertBrought(git: Git, gitDir: string, remote: Remote, commit: string): Promise<void> {
  const args = ['for-each-ref', '--count=1', `--contains=${commit}`, '--', 'refs/planwright/incoming'];
  const found = await git.attempt({ args, gitDir });
  if (found.code === 0 && found.stdout.length > 0) return;
  throw new WorkspaceError(
    `expected commit ${commit} in ${remote.label}, got none on any branch; it may have been rewritten: look at the repository again`,
  );
}

/**
 * The packs were checked object by object as they came. This checks that they hang together; for a new mirror it reads everything
 * once more, and throws what it holds away if that fails.
 */
async function check(git: Git, gitDir: string, remote: Remote, commits: readonly string[]): Promise<void> {
  const depth = (await isNew(git, gitDir)) ? ['--full'] : ['--connectivity-only'];
  const args = ['fsck', '--no-dangling', '--no-progress', '--no-reflogs', ...depth, ...commits];
  const call: GitCall = { args, gitDir, timeoutMs: remote.timeoutMs };
  const result = await git.attempt(call);
  if (result.code !== 0 || result.stopped !== null) throw failure(call, result);
}

async function isNew(git: Git, gitDir: string): Promise<boolean> {
  const prefix = 'refs/planwright/commits';
  if (await lacksRefs(gitDir, prefix)) return true;
  return (await git.text({ args: ['for-each-ref', '--count=1', '--', prefix], gitDir })) === '';
}

function cannotFetch(remote: Remote, result: GitResult): WorkspaceError {
  return new WorkspaceError(`cannot fetch from ${remote.label}: ${whyNot(remote, result)}`);
}

/** Why an exchange with the remote failed. */
export function whyNot(remote: Remote, result: GitResult): string {
  if (result.stopped === null) return explainRemote(result.stderr);
  if (result.stopped === 'time limit') return `it did not end within ${remote.timeoutMs} ms`;
  return `it was stopped by the ${result.stopped}`;
}

function incoming(commit: string): string {
  return `refs/planwright/incoming/commits/${commit}`;
}

/** Where the remote's branch is; `null` where there is none. @throws {WorkspaceError} where the remote does not say. */
export async function remoteHead(
  git: Git,
  gitDir: string,
  remote: Remote,
  branch: string,
  access: Access,
): Promise<string | null> {
  const ref = `refs/heads/${branch}`;
  const args = ['ls-remote', '--quiet', '--', remote.url, ref];
  const result = await git.attempt({ args, gitDir, remote: access, timeoutMs: remote.timeoutMs });
  if (result.code !== 0 || result.stopped !== null) throw cannotFetch(remote, result);
  // The pattern also matches refs that end in it.
  const line = result.stdout
    .toString('utf8')
    .split('\n')
    .find((text) => text.endsWith(`\t${ref}`));
  return line?.split('\t')[0] ?? null;
}
