import { associationOf } from '../access.ts';
import { commitsBetween } from '../commit-graph.ts';
import type { Forge } from '../forge.ts';
import { branchHead, NO_COMMIT } from '../git-repository.ts';
import { findRepositoryById, type PullRequestIssue } from '../lookup.ts';
import { changedFiles, mergesCleanly, pullRequestBase } from '../pull-request-diff.ts';
import type { Repository } from '../state.ts';
import { accountShape, nullableAccountShape } from './account.ts';
import { issueLabels, issuePage } from './issue.ts';
import { repositoryShape, repositoryUrl } from './repository.ts';

function links(urls: Readonly<Record<string, string>>): Record<string, { readonly href: string }> {
  return Object.fromEntries(Object.entries(urls).map(([name, href]) => [name, { href }]));
}

function branchShape(forge: Forge, repository: Repository, ref: string, sha: string) {
  return {
    label: `${repository.owner.login}:${ref}`,
    ref,
    sha,
    user: accountShape(forge, repository.owner),
    repo: repositoryShape(forge, repository),
  };
}

function headShape(forge: Forge, repository: Repository, pull: PullRequestIssue) {
  const { headRef, headSha, headRepositoryId } = pull.pullRequest;
  const head = headRepositoryId === null ? null : findRepositoryById(forge, headRepositoryId);
  const shape = branchShape(forge, head ?? repository, headRef, headSha);
  return head === null ? { ...shape, label: `unknown:${headRef}`, user: null, repo: null } : shape;
}

/** GitHub's `pull-request-simple`: what lists and reviews carry. */
export function simplePullRequestShape(forge: Forge, repository: Repository, issue: PullRequestIssue) {
  const base = repositoryUrl(forge, repository);
  const url = `${base}/pulls/${issue.number}`;
  const page = issuePage(forge, repository, issue);
  const pull = issue.pullRequest;
  const assignees = issue.assignees.map((account) => accountShape(forge, account));
  const urls = {
    issue_url: `${base}/issues/${issue.number}`,
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: `${base}/pulls/comments{/number}`,
    comments_url: `${base}/issues/${issue.number}/comments`,
    statuses_url: `${base}/statuses/${pull.headSha}`,
  };
  return {
    id: pull.id,
    node_id: pull.nodeId,
    number: issue.number,
    url,
    html_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    ...urls,
    state: issue.state,
    locked: issue.locked,
    title: issue.title,
    body: issue.body,
    user: nullableAccountShape(forge, issue.author),
    author_association: associationOf(repository, issue.author),
    labels: issueLabels(forge, repository, issue),
    milestone: null,
    assignee: assignees[0] ?? null,
    assignees,
    requested_reviewers: pull.requestedReviewers.map((account) => accountShape(forge, account)),
    requested_teams: [],
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    merged_at: pull.mergedAt,
    merge_commit_sha: pull.mergeCommit,
    draft: pull.draft,
    auto_merge: null,
    head: headShape(forge, repository, issue),
    base: branchShape(forge, repository, pull.baseRef, branchHead(repository.gitDir, pull.baseRef) ?? NO_COMMIT),
    _links: links({
      self: url,
      html: page,
      issue: urls.issue_url,
      comments: urls.comments_url,
      review_comments: urls.review_comments_url,
      review_comment: urls.review_comment_url,
      commits: urls.commits_url,
      statuses: urls.statuses_url,
    }),
  };
}

/** GitHub's `pull-request`: what reading or changing one answers. */
export function pullRequestShape(forge: Forge, repository: Repository, issue: PullRequestIssue) {
  const pull = issue.pullRequest;
  const files = changedFiles(repository, issue);
  const total = (key: 'additions' | 'deletions'): number => files.reduce((sum, file) => sum + file[key], 0);
  const mergeable = issue.state === 'open' && mergesCleanly(repository, issue);
  return {
    ...simplePullRequestShape(forge, repository, issue),
    merged: pull.merged,
    merged_by: nullableAccountShape(forge, pull.mergedBy),
    mergeable: pull.merged ? null : mergeable,
    mergeable_state: mergeableState(pull.draft, mergeable),
    rebaseable: false,
    maintainer_can_modify: pull.maintainerCanModify,
    comments: issue.comments.length,
    review_comments: pull.threads.reduce((sum, thread) => sum + thread.comments.length, 0),
    commits: commitsBetween(repository.gitDir, pullRequestBase(repository, issue), pull.headSha).length,
    additions: total('additions'),
    deletions: total('deletions'),
    changed_files: files.length,
  };
}

function mergeableState(draft: boolean, mergeable: boolean): string {
  if (!mergeable) return 'dirty';
  return draft ? 'draft' : 'clean';
}
