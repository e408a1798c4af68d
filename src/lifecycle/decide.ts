/**
 * The life of a thread, decided from what GitHub shows now and what we remember of its runs.
 *
 * | state | what holds | leaves when |
 * |---|---|---|
 * | inactive | no writer's request stands | a writer sets the label, or says `/plan` |
 * | pending | the first plan run is queued | a worker takes it |
 * | planning | a plan run is at work | it ends |
 * | awaiting_answer | the run is parked: on questions, a call, a ceiling, or its wish to plan again | a writer answers; questions the author too |
 * | awaiting_approval | an open pull request holds the plan alone | approved, changes requested, `/replan`, closed, withdrawn |
 * | exit_pending | a run was told to stop | it has stopped |
 * | implementing | an implementation is queued, at work, or about to be pushed | it ends, asks for a change of the plan, or its approval is gone |
 * | implemented | the pull request holds code | changes requested on the code, `/replan`, merged, closed |
 * | failed | the last run failed | `/retry`, the label again, or another verdict, by a writer |
 * | abandoned | the pull request was closed, or the request withdrawn | a new request |
 * | completed | the pull request was merged | a new request |
 *
 * Pure: it accepts every input, never throws, and asks for nothing that the facts show done. What it does not
 * understand leaves the thread where it is.
 */
import { acknowledge } from './acknowledge.ts';
import type { Action, Decision } from './actions.ts';
import { awaitAnswers, awaitBudget, awaitPermission, awaitPlanMode } from './awaiting-answer.ts';
import { holdsCode, holdsCommitOf } from './branch.ts';
import { reviewCause, reviewsAmong } from './cause.ts';
import { whyNothingStarts } from './ceiling.ts';
import type { Facts, PullRequestFacts } from './facts.ts';
import { type Approval, isRoundOnCode, type Memory, type RunMemory, settleRun } from './memory.ts';
import { presentMisconfigured } from './misconfigured.ts';
import { holdApprovals, presentPlan, presentStep } from './presentation.ts';
import { foreignEdit } from './request-text.ts';
import { restStep } from './rest-step.ts';
import { standingVerdicts } from './standing-verdict.ts';
import { ownPullRequest, type Step, stateOfOrder, whyNotWanted } from './step.ts';
import { readThread, recheckGate, type Thread } from './thread.ts';
import { workIsKept } from './waiting-note.ts';

/** The state of a thread and what is to be done now, in order. The same facts and memory give the same decision. */
export function decide(facts: Facts, memory: Memory): Decision {
  if ('problems' in facts.policy) return presentMisconfigured(facts, memory, facts.policy.problems);
  const thread = readThread(facts, memory, facts.policy);
  const step = nextStep(thread);
  const shown = [...acknowledge(thread, step), ...presentStep(thread, step)];
  return { state: step.state, actions: [...step.work, ...shown, ...(step.close === undefined ? [] : [step.close])] };
}

function nextStep(thread: Thread): Step {
  const run = thread.lastRun;
  if (run === null) return restStep(thread);
  if (run.status === 'queued' || run.status === 'running' || run.status === 'stopping') {
    return inFlightStep(thread, run);
  }
  if (run.isSettled || run.outcome === null) return restStep(thread);
  switch (run.outcome.kind) {
    case 'plan_ready':
      return planReadyStep(thread, run);
    case 'work_ready':
      return workReadyStep(thread, run);
    case 'question': {
      const { questions } = run.outcome;
      return parkedStep(thread, run, () => awaitAnswers(thread, run, questions));
    }
    case 'amendment':
      return amendmentStep(thread, run);
    case 'plan_mode_asked':
      return parkedStep(thread, run, awaitPlanMode);
    case 'permission_asked':
      return parkedStep(thread, run, awaitPermission);
    case 'budget_reached':
      return parkedStep(thread, run, awaitBudget);
    case 'failed':
      return restStep(thread);
  }
}

