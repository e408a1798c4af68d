/** One look at a thread: what GitHub shows, what that means, what has to be done. Threads are looked at one at a time. */
import type { Kysely } from 'kysely';
import type { PgBoss } from 'pg-boss';
import { refusedText } from '../github/comments.ts';
import { type ActContext, Forbidden, type GitHub, Gone, Withheld } from '../github/github.ts';
import type { Action, Decision, ThreadStatus } from '../lifecycle/actions.ts';
import { currentPullRequest, pullRequestFrom } from '../lifecycle/branch.ts';
import type { Facts } from '../lifecycle/facts.ts';
import type { Memory } from '../lifecycle/memory.ts';
import { BranchMoved, type Workspaces } from '../workspace/workspace.ts';
import { auditDecision, auditDismissed } from './audit-decision.ts';
import { audit } from './audit-log.ts';
import { carryOut, isEngineAction } from './engine-actions.ts';
import { Overtaken, whileFresh } from './freshness.ts';
import type { Logger } from './log.ts';
import type { LookBoard } from './look-board.ts';
import { type ReadPrice, withPrice } from './prices.ts';
import { backoffSeconds, sendWake, type WakeJob } from './queue.ts';
import { readMemory } from './run-store.ts';
import type { Runs } from './runs.ts';
import type { Schema } from './schema.ts';
import { markFailed, markProcessed, newestDelivery } from './thread-deliveries.ts';
import {
  isAtRest,
  readThreadRecord,
  recordFinding,
  recordProblem,
  recordRetry,
  type ThreadRecord,
  wakeKnown,
} from './threads.ts';

export interface ReconcilePorts {
  readonly db: Kysely<Schema>;
  readonly boss: PgBoss;
  readonly github: GitHub;
  readonly workspaces: Workspaces;
  readonly runs: Runs;
  readonly decide: (facts: Facts, memory: Memory) => Decision;
  readonly readPrice: ReadPrice;
  /** Why no command may run on this host; `null` where commands can be confined. */
  readonly sandboxFault: () => Promise<string | null>;
  readonly log: Logger;
  readonly board: LookBoard;
  /** Told of the last look that failed, and of `null` when one went through. */
  readonly onLook: (failure: string | null) => void;
}

/** How often in a row a look that could not be completed is tried again before it is left to the sweep. */
const maxAttempts = 6;
/** How many looks one job makes while the thread keeps changing under it. */
const maxLooks = 12;

type Look = 'done' | 'again' | 'refused';

/**
 * Looks at the job's thread until nothing new has asked for a look. A job whose wake an earlier look has seen is done
 * without work. Never throws: what cannot be completed is tried again later, a bounded number of times.
 */
export async function reconcile(ports: ReconcilePorts, job: WakeJob): Promise<void> {
  const log = ports.log.child({ thread: job.thread });
  for (let look = 1; ; look += 1) {
    const thread = await readThreadRecord(ports.db, job.thread);
    if (thread === null || !isWanted(thread, job, look)) return;
    const newest = await newestDelivery(ports.db, thread.key);
    try {
      if (look > maxLooks) {
        throw new Error(`expected the thread to come to rest within ${maxLooks} looks, got a change in each`);
      }
      const result = await lookOnce(ports, thread, newest, log);
      ports.onLook(null);
      if (result === 'refused') ports.board.publish(thread.key, thread.wakes, null);
      if (result !== 'again') await markProcessed(ports.db, thread.key, newest);
    } catch (error) {
      ports.onLook(error instanceof Error ? error.message : String(error));
      ports.board.publish(thread.key, thread.wakes, null);
      await tryLater(ports, thread, { job, newest, error }, log);
      return;
    }
  }
}

/** A retry that is under way covers every wake that was there when it was set up. */
function isWanted(thread: ThreadRecord, job: WakeJob, look: number): boolean {
  if (look > 1) return thread.wakes > thread.seenWakes;
  const isCoveredByRetry = job.attempt === 0 && job.wake <= thread.retryWake;
  return job.wake > thread.seenWakes && !isCoveredByRetry;
}

