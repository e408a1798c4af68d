import { associationOf } from '../access.ts';
import type { Forge } from '../forge.ts';
import { isPullRequest } from '../lookup.ts';
import type { Issue, IssueComment, Reaction, Repository } from '../state.ts';
import { nullableAccountShape } from './account.ts';
import { labelShape, repositoryPage, repositoryUrl } from './repository.ts';

const CONTENTS = ['+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes'] as const;

export function issuePage(forge: Forge, repository: Repository, issue: Issue): string {
  return `${repositoryPage(forge, repository)}/${isPullRequest(issue) ? 'pull' : 'issues'}/${issue.number}`;
}

export function issueLabels(forge: Forge, repository: Repository, issue: Issue) {
  return repository.labels
    .filter((label) => issue.labels.includes(label.name))
    .map((label) => labelShape(forge, repository, label));
}

function reactionSummary(url: string, reactions: readonly Reaction[]) {
  const counts = CONTENTS.map((content) => [content, reactions.filter((each) => each.content === content).length]);
  return { url: `${url}/reactions`, total_count: reactions.length, ...Object.fromEntries(counts) };
}

/** GitHub's `issue`; for a pull request with the `pull_request` key that tells it apart. */
export function issueShape(forge: Forge, repository: Repository, issue: Issue) {
  const url = `${repositoryUrl(forge, repository)}/issues/${issue.number}`;
  const page = issuePage(forge, repository, issue);
  const assignees = issue.assignees.map((account) => nullableAccountShape(forge, account));
  return {
    id: issue.id,
    node_id: issue.nodeId,
    number: issue.number,
    url,
    repository_url: repositoryUrl(forge, repository),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: page,
    title: issue.title,
    body: issue.body,
    user: nullableAccountShape(forge, issue.author),
    author_association: associationOf(repository, issue.author),
    labels: issueLabels(forge, repository, issue),
    state: issue.state,
    state_reason: issue.stateReason,
    locked: issue.locked,
    active_lock_reason: null,
    assignee: assignees[0] ?? null,
    assignees,
    milestone: null,
    comments: issue.comments.length,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    reactions: reactionSummary(url, issue.reactions),
    ...pullRequestLinks(forge, repository, issue, page),
  };
}

function pullRequestLinks(forge: Forge, repository: Repository, issue: Issue, page: string) {
  if (!isPullRequest(issue)) return {};
  return {
    draft: issue.pullRequest.draft,
    pull_request: {
      url: `${repositoryUrl(forge, repository)}/pulls/${issue.number}`,
      html_url: page,
      diff_url: `${page}.diff`,
      patch_url: `${page}.patch`,
      merged_at: issue.pullRequest.mergedAt,
    },
  };
}

/** GitHub's `issue-comment`. */
export function commentShape(forge: Forge, repository: Repository, issue: Issue, comment: IssueComment) {
  const base = repositoryUrl(forge, repository);
  const url = `${base}/issues/comments/${comment.id}`;
  return {
    id: comment.id,
    node_id: comment.nodeId,
    url,
    html_url: `${issuePage(forge, repository, issue)}#issuecomment-${comment.id}`,
    issue_url: `${base}/issues/${issue.number}`,
    user: nullableAccountShape(forge, comment.author),
    author_association: associationOf(repository, comment.author),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    reactions: reactionSummary(url, comment.reactions),
  };
}

/** GitHub's `reaction`. */
export function reactionShape(forge: Forge, reaction: Reaction) {
  return {
    id: reaction.id,
    node_id: reaction.nodeId,
    user: nullableAccountShape(forge, reaction.user),
    content: reaction.content,
    created_at: reaction.createdAt,
  };
}
