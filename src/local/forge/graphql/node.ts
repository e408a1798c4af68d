/** `node(id:)` for every kind that the forge plays. */
import { GraphQLError } from 'graphql';
import { reaches } from '../access.ts';
import { findRepositoryById, isPullRequest, type PullRequestIssue } from '../lookup.ts';
import { parseNodeId } from '../node-id.ts';
import { accountNodeId } from '../shapes/account.ts';
import type { Issue, IssueComment, Label, Repository, Review, ReviewComment, ReviewThread } from '../state.ts';
import { actorSource } from './account.ts';
import { appSource, checkRunSource, suiteSource } from './check.ts';
import { issueCommentSource } from './comment.ts';
import { objectSource } from './git-object.ts';
import { issueSource } from './issue.ts';
import { labelSource } from './label.ts';
import { pullRequestSource } from './pull-request.ts';
import { refSource } from './ref.ts';
import { repositorySource } from './repository.ts';
import { isVisible, reviewSource } from './review.ts';
import { reviewCommentSource, threadSource } from './review-thread.ts';
import type { Source } from './source.ts';
import { eventSource } from './timeline.ts';
import { requireRead, type View } from './view.ts';

/** What a node id names, as the state has it. */
export type Found =
  | { readonly kind: 'repository'; readonly repository: Repository }
  | { readonly kind: 'label'; readonly repository: Repository; readonly label: Label }
  | { readonly kind: 'issue'; readonly repository: Repository; readonly issue: Issue }
  | { readonly kind: 'pullRequest'; readonly repository: Repository; readonly pull: PullRequestIssue }
  | {
      readonly kind: 'issueComment';
      readonly repository: Repository;
      readonly issue: Issue;
      readonly comment: IssueComment;
    }
  | {
      readonly kind: 'review';
      readonly repository: Repository;
      readonly pull: PullRequestIssue;
      readonly review: Review;
    }
  | {
      readonly kind: 'thread';
      readonly repository: Repository;
      readonly pull: PullRequestIssue;
      readonly thread: ReviewThread;
    }
  | {
      readonly kind: 'reviewComment';
      readonly repository: Repository;
      readonly pull: PullRequestIssue;
      readonly thread: ReviewThread;
      readonly comment: ReviewComment;
    };

/** Finds what lives in a repository that the actor reaches; `null` for everything else. */
function findNode(view: View, id: string): Found | null {
  for (const repository of view.forge.state.repositories) {
    const found = reaches(view.actor, repository) ? findInRepository(view, repository, id) : null;
    if (found !== null) return found;
  }
  return null;
}

function findInRepository(view: View, repository: Repository, id: string): Found | null {
  if (repository.nodeId === id) return { kind: 'repository', repository };
  const label = repository.labels.find((each) => each.nodeId === id);
  if (label !== undefined) return { kind: 'label', repository, label };
  for (const issue of repository.issues) {
    const comment = issue.comments.find((each) => each.nodeId === id);
    if (comment !== undefined) return { kind: 'issueComment', repository, issue, comment };
    if (!isPullRequest(issue)) {
      if (issue.nodeId === id) return { kind: 'issue', repository, issue };
      continue;
    }
    const found = findInPullRequest(view, repository, issue, id);
    if (found !== null) return found;
  }
  return null;
}

function findInPullRequest(view: View, repository: Repository, pull: PullRequestIssue, id: string): Found | null {
  const { nodeId, reviews, threads } = pull.pullRequest;
  if (nodeId === id) return { kind: 'pullRequest', repository, pull };
  const review = reviews.find((each) => each.nodeId === id && isVisible(view, each));
  if (review !== undefined) return { kind: 'review', repository, pull, review };
  for (const thread of threads) {
    if (thread.nodeId === id) return { kind: 'thread', repository, pull, thread };
    const comment = thread.comments.find((each) => each.nodeId === id);
    if (comment !== undefined) return { kind: 'reviewComment', repository, pull, thread, comment };
  }
  return null;
}

