/** Publishing one commit on one branch of the app's own, by compare-and-swap. */
import { fetchCommits, type Remote, remoteHead, whyNot } from './fetch-commits.ts';
import { type Git, type GitCall, type GitResult, scrub } from './git.ts';
import { assertKnown } from './mirror.ts';
import { explainRefusal, explainRemote, isDenied, rejection, remoteLines } from './remote-answer.ts';
import { BranchMoved, PushRefused, type TokenSource, WorkspaceError } from './workspace.ts';

export interface Push {
  readonly branch: string;
  readonly commit: string;
  /** `null` where the branch must not exist. */
  readonly expected: string | null;
}

/**
 * The server compares `expected` with the branch as it moves it, so of two racing pushes one fails. What it answered is not
 * trusted to be complete: after any failure the branch itself is looked at.
 * @throws {BranchMoved} @throws {PushRefused} @throws {WorkspaceError}
 */
export async function pushCommit(
  git: Git,
  gitDir: string,
  remote: Remote,
  push: Push,
  token: TokenSource,
): Promise<void> {
  assertOwnBranch(push.branch);
  await assertKnown(git, gitDir, push.commit);
  if (push.expected !== null) {
    await fetchCommits(git, gitDir, remote, [push.expected], token);
    await assertDescends(git, gitDir, push.commit, push.expected);
  }
  await token(async (lent) => {
    const call = pushCall(gitDir, remote, push, { url: remote.url, token: lent });
    const result = await git.attempt(call);
    if (result.code === 0 && result.stopped === null) return;
    await explain(git, remote, push, call, result);
  });
}

/** The app's own prefix, then a name that can be neither an option nor another ref syntax. @throws {WorkspaceError} */
function assertOwnBranch(branch: string): void {
  const fits = /^planwright\/[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/.test(branch) && !/\.\.|\.$|\.lock$/i.test(branch);
  if (fits) return;
  throw new WorkspaceError(
    `expected a branch "planwright/<name>" of letters, digits, ".", "_" and "-", got ${JSON.stringify(branch)}`,
  );
}

async function assertDescends(git: Git, gitDir: string, commit: string, expected: string): Promise<void> {
  const { code } = await git.answer({ args: ['merge-base', '--is-ancestor', expected, commit], gitDir });
  if (code === 0) return;
  throw new PushRefused(`${commit} does not descend from ${expected}, which it would drop from the branch`);
}

type PushCall = GitCall & Required<Pick<GitCall, 'gitDir' | 'remote'>>;

function pushCall(gitDir: string, remote: Remote, push: Push, access: PushCall['remote']): PushCall {
  const ref = `refs/heads/${push.branch}`;
  const lease = `--force-with-lease=${ref}:${push.expected ?? ''}`;
  const options = ['--porcelain', '--quiet', '--no-verify', '--no-follow-tags', '--recurse-submodules=no', lease];
  const args = ['push', ...options, '--', remote.url, `${push.commit}:${ref}`];
  return { args, gitDir, remote: access, timeoutMs: remote.timeoutMs };
}

/** Returns where the branch is at the commit all the same. */
async function explain(git: Git, remote: Remote, push: Push, call: PushCall, result: GitResult): Promise<void> {
  const reason = rejection(result.stdout.toString('utf8'));
  if (reason === null && isDenied(result.stderr)) throw cannotPush(remote, push, explainRemote(result.stderr));
  const head = await remoteHead(git, call.gitDir, remote, push.branch, call.remote);
  if (head === push.commit) return;
  if (head !== push.expected) {
    throw new BranchMoved(
      `expected ${push.branch} at ${push.expected ?? 'nothing'}, got ${head ?? 'nothing'}; nothing was pushed, look at it again`,
    );
  }
  if (reason !== null) {
    const words = [reason, remoteLines(result.stderr)].filter((text) => text !== '').join(' ');
    throw new PushRefused(explainRefusal(scrub(words, call)));
  }
  throw cannotPush(remote, push, whyNot(remote, result));
}

function cannotPush(remote: Remote, push: Push, why: string): WorkspaceError {
  return new WorkspaceError(`cannot push ${push.branch} to ${remote.label}: ${why}`);
}
