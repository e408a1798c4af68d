/** What people see of a state: the label, the sticky comment, the checks. Decides nothing. */
import type { Action, CheckState, ThreadStatus } from './actions.ts';
import { type GateVerdict, tooFewApprovals } from './approval-gate.ts';
import { holdsCode } from './branch.ts';
import { totalCost, usedCeilings } from './budget.ts';
import { codeApprovers } from './code-approval.ts';
import type { Facts, PullRequestFacts } from './facts.ts';
import { reviewersToLookAgain, tellLapsed } from './lapsed.ts';
import type { Approval, RunMemory } from './memory.ts';
import type { Obstacle } from './obstacle.ts';
import { sharedHead } from './plan-fitness.ts';
import { recordedApproval, whyNotRecorded } from './recorded-approval.ts';
import { statusLabels } from './state.ts';
import type { Step } from './step.ts';
import { readGate, type Thread } from './thread.ts';

export function presentStep(thread: Thread, step: Step): readonly Action[] {
  if (step.isSettling === true || !isThread(thread, step)) return [];
  return [
    ...presentChecks(thread, step),
    ...tellLapsed(thread, step),
    // Once, with the code: where a person makes it a draft again, it stays one.
    ...(step.state === 'implemented' && step.close !== undefined ? [{ kind: 'markReady' } as const] : []),
    { kind: 'setStatusLabel', label: statusLabels[step.state] },
    { kind: 'setStatusComment', status: statusOf(thread, step) },
  ];
}

/** An issue that nobody with a say has asked a plan for gets no word from us. */
function isThread(thread: Thread, step: Step): boolean {
  return (
    thread.memory.runs.length > 0 ||
    thread.facts.pullRequests.length > 0 ||
    thread.requests.standing !== null ||
    step.state !== 'inactive'
  );
}

/** The pull request of a plan that is being published, and all that belongs to it. */
export function presentPlan(thread: Thread, branch: string): readonly Action[] {
  const open = thread.pullRequest?.state === 'open' ? thread.pullRequest : null;
  const previousPullRequest = thread.facts.pullRequests.findLast((other) => other.branch !== branch)?.number ?? null;
  const reviewers = reviewersToAsk(thread, open);
  return [
    ...(open === null ? [{ kind: 'openPullRequest', branch, previousPullRequest } as const] : []),
    ...(reviewers.length === 0 ? [] : [{ kind: 'requestReviewers', logins: reviewers } as const]),
    { kind: 'setCheck', check: { name: 'planwright/plan', state: 'waiting', verdict: unreviewed(thread) } },
    { kind: 'setCheck', check: { name: 'planwright/code', state: 'no_code', approvers: [] } },
  ];
}

/** Who is asked to look at a plan: those whose verdict has lapsed with it, else who wanted it. */
function reviewersToAsk(thread: Thread, open: PullRequestFacts | null): readonly string[] {
  const { facts, policy, lastRun } = thread;
  const lapsed = open === null ? [] : reviewersToLookAgain(facts, policy, open, lastRun?.id ?? null);
  const requester = thread.requests.standing?.by.login;
  return lapsed.length > 0 || requester === undefined ? lapsed : [requester];
}

function unreviewed(thread: Thread): GateVerdict {
  const missing = [tooFewApprovals(thread.policy.approval, 0)];
  return { isOpen: false, approval: null, counted: [], ignored: [], missing, warnings: findingsOf(thread) };
}

/** What the plan lint still says of the newest plan, after the model has had its chances. */
function findingsOf({ memory }: Thread): readonly string[] {
  const findings = memory.runs.flatMap(({ outcome }) =>
    outcome?.kind === 'plan_ready' || outcome?.kind === 'amendment' ? [outcome.findings] : [],
  );
  return (findings.at(-1) ?? []).map((finding) => `Plan lint: ${finding}`);
}

/** What keeps the plan's approvals from counting for the code: the check stands, and the approvals are dismissed. */
export function holdApprovals(pullRequest: PullRequestFacts, run: RunMemory): readonly Action[] {
  const approvals = pullRequest.reviews.filter((review) => review.state === 'APPROVED').map((review) => review.id);
  return [
    { kind: 'setCheck', check: { name: 'planwright/code', ...building(run) } },
    ...(approvals.length === 0 ? [] : [{ kind: 'holdApprovals', reviews: approvals } as const]),
  ];
}

function presentChecks(thread: Thread, step: Step): readonly Action[] {
  const { pullRequest } = thread;
  if (pullRequest?.state !== 'open') return [];
  // A plan that is being published brings its own checks.
  if (step.work.some((action) => action.kind === 'publishPlan')) return [];
  const plan = planCheck(thread, step, pullRequest);
  const code: CheckState = { name: 'planwright/code', ...codeCheck(thread, step, pullRequest) };
  return [plan, code].map((check) => ({ kind: 'setCheck', check }));
}

