/** What happens next in a thread in which nothing runs and nothing waits to be published. */
import type { Occasion } from './actions.ts';
import { workToResume } from './amendment.ts';
import { branchForNewWork, holdsCode, mayPlanAnew, orphanedPlanBranch, recordedBase } from './branch.ts';
import { baseCause, commentCause, reviewCause } from './cause.ts';
import type { Command } from './command.ts';
import type { PullRequestFacts } from './facts.ts';
import { isUnknown, loginOf } from './person.ts';
import { presentPlan } from './presentation.ts';
import { recordedApproval, whyNotRecorded } from './recorded-approval.ts';
import type { Request } from './request.ts';
import { foreignEdit } from './request-text.ts';
import { orderLike, type Step, start, whyNotWanted } from './step.ts';
import {
  isAnswered,
  isSuperseded,
  occasionOf,
  openFeedback,
  openObjections,
  readGate,
  recheckGate,
  type Thread,
} from './thread.ts';
import { compareTimes } from './time.ts';
import { waitingNote } from './waiting-note.ts';

export function restStep(thread: Thread): Step {
  const { pullRequest } = thread;
  if (pullRequest === null) return unopenedStep(thread);
  if (pullRequest.state === 'open') return openStep(thread, pullRequest);
  const { standing } = thread.requests;
  const isNew =
    standing !== null && (pullRequest.closedAt === null || compareTimes(standing.at, pullRequest.closedAt) > 0);
  const isUnderWay = thread.lastRun !== null && thread.lastRun.branch !== pullRequest.branch;
  if (isNew || isUnderWay) return unopenedStep(thread);
  if (pullRequest.state === 'closed') return { state: 'abandoned', work: [] };
  return { state: 'completed', work: [], ...(holdsCode(pullRequest) ? {} : { note: mergedEarly }) };
}

const mergedEarly =
  'It held the plan alone: nothing was implemented, and nothing will be. Setting the label again, or `/plan`, starts anew on another branch.';

/** No pull request of this attempt yet. */
function unopenedStep(thread: Thread): Step {
  const { standing } = thread.requests;
  const { defaultBranch } = thread.facts.repository;
  const why = whyNotWanted(thread);
  if (why !== null) return { state: 'inactive', work: [], note: why };
  if (standing === null) return { state: 'inactive', work: [] };
  const orphan = orphanedPlanBranch(thread.facts);
  if (orphan !== null) return { state: 'awaiting_approval', work: presentPlan(thread, orphan.name) };
  if (defaultBranch === null) return { state: 'inactive', work: [] };
  const again = whyAgain(thread, standing.cause);
  if (again === null && hasFailed(thread)) return { state: 'failed', work: [] };
  if (again === null) return { state: 'pending', work: [], isSettling: true };
  const changed = changedText(thread, standing);
  if (changed !== null) return changed;
  const branch = branchForNewWork(thread.facts);
  const answers = answersToRepeat(thread, branch);
  return start(thread, {
    phase: 'plan',
    branch,
    causes: [...again, ...(answers?.comments ?? []).map(commentCause)],
    occasion: answers ?? { kind: 'request', text: standing.text },
    head: null,
    base: defaultBranch.head,
    approval: null,
  });
}

/** A first run that failed after its questions had been answered goes once more by the same answers. */
function answersToRepeat(thread: Thread, branch: string): Extract<Occasion, { kind: 'answer' }> | null {
  const run = thread.lastRun;
  if (run?.status !== 'failed' || run.branch !== branch) return null;
  const occasion = occasionOf(thread, run);
  return occasion.kind === 'answer' ? occasion : null;
}

