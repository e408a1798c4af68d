/** What people push to branches, as with git or on GitHub's pages. */
import { branchHead, git, NO_COMMIT } from '../../src/local/forge/git-repository.ts';
import { afterPush, identityOf } from '../../src/local/forge/operations.ts';
import { personActor } from '../../src/local/forge/setup.ts';
import type { Account, Repository } from '../../src/local/forge/state.ts';
import type { World } from './world.ts';

interface Place {
  readonly world: World;
  readonly repository: Repository;
  readonly branch: string;
  readonly by: Account;
}

/** One commit that gives a file this text. Returns it. */
export function pushFile(place: Place, path: string, text: string): string {
  const { gitDir } = place.repository;
  const before = headOf(place);
  const env = { GIT_INDEX_FILE: `${gitDir}/person-index`, ...identityOf(place.by) };
  const blob = git(gitDir, ['hash-object', '-w', '--stdin'], { input: text }).trim();
  git(gitDir, ['read-tree', before], { env });
  git(gitDir, ['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`], { env });
  const tree = git(gitDir, ['write-tree'], { env }).trim();
  return moveTo(place, git(gitDir, ['commit-tree', tree, '-p', before, '-m', `Change ${path}`], { env }).trim());
}

/** Overwrites the branch's last commit with one of the same files. Returns it. */
export function forcePushSame(place: Place): string {
  const { gitDir } = place.repository;
  const before = headOf(place);
  const env = identityOf(place.by);
  const made = ['commit-tree', `${before}^{tree}`, '-p', `${before}^`, '-m', 'The same in other words'];
  return moveTo(place, git(gitDir, made, { env }).trim());
}

export function deleteBranch(place: Place): void {
  moveTo(place, NO_COMMIT);
}

function headOf({ repository, branch }: Place): string {
  const head = branchHead(repository.gitDir, branch);
  if (head === null) throw new Error(`expected the branch ${branch}, got none`);
  return head;
}

function moveTo({ world, repository, branch, by }: Place, after: string): string {
  const { gitDir } = repository;
  const ref = `refs/heads/${branch}`;
  const before = branchHead(gitDir, branch) ?? NO_COMMIT;
  git(gitDir, after === NO_COMMIT ? ['update-ref', '-d', ref] : ['update-ref', ref, after]);
  afterPush(world.forge, personActor(by), repository, ref, before, after);
  return after;
}
