/** Verdicts that a change of the pull request has overtaken: whose, and who is asked to look again. */
import type { Action } from './actions.ts';
import { whyStale } from './approval-gate.ts';
import { holdsCode, holdsCommitOf } from './branch.ts';
import { reviewCause } from './cause.ts';
import { isEligible } from './eligibility.ts';
import type { Facts, PullRequestFacts, Review } from './facts.ts';
import type { Policy } from './policy.ts';
import { type Standing, standingVerdicts } from './standing-verdict.ts';
import type { Step } from './step.ts';
import type { Thread } from './thread.ts';

/** Who is asked to look at the plan of a run again: whoever has a verdict that can count, but not one on that very plan. */
export function reviewersToLookAgain(
  facts: Facts,
  policy: Policy,
  pullRequest: PullRequestFacts,
  run: string | null,
): readonly string[] {
  const isPublished = holdsCommitOf(pullRequest, run);
  const isOfThat = ({ kind, review }: Standing) =>
    isPublished && kind === 'approves' && whyStale(pullRequest, review) === null;
  return standingVerdicts(pullRequest)
    .filter((standing) => !isOfThat(standing) && isEligible(facts, policy, standing.person))
    .map(({ person }) => person.login);
}

/**
 * Tells once whose approval no longer counts, and asks them again. Not while something is at work that changes the plan
 * anyway and tells of them itself, nor once there is code, which the approval was never for.
 */
export function tellLapsed(thread: Thread, step: Step): readonly Action[] {
  const { pullRequest } = thread;
  const isAtWork = step.work.some(({ kind }) => kind === 'startRun' || kind === 'publishPlan');
  const isAtRest = (step.state === 'awaiting_approval' || step.state === 'failed') && !isAtWork;
  if (pullRequest?.state !== 'open' || !isAtRest || holdsCode(pullRequest)) return [];
  const lapsed = lapsedApprovals(thread, pullRequest);
  if (lapsed.length === 0) return [];
  const newest = Math.max(...lapsed.map(({ review }) => review.id));
  const cause = `${reviewCause(newest)}@${pullRequest.head}`;
  if (pullRequest.comments.some(({ marker }) => marker === `lapsed:${cause}`)) return [];
  return [
    { kind: 'requestReviewers', logins: lapsed.map(({ person }) => person.login) },
    {
      kind: 'tellLapsed',
      cause,
      lapsed: lapsed.map(({ person, review, why }) => ({
        login: person.login,
        why: `${why}${eventOf(pullRequest, review)}`,
      })),
    },
  ];
}

type Lapsed = Standing & { readonly why: string };

function lapsedApprovals({ facts, policy, requests }: Thread, pullRequest: PullRequestFacts): readonly Lapsed[] {
  return standingVerdicts(pullRequest).flatMap((standing) => {
    const { kind, person, review } = standing;
    const mayNot = policy.approval.notByRequester && requests.askers?.some(({ id }) => id === person.id);
    if (kind !== 'approves' || mayNot || !isEligible(facts, policy, person)) return [];
    const stale = whyStale(pullRequest, review);
    return stale === null || isToldWithPlan(pullRequest, standing) ? [] : [{ ...standing, why: stale.why }];
  });
}

/**
 * Whether what this app said of its own new plan reached the person too: a request for a review that stands was made after
 * their last one, which had ended the one before; whoever has reviewed the new plan since, has seen it.
 */
function isToldWithPlan(
  { commits, head, comments, requestedReviewers, reviews }: PullRequestFacts,
  { person }: Standing,
): boolean {
  const run = commits.find(({ sha }) => sha === head)?.trailers?.run;
  const isTold = comments.some(({ marker }) => marker === `revision:${run}` || marker === `amendment:${run}`);
  const isAsked = requestedReviewers.some((login) => login.toLowerCase() === person.login.toLowerCase());
  return isTold && (isAsked || reviews.some(({ author, commit }) => author?.id === person.id && commit === head));
}

function eventOf({ commits, head }: PullRequestFacts, { commit }: Review): string {
  if (commit === head) return '';
  const trailers = commits.find(({ sha }) => sha === head)?.trailers ?? null;
  return trailers === null ? ': a person has changed the branch since' : ': the plan was revised since';
}