function inFlightStep(thread: Thread, run: RunMemory): Step {
  const why = whyStop(thread, run);
  if (run.status === 'stopping') {
    // Asked for again before it has stopped: it is taken up anew once it has, and the model hears nothing of it.
    const isWantedAgain = run.phase === 'plan' && why === null && !thread.requests.isUnclear;
    return { state: isWantedAgain ? 'planning' : 'exit_pending', work: [] };
  }
  if (why !== null) return { state: 'exit_pending', work: [{ kind: 'stopRun', run: run.id, why }], note: why };
  if (run.status === 'running' && run.phase === 'plan') return { state: 'planning', work: [] };
  const held = run.status === 'queued' ? whyNothingStarts(thread.memory, thread.policy) : null;
  return { state: stateOfOrder(thread, run), work: [], ...(held === null ? {} : { note: held }) };
}

/** Why a run's work is no longer wanted; `null` while it is, and while that cannot be told. */
function whyStop(thread: Thread, run: RunMemory): string | null {
  const withdrawn = whyNotWanted(thread);
  if (withdrawn !== null) return withdrawn;
  const pullRequest = ownPullRequest(thread, run);
  if (pullRequest === null) return isUnheard(thread, run) ? 'The issue was edited after a plan was asked for.' : null;
  if (pullRequest.state === 'merged') return 'The pull request was merged.';
  if (pullRequest.state === 'closed') return 'The pull request was closed.';
  if (run.head !== pullRequest.head) return 'The pull request has a new head.';
  if (isRevision(run) && !isStillObjected(run, pullRequest)) return 'The request for changes was withdrawn.';
  if (run.approval === null) return null;
  const approval = recheckGate(thread, pullRequest, run.approval);
  return approval.current || approval.isUnclear ? null : `The plan is no longer approved. ${approval.why}`;
}

/** Whether a first run that the model has not answered yet would tell it what nobody with a say has asked for. */
function isUnheard({ facts, requests }: Thread, run: RunMemory): boolean {
  const { standing } = requests;
  if (standing === null || !run.causes.includes(standing.cause)) return false;
  return run.outcome === null && run.cost.turns === 0 && foreignEdit(facts, standing) !== null;
}

/** Whether the run answers reviews that request changes, on the plan or on the code. */
function isRevision(run: RunMemory): boolean {
  return reviewsAmong(run.causes).length > 0 && (run.approval === null || isRoundOnCode(run));
}

function isStillObjected(run: RunMemory, pullRequest: PullRequestFacts): boolean {
  return standingVerdicts(pullRequest).some(
    ({ kind, review }) => kind !== 'approves' && run.causes.includes(reviewCause(review.id)),
  );
}

/** Something the gate depends on could not be read: neither a reason to go on nor one to stop. `null` while all could. */
function whyUnclear(thread: Thread, pullRequest: PullRequestFacts, held: Approval): string | null {
  if (holdsCode(pullRequest)) return null;
  const approval = recheckGate(thread, pullRequest, held);
  if (approval.current)
    return thread.requests.isUnclear ? 'Whether the plan is still asked for could not be read.' : null;
  return approval.isUnclear ? approval.why : null;
}

function planReadyStep(thread: Thread, run: RunMemory): Step {
  if (run.outcome?.kind !== 'plan_ready') return restStep(thread);
  const pullRequest = ownPullRequest(thread, run);
  const isPushed =
    (pullRequest !== null && holdsCommitOf(pullRequest, run.id)) ||
    thread.facts.branches.some((branch) => branch.name === run.branch && branch.head.trailers?.run === run.id);
  const isOver = whyNotWanted(thread) !== null || (pullRequest !== null && pullRequest.state !== 'open');
  if (isOver) return settled(thread, run, isPushed ? 'published' : 'withdrawn');
  if (!isPushed && pullRequest !== null && pullRequest.head !== run.head) return settled(thread, run, 'superseded');
  const publish: Action = { kind: 'publishPlan', run: run.id };
  const { answers } = run.outcome;
  const answer: readonly Action[] = answers.length === 0 ? [] : [{ kind: 'answerReviews', run: run.id, answers }];
  const tell: readonly Action[] =
    run.head === null ? [] : [{ kind: 'tellRevision', run: run.id, from: run.head, answers }];
  const work = [publish, ...presentPlan(thread, run.branch), ...answer, ...tell];
  return { state: 'awaiting_approval', work, close: closeOf(run) };
}