async function tryLater(
  { db, boss }: ReconcilePorts,
  thread: ThreadRecord,
  failure: { readonly job: WakeJob; readonly newest: number; readonly error: unknown },
  log: Logger,
): Promise<void> {
  const attempt = failure.job.attempt + 1;
  if (attempt > maxAttempts) {
    log.error({ err: failure.error, attempt }, 'the look could not be completed; left to the sweep');
    const reason = failure.error instanceof Error ? failure.error.message : 'unknown';
    await recordRetry(db, thread.key, 0);
    return markFailed(db, thread.key, failure.newest, reason);
  }
  const startAfterSeconds = backoffSeconds(attempt);
  log.warn({ err: failure.error, attempt, startAfterSeconds }, 'the look could not be completed; it is tried again');
  await recordRetry(db, thread.key, thread.wakes);
  await sendWake(boss, { thread: thread.key, wake: thread.wakes, attempt }, { startAfterSeconds });
}

async function lookOnce(ports: ReconcilePorts, thread: ThreadRecord, newest: number, log: Logger): Promise<Look> {
  let facts: Facts;
  try {
    facts = await ports.github.observe(thread.ref);
  } catch (error) {
    if (!(error instanceof Forbidden)) throw error;
    if (error instanceof Gone) {
      await leave(ports, thread, error, log);
      return 'refused';
    }
    await ports.runs.suspend(thread.key);
    await refuse(ports, thread, error, log);
    return 'refused';
  }
  // Not before: a thread with thousands of comments takes long to read, and each time anew.
  const readAt = performance.now();
  const memory = await withPrice(await readMemory(ports.db, thread.key), facts, ports.readPrice);
  const decision = ports.decide(facts, memory);
  await auditDecision({ db: ports.db, log }, thread.key, { facts, memory, decision });
  const context = createContext(thread, facts, memory, decision);
  log.debug({ state: decision.state, actions: decision.actions.map((action) => action.kind) }, 'decided');
  const now = () => performance.now();
  const github = whileFresh(ports.github, ports.db, { thread: thread.key, newest, readAt, now });
  try {
    return await act({ ...ports, github }, thread, decision, context, log);
  } catch (error) {
    if (error instanceof BranchMoved || error instanceof Overtaken) {
      log.info({ why: error.message }, 'nothing was pushed; looking again');
      return 'again';
    }
    if (!(error instanceof Forbidden)) throw error;
    await refuse(ports, thread, error, log);
    await sayRefused(ports, decision, context, error, log);
    // What was read before may not show why: a run at work is not left alone without one more look, which may stop it.
    if (thread.problem === null && isAtWork(memory)) await wakeKnown(ports.db, ports.boss, thread.key);
    return 'refused';
  }
}

function isAtWork({ runs }: Memory): boolean {
  const status = runs.at(-1)?.status;
  return status === 'queued' || status === 'running';
}

async function act(
  ports: ReconcilePorts,
  thread: ThreadRecord,
  decision: Decision,
  context: ActContext,
  log: Logger,
): Promise<Look> {
  const { needsAnotherLook, isComplete } = await performAll(ports, thread, decision.actions, context, log);
  if (thread.problem !== null) await ports.runs.resume(thread.key);
  const { facts } = context;
  if (isComplete) {
    await recordFinding(ports.db, thread.key, {
      seenWakes: thread.wakes,
      state: decision.state,
      owner: facts.repository.owner,
      name: facts.repository.name,
      pullRequest: context.pullRequest?.number ?? null,
    });
    ports.board.publish(thread.key, thread.wakes, facts);
  }
  if (needsAnotherLook || thread.problem !== null) await wakeKnown(ports.db, ports.boss, thread.key);
  return isComplete ? 'done' : 'again';
}

/**
 * Carries the actions out in order. What they change in memory is part of the decision already; only what had been
 * pushed before a crash brings facts into the next look that this one did not decide on.
 */
