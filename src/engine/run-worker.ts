/** Takes up one queued run: prepares it, hosts its child, keeps what it does, and writes down how it ended. */
import type { PgBoss } from 'pg-boss';
import type { RunSpec } from '../agent/run-protocol.ts';
import { Forbidden, type ThreadRef, Unreadable } from '../github/github.ts';
import type { Facts } from '../lifecycle/facts.ts';
import type { Outcome } from '../lifecycle/memory.ts';
import { withoutForeign } from '../plan/foreign-content.ts';
import { UnreadableText } from '../text/visible-words.ts';
import { WorkspaceError } from '../workspace/workspace.ts';
import { type AuditLine, audit } from './audit-log.ts';
import { finish } from './implementation.ts';
import type { Logger } from './log.ts';
import type { LookBoard } from './look-board.ts';
import { backoffSeconds, type RunJob, sendRun } from './queue.ts';
import { hostRun, type RunEnd, type RunKeeper } from './run-host.ts';
import { createKeeper } from './run-keeper.ts';
import { type PreparationPorts, prepareRun, type ReadyRun } from './run-preparation.ts';
import type { RunRecord } from './run-record.ts';
import { createRunSlot, type RunSlot } from './run-slot.ts';
import { countAttempt, type Ending, endRun, moveRun, readRun } from './run-store.ts';
import type { Runs } from './runs.ts';
import { readThreadRecord, wakeKnown } from './threads.ts';

export interface WorkerPorts extends PreparationPorts {
  readonly boss: PgBoss;
  readonly runs: Runs;
  readonly board: LookBoard;
  readonly log: Logger;
  /** The module that a run's child process runs. */
  readonly childPath: string;
  /** `PATH` of the child. */
  readonly searchPath: string;
  /** How long after a change of a run's checklist its thread is looked at, in milliseconds. */
  readonly checklistDelayMs: number;
}

/** How often in a row a run is taken up in vain, without one more turn, before it counts as one that cannot be finished. */
const maxAttempts = 3;
/** How often in a row a run that cannot be prepared is tried again. */
const maxPreparations = 6;
/** How long a run waits for the look that precedes it before it reads GitHub by itself. */
const lookTimeoutMs = 30_000;

/** Never throws: what cannot be finished now is tried again later, or is the run's failure. */
export async function workOn(ports: WorkerPorts, job: RunJob): Promise<void> {
  const { db, boss, runs } = ports;
  if (runs.hosted.has(job.run)) return;
  const slot = createRunSlot();
  runs.hosted.set(job.run, slot);
  let end: RunEnd = { kind: 'suspended' };
  let run: RunRecord | null = null;
  try {
    await moveRun(db, job.run, ['queued'], 'running');
    run = await readRun(db, job.run);
    if (run?.status === 'running') end = await takeUpUntilDone(ports, run, slot);
  } catch (error) {
    await cannotStart(ports, job, error);
  } finally {
    runs.hosted.delete(job.run);
    slot.close(end);
    if (run !== null && end.kind !== 'killed') await wakeKnown(db, boss, run.thread);
  }
}

/**
 * The thread is looked at before the run begins: people see that it is at work, and a run whose reason is gone is stopped
 * before it starts. After a crash it goes on from its last stored turn, until it has ended or crashed too often.
 */
async function takeUpUntilDone(ports: WorkerPorts, run: RunRecord, slot: RunSlot): Promise<RunEnd> {
  let facts = await lookFirst(ports, run);
  for (let current = run; ; facts = null) {
    if ((await readRun(ports.db, run.id))?.status !== 'running') return { kind: 'suspended' };
    const end = await takeUp(ports, current, slot, facts);
    const next = end.kind === 'crashed' ? await readRun(ports.db, run.id) : null;
    if (next?.status !== 'running') return end;
    current = next;
  }
}

async function lookFirst({ db, boss, board }: WorkerPorts, run: RunRecord): Promise<Facts | null> {
  using watch = board.watch(run.thread);
  return await watch.after(await wakeKnown(db, boss, run.thread), lookTimeoutMs);
}

async function takeUp(ports: WorkerPorts, run: RunRecord, slot: RunSlot, seen: Facts | null): Promise<RunEnd> {
  const { db } = ports;
  const log = ports.log.child({ thread: run.thread, run: run.id, phase: run.phase });
  const thread = await readThreadRecord(db, run.thread);
  if (thread === null) throw new Error(`expected the thread ${run.thread} to be known, got no such thread`);
  const facts = seen ?? (await observeIfLet(ports, thread.ref));
  const prepared = facts === null ? 'unwanted' : await prepareRun(ports, thread.ref, run, facts);
  if (prepared === 'unwanted') {
    log.info('the run is not wanted now');
    await moveRun(db, run.id, ['running'], 'queued');
    return { kind: 'suspended' };
  }
  const attempt = await countAttempt(db, run.id);
  const end = attempt > maxAttempts ? tooOften(run) : await host(ports, run, prepared, slot, log);
  log.info({ end: end.kind, attempt }, 'the run left its process');
  await recordEnd(ports, run, { prepared, end, attempt }, log);
  return end;
}

/** `null` where GitHub lets nobody look: the run waits until the next look goes through, or gives it up. */
async function observeIfLet({ github }: WorkerPorts, thread: ThreadRef): Promise<Facts | null> {
  try {
    return await github.observe(thread);
  } catch (error) {
    if (error instanceof Forbidden) return null;
    throw error;
  }
}

