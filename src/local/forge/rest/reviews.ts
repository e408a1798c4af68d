import { notFound } from '../forge-error.ts';
import { getReview } from '../lookup.ts';
import {
  commentsOf,
  dismissReview,
  editReview,
  type LineComment,
  submitPending,
  submitReview,
  visibleReviews,
} from '../operations.ts';
import { legacyReviewCommentShape, reviewShape } from '../shapes/review.ts';
import { type Answer, type Call, type Handler, ok, page } from './call.ts';
import { type Fields, isFields, readList, readNumber, readText, readWord } from './fields.ts';
import type { OperationId } from './operation-ids.ts';
import { openPull } from './pull-requests.ts';

const EVENTS = ['APPROVE', 'REQUEST_CHANGES', 'COMMENT'] as const;

/** A review that the actor sees. @throws {ForgeError} 404 */
function openReview(call: Call) {
  const { actor, repository, pull } = openPull(call);
  const review = getReview(pull, Number(call.params.review_id));
  if (!visibleReviews(actor, pull).includes(review)) throw notFound();
  return { actor, repository, pull, review };
}

export function readLineComment(fields: Fields): LineComment {
  const isFile = fields.subject_type === 'file';
  return {
    path: String(fields.path),
    body: String(fields.body),
    line: isFile ? null : (readNumber(fields, 'line') ?? readNumber(fields, 'position') ?? null),
    startLine: readNumber(fields, 'start_line'),
    side: readWord(fields, 'side', ['LEFT', 'RIGHT']),
  };
}

function create(call: Call): Answer {
  const { actor, repository, pull } = openPull(call);
  const review = submitReview(call.forge, actor, repository, pull, {
    event: readWord(call.body, 'event', EVENTS) ?? null,
    body: readText(call.body, 'body'),
    commit: readText(call.body, 'commit_id'),
    comments: (readList(call.body, 'comments') ?? []).filter(isFields).map(readLineComment),
  });
  return ok(reviewShape(call.forge, repository, pull, review));
}

function submit(call: Call): Answer {
  const { actor, repository, pull, review } = openReview(call);
  const event = readWord(call.body, 'event', EVENTS) ?? 'COMMENT';
  submitPending(call.forge, actor, repository, pull, review, { event, body: readText(call.body, 'body') });
  return ok(reviewShape(call.forge, repository, pull, review));
}

function dismiss(call: Call): Answer {
  const { actor, repository, pull, review } = openReview(call);
  dismissReview(call.forge, actor, repository, pull, review, String(call.body.message));
  return ok(reviewShape(call.forge, repository, pull, review));
}

export const reviewHandlers = {
  'pulls/list-reviews': (call) => {
    const { actor, repository, pull } = openPull(call);
    return page(call, visibleReviews(actor, pull), (review) => reviewShape(call.forge, repository, pull, review));
  },
  'pulls/create-review': create,
  'pulls/get-review': (call) => {
    const { repository, pull, review } = openReview(call);
    return ok(reviewShape(call.forge, repository, pull, review));
  },
  'pulls/update-review': (call) => {
    const { actor, repository, pull, review } = openReview(call);
    editReview(call.forge, actor, repository, pull, review, String(call.body.body));
    return ok(reviewShape(call.forge, repository, pull, review));
  },
  'pulls/submit-review': submit,
  'pulls/dismiss-review': dismiss,
  'pulls/list-comments-for-review': (call) => {
    const { repository, pull, review } = openReview(call);
    return page(call, commentsOf(pull, review), ({ thread, comment }) =>
      legacyReviewCommentShape(call.forge, repository, pull, thread, comment),
    );
  },
} as const satisfies Partial<Record<OperationId, Handler>>;