function planCheck(thread: Thread, step: Step, pullRequest: PullRequestFacts): CheckState {
  const started = step.work.find((action) => action.kind === 'startRun')?.order;
  const underWay = started?.phase === 'implement' ? started.approval : null;
  const inForce = step.state === 'implementing' || step.state === 'implemented' || holdsCode(pullRequest);
  const approval = underWay ?? (inForce ? recordedApproval(thread, pullRequest) : null);
  if (approval !== null) {
    return { name: 'planwright/plan', state: 'opened', verdict: verdictOf(approval, sharedHead(pullRequest)) };
  }
  if (holdsCode(pullRequest)) {
    return { name: 'planwright/plan', state: 'lost', verdict: lostVerdict(thread, pullRequest) };
  }
  const verdict = readGate(thread, pullRequest);
  const warnings = [...verdict.warnings, ...findingsOf(thread)];
  const held = step.held?.phase === 'implement' && step.note !== undefined ? [step.note] : [];
  const missing = [...verdict.missing, ...held];
  const shut: GateVerdict = { ...verdict, isOpen: false, approval: null, missing, warnings };
  return { name: 'planwright/plan', state: step.state === 'planning' ? 'writing' : 'waiting', verdict: shut };
}

function lostVerdict(thread: Thread, pullRequest: PullRequestFacts): GateVerdict {
  const missing = [whyNotRecorded(thread, pullRequest)];
  return { isOpen: false, approval: null, counted: [], ignored: [], missing, warnings: [] };
}

/** The verdict that a run goes by; it is not called open on a commit that stands for another pull request as well. */
function verdictOf(approval: Approval, shared: Obstacle | null): GateVerdict {
  const counted = approval.reviewers.map(({ review, login, permission }) => ({ review, login, permission }));
  const missing = shared === null ? [] : [shared.why];
  return { isOpen: shared === null, approval, counted, ignored: [], missing, warnings: [] };
}

type CodeCheck = Omit<Extract<CheckState, { name: 'planwright/code' }>, 'name'>;

/** The code is being written, and this is how far the run has told that it is. */
function building(run: RunMemory | null): CodeCheck {
  const isTold = run?.phase === 'implement' && run.tasks !== undefined;
  return { state: 'building', approvers: [], ...(isTold ? { tasks: run.tasks } : {}) };
}

function codeCheck(thread: Thread, step: Step, pullRequest: PullRequestFacts): CodeCheck {
  if (step.state === 'implementing') {
    const isBeginning = step.work.some((action) => action.kind === 'startRun');
    return building(isBeginning ? null : thread.lastRun);
  }
  if (step.work.some((action) => action.kind === 'publishImplementation')) return { state: 'waiting', approvers: [] };
  if (!holdsCode(pullRequest)) return { state: 'no_code', approvers: [] };
  const approvers = codeApprovers(thread.facts, thread.policy, pullRequest);
  return { state: approvers.length > 0 ? 'approved' : 'waiting', approvers };
}

/** What the sticky comment says of a thread in a step. */
export function statusOf(thread: Thread, step: Step): ThreadStatus {
  const outcome = thread.lastRun?.outcome;
  const started = step.work.some((action) => action.kind === 'startRun');
  const { current, previous } = attemptsOf(thread, step);
  return {
    state: step.state,
    pullRequest: current,
    isPullRequestOpen: thread.pullRequest?.state === 'open',
    failure:
      step.state === 'failed' && outcome?.kind === 'failed' && !started
        ? { reason: outcome.reason, detail: outcome.detail }
        : null,
    obstacles: obstaclesOf(thread.facts),
    note: step.note ?? null,
    previousPullRequest: previous,
    ...costsToTell(thread, step),
  };
}

/**
 * What is told of costs changes with the states of the thread, and not with each turn of its run, or with those of other
 * threads: the day's ceiling is told before a run begins. `/status` tells all of it as it is.
 */
function costsToTell({ memory, policy }: Thread, { state }: Step): Pick<ThreadStatus, 'cost' | 'ceilings'> {
  const ended = { ...memory, runs: memory.runs.filter(({ status }) => status !== 'running' && status !== 'stopping') };
  const { thread, day } = usedCeilings(ended, policy.budget);
  const cost = totalCost(ended);
  const ceilings = { thread: cost.turns > 0 ? thread : [], day: state === 'pending' ? day : [] };
  return { cost, ...(ceilings.thread.length + ceilings.day.length === 0 ? {} : { ceilings }) };
}

/** The pull request of the attempt that is under way, `null` before it is open, and that of the attempt before it. */
function attemptsOf(thread: Thread, step: Step): { readonly current: number | null; readonly previous: number | null } {
  const [newest, earlier] = thread.facts.pullRequests.toReversed();
  const started = step.work.find((action) => action.kind === 'startRun')?.order;
  const opened = step.work.find((action) => action.kind === 'openPullRequest');
  const branch = opened?.branch ?? started?.branch ?? thread.lastRun?.branch ?? newest?.branch;
  if (newest?.branch === branch) return { current: newest?.number ?? null, previous: earlier?.number ?? null };
  return { current: null, previous: newest?.number ?? null };
}

function obstaclesOf(facts: Facts): readonly string[] {
  return [
    ...(facts.repository.isArchived ? ['The repository is archived.'] : []),
    ...(facts.repository.defaultBranch === null ? ['The repository has no commit yet.'] : []),
  ];
}
