import type { Forge } from '../forge.ts';
import { type Commit, readCommit } from '../git-repository.ts';
import { findAccountByEmail } from '../lookup.ts';
import { nodeId } from '../node-id.ts';
import type { ChangedFile } from '../pull-request-diff.ts';
import type { Repository } from '../state.ts';
import { nullableAccountShape } from './account.ts';
import { repositoryPage, repositoryUrl } from './repository.ts';

/** GitHub's `commit`, without files. */
export function commitShape(forge: Forge, repository: Repository, sha: string) {
  const commit = readCommit(repository.gitDir, sha);
  const base = repositoryUrl(forge, repository);
  const page = repositoryPage(forge, repository);
  return {
    sha: commit.sha,
    node_id: nodeId('commit', `${repository.id}:${commit.sha}`),
    url: `${base}/commits/${commit.sha}`,
    html_url: `${page}/commit/${commit.sha}`,
    comments_url: `${base}/commits/${commit.sha}/comments`,
    commit: gitCommit(base, commit),
    author: nullableAccountShape(forge, findAccountByEmail(forge, commit.author.email)),
    committer: nullableAccountShape(forge, findAccountByEmail(forge, commit.committer.email)),
    parents: commit.parents.map((parent) => ({
      sha: parent,
      url: `${base}/commits/${parent}`,
      html_url: `${page}/commit/${parent}`,
    })),
  };
}

function gitCommit(base: string, commit: Commit) {
  return {
    author: { ...commit.author, date: toUtc(commit.author.date) },
    committer: { ...commit.committer, date: toUtc(commit.committer.date) },
    comment_count: 0,
    message: commit.message,
    tree: { sha: commit.tree, url: `${base}/git/trees/${commit.tree}` },
    url: `${base}/git/commits/${commit.sha}`,
    verification: { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null },
  };
}

function toUtc(date: string): string {
  return new Date(date).toISOString().replace('.000Z', 'Z');
}

/** GitHub's `diff-entry`, without the patch. */
export function fileShape(forge: Forge, repository: Repository, head: string, file: ChangedFile) {
  const page = repositoryPage(forge, repository);
  const path = file.path.split('/').map(encodeURIComponent).join('/');
  return {
    sha: file.blob,
    filename: file.path,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: `${page}/blob/${head}/${path}`,
    raw_url: `${page}/raw/${head}/${path}`,
    contents_url: `${repositoryUrl(forge, repository)}/contents/${path}?ref=${head}`,
    ...(file.previousPath === null ? {} : { previous_filename: file.previousPath }),
  };
}