/** People follow the checklist in the check while the run is at work; what changes within the delay is shown at once. */
async function host(
  ports: WorkerPorts,
  run: RunRecord,
  prepared: ReadyRun,
  slot: RunSlot,
  log: Logger,
): Promise<RunEnd> {
  const { db, boss, childPath, searchPath, checklistDelayMs } = ports;
  const kept = createKeeper(db, run, prepared, log);
  let due: NodeJS.Timeout | null = null;
  const look = () => {
    due = null;
    wakeKnown(db, boss, run.thread).catch((error: unknown) => log.warn({ err: error }, 'the checklist is not shown'));
  };
  const keeper: RunKeeper = {
    ...kept,
    tasks: async (message) => {
      await kept.tasks(message);
      due ??= setTimeout(look, checklistDelayMs);
    },
  };
  try {
    return await slot.host(() => hostRun({ childPath, searchPath, spec: prepared.spec, keeper, log }));
  } finally {
    if (due !== null) clearTimeout(due);
  }
}

function tooOften(run: RunRecord): RunEnd {
  const detail = `It was taken up ${maxAttempts} times in a row, and each time its process ended before a turn did.`;
  return { kind: 'ended', result: { kind: 'failed', reason: 'crashed', detail }, spent: run.cost };
}

async function recordEnd(
  ports: WorkerPorts,
  run: RunRecord,
  { prepared, end, attempt }: { readonly prepared: ReadyRun; readonly end: RunEnd; readonly attempt: number },
  log: Logger,
): Promise<void> {
  const { db } = ports;
  switch (end.kind) {
    case 'ended':
      return endWith(ports, run, { outcome: await outcomeOf(ports, run, prepared, end), cost: end.spent }, log);
    case 'crashed':
      log.warn({ detail: end.detail, attempt }, 'the run crashed');
      if (attempt >= maxAttempts) {
        const outcome: Outcome = { kind: 'failed', reason: 'crashed', detail: end.detail };
        await endWith(ports, run, { outcome, cost: null }, log);
      }
      return;
    case 'suspended':
      await countAttempt(db, run.id, -1);
      return;
    case 'killed':
      return;
  }
}

async function outcomeOf(
  ports: WorkerPorts,
  run: RunRecord,
  prepared: ReadyRun,
  { result }: Extract<RunEnd, { kind: 'ended' }>,
): Promise<Outcome> {
  if (result.kind === 'amendment' && prepared.implementation?.holdsCode !== false) {
    const detail =
      'A change of the plan was proposed where none can be approved: before it is approved, or beside code.';
    return { kind: 'failed', reason: 'unknown_stop', detail };
  }
  if (result.kind === 'plan_ready' && run.phase !== 'plan') {
    return { kind: 'failed', reason: 'unknown_stop', detail: 'An implementation reported a plan.' };
  }
  if (result.kind === 'plan_ready' || result.kind === 'amendment') return inert(result, prepared.spec);
  if (result.kind !== 'work_done') return result;
  if (prepared.implementation === null) {
    return { kind: 'failed', reason: 'unknown_stop', detail: 'A plan run reported an implementation.' };
  }
  const steps = (await readRun(ports.db, run.id))?.steps ?? [];
  return finish(prepared.implementation, steps, result);
}

/**
 * What of a plan would load or link to another host is shown as code from here on: stored, committed and gone on with are
 * these bytes alone. The reviewers are told.
 */
function inert<T extends { readonly plan: string; readonly findings: readonly string[] }>(result: T, spec: RunSpec): T {
  const plan = withoutForeign(result.plan, spec.forgeHost ?? null);
  if (plan === result.plan) return result;
  const told =
    'what led to other hosts, and HTML, is shown as code: nothing is loaded from there and nothing links there';
  return { ...result, plan, findings: [...result.findings, told] };
}

async function endWith({ db }: WorkerPorts, run: RunRecord, ending: Ending, log: Logger): Promise<void> {
  const isWritten = await endRun(db, run.id, ending);
  log.debug({ isWritten }, 'the run ended');
  if (isWritten) await audit({ db, log }, { thread: run.thread, run: run.id, ...endLine(ending) });
}

/** What a failure says in full may quote the model or a server: the run's row has it, and people are told it. */
function endLine({ outcome, cost }: Ending): Pick<AuditLine, 'event' | 'detail'> {
  const how = outcome.kind === 'failed' ? `failed: ${outcome.reason}` : outcome.kind;
  const used = cost === null ? '' : `; ${cost.turns} turns, ${cost.inputTokens + cost.outputTokens} tokens`;
  return { event: 'run_ended', detail: `${how}${used}` };
}

async function cannotStart(ports: WorkerPorts, job: RunJob, error: unknown): Promise<void> {
  const { db, boss } = ports;
  const log = ports.log.child({ run: job.run });
  const attempt = job.attempt + 1;
  const isFinal = error instanceof Forbidden || error instanceof UnreadableText;
  if (!isFinal && attempt <= maxPreparations) {
    const startAfterSeconds = backoffSeconds(attempt);
    log.warn({ err: error, attempt, startAfterSeconds }, 'the run could not be prepared or kept; it is tried again');
    return sendRun(boss, { run: job.run, attempt }, { startAfterSeconds });
  }
  log.error({ err: error }, 'the run could not be prepared');
  if (error instanceof Unreadable) {
    await moveRun(db, job.run, ['running'], 'queued');
    return;
  }
  const run = await readRun(db, job.run);
  if (run !== null) await endWith(ports, run, { outcome: failureOf(error), cost: null }, log);
}

function failureOf(error: unknown): Outcome {
  if (error instanceof Forbidden) {
    return { kind: 'failed', reason: 'permission', detail: error.permission ?? error.message };
  }
  if (error instanceof UnreadableText) return { kind: 'failed', reason: 'input_unreadable', detail: error.message };
  const detail = error instanceof WorkspaceError ? error.message : 'It could not be prepared; the log says why.';
  return { kind: 'failed', reason: 'workspace', detail };
}