/** Somebody without a say has changed what the issue asks for since it was asked: that is nobody's word. */
function changedText(thread: Thread, standing: Request): Step | null {
  const edit = foreignEdit(thread.facts, standing);
  if (edit === null) return null;
  const what = `After a plan was asked for, the ${edit.what} of this issue was edited by ${loginOf(edit.by)}`;
  const state = hasFailed(thread) ? 'failed' : 'inactive';
  if (isUnknown(thread.facts, edit.by)) {
    return { state, work: [], note: `${what}, of whom it could not be read whether they may write here.` };
  }
  const why = `${what}, who has no write access. Set the label again, or say \`/plan\`, to have the issue planned as it now stands.`;
  const cause = `${standing.cause} edited`;
  return { state, work: [{ kind: 'refuse', cause, login: standing.by.login, why }], note: why };
}

/** The causes of a first run: the request itself, or the `/retry` after a failure; `null` when it has had its run. */
function whyAgain(thread: Thread, request: string): readonly string[] | null {
  const retry = retryCommand(thread);
  if (retry !== null && hasFailed(thread)) return [request, retry.cause];
  return isAnswered(thread, request) || isShownFailed(thread) ? null : [request];
}

function retryCommand(thread: Thread): Command | null {
  return thread.requests.commands.find((command) => command.name === 'retry') ?? null;
}

function hasFailed(thread: Thread): boolean {
  const run = thread.lastRun;
  if (run === null) return isShownFailed(thread);
  return run.status === 'failed' && (!isSuperseded(run) || run.causes.every((cause) => isAnswered(thread, cause)));
}

/** Without a memory of runs, the label on the issue is the record of a failure; a label set after it is a new word. */
function isShownFailed(thread: Thread): boolean {
  if (thread.memory.runs.length > 0 || !thread.facts.issue.labels.includes('plan: failed')) return false;
  const shown = thread.facts.issue.labelEvents.findLast((event) => event.label === 'plan: failed');
  const { standing } = thread.requests;
  return shown === undefined || standing === null || compareTimes(standing.at, shown.at) <= 0;
}

function openStep(thread: Thread, pullRequest: PullRequestFacts): Step {
  const why = whyNotWanted(thread);
  if (why !== null) return { state: 'abandoned', work: [], note: why };
  const code = holdsCode(pullRequest);
  return repeatStep(thread, pullRequest) ?? (code ? codeStep(thread, pullRequest) : planStep(thread, pullRequest));
}

/** The run that failed, once more, because a writer said so by `/retry` or by setting the label again. */
function repeatStep(thread: Thread, pullRequest: PullRequestFacts): Step | null {
  const run = thread.lastRun;
  if (run === null || !hasFailed(thread)) return null;
  const { standing } = thread.requests;
  const isLabelledAgain =
    standing !== null && !isAnswered(thread, standing.cause) && compareTimes(standing.at, pullRequest.createdAt) > 0;
  const word = retryCommand(thread)?.cause ?? (isLabelledAgain ? standing.cause : null);
  if (word === null) return null;
  const occasion: Occasion = occasionOf(thread, run);
  const order = { ...orderLike(run), causes: [...run.causes, word], head: pullRequest.head, occasion };
  if (run.phase === 'plan') return start(thread, order);
  const held = run.approval;
  if (held === null) return null;
  return recheckGate(thread, pullRequest, held).current ? start(thread, order) : null;
}

function planStep(thread: Thread, pullRequest: PullRequestFacts): Step {
  const base = recordedBase(pullRequest);
  if (base === null) return overwrittenStep(thread, pullRequest);
  const order = { phase: 'plan', branch: pullRequest.branch, head: pullRequest.head, base, approval: null } as const;
  const reviews = openFeedback(thread, pullRequest);
  if (openObjections(thread, pullRequest).length > 0) {
    return start(thread, { ...order, causes: reviews.map(reviewCause), occasion: { kind: 'reviews', reviews } });
  }
  const anew = replanCommand(thread) ?? staleness(thread, pullRequest);
  if (anew !== null) return planAnew(thread, pullRequest, base, anew);
  const verdict = readGate(thread, pullRequest);
  const approving = verdict.counted.map(({ review }) => review);
  const { runs } = thread.memory;
  if (verdict.approval !== null && !approving.every((review) => isAnswered(thread, reviewCause(review)))) {
    const all = [...new Set([...approving, ...reviews])];
    return start(thread, {
      ...order,
      phase: 'implement',
      causes: all.map(reviewCause),
      occasion: { kind: 'approval', reviews: all, resumes: workToResume(runs, pullRequest.branch, base)?.id ?? null },
      approval: verdict.approval,
    });
  }
  if (hasFailed(thread)) return { state: 'failed', work: [] };
  const note = whyNotImplemented(thread, pullRequest) ?? waitingNote(thread, pullRequest);
  return { state: 'awaiting_approval', work: [], ...(note === null ? {} : { note }) };
}

