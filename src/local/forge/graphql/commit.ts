import { commitsBetween } from '../commit-graph.ts';
import { branchHead, type Commit, type GitIdentity, git, readCommit } from '../git-repository.ts';
import { findAccountByEmail } from '../lookup.ts';
import { filesBetween } from '../pull-request-diff.ts';
import { repositoryPage } from '../shapes/repository.ts';
import type { Repository } from '../state.ts';
import { userSource } from './account.ts';
import { checkSuiteConnection, rollupSource } from './check.ts';
import { connection } from './connection.ts';
import { fileSource, objectFields, treeSource } from './git-object.ts';
import { pullRequestConnection } from './issue-list.ts';
import { type Args, type Info, type Source, textArg } from './source.ts';
import { addresses, type View } from './view.ts';

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** Commits never change, so that each is read once. */
const commits = new WeakMap<Repository, Map<string, Commit>>();

function commitOf(repository: Repository, sha: string): Commit {
  const known = commits.get(repository) ?? new Map<string, Commit>();
  commits.set(repository, known);
  const commit = known.get(sha) ?? readCommit(repository.gitDir, sha);
  known.set(sha, commit);
  return commit;
}

export function commitSource(view: View, repository: Repository, sha: string): Source {
  const commit = commitOf(repository, sha);
  const [headline = ''] = commit.message.split('\n', 1);
  const url = `${repositoryPage(view.forge, repository)}/commit/${sha}`;
  const total = (key: 'additions' | 'deletions'): number =>
    changes(repository, commit).reduce((sum, file) => sum + file[key], 0);
  return {
    __typename: 'Commit',
    ...objectFields(view, repository, 'commit', sha),
    ...addresses(view, url),
    message: commit.message,
    messageHeadline: headline,
    messageBody: commit.message.slice(headline.length).trim(),
    authoredDate: inUtc(commit.author.date),
    committedDate: inUtc(commit.committer.date),
    author: () => gitActorSource(view, commit.author),
    committer: () => gitActorSource(view, commit.committer),
    authoredByCommitter: commit.author.email === commit.committer.email,
    committedViaWeb: commit.committer.email === 'noreply@github.com',
    authors: (args, info) =>
      connection(args, info, {
        items: [commit.author],
        keyOf: (author) => author.email,
        present: (author) => gitActorSource(view, author),
      }),
    signature: null,
    status: null,
    onBehalfOf: null,
    additions: () => total('additions'),
    deletions: () => total('deletions'),
    changedFilesIfAvailable: () => changes(repository, commit).length,
    tree: () => treeSource(view, repository, commit.tree),
    file: (args) => fileSource(view, repository, sha, textArg(args, 'path') ?? ''),
    parents: (args, info) => commitConnection(view, repository, commit.parents, args, info),
    history: (args, info) => {
      const path = textArg(args, 'path');
      const scope = path === null ? [] : ['--', path];
      const shas = git(repository.gitDir, ['--literal-pathspecs', 'rev-list', sha, ...scope])
        .split('\n')
        .filter(Boolean);
      return commitConnection(view, repository, shas, args, info);
    },
    checkSuites: (args, info) => checkSuiteConnection(view, repository, sha, args, info),
    statusCheckRollup: () => rollupSource(view, repository, sha),
    associatedPullRequests: (args, info) =>
      pullRequestConnection(view, repository, args, info, (pull) => carries(repository, pull.pullRequest, sha)),
  };
}

function carries(
  repository: Repository,
  pull: { readonly baseRef: string; readonly headSha: string },
  sha: string,
): boolean {
  if (pull.headSha === sha) return true;
  // By its commit: what lies between two commits is not asked of git twice.
  const base = branchHead(repository.gitDir, pull.baseRef) ?? pull.baseRef;
  return commitsBetween(repository.gitDir, base, pull.headSha).includes(sha);
}

function changes(repository: Repository, commit: Commit) {
  return filesBetween(repository.gitDir, commit.parents[0] ?? EMPTY_TREE, commit.sha);
}

/** GitHub's `DateTime` is in UTC; its `GitTimestamp` keeps the zone of the commit. */
function inUtc(date: string): string {
  return new Date(date).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

function gitActorSource(view: View, identity: GitIdentity): Source {
  const account = findAccountByEmail(view.forge, identity.email);
  return {
    __typename: 'GitActor',
    name: identity.name,
    email: identity.email,
    date: identity.date,
    user: account === null ? null : userSource(view, account),
  };
}

function commitConnection(view: View, repository: Repository, shas: readonly string[], args: Args, info: Info): Source {
  return connection(args, info, {
    items: shas,
    keyOf: (sha) => sha,
    present: (sha) => commitSource(view, repository, sha),
  });
}
