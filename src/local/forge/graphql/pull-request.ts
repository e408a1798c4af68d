import { commitsBetween } from '../commit-graph.ts';
import { branchHead, NO_COMMIT } from '../git-repository.ts';
import { findRepositoryById, isPullRequest, type PullRequestIssue } from '../lookup.ts';
import { nodeId } from '../node-id.ts';
import { changedFiles, mergesCleanly, pullRequestBase } from '../pull-request-diff.ts';
import { issuePage } from '../shapes/issue.ts';
import type { Repository } from '../state.ts';
import { actorSource, nullableActorSource } from './account.ts';
import { rollupSource } from './check.ts';
import { commitSource } from './commit.ts';
import { connection } from './connection.ts';
import { closedNumbers } from './cross-reference.ts';
import { conversationFields, issueSource } from './issue.ts';
import { refSource } from './ref.ts';
import { repositorySource } from './repository.ts';
import { isOpinion, latestOpinions, reviewConnection } from './review.ts';
import { threadConnection } from './review-thread.ts';
import type { Args, Info, Source } from './source.ts';
import { addresses, requireRead, type View } from './view.ts';

const CHANGE_TYPES = {
  added: 'ADDED',
  removed: 'DELETED',
  modified: 'MODIFIED',
  renamed: 'RENAMED',
  copied: 'COPIED',
  changed: 'CHANGED',
} as const;

export function pullRequestState(issue: PullRequestIssue): 'OPEN' | 'CLOSED' | 'MERGED' {
  if (issue.pullRequest.merged) return 'MERGED';
  return issue.state === 'open' ? 'OPEN' : 'CLOSED';
}

export function pullRequestSource(view: View, repository: Repository, issue: PullRequestIssue): Source {
  const pull = issue.pullRequest;
  const self = (): Source => pullRequestSource(view, repository, issue);
  const url = issuePage(view.forge, repository, issue);
  return {
    ...conversationFields(view, repository, issue, self),
    __typename: 'PullRequest',
    id: pull.nodeId,
    databaseId: pull.id,
    fullDatabaseId: String(pull.id),
    state: pullRequestState(issue),
    isDraft: pull.draft,
    merged: pull.merged,
    mergedAt: pull.mergedAt,
    mergedBy: nullableActorSource(view, pull.mergedBy),
    mergeCommit: () => (pull.mergeCommit === null ? null : commitSource(view, repository, pull.mergeCommit)),
    mergeable: () => mergeability(repository, issue),
    autoMergeRequest: null,
    isInMergeQueue: false,
    isMergeQueueEnabled: false,
    maintainerCanModify: pull.maintainerCanModify,
    permalink: url,
    checksUrl: `${url}/checks`,
    ...branchFields(view, repository, issue),
    ...changeFields(view, repository, issue),
    ...reviewFields(view, repository, issue),
    statusCheckRollup: () => rollupSource(view, repository, pull.headSha),
  };
}

function mergeability(repository: Repository, issue: PullRequestIssue): string {
  if (issue.state === 'closed') return 'UNKNOWN';
  return mergesCleanly(repository, issue) ? 'MERGEABLE' : 'CONFLICTING';
}

function branchFields(view: View, repository: Repository, issue: PullRequestIssue) {
  const { headRef, headSha, headRepositoryId, baseRef } = issue.pullRequest;
  const head = headRepositoryId === null ? null : findRepositoryById(view.forge, headRepositoryId);
  return {
    headRefName: headRef,
    headRefOid: headSha,
    headRef: () => (head === null ? null : refSource(view, head, `refs/heads/${headRef}`)),
    headRepository: () => (head === null ? null : repositorySource(view, head)),
    headRepositoryOwner: () => (head === null ? null : actorSource(view, head.owner)),
    isCrossRepository: headRepositoryId !== repository.id,
    baseRefName: baseRef,
    baseRefOid: () => branchHead(repository.gitDir, baseRef) ?? NO_COMMIT,
    baseRef: () => refSource(view, repository, `refs/heads/${baseRef}`),
    baseRepository: () => repositorySource(view, repository),
  };
}