/** Why an approval that had been acted on no longer is: the implementation by it was stopped. */
function whyNotImplemented(thread: Thread, pullRequest: PullRequestFacts): string | null {
  const run = thread.lastRun;
  if (run?.status !== 'cancelled' || run.approval?.pullRequest !== pullRequest.number) return null;
  const approval = recheckGate(thread, pullRequest, run.approval);
  return approval.current ? null : `The implementation was stopped, and nothing of it was pushed. ${approval.why}`;
}

/** Somebody overwrote the branch: what plan it was, and of what base, cannot be told. */
function overwrittenStep(thread: Thread, pullRequest: PullRequestFacts): Step {
  const replan = replanCommand(thread);
  const tip = thread.facts.repository.defaultBranch?.head;
  if (replan !== null && tip !== undefined) return planAnew(thread, pullRequest, tip, replan);
  return { state: 'awaiting_approval', work: [], note: overwritten };
}

const overwritten =
  'The branch holds no commit of this app any more, so no review of it counts. `/replan` has the plan written anew on top of it; closing the pull request gives it up.';

/** Why a plan is to be written anew, from the tip of the base. */
interface Anew {
  readonly cause: string;
  readonly text: string | null;
}

export function planAnew(thread: Thread, pullRequest: PullRequestFacts, base: string, anew: Anew): Step {
  return start(thread, {
    phase: 'plan',
    branch: pullRequest.branch,
    head: pullRequest.head,
    base: thread.facts.repository.defaultBranch?.head ?? base,
    causes: [anew.cause],
    occasion: { kind: 'replan', text: anew.text },
    approval: null,
  });
}

function replanCommand(thread: Thread): Command | null {
  return thread.requests.commands.find(({ name }) => name === 'replan') ?? null;
}

/** Planned files that changed on the base, under `approval.stale: replan`: once for each tip of the base. */
function staleness(thread: Thread, { changedOnBase }: PullRequestFacts): Anew | null {
  const tip = thread.facts.repository.defaultBranch?.head;
  if (thread.policy.approval.stale !== 'replan' || tip === undefined) return null;
  if (changedOnBase === 'unknown' || changedOnBase.length === 0) return null;
  const cause = baseCause(tip);
  return isAnswered(thread, cause) ? null : { cause, text: null };
}

function codeStep(thread: Thread, pullRequest: PullRequestFacts): Step {
  const base = recordedBase(pullRequest);
  const replan = replanCommand(thread);
  if (replan !== null && base !== null && mayPlanAnew(pullRequest)) return planAnew(thread, pullRequest, base, replan);
  if (openObjections(thread, pullRequest).length === 0)
    return { state: hasFailed(thread) ? 'failed' : 'implemented', work: [] };
  const approval = recordedApproval(thread, pullRequest);
  if (approval === null) {
    return { state: 'implemented', work: [], note: `${noApproval} ${whyNotRecorded(thread, pullRequest)}` };
  }
  const reviews = openFeedback(thread, pullRequest);
  return start(thread, {
    phase: 'implement',
    branch: pullRequest.branch,
    causes: reviews.map(reviewCause),
    occasion: { kind: 'code_reviews', reviews },
    head: pullRequest.head,
    base: approval.base,
    approval,
  });
}

const noApproval = 'Changes were requested on the code, but the approval that it came of cannot be found.';
