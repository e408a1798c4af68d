/** What a thread's facts and memory mean together: the reading that `decide` decides on. */
import type { Occasion } from './actions.ts';
import { workToResume } from './amendment.ts';
import { questionsAnswered } from './answers.ts';
import { type GateVerdict, type Recheck, readApprovalGate, recheckApproval } from './approval-gate.ts';
import { currentPullRequest, holdsCode } from './branch.ts';
import { commentsAmong, reviewCause, reviewsAmong } from './cause.ts';
import { commandsOf } from './command.ts';
import { isEligible } from './eligibility.ts';
import type { Facts, PullRequestFacts, Review } from './facts.ts';
import { type Approval, isRoundOnCode, type Memory, type RunMemory } from './memory.ts';
import type { Policy } from './policy.ts';
import { whyNotBorneOut } from './recorded-approval.ts';
import { type Requests, readRequests } from './request.ts';
import { standingVerdicts } from './standing-verdict.ts';

export interface Thread {
  readonly facts: Facts;
  readonly memory: Memory;
  readonly policy: Policy;
  readonly requests: Requests;
  /** The newest pull request, in whatever state. */
  readonly pullRequest: PullRequestFacts | null;
  readonly lastRun: RunMemory | null;
}

export function readThread(facts: Facts, memory: Memory, policy: Policy): Thread {
  return {
    facts,
    memory,
    policy,
    requests: readRequests(facts, memory, policy),
    pullRequest: currentPullRequest(facts),
    lastRun: memory.runs.at(-1) ?? null,
  };
}

/**
 * Whether a cause has had its run. A cancelled run answers nothing: its cause stands again once the reason to stop is
 * gone. A superseded one is tried again, up to the policy's number of attempts.
 */
export function isAnswered(thread: Thread, cause: string): boolean {
  const runs = thread.memory.runs.filter((run) => run.causes.includes(cause));
  if (runs.some((run) => run.status !== 'cancelled' && !isSuperseded(run))) return true;
  if (runs.filter(isSuperseded).length >= thread.policy.budget.maxAttempts) return true;
  const commits = thread.pullRequest?.commits ?? [];
  return commits.some((commit) => commit.trailers?.reviews.some((review) => reviewCause(review) === cause));
}

/** Whether a run's result was given up because the plan file had changed meanwhile. */
export function isSuperseded(run: RunMemory): boolean {
  return run.outcome?.kind === 'failed' && run.outcome.reason === 'superseded';
}

/** Reviews by eligible people that request changes, are their latest verdict and have had no run yet. */
export function openObjections(thread: Thread, pullRequest: PullRequestFacts): readonly Review[] {
  return standingVerdicts(pullRequest)
    .filter(({ kind, person }) => kind === 'objects' && isEligible(thread.facts, thread.policy, person))
    .map(({ review }) => review)
    .filter((review) => !isAnswered(thread, reviewCause(review.id)));
}

/** Ids of the reviews that a run would answer now, in ascending order: the open objections, and the comments that wait. */
export function openFeedback(thread: Thread, pullRequest: PullRequestFacts): readonly number[] {
  const reviews = [...openObjections(thread, pullRequest), ...waitingComments(thread, pullRequest)];
  return reviews.map((review) => review.id).toSorted((a, b) => a - b);
}

/** Comments without a verdict by eligible people: they wait, and go with the next verdict. */
function waitingComments(thread: Thread, pullRequest: PullRequestFacts): readonly Review[] {
  return pullRequest.reviews.filter(
    (review) =>
      review.state === 'COMMENTED' &&
      isEligible(thread.facts, thread.policy, review.author) &&
      !isAnswered(thread, reviewCause(review.id)),
  );
}

/** Whether the plan at the pull request's head is approved now, with no approval held over from before. */
export function readGate(thread: Thread, pullRequest: PullRequestFacts): GateVerdict {
  const { askers } = thread.requests;
  return readApprovalGate(thread.facts, thread.policy, { pullRequest, askers, held: null });
}

/**
 * Whether an approval that a run goes by still stands, and if not, why not. Once there is code the gate has closed behind
 * it, and the approval stands for as long as the pull request bears it out.
 */
export function recheckGate(thread: Thread, pullRequest: PullRequestFacts, held: Approval): Recheck {
  if (holdsCode(pullRequest)) {
    const why = whyNotBorneOut(thread.facts, pullRequest, held);
    return why === null ? { current: true } : { current: false, why, isUnclear: false };
  }
  const { askers } = thread.requests;
  return recheckApproval(thread.facts, thread.policy, { pullRequest, askers, held });
}

/** The occasion that a run had, for when it goes once more. */
export function occasionOf(thread: Thread, run: RunMemory): Occasion {
  const reviews = reviewsAmong(run.causes);
  const answer = run.phase === 'plan' ? answersOf(thread, run) : null;
  if (answer !== null) return answer;
  if (run.phase === 'implement') {
    if (isRoundOnCode(run)) return { kind: 'code_reviews', reviews };
    return { kind: 'approval', reviews, resumes: workToResume(thread.memory.runs, run.branch, run.base)?.id ?? null };
  }
  if (reviews.length > 0) return { kind: 'reviews', reviews };
  if (run.head !== null) {
    const command = commandsOf(thread.facts).find(({ cause, name }) => name === 'replan' && run.causes.includes(cause));
    return { kind: 'replan', text: command?.text ?? null };
  }
  return { kind: 'request', text: thread.requests.standing?.text ?? null };
}

/** The answers that a run was ordered for; `null` where it was not. */
function answersOf({ facts, memory }: Thread, run: RunMemory): Occasion | null {
  if (questionsAnswered(memory.runs, run).length === 0) return null;
  const words = commandsOf(facts).filter(({ cause }) => run.causes.includes(cause));
  const isContinued = words.some(({ name }) => name === 'continue');
  const commands = new Set(words.filter(({ name }) => name !== 'continue').map(({ comment }) => comment.id));
  const comments = commentsAmong(run.causes).filter((id) => !commands.has(id));
  return comments.length === 0 ? null : { kind: 'answer', comments, isContinued };
}