function closeOf(run: RunMemory): Action {
  return { kind: 'settleRun', run: run.id, as: 'published' };
}

/** The outcome is let go, or already stands: what is next without it. */
function settled(thread: Thread, run: RunMemory, as: 'published' | 'withdrawn' | 'superseded', note?: string): Step {
  const closed = settleRun(run, as);
  const rest = restStep({
    ...thread,
    memory: { ...thread.memory, runs: [...thread.memory.runs.slice(0, -1), closed] },
    lastRun: closed,
  });
  return {
    ...(note === undefined ? {} : { note }),
    ...rest,
    work: [{ kind: 'settleRun', run: run.id, as }, ...rest.work],
  };
}

function workReadyStep(thread: Thread, run: RunMemory): Step {
  const pullRequest = ownPullRequest(thread, run);
  if (run.outcome?.kind !== 'work_ready' || run.approval === null || pullRequest === null) {
    return settled(thread, run, 'withdrawn');
  }
  const { report } = run.outcome;
  const publish: Action = { kind: 'publishImplementation', run: run.id };
  const show: readonly Action[] = [{ kind: 'setPullRequestText', run: run.id, report }];
  if (holdsCommitOf(pullRequest, run.id)) {
    return { state: 'implemented', work: [publish, ...show], close: closeOf(run) };
  }
  const why = whyStop(thread, run);
  if (why !== null) return settled(thread, run, 'withdrawn', `${why} Nothing was pushed.`);
  const unclear = whyUnclear(thread, pullRequest, run.approval);
  if (unclear !== null)
    return { state: 'implementing', work: [], note: `The work is done and not pushed yet. ${unclear}` };
  return { state: 'implemented', work: [...holdApprovals(pullRequest, run), publish, ...show], close: closeOf(run) };
}

/**
 * The amended plan takes the place of the approved one on the branch, and is reviewed like it. The run stays parked with its
 * work: an approval of the new head goes on with that.
 */
function amendmentStep(thread: Thread, run: RunMemory): Step {
  const pullRequest = ownPullRequest(thread, run);
  if (run.approval === null || run.head === null || pullRequest === null) return settled(thread, run, 'withdrawn');
  const isPushed = holdsCommitOf(pullRequest, run.id);
  if (isPushed && (whyNotWanted(thread) !== null || pullRequest.state !== 'open')) {
    return settled(thread, run, 'published');
  }
  if (!isPushed) {
    // A plan that stands beside code cannot be reviewed, and to put it there would take the code out.
    if (holdsCode(pullRequest)) return settled(thread, run, 'superseded');
    const why = whyStop(thread, run);
    if (why !== null) return settled(thread, run, 'withdrawn', `${why} The change of the plan was not proposed.`);
    const unclear = whyUnclear(thread, pullRequest, run.approval);
    if (unclear !== null) return { state: 'implementing', work: [], note: unclear };
  }
  const publish: Action = { kind: 'publishPlan', run: run.id };
  const tell: Action = { kind: 'tellAmendment', run: run.id, from: run.head };
  const work = [publish, ...presentPlan(thread, run.branch), tell];
  return { state: 'awaiting_approval', work, close: closeOf(run), note: workIsKept };
}

/** A run that waits for people goes on by their word, for as long as its work is wanted. */
function parkedStep(thread: Thread, run: RunMemory, wait: (thread: Thread, run: RunMemory) => Step): Step {
  const why = whyStop(thread, run);
  return why === null ? wait(thread, run) : settled(thread, run, 'withdrawn', why);
}