export function pullRequestCommits(repository: Repository, issue: PullRequestIssue): readonly string[] {
  return commitsBetween(repository.gitDir, pullRequestBase(repository, issue), issue.pullRequest.headSha);
}

export function pullRequestCommitSource(view: View, repository: Repository, issue: PullRequestIssue, sha: string) {
  return {
    __typename: 'PullRequestCommit',
    id: nodeId('commit', `${repository.id}:${sha}:${issue.number}`),
    ...addresses(view, `${issuePage(view.forge, repository, issue)}/commits/${sha}`),
    commit: () => commitSource(view, repository, sha),
    pullRequest: () => pullRequestSource(view, repository, issue),
  };
}

function changeFields(view: View, repository: Repository, issue: PullRequestIssue) {
  const total = (key: 'additions' | 'deletions'): number =>
    changedFiles(repository, issue).reduce((sum, file) => sum + file[key], 0);
  return {
    additions: () => total('additions'),
    deletions: () => total('deletions'),
    changedFiles: () => changedFiles(repository, issue).length,
    commits: (args: Args, info: Info) => {
      requireRead(view, repository, 'pullRequest');
      return connection(args, info, {
        items: pullRequestCommits(repository, issue),
        keyOf: (sha) => sha,
        present: (sha) => pullRequestCommitSource(view, repository, issue, sha),
      });
    },
    closingIssuesReferences: (args: Args, info: Info) => {
      requireRead(view, repository, 'issue');
      const numbers = closedNumbers(repository, issue);
      return connection(args, info, {
        items: repository.issues.filter((each) => numbers.includes(each.number) && !isPullRequest(each)),
        keyOf: (each) => each.id,
        present: (each) => issueSource(view, repository, each),
      });
    },
    files: (args: Args, info: Info) => {
      requireRead(view, repository, 'pullRequest');
      return connection(args, info, {
        items: changedFiles(repository, issue),
        keyOf: (file) => file.path,
        present: (file) => ({
          __typename: 'PullRequestChangedFile',
          path: file.path,
          additions: file.additions,
          deletions: file.deletions,
          changeType: CHANGE_TYPES[file.status],
          viewerViewedState: 'UNVIEWED',
        }),
      });
    },
  };
}

function reviewFields(view: View, repository: Repository, issue: PullRequestIssue) {
  const { reviews, requestedReviewers } = issue.pullRequest;
  return {
    reviews: (args: Args, info: Info) => reviewConnection(view, repository, issue, reviews, args, info),
    latestReviews: (args: Args, info: Info) =>
      reviewConnection(
        view,
        repository,
        issue,
        latestOpinions(issue, () => true),
        args,
        info,
      ),
    latestOpinionatedReviews: (args: Args, info: Info) =>
      reviewConnection(view, repository, issue, latestOpinions(issue, isOpinion), args, info),
    reviewThreads: (args: Args, info: Info) => threadConnection(view, repository, issue, args, info),
    reviewRequests: (args: Args, info: Info) =>
      connection(args, info, {
        items: requestedReviewers,
        keyOf: (account) => account.id,
        present: (account) => ({
          __typename: 'ReviewRequest',
          id: nodeId('event', `${issue.pullRequest.id}:${account.id}`),
          databaseId: account.id,
          asCodeOwner: false,
          requestedReviewer: actorSource(view, account),
          pullRequest: () => pullRequestSource(view, repository, issue),
        }),
      }),
    reviewDecision: () => reviewDecision(issue, requestedReviewers.length),
  };
}

/** Without branch protection GitHub decides nothing until someone has been asked or has spoken. */
function reviewDecision(issue: PullRequestIssue, requested: number): string | null {
  const states = latestOpinions(issue, isOpinion).map((review) => review.state);
  if (states.includes('CHANGES_REQUESTED')) return 'CHANGES_REQUESTED';
  if (states.includes('APPROVED')) return 'APPROVED';
  return requested > 0 ? 'REVIEW_REQUIRED' : null;
}
