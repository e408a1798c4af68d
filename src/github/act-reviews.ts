import { z } from 'zod';
import type { ReviewThread } from '../lifecycle/facts.ts';
import { isHeardOut } from '../lifecycle/heard-out.ts';
import type { FeedbackAnswer } from '../lifecycle/memory.ts';
import { loginOf } from '../lifecycle/person.ts';
import { commitOfRun, factsOfPullRequest, isLockedError, makeOnce, type Stage } from './act-stage.ts';
import { holdMessage } from './comments.ts';
import { bearsMarker, type Marker } from './identifiers.ts';
import { statusOf } from './response-errors.ts';
import { answerComment } from './review-texts.ts';
import type { Held } from './session.ts';

/**
 * Dismisses the approvals of a plan before code lands on it. Where GitHub refuses (a protected branch may reserve
 * dismissals to some people) the check `planwright/code` holds alone.
 */
export async function holdApprovals(stage: Stage, reviews: readonly number[]): Promise<void> {
  const pullRequest = factsOfPullRequest(stage);
  if (pullRequest === null) return;
  for (const id of reviews) {
    const review = pullRequest.reviews.find((each) => each.id === id);
    if (review?.state !== 'APPROVED' || stage.made.done.has(`hold ${id}`)) continue;
    const marker: Marker = { kind: 'hold', thread: stage.key, cause: String(id) };
    const message = await stage.body(holdMessage(loginOf(review.author)), marker);
    const given = { ...stage.repository, pull_number: pullRequest.number, review_id: id, message };
    await stage.write('set an approval aside', async ({ client }) => {
      try {
        await client.rest.pulls.dismissReview({ ...given, event: 'DISMISS' });
        stage.context.dismissed = [...(stage.context.dismissed ?? []), id];
      } catch (error) {
        if (!isRefusal(error)) throw error;
        stage.log.warn({ review: id }, 'GitHub does not let the approval be dismissed; the check holds alone');
      }
    });
    stage.made.done.add(`hold ${id}`);
  }
}

function isRefusal(error: unknown): boolean {
  const status = statusOf(error);
  return status === 422 || status === 404 || (status === 403 && !/rate limit/i.test(String(error)));
}

/**
 * Answers each remark in its thread, once for each run, and resolves the threads whose remark was followed: never one in
 * which no answer stands, or in which more has been said since.
 */
export async function answerReviews(stage: Stage, run: string, answers: readonly FeedbackAnswer[]): Promise<void> {
  const pullRequest = factsOfPullRequest(stage);
  if (pullRequest === null) return;
  const commit = commitOfRun(stage, run);
  const { runs } = stage.context.memory;
  const followed: ReviewThread[] = [];
  for (const answer of answers) {
    const thread = pullRequest.threads.find(({ nodeId }) => nodeId === answer.thread);
    if (thread === undefined) continue;
    const marker: Marker = { kind: 'answer', thread: stage.key, cause: `${run}/${thread.nodeId}` };
    const isAnswered = await answerOnce(stage, pullRequest, {
      thread,
      marker,
      text: answerComment(answer, commit, stage.rules),
    });
    const isSettled = answer.changed && commit !== null && isHeardOut(stage.facts, pullRequest, runs, thread);
    if (isAnswered && isSettled) followed.push(thread);
  }
  await resolve(
    stage,
    followed.filter(({ isResolved, nodeId }) => !isResolved && !stage.made.done.has(`resolve ${nodeId}`)),
  );
}

/** @returns whether the answer stands in the thread: a deleted comment or a locked conversation takes none */
async function answerOnce(
  stage: Stage,
  pullRequest: { readonly number: number; readonly isLocked: boolean },
  order: { readonly thread: ReviewThread; readonly marker: Marker; readonly text: string },
): Promise<boolean> {
  const { thread, marker, text } = order;
  const name = `answer ${marker.cause}`;
  const isAnswered = thread.comments.some(
    ({ author, body }) => author?.isThisApp === true && bearsMarker(body, marker),
  );
  if (isAnswered || stage.made.done.has(name)) return true;
  const [first] = thread.comments;
  if (first === undefined || pullRequest.isLocked || stage.made.done.has(`no ${name}`)) return false;
  const given = { ...stage.repository, pull_number: pullRequest.number, comment_id: first.id };
  const body = await stage.body(text, marker);
  const isPosted = await stage.write('answer a review comment', async (held) => {
    try {
      return await makeOnce(
        async () => {
          await held.client.rest.pulls.createReplyForReviewComment({ ...given, body });
          return true;
        },
        () => findAnswer(stage, held, pullRequest.number, marker),
      );
    } catch (error) {
      if (!isLockedError(error) && statusOf(error) !== 404 && statusOf(error) !== 422) throw error;
      stage.log.info({ comment: first.id }, 'the review thread takes no answer');
      return false;
    }
  });
  stage.made.done.add(isPosted ? name : `no ${name}`);
  return isPosted;
}

async function findAnswer(stage: Stage, held: Held, number: number, marker: Marker): Promise<boolean | null> {
  const self = await stage.self();
  const given = { ...stage.repository, pull_number: number, per_page: 100 };
  const comments = await held.client.paginate(held.client.rest.pulls.listReviewComments, given);
  return comments.some(({ user, body }) => user.id === self.id && bearsMarker(body, marker)) ? true : null;
}

const resolvedAnswer = z.record(
  z.string(),
  z.object({ thread: z.object({ isResolved: z.boolean() }).nullable() }).nullable(),
);

/** All in one document; resolving what is resolved changes nothing. A refusal leaves them open, with their answers. */
async function resolve(stage: Stage, threads: readonly ReviewThread[]): Promise<void> {
  if (threads.length === 0) return;
  const parameters = threads.map((_, index) => `$thread${index}: ID!`).join(', ');
  const fields = threads.map(
    (_, index) =>
      `  thread${index}: resolveReviewThread(input: { threadId: $thread${index} }) { thread { isResolved } }`,
  );
  const variables = Object.fromEntries(threads.map(({ nodeId }, index) => [`thread${index}`, nodeId]));
  const text = `mutation ResolveThreads(${parameters}) {\n${fields.join('\n')}\n}`;
  await stage.write(
    'resolve review threads',
    async (held) => resolvedAnswer.parse(await held.mutate(text, variables, true)),
    'settle',
  );
  for (const { nodeId } of threads) stage.made.done.add(`resolve ${nodeId}`);
}
