import { type Actor, actingAccount, requireAccess } from '../access.ts';
import type { Forge } from '../forge.ts';
import { ForgeError } from '../forge-error.ts';
import { branchHead, git, tryGit } from '../git-repository.ts';
import { identityOf } from '../identity.ts';
import type { PullRequestIssue } from '../lookup.ts';
import { pullRequestBase } from '../pull-request-diff.ts';
import type { Repository } from '../state.ts';
import { settleMerged } from './merged.ts';
import { afterPush } from './pushes.ts';

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