async function performAll(
  ports: ReconcilePorts,
  thread: ThreadRecord,
  actions: readonly Action[],
  context: ActContext,
  log: Logger,
): Promise<{ readonly needsAnotherLook: boolean; readonly isComplete: boolean }> {
  let needsAnotherLook = false;
  for (const action of actions) {
    if (!isEngineAction(action)) {
      await ports.github.act(withProblem(action, thread.problem), context);
      if (action.kind === 'holdApprovals') await auditDismissed({ db: ports.db, log }, thread.key, context);
      continue;
    }
    const effect = await carryOut(ports, action, context, log);
    if (effect === 'failed_run') return { needsAnotherLook, isComplete: false };
    needsAnotherLook ||= effect === 'adopted';
  }
  return { needsAnotherLook, isComplete: true };
}

/** The status comment keeps saying what GitHub refuses until a look goes through without it. */
function withProblem<T extends Action>(action: T, problem: string | null): T {
  if (action.kind !== 'setStatusComment' || problem === null) return action;
  return { ...action, status: obstructed(action.status, problem) };
}

function obstructed(status: ThreadStatus, problem: string): ThreadStatus {
  return { ...status, obstacles: [...status.obstacles, problem] };
}

async function refuse(ports: ReconcilePorts, thread: ThreadRecord, error: Forbidden, log: Logger): Promise<void> {
  const problem = refusedText(error);
  if (thread.problem !== problem) {
    const what = error instanceof Withheld ? 'a text was not sent' : 'GitHub refuses';
    log.error(
      { err: error, permission: error.permission },
      `${what}; the thread is left alone until something happens`,
    );
    if (error instanceof Withheld) {
      const line = { thread: thread.key, run: null, event: 'text_refused', detail: error.message };
      await audit({ db: ports.db, log }, line);
    }
  }
  await recordProblem(ports.db, thread.key, problem, thread.wakes);
}

/** Without its issue a thread is over: nothing runs for it, and who looks at its pull request is told. */
async function leave(ports: ReconcilePorts, thread: ThreadRecord, error: Gone, log: Logger): Promise<void> {
  const { key, ref, pullRequest } = thread;
  log.warn({ err: error }, 'the issue is gone; the thread is at rest');
  await ports.runs.abandon(key, 'The issue is gone.');
  if (pullRequest !== null && !isAtRest(thread.state)) {
    try {
      await ports.github.tellGone(ref, pullRequest);
    } catch (failure) {
      log.warn({ err: failure }, 'nobody could be told on the pull request');
    }
  }
  // Stopping a run asks for a look; there is nothing to see.
  const seenWakes = (await readThreadRecord(ports.db, key))?.wakes ?? thread.wakes;
  const { owner, name } = ref.repository;
  await recordFinding(ports.db, key, { seenWakes, state: 'inactive', owner, name, pullRequest });
}

/** Tells people on the issue, where GitHub still lets this app write there. */
async function sayRefused(
  ports: ReconcilePorts,
  decision: Decision,
  context: ActContext,
  error: Forbidden,
  log: Logger,
): Promise<void> {
  const comment = decision.actions.find((action) => action.kind === 'setStatusComment');
  if (comment === undefined) return;
  try {
    await ports.github.act({ ...comment, status: obstructed(comment.status, refusedText(error)) }, context);
  } catch (failure) {
    log.warn({ err: failure }, 'nobody could be told on the issue');
  }
}

/** What the actions start from: the pull request of the branch they are about, else the newest. */
function createContext(thread: ThreadRecord, facts: Facts, memory: Memory, decision: Decision): ActContext {
  const opened = decision.actions.find((action) => action.kind === 'openPullRequest')?.branch ?? null;
  const pullRequest = opened === null ? currentPullRequest(facts) : pullRequestFrom(facts, opened);
  const branch = facts.branches.find((candidate) => candidate.name === opened);
  const { owner, name, id } = facts.repository;
  return {
    thread: { ...thread.ref, repository: { id, owner, name } },
    facts,
    memory,
    pullRequest: pullRequest === null ? null : { number: pullRequest.number, nodeId: pullRequest.nodeId },
    head: pullRequest?.head ?? branch?.head.sha ?? null,
  };
}
