/** What GitHub's `Comment` interface asks of everything that a person writes, and the comments of a conversation. */
import { associationOf } from '../access.ts';
import { isPullRequest } from '../lookup.ts';
import { issuePage } from '../shapes/issue.ts';
import type { Account, Issue, IssueComment, Repository } from '../state.ts';
import { nullableActorSource } from './account.ts';
import { connection } from './connection.ts';
import { issueSource } from './issue.ts';
import { pullRequestSource } from './pull-request.ts';
import { reactionFields } from './reaction.ts';
import { repositorySource } from './repository.ts';
import { type Args, type Info, inputArg, type Source } from './source.ts';
import { addresses, isViewer, requireRead, type View } from './view.ts';

interface Written {
  readonly id: number;
  readonly nodeId: string;
  readonly author: Account | null;
  readonly body: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastEditedAt: string | null;
}

/** The fields that issues, pull requests, reviews and all comments share. */
export function writtenFields(view: View, repository: Repository, written: Written, url: string) {
  return {
    id: written.nodeId,
    databaseId: written.id,
    fullDatabaseId: String(written.id),
    author: nullableActorSource(view, written.author),
    authorAssociation: associationOf(repository, written.author),
    body: written.body ?? '',
    createdAt: written.createdAt,
    publishedAt: written.createdAt,
    updatedAt: written.updatedAt,
    lastEditedAt: written.lastEditedAt,
    // The state does not keep who edited: asking that of an edited text is an error.
    editor: written.lastEditedAt === null ? null : undefined,
    includesCreatedEdit: written.lastEditedAt !== null,
    createdViaEmail: false,
    isMinimized: false,
    minimizedReason: null,
    viewerDidAuthor: isViewer(view, written.author),
    ...addresses(view, url),
    repository: () => repositorySource(view, repository),
  };
}

export function issueCommentSource(view: View, repository: Repository, issue: Issue, comment: IssueComment): Source {
  const self = (): Source => issueCommentSource(view, repository, issue, comment);
  const url = `${issuePage(view.forge, repository, issue)}#issuecomment-${comment.id}`;
  return {
    __typename: 'IssueComment',
    ...writtenFields(view, repository, comment, url),
    issue: () => issueSource(view, repository, issue),
    pullRequest: () => (isPullRequest(issue) ? pullRequestSource(view, repository, issue) : null),
    ...reactionFields(view, repository, comment, self),
  };
}

export function commentConnection(view: View, repository: Repository, issue: Issue, args: Args, info: Info): Source {
  requireRead(view, repository, 'conversation');
  const order = inputArg(args, 'orderBy');
  const items = order.field === 'UPDATED_AT' ? issue.comments.toSorted(byUpdate) : issue.comments;
  return connection(args, info, {
    items: order.direction === 'DESC' ? items.toReversed() : items,
    keyOf: (comment) => comment.id,
    present: (comment) => issueCommentSource(view, repository, issue, comment),
  });
}

function byUpdate(one: IssueComment, other: IssueComment): number {
  return Date.parse(one.updatedAt) - Date.parse(other.updatedAt);
}
