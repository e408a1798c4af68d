import { type Actor, actingAccount } from '../access.ts';
import { notFound } from '../forge-error.ts';
import { isPullRequest, type PullRequestIssue } from '../lookup.ts';
import { commentsOf, editReviewComment, replyToThread, submitReview } from '../operations.ts';
import { reviewCommentShape } from '../shapes/review.ts';
import type { Repository, ReviewComment, ReviewThread } from '../state.ts';
import { type Answer, type Call, created, type Handler, ok, openRepository, page } from './call.ts';
import { readText } from './fields.ts';
import type { OperationId } from './operation-ids.ts';
import { openPull } from './pull-requests.ts';
import { readLineComment } from './reviews.ts';

interface Placed {
  readonly pull: PullRequestIssue;
  readonly thread: ReviewThread;
  readonly comment: ReviewComment;
}

/** Comments of reviews that are submitted, or the actor's own, oldest first. */
function visibleComments(actor: Actor, pull: PullRequestIssue): readonly Placed[] {
  const pending = new Set(
    pull.pullRequest.reviews
      .filter((each) => each.state === 'PENDING' && each.author?.id !== actingAccount(actor).id)
      .map((each) => each.id),
  );
  return pull.pullRequest.threads
    .flatMap((thread) => thread.comments.map((comment) => ({ pull, thread, comment })))
    .filter(({ comment }) => !pending.has(comment.reviewId))
    .toSorted((one, other) => one.comment.id - other.comment.id);
}

function openComment(call: Call): Placed & { readonly actor: Actor; readonly repository: Repository } {
  const { actor, repository } = openRepository(call, 'pull_requests');
  const id = Number(call.params.comment_id);
  const all = repository.issues.filter(isPullRequest).flatMap((pull) => visibleComments(actor, pull));
  const found = all.find(({ comment }) => comment.id === id);
  if (found === undefined) throw notFound();
  return { actor, repository, ...found };
}

/** One comment on a line, a range or a file: a COMMENTED review of its own. */
function create(call: Call): Answer {
  const { actor, repository, pull } = openPull(call);
  const review = submitReview(call.forge, actor, repository, pull, {
    event: 'COMMENT',
    commit: readText(call.body, 'commit_id'),
    comments: [readLineComment(call.body)],
  });
  const [placed] = commentsOf(pull, review);
  if (placed === undefined) throw notFound();
  return created(reviewCommentShape(call.forge, repository, pull, placed.thread, placed.comment));
}

/** Only the first comment of a thread takes replies. */
function reply(call: Call): Answer {
  const { actor, repository, pull } = openPull(call);
  const id = Number(call.params.comment_id);
  const thread = pull.pullRequest.threads.find((each) => each.comments[0]?.id === id);
  if (thread === undefined) throw notFound();
  const comment = replyToThread(call.forge, actor, repository, pull, thread, String(call.body.body));
  return created(reviewCommentShape(call.forge, repository, pull, thread, comment));
}

export const reviewCommentHandlers = {
  'pulls/list-review-comments': (call) => {
    const { actor, repository, pull } = openPull(call);
    return page(call, visibleComments(actor, pull), ({ thread, comment }) =>
      reviewCommentShape(call.forge, repository, pull, thread, comment),
    );
  },
  'pulls/create-review-comment': create,
  'pulls/create-reply-for-review-comment': reply,
  'pulls/get-review-comment': (call) => {
    const { repository, pull, thread, comment } = openComment(call);
    return ok(reviewCommentShape(call.forge, repository, pull, thread, comment));
  },
  'pulls/update-review-comment': (call) => {
    const { actor, repository, pull, thread, comment } = openComment(call);
    editReviewComment(call.forge, actor, repository, pull, thread, comment, String(call.body.body));
    return ok(reviewCommentShape(call.forge, repository, pull, thread, comment));
  },
} as const satisfies Partial<Record<OperationId, Handler>>;
