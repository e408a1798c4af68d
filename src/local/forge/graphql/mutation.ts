/** GraphQL's mutations, each through the operation that REST and the pages use too. */
import { GraphQLError } from 'graphql';
import {
  addLabels,
  addReaction,
  convertToDraft,
  createComment,
  createLabel,
  dismissReview,
  editComment,
  markReady,
  removeLabel,
  replyToThread,
  resolveThread,
} from '../operations.ts';
import type { Issue, IssueComment, Repository } from '../state.ts';
import { issueCommentSource } from './comment.ts';
import { conversationSource } from './issue.ts';
import { labelSource } from './label.ts';
import { type Found, foundSource, requireNode, unresolvedNode } from './node.ts';
import { pullRequestSource } from './pull-request.ts';
import { REACTION_WORDS, reactionFields, reactionSource } from './reaction.ts';
import { reviewSource } from './review.ts';
import { reviewCommentSource, threadSource } from './review-thread.ts';
import { type Args, inputArg, listArg, type Resolve, type Source, textArg } from './source.ts';
import type { View } from './view.ts';

/** Carries out one mutation and returns its payload. */
type Mutation = (view: View, input: Args) => Source;

/** The node of the wanted kind that the input's field names. */
function nodeOf<Kind extends Found['kind']>(view: View, input: Args, field: string, ...kinds: readonly Kind[]) {
  const id = textArg(input, field) ?? '';
  const found = requireNode(view, id);
  if (isOneOf(found, kinds)) return found;
  throw unresolvedNode(id);
}

function isOneOf<Kind extends Found['kind']>(
  found: Found,
  kinds: readonly Kind[],
): found is Extract<Found, { readonly kind: Kind }> {
  return kinds.some((kind) => kind === found.kind);
}

function issueOf(found: Extract<Found, { readonly kind: 'issue' | 'pullRequest' }>): Issue {
  return found.kind === 'issue' ? found.issue : found.pull;
}

function setDraft(change: typeof markReady): Mutation {
  return (view, input) => {
    const { repository, pull } = nodeOf(view, input, 'pullRequestId', 'pullRequest');
    change(view.forge, view.actor, repository, pull);
    return { pullRequest: pullRequestSource(view, repository, pull) };
  };
}

function setResolved(resolved: boolean): Mutation {
  return (view, input) => {
    const { repository, pull, thread } = nodeOf(view, input, 'threadId', 'thread');
    resolveThread(view.forge, view.actor, repository, pull, thread, resolved);
    return { thread: threadSource(view, repository, pull, thread) };
  };
}

const addThreadReply: Mutation = (view, input) => {
  const { repository, pull, thread } = nodeOf(view, input, 'pullRequestReviewThreadId', 'thread');
  const comment = replyToThread(view.forge, view.actor, repository, pull, thread, textArg(input, 'body') ?? '');
  return { comment: reviewCommentSource(view, repository, pull, thread, comment) };
};

/** The issue, pull request or comment that takes the reaction. */
function reactableOf(view: View, input: Args) {
  const found = nodeOf(view, input, 'subjectId', 'issue', 'pullRequest', 'issueComment');
  const issue = found.kind === 'issueComment' ? found.issue : issueOf(found);
  const target: Issue | IssueComment = found.kind === 'issueComment' ? found.comment : issue;
  const content = REACTION_WORDS[textArg(input, 'content') ?? ''] ?? '';
  return { found, repository: found.repository, issue, target, content };
}

const react: Mutation = (view, input) => {
  const { found, repository, issue, target, content } = reactableOf(view, input);
  const { reaction } = addReaction(view.forge, view.actor, repository, issue, target, content);
  const subject = (): Source => foundSource(view, found);
  const { reactionGroups } = reactionFields(view, repository, target, subject);
  return { reaction: reactionSource(view, reaction, subject), reactionGroups, subject };
};

