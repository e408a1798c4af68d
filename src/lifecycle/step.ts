/** What a decision is made of before it is shown to people: a state, and the work that leads there. */
import type { Action, RunOrder } from './actions.ts';
import { holdsCode, pullRequestFrom } from './branch.ts';
import { whyNothingStarts } from './ceiling.ts';
import type { PullRequestFacts } from './facts.ts';
import type { Phase, RunMemory } from './memory.ts';
import type { ThreadState } from './state.ts';
import type { Thread } from './thread.ts';

/** A state, what has to be done to be in it, and one sentence for people where the reason is not plain. */
export interface Step {
  readonly state: ThreadState;
  readonly work: readonly Action[];
  readonly note?: string;
  /** What comes last, after the state has been shown. */
  readonly close?: Action;
  /** What would have started, were no ceiling reached: the words that ask for it wait. */
  readonly held?: RunOrder;
  /** GitHub does not show yet what has just been done: say nothing before it does. */
  readonly isSettling?: true;
}

/** Where a ceiling is reached, nothing starts, and the thread stays where it is until that is settled. */
export function start(thread: Thread, order: RunOrder): Step {
  const why = whyNothingStarts(thread.memory, thread.policy);
  if (why !== null) return { state: heldState(thread, order), work: [], note: why, held: order };
  return { state: stateOfOrder(thread, order), work: [{ kind: 'startRun', order }] };
}

/** An order for the same work as a run's. */
export function orderLike(run: RunMemory): Omit<RunOrder, 'causes' | 'occasion'> {
  return { phase: run.phase, branch: run.branch, head: run.head, base: run.base, approval: run.approval };
}

/** What a thread is in while a run waits for its worker: a first plan run is `pending`, everything later has a name. */
export function stateOfOrder(thread: Thread, order: { readonly phase: Phase; readonly branch: string }): ThreadState {
  if (order.phase === 'implement') return 'implementing';
  const isFirst = !thread.memory.runs.some((run) => run.branch === order.branch && run.status === 'parked');
  return isFirst && ownPullRequest(thread, order) === null ? 'pending' : 'planning';
}

/** Never a state at rest: a sweep looks again. */
function heldState(thread: Thread, order: RunOrder): ThreadState {
  if (thread.lastRun?.status === 'parked' && !thread.lastRun.isSettled) return 'awaiting_answer';
  const pullRequest = ownPullRequest(thread, order);
  if (pullRequest === null) return 'pending';
  return holdsCode(pullRequest) ? 'implemented' : 'awaiting_approval';
}

/** The pull request a run works for; `null` before there is one. */
export function ownPullRequest(thread: Thread, run: { readonly branch: string }): PullRequestFacts | null {
  return pullRequestFrom(thread.facts, run.branch);
}

/** Why nothing is wanted of the thread; `null` while something is, and while that cannot be told. */
export function whyNotWanted(thread: Thread): string | null {
  if (thread.facts.issue.state === 'closed') return 'The issue is closed.';
  if (thread.facts.repository.isArchived) return 'The repository is archived.';
  if (thread.requests.isUnclear) return null;
  return thread.requests.standing === null ? 'The request was withdrawn.' : null;
}
