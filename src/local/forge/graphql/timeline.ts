/** The timeline of an issue or pull request: recorded events, comments, reviews, commits and references, oldest first. */

import { readCommit } from '../git-repository.ts';
import { isPullRequest, type PullRequestIssue } from '../lookup.ts';
import { nodeId } from '../node-id.ts';
import { issuePage } from '../shapes/issue.ts';
import type { Issue, Repository, TimelineEvent } from '../state.ts';
import { nullableActorSource } from './account.ts';
import { issueCommentSource } from './comment.ts';
import { connection } from './connection.ts';
import { type Mention, mentionsOf } from './cross-reference.ts';
import { conversationSource } from './issue.ts';
import { pullRequestCommitSource, pullRequestCommits } from './pull-request.ts';
import { isVisible, reviewSource } from './review.ts';
import { type Args, type Info, listArg, numberArg, type Source, textArg } from './source.ts';
import { EVENT_TYPES, eventFields } from './timeline-event.ts';
import { addresses, requireRead, type View } from './view.ts';

interface Item {
  /** The word of `itemTypes`, e.g. `LABELED_EVENT`. */
  readonly itemType: string;
  readonly key: string;
  readonly at: string;
  readonly present: () => Source;
}

/** `LabeledEvent` → `LABELED_EVENT`. */
function itemType(typeName: string): string {
  return typeName.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
}

function eventItem(view: View, repository: Repository, issue: Issue, event: TimelineEvent): Item {
  const type = EVENT_TYPES[event.kind];
  return {
    itemType: itemType(type),
    key: event.nodeId,
    at: event.createdAt,
    present: () => eventSource(view, repository, issue, event),
  };
}

/** One recorded event, as the type that GitHub gives it. */
export function eventSource(view: View, repository: Repository, issue: Issue, event: TimelineEvent): Source {
  return {
    __typename: EVENT_TYPES[event.kind],
    id: event.nodeId,
    databaseId: event.id,
    actor: nullableActorSource(view, event.actor),
    createdAt: event.createdAt,
    ...addresses(view, `${issuePage(view.forge, repository, issue)}#event-${event.id}`),
    pullRequest: () => conversationSource(view, repository, issue),
    ...eventFields(view, repository, issue, event),
  };
}

function mentionItem(view: View, repository: Repository, target: Issue, mention: Mention): Item {
  const key = nodeId('event', `${mention.source.id}:${mention.key}:${target.id}`);
  return {
    itemType: 'CROSS_REFERENCED_EVENT',
    key,
    at: mention.at,
    present: () => ({
      __typename: 'CrossReferencedEvent',
      id: key,
      actor: nullableActorSource(view, mention.author),
      createdAt: mention.at,
      referencedAt: mention.at,
      isCrossRepository: false,
      willCloseTarget: mention.closes,
      ...addresses(view, issuePage(view.forge, repository, mention.source)),
      source: () => conversationSource(view, repository, mention.source),
      target: () => conversationSource(view, repository, target),
    }),
  };
}

function pullRequestItems(view: View, repository: Repository, pull: PullRequestIssue): readonly Item[] {
  const reviews = pull.pullRequest.reviews.filter((review) => isVisible(view, review));
  const commits = pullRequestCommits(repository, pull).map((sha) => readCommit(repository.gitDir, sha));
  return [
    ...commits.map((commit) => ({
      itemType: 'PULL_REQUEST_COMMIT',
      key: commit.sha,
      at: commit.committer.date,
      present: () => pullRequestCommitSource(view, repository, pull, commit.sha),
    })),
    ...reviews.map((review) => ({
      itemType: 'PULL_REQUEST_REVIEW',
      key: review.nodeId,
      at: review.submittedAt ?? pull.updatedAt,
      present: () => reviewSource(view, repository, pull, review),
    })),
  ];
}

function timelineOf(view: View, repository: Repository, issue: Issue): readonly Item[] {
  const items = [
    ...(isPullRequest(issue) ? pullRequestItems(view, repository, issue) : []),
    ...issue.comments.map((comment) => ({
      itemType: 'ISSUE_COMMENT',
      key: comment.nodeId,
      at: comment.createdAt,
      present: () => issueCommentSource(view, repository, issue, comment),
    })),
    ...issue.timeline.map((event) => eventItem(view, repository, issue, event)),
    ...mentionsOf(repository, issue).map((mention) => mentionItem(view, repository, issue, mention)),
  ];
  return items.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

/** `itemTypes` and `since` filter, `skip` drops from the front; `totalCount` counts the timeline without its filters. */
export function timelineConnection(view: View, repository: Repository, issue: Issue, args: Args, info: Info): Source {
  requireRead(view, repository, isPullRequest(issue) ? 'conversation' : 'issue');
  const all = timelineOf(view, repository, issue);
  const types = listArg(args, 'itemTypes');
  const since = textArg(args, 'since');
  const filtered = all.filter(
    (item) =>
      (types === null || types.includes(item.itemType)) && (since === null || Date.parse(item.at) >= Date.parse(since)),
  );
  const page = connection(args, info, {
    items: filtered.slice(numberArg(args, 'skip') ?? 0),
    keyOf: (item) => item.key,
    present: (item) => item.present(),
    extra: { filteredCount: filtered.length, updatedAt: issue.updatedAt },
  });
  return {
    ...page,
    totalCount: all.length,
    pageCount: () => Math.min(filtered.length, numberArg(args, 'first') ?? numberArg(args, 'last') ?? 0),
  };
}