function labelNames(repository: Repository, input: Args): readonly string[] {
  return (listArg(input, 'labelIds') ?? []).map((id) => {
    const label = repository.labels.find((each) => each.nodeId === id);
    if (label === undefined) throw unresolvedNode(id);
    return label.name;
  });
}

const addLabelsToLabelable: Mutation = (view, input) => {
  const found = nodeOf(view, input, 'labelableId', 'issue', 'pullRequest');
  const { repository } = found;
  addLabels(view.forge, view.actor, repository, issueOf(found), labelNames(repository, input));
  return { labelable: conversationSource(view, repository, issueOf(found)) };
};

/** A label that is not on it is no error here, other than in REST. */
const removeLabelsFromLabelable: Mutation = (view, input) => {
  const found = nodeOf(view, input, 'labelableId', 'issue', 'pullRequest');
  const { repository } = found;
  const issue = issueOf(found);
  for (const name of labelNames(repository, input)) {
    if (issue.labels.includes(name)) removeLabel(view.forge, view.actor, repository, issue, name);
  }
  return { labelable: conversationSource(view, repository, issue) };
};

const makeLabel: Mutation = (view, input) => {
  const { repository } = nodeOf(view, input, 'repositoryId', 'repository');
  const color = textArg(input, 'color') ?? '';
  if (!/^[0-9a-f]{6}$/i.test(color)) {
    throw new GraphQLError('Color must be a hex code without the leading #', { extensions: { type: 'UNPROCESSABLE' } });
  }
  const text = { name: textArg(input, 'name') ?? '', color, description: textArg(input, 'description') };
  const label = createLabel(view.forge, view.actor, repository, text);
  return { label: labelSource(view, repository, label) };
};

const updateIssueComment: Mutation = (view, input) => {
  const { repository, issue, comment } = nodeOf(view, input, 'id', 'issueComment');
  editComment(view.forge, view.actor, repository, issue, comment, textArg(input, 'body') ?? '');
  return { issueComment: issueCommentSource(view, repository, issue, comment) };
};

const addComment: Mutation = (view, input) => {
  const found = nodeOf(view, input, 'subjectId', 'issue', 'pullRequest');
  const { repository } = found;
  const issue = issueOf(found);
  const comment = createComment(view.forge, view.actor, repository, issue, textArg(input, 'body') ?? '');
  const edge = (): Source => ({
    cursor: Buffer.from(`cursor:v2:${issue.comments.length - 1}:${comment.id}`).toString('base64'),
    node: issueCommentSource(view, repository, issue, comment),
  });
  return { commentEdge: edge, timelineEdge: edge, subject: () => conversationSource(view, repository, issue) };
};

const dismissPullRequestReview: Mutation = (view, input) => {
  const { repository, pull, review } = nodeOf(view, input, 'pullRequestReviewId', 'review');
  dismissReview(view.forge, view.actor, repository, pull, review, textArg(input, 'message') ?? '');
  return { pullRequestReview: reviewSource(view, repository, pull, review) };
};

const MUTATIONS: Readonly<Record<string, Mutation>> = {
  markPullRequestReadyForReview: setDraft(markReady),
  convertPullRequestToDraft: setDraft(convertToDraft),
  resolveReviewThread: setResolved(true),
  unresolveReviewThread: setResolved(false),
  addPullRequestReviewThreadReply: addThreadReply,
  addReaction: react,
  addLabelsToLabelable,
  removeLabelsFromLabelable,
  createLabel: makeLabel,
  updateIssueComment,
  addComment,
  dismissPullRequestReview,
};

/** The root of a mutation: its fields are carried out one after the other, in the document's order. */
export function mutationRoot(view: View): Source {
  const field =
    (mutation: Mutation): Resolve =>
    (args) => {
      const input = inputArg(args, 'input');
      return { clientMutationId: textArg(input, 'clientMutationId'), ...mutation(view, input) };
    };
  return Object.fromEntries(Object.entries(MUTATIONS).map(([name, mutation]) => [name, field(mutation)]));
}
