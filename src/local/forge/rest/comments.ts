import { notFound } from '../forge-error.ts';
import { findComment } from '../lookup.ts';
import { addReaction, createComment, deleteComment, editComment } from '../operations.ts';
import { commentShape, reactionShape } from '../shapes/issue.ts';
import type { Issue, IssueComment } from '../state.ts';
import { type Answer, type Call, created, type Handler, NO_CONTENT, ok, openRepository, page } from './call.ts';
import { openIssue } from './issues.ts';
import type { OperationId } from './operation-ids.ts';

function openComment(call: Call) {
  const { actor, repository } = openRepository(call, 'issues', 'pull_requests');
  const found = findComment(repository, Number(call.params.comment_id));
  if (found === null) throw notFound();
  return { actor, repository, ...found };
}

function create(call: Call): Answer {
  const { actor, repository, issue } = openIssue(call);
  const comment = createComment(call.forge, actor, repository, issue, String(call.body.body));
  return created(commentShape(call.forge, repository, issue, comment));
}

function update(call: Call): Answer {
  const { actor, repository, issue, comment } = openComment(call);
  editComment(call.forge, actor, repository, issue, comment, String(call.body.body));
  return ok(commentShape(call.forge, repository, issue, comment));
}

function listReactions(call: Call, target: Issue | IssueComment): Answer {
  const wanted = call.query.content;
  const reactions = target.reactions.filter((each) => wanted === undefined || each.content === wanted);
  return page(call, reactions, (reaction) => reactionShape(call.forge, reaction));
}

/** 201 for a new reaction, 200 for one that was there. */
function react(
  call: Call,
  target: Issue | IssueComment,
  on: Pick<ReturnType<typeof openIssue>, 'actor' | 'repository' | 'issue'>,
): Answer {
  const { actor, repository, issue } = on;
  const { reaction, created: isNew } = addReaction(
    call.forge,
    actor,
    repository,
    issue,
    target,
    String(call.body.content),
  );
  return { status: isNew ? 201 : 200, body: reactionShape(call.forge, reaction) };
}

export const commentHandlers = {
  'issues/list-comments': (call) => {
    const { repository, issue } = openIssue(call);
    return page(call, issue.comments, (comment) => commentShape(call.forge, repository, issue, comment));
  },
  'issues/create-comment': create,
  'issues/get-comment': (call) => {
    const { repository, issue, comment } = openComment(call);
    return ok(commentShape(call.forge, repository, issue, comment));
  },
  'issues/update-comment': update,
  'issues/delete-comment': (call) => {
    const { actor, repository, issue, comment } = openComment(call);
    deleteComment(call.forge, actor, repository, issue, comment);
    return NO_CONTENT;
  },
  'reactions/list-for-issue': (call) => listReactions(call, openIssue(call).issue),
  'reactions/create-for-issue': (call) => {
    const opened = openIssue(call);
    return react(call, opened.issue, opened);
  },
  'reactions/list-for-issue-comment': (call) => listReactions(call, openComment(call).comment),
  'reactions/create-for-issue-comment': (call) => {
    const opened = openComment(call);
    return react(call, opened.comment, opened);
  },
} as const satisfies Partial<Record<OperationId, Handler>>;
