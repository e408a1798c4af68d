import { type Actor, actingAccount, requireAccess } from '../access.ts';
import { tellAboutIssue } from '../events.ts';
import { type Forge, now } from '../forge.ts';
import { ForgeError } from '../forge-error.ts';
import { branchHead, git, tryGit } from '../git-repository.ts';
import { isPullRequest, type PullRequestIssue } from '../lookup.ts';
import { pullRequestBase } from '../pull-request-diff.ts';
import type { Account, Repository } from '../state.ts';
import { record } from '../timeline.ts';
import { settleClosed } from './issues.ts';
import { afterPush } from './pushes.ts';

/** The words that close an issue when they stand before its number in what reaches the default branch. */
const CLOSING = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d+)/gi;

/**
 * Merges into the base branch by a merge commit or one squashed commit. Returns the new commit.
 * @throws {ForgeError} 405 for a draft, a conflict or what is not open; 409 where the head is not `expectedHead`
 */
export function merge(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  pull: PullRequestIssue,
  options: { readonly method?: 'merge' | 'squash' | undefined; readonly expectedHead?: string | undefined } = {},
): string {
  requireAccess(actor, repository, { permissions: ['contents'], access: 'write', role: 'write' });
  const { headSha, baseRef, draft } = pull.pullRequest;
  if (pull.state === 'closed') throw new ForgeError(405, 'Pull Request is not mergeable');
  if (draft) throw new ForgeError(405, 'Pull Request is still a draft');
  if (options.expectedHead !== undefined && options.expectedHead !== headSha) {
    throw new ForgeError(409, 'Head branch was modified. Review and try the merge again.');
  }
  const base = branchHead(repository.gitDir, baseRef);
  const merged = base === null ? null : tryGit(repository.gitDir, ['merge-tree', '--write-tree', base, headSha]);
  if (base === null || merged?.ok !== true) throw new ForgeError(405, 'Pull Request is not mergeable');
  const diffBase = pullRequestBase(repository, pull);
  const parents = options.method === 'squash' ? ['-p', base] : ['-p', base, '-p', headSha];
  const tree = merged.stdout.trim();
  const commit = git(repository.gitDir, ['commit-tree', tree, ...parents, '-F', '-'], {
    input: `Merge pull request #${pull.number} from ${repository.owner.login}/${pull.pullRequest.headRef}\n\n${pull.title}\n`,
    env: identityOf(actingAccount(actor)),
  }).trim();
  git(repository.gitDir, ['update-ref', `refs/heads/${baseRef}`, commit, base]);
  settleMerged(forge, actor, repository, pull, commit, diffBase);
  afterPush(forge, actor, repository, `refs/heads/${baseRef}`, base, commit);
  return commit;
}

/** Marks it merged and closes what its body says it closes. */
function settleMerged(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  pull: PullRequestIssue,
  commit: string,
  diffBase: string,
): void {
  const at = now(forge);
  Object.assign(pull.pullRequest, {
    merged: true,
    mergedAt: at,
    mergedBy: actingAccount(actor),
    mergeCommit: commit,
    diffBase,
  });
  pull.state = 'closed';
  pull.closedAt = at;
  record(forge, actor, pull, { kind: 'merged', commit });
  record(forge, actor, pull, { kind: 'closed' });
  tellAboutIssue(forge, actor, repository, pull, 'closed');
  if (pull.pullRequest.baseRef !== repository.defaultBranch) return;
  for (const [, number] of (pull.body ?? '').matchAll(CLOSING)) {
    const issue = repository.issues.find((each) => each.number === Number(number));
    if (issue?.state === 'open' && !isPullRequest(issue)) settleClosed(forge, actor, repository, issue);
  }
}

/** Git's variables for a commit that GitHub attributes to the account. */
export function identityOf(account: Account): Readonly<Record<string, string>> {
  const email = `${account.id}+${account.login}@users.noreply.github.com`;
  return {
    GIT_AUTHOR_NAME: account.login,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: 'GitHub',
    GIT_COMMITTER_EMAIL: 'noreply@github.com',
  };
}
