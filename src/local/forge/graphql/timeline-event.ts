/** What each kind of recorded event is called in GitHub's schema, and the fields it has of its own. */
import { isPullRequest } from '../lookup.ts';
import { nodeId } from '../node-id.ts';
import type { Issue, Repository, TimelineEvent } from '../state.ts';
import { actorSource } from './account.ts';
import { conversationSource } from './issue.ts';
import { labelSource, type ShownLabel } from './label.ts';
import { refSource } from './ref.ts';
import { existingCommit, reviewSource } from './review.ts';
import type { Source } from './source.ts';
import type { View } from './view.ts';

export const EVENT_TYPES = {
  labeled: 'LabeledEvent',
  unlabeled: 'UnlabeledEvent',
  closed: 'ClosedEvent',
  reopened: 'ReopenedEvent',
  locked: 'LockedEvent',
  unlocked: 'UnlockedEvent',
  ready_for_review: 'ReadyForReviewEvent',
  converted_to_draft: 'ConvertToDraftEvent',
  merged: 'MergedEvent',
  base_ref_changed: 'BaseRefChangedEvent',
  head_ref_force_pushed: 'HeadRefForcePushedEvent',
  review_dismissed: 'ReviewDismissedEvent',
  review_requested: 'ReviewRequestedEvent',
  renamed: 'RenamedTitleEvent',
} as const satisfies Readonly<Record<TimelineEvent['kind'], string>>;

export function eventFields(view: View, repository: Repository, issue: Issue, event: TimelineEvent): Source {
  const subject = (): Source => conversationSource(view, repository, issue);
  switch (event.kind) {
    case 'labeled':
    case 'unlabeled':
      return { label: () => labelSource(view, repository, eventLabel(repository, event)), labelable: subject };
    case 'closed':
      return { closable: subject, closer: null, stateReason: issue.stateReason?.toUpperCase() ?? null };
    case 'reopened':
      return { closable: subject, stateReason: isPullRequest(issue) ? null : 'REOPENED' };
    case 'locked':
      return { lockable: subject, lockReason: null };
    case 'unlocked':
      return { lockable: subject };
    case 'ready_for_review':
    case 'converted_to_draft':
      return {};
    case 'merged':
      return {
        commit: () => existingCommit(view, repository, event.commit),
        mergeRefName: issue.pullRequest?.baseRef ?? repository.defaultBranch,
        mergeRef: () => refSource(view, repository, `refs/heads/${issue.pullRequest?.baseRef}`),
      };
    case 'base_ref_changed':
      return { previousRefName: event.from, currentRefName: event.to };
    case 'head_ref_force_pushed':
      return {
        beforeCommit: () => existingCommit(view, repository, event.before),
        afterCommit: () => existingCommit(view, repository, event.after),
        ref: () => refSource(view, repository, `refs/heads/${issue.pullRequest?.headRef}`),
      };
    case 'review_dismissed':
      return dismissalFields(view, repository, issue, event);
    case 'review_requested':
      return { requestedReviewer: actorSource(view, event.reviewer) };
    case 'renamed':
      return { previousTitle: event.from, currentTitle: event.to, subject };
  }
}

function dismissalFields(
  view: View,
  repository: Repository,
  issue: Issue,
  event: Extract<TimelineEvent, { kind: 'review_dismissed' }>,
): Source {
  const review = issue.pullRequest?.reviews.find((each) => each.id === event.reviewId) ?? null;
  return {
    dismissalMessage: event.message,
    previousReviewState: event.previousState.toUpperCase(),
    pullRequestCommit: null,
    review: () => (review === null || !isPullRequest(issue) ? null : reviewSource(view, repository, issue, review)),
  };
}

/** The label as it is now; one that has been deleted is shown by its name, as GitHub does. */
function eventLabel(repository: Repository, event: { readonly labelId: number; readonly label: string }): ShownLabel {
  const label = repository.labels.find((each) => each.id === event.labelId);
  if (label !== undefined) return label;
  return {
    id: event.labelId,
    nodeId: nodeId('label', event.labelId),
    name: event.label,
    color: 'ededed',
    description: null,
    updatedAt: null,
  };
}
