import { isPullRequest } from '../lookup.ts';
import { nodeId } from '../node-id.ts';
import { issuePage } from '../shapes/issue.ts';
import type { Account, Issue, Repository } from '../state.ts';
import { nullableActorSource, userSource } from './account.ts';
import { commentConnection, writtenFields } from './comment.ts';
import { connection } from './connection.ts';
import { labelConnection } from './label.ts';
import { pullRequestSource } from './pull-request.ts';
import { reactionFields } from './reaction.ts';
import type { Args, Info, Source } from './source.ts';
import { timelineConnection } from './timeline.ts';
import type { View } from './view.ts';

/** What an issue and the issue side of a pull request have in common. */
export function conversationFields(view: View, repository: Repository, issue: Issue, self: () => Source) {
  const participants = [issue.author, ...issue.comments.map((comment) => comment.author)];
  return {
    ...writtenFields(view, repository, issue, issuePage(view.forge, repository, issue)),
    number: issue.number,
    title: issue.title,
    closed: issue.state === 'closed',
    closedAt: issue.closedAt,
    locked: issue.locked,
    activeLockReason: null,
    milestone: null,
    labels: (args: Args, info: Info) =>
      labelConnection(
        view,
        repository,
        repository.labels.filter((label) => issue.labels.includes(label.name)),
        args,
        info,
      ),
    assignees: (args: Args, info: Info) => userConnection(view, issue.assignees, args, info),
    participants: (args: Args, info: Info) => userConnection(view, participants, args, info),
    comments: (args: Args, info: Info) => commentConnection(view, repository, issue, args, info),
    timelineItems: (args: Args, info: Info) => timelineConnection(view, repository, issue, args, info),
    userContentEdits: (args: Args, info: Info) => editConnection(view, issue, args, info),
    ...reactionFields(view, repository, issue, self),
  } satisfies Source;
}

/** The states of the body, newest first, as GitHub lists them: the one it was posted with is the last. */
function editConnection(view: View, issue: Issue, args: Args, info: Info): Source {
  return connection(args, info, {
    items: issue.edits.toReversed(),
    keyOf: (edit) => edit.id,
    present: (edit) => ({
      __typename: 'UserContentEdit',
      id: nodeId('contentEdit', edit.id),
      editor: nullableActorSource(view, edit.editor),
      editedAt: edit.editedAt,
      createdAt: edit.editedAt,
      updatedAt: edit.editedAt,
      deletedAt: null,
      deletedBy: null,
    }),
  });
}

export function issueSource(view: View, repository: Repository, issue: Issue): Source {
  return {
    __typename: 'Issue',
    ...conversationFields(view, repository, issue, () => issueSource(view, repository, issue)),
    state: issue.state.toUpperCase(),
    stateReason: issue.stateReason === null ? null : issue.stateReason.toUpperCase(),
    isPinned: false,
    parent: null,
  };
}

/** The issue as what it is: an `Issue` or a `PullRequest`. */
export function conversationSource(view: View, repository: Repository, issue: Issue): Source {
  return isPullRequest(issue) ? pullRequestSource(view, repository, issue) : issueSource(view, repository, issue);
}

function userConnection(view: View, accounts: readonly (Account | null)[], args: Args, info: Info): Source {
  const known = accounts.filter((account) => account !== null);
  const items = known.filter((account, index) => known.findIndex((each) => each.id === account.id) === index);
  return connection(args, info, { items, keyOf: (account) => account.id, present: (each) => userSource(view, each) });
}
