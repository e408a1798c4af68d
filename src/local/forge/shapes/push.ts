import { commitsBetween, isAncestor } from '../commit-graph.ts';
import type { Forge } from '../forge.ts';
import { NO_COMMIT, readCommit, resolveCommit } from '../git-repository.ts';
import { findAccountByEmail } from '../lookup.ts';
import { filesBetween } from '../pull-request-diff.ts';
import type { Account, Repository } from '../state.ts';
import { repositoryPage } from './repository.ts';

/** GitHub lists no more commits than this in a `push`. */
const MAX_COMMITS = 2048;

export interface Push {
  readonly ref: string;
  readonly before: string;
  readonly after: string;
  readonly pusher: Account;
}

/** The `push` payload's own keys. */
export function pushShape(forge: Forge, repository: Repository, push: Push) {
  const shas = pushedCommits(repository, push).slice(-MAX_COMMITS);
  const commits = shas.map((sha) => pushedCommitShape(forge, repository, sha));
  const { before, after } = push;
  const moved = before !== NO_COMMIT && after !== NO_COMMIT;
  const { login, id } = push.pusher;
  return {
    ref: push.ref,
    before,
    after,
    base_ref: null,
    created: before === NO_COMMIT,
    deleted: after === NO_COMMIT,
    forced: moved && !isAncestor(repository.gitDir, before, after),
    compare: `${repositoryPage(forge, repository)}/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
    commits,
    head_commit: after === NO_COMMIT ? null : (commits.at(-1) ?? pushedCommitShape(forge, repository, after)),
    pusher: { name: login, email: `${id}+${login}@users.noreply.github.com` },
  };
}

/** Commits that the push brought, oldest first; for a new branch those that the default branch lacks. */
function pushedCommits(repository: Repository, { before, after }: Push): readonly string[] {
  if (after === NO_COMMIT) return [];
  const known =
    before === NO_COMMIT ? resolveCommit(repository.gitDir, `refs/heads/${repository.defaultBranch}`) : before;
  return known === null ? [after] : commitsBetween(repository.gitDir, known, after);
}

function pushedCommitShape(forge: Forge, repository: Repository, sha: string) {
  const commit = readCommit(repository.gitDir, sha);
  const [parent] = commit.parents;
  const files = parent === undefined ? [] : filesBetween(repository.gitDir, parent, sha);
  const paths = (status: string): readonly string[] =>
    files.filter((file) => file.status === status).map((file) => file.path);
  const person = (who: { readonly name: string; readonly email: string }) => {
    const account = findAccountByEmail(forge, who.email);
    return { name: who.name, email: who.email, ...(account === null ? {} : { username: account.login }) };
  };
  return {
    id: sha,
    tree_id: commit.tree,
    distinct: true,
    message: commit.message,
    timestamp: commit.committer.date,
    url: `${repositoryPage(forge, repository)}/commit/${sha}`,
    author: person(commit.author),
    committer: person(commit.committer),
    added: paths('added'),
    removed: paths('removed'),
    modified: paths('modified'),
  };
}