/** @throws {GraphQLError} NOT_FOUND, in GitHub's words */
export function requireNode(view: View, id: string): Found {
  const found = findNode(view, id);
  if (found === null) throw unresolvedNode(id);
  return found;
}

export function unresolvedNode(id: string): GraphQLError {
  return new GraphQLError(`Could not resolve to a node with the global id of '${id}'`, {
    extensions: { type: 'NOT_FOUND' },
  });
}

export function foundSource(view: View, found: Found): Source {
  const { repository } = found;
  switch (found.kind) {
    case 'repository':
      return repositorySource(view, repository);
    case 'label':
      return labelSource(view, repository, found.label);
    case 'issue':
      requireRead(view, repository, 'issue');
      return issueSource(view, repository, found.issue);
    case 'issueComment':
      requireRead(view, repository, 'conversation');
      return issueCommentSource(view, repository, found.issue, found.comment);
    case 'pullRequest':
      requireRead(view, repository, 'pullRequest');
      return pullRequestSource(view, repository, found.pull);
    case 'review':
      requireRead(view, repository, 'pullRequest');
      return reviewSource(view, repository, found.pull, found.review);
    case 'thread':
      requireRead(view, repository, 'pullRequest');
      return threadSource(view, repository, found.pull, found.thread);
    case 'reviewComment':
      requireRead(view, repository, 'pullRequest');
      return reviewCommentSource(view, repository, found.pull, found.thread, found.comment);
  }
}

/** @throws {GraphQLError} NOT_FOUND for an id that names nothing within reach */
export function nodeSource(view: View, id: string): Source {
  const found = findNode(view, id);
  const source = found === null ? otherSource(view, id) : foundSource(view, found);
  if (source === null) throw unresolvedNode(id);
  return source;
}

/** Accounts, apps, checks, events, and what is named `REPOSITORY_ID:NAME`: objects and refs of git, check suites. */
function otherSource(view: View, id: string): Source | null {
  const { state } = view.forge;
  const account = state.accounts.find((each) => accountNodeId(each) === id);
  if (account !== undefined) return actorSource(view, account);
  const parsed = parseNodeId(id);
  const app = state.apps.find((each) => parsed?.kind === 'app' && String(each.id) === parsed.id);
  if (app !== undefined) return appSource(view, app);
  for (const repository of state.repositories.filter((each) => reaches(view.actor, each))) {
    const source = checkOrEvent(view, repository, id);
    if (source !== null) return source;
  }
  return parsed === null ? null : gitSource(view, parsed.kind, parsed.id);
}

function checkOrEvent(view: View, repository: Repository, id: string): Source | null {
  const run = repository.checkRuns.find((each) => each.nodeId === id);
  if (run !== undefined) {
    requireRead(view, repository, 'checks');
    return checkRunSource(view, repository, run);
  }
  for (const issue of repository.issues) {
    const event = issue.timeline.find((each) => each.nodeId === id);
    if (event !== undefined) return eventSource(view, repository, issue, event);
  }
  return null;
}

function gitSource(view: View, kind: string, id: string): Source | null {
  const [, repositoryId, name = ''] = /^(\d+):(.+)$/.exec(id) ?? [];
  const repository = findRepositoryById(view.forge, Number(repositoryId));
  if (repository === null || !reaches(view.actor, repository)) return null;
  if (kind === 'checkSuite') return suiteByName(view, repository, name);
  if (kind === 'ref') return refSource(view, repository, name);
  if (kind === 'commit' || kind === 'tree' || kind === 'blob') return objectSource(view, repository, name);
  return null;
}

/** A suite's name is `SHA:APP_ID`. */
function suiteByName(view: View, repository: Repository, name: string): Source | null {
  const [sha = '', appId = ''] = name.split(':');
  const isIn = repository.checkRuns.some((run) => run.headSha === sha && run.appId === Number(appId));
  if (!isIn) return null;
  requireRead(view, repository, 'checks');
  return suiteSource(view, repository, sha, Number(appId));
}
