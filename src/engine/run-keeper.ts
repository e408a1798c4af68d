import type { Kysely } from 'kysely';
import type { Rejection, Said } from '../agent/run-protocol.ts';
import { hasCeiling, leftFor, pricedCost } from '../lifecycle/budget.ts';
import type { Cost, StepReport } from '../lifecycle/memory.ts';
import type { Ceiling } from '../lifecycle/policy.ts';
import { PatchRefused } from '../workspace/workspace.ts';
import { type AuditLine, audit } from './audit-log.ts';
import { storeTurn } from './conversation-store.ts';
import { formatHistory } from './history-lines.ts';
import { commitStep, type Implementation, readTree, StepRejected } from './implementation.ts';
import type { Logger } from './log.ts';
import type { RunKeeper } from './run-host.ts';
import type { ReadyRun } from './run-preparation.ts';
import type { RunRecord } from './run-record.ts';
import { addStep, readRun, setTasks, storeSpent } from './run-store.ts';
import type { Schema } from './schema.ts';
import { sharesOfDay } from './spending.ts';

/** Keeps what a run's child reports: each call returns once it is durable. */
export function createKeeper(
  db: Kysely<Schema>,
  run: RunRecord,
  prepared: Pick<ReadyRun, 'implementation' | 'history' | 'day'>,
  log: Logger,
): RunKeeper {
  const work = prepared.implementation;
  const store = async ({ messages, plan, spent }: Said, isComplete: boolean) => {
    if (!(await storeTurn(db, run, { messages, plan, spent, isComplete }))) {
      throw new Error('expected the run to be running when it is told of a turn, got a run that was stopped');
    }
  };
  return {
    reply: (said) => store(said, false),
    turn: async (said) => {
      if (work !== null) await work.workspaces.snapshot(work.repository, work.checkout, run.workspace);
      await store(said, true);
    },
    ...(hasCeiling(prepared.day) ? { dayLeft: (spent) => leftOfDay(db, run, prepared.day, spent) } : {}),
    history: async ({ path, limit }) => formatHistory(await prepared.history(path, limit)),
    stepDone: async ({ title }) => (work === null ? null : keepStep(db, run, work, title, log)),
    readTree: async () => (work === null ? { outside: [], faults: [], changes: [] } : readTree(work)),
    tasks: ({ tasks }) => setTasks(db, run.id, tasks),
    spent: ({ spent }) => storeSpent(db, run.id, spent),
    audit: ({ event, detail }) => audit({ db, log }, { thread: run.thread, run: run.id, event, detail }),
  };
}

async function leftOfDay(db: Kysely<Schema>, run: RunRecord, day: Ceiling, spent: Cost): Promise<Ceiling> {
  return leftFor(day, pricedCost(await sharesOfDay(db, run.thread)), spent);
}

/** What may not be committed stays in the tree: the agent is told and can mend it, and the last commit will refuse it again. */
async function keepStep(
  db: Kysely<Schema>,
  run: RunRecord,
  work: Implementation,
  title: string,
  log: Logger,
): Promise<Rejection | null> {
  try {
    const step = await commitStep(work, title);
    const told = step.commit === null ? await toldAgain(db, run, work, step) : step;
    if (told !== null) await addStep(db, run.id, told);
    if (told?.commit != null) await audit({ db, log }, committed(run, told.commit));
    return null;
  } catch (error) {
    const rejection = readRejection(error);
    if (rejection === null) throw error;
    const detail = [...rejection.outside, ...rejection.faults].join('\n');
    await audit({ db, log }, { thread: run.thread, run: run.id, event: 'step_refused', detail });
    return rejection;
  }
}

function committed({ thread, id, branch }: RunRecord, commit: string): AuditLine {
  return { thread, run: id, event: 'committed', detail: `${commit}, for ${branch}` };
}

/**
 * What is to be recorded of a step with nothing left to commit: the one that a process committed and died before it was
 * recorded, or that nothing changed; `null` where it is recorded already and the process died before the run knew.
 */
async function toldAgain(
  db: Kysely<Schema>,
  run: RunRecord,
  { workspaces, repository, checkout }: Implementation,
  step: StepReport,
): Promise<StepReport | null> {
  const commit = await workspaces.lastCommit(repository, run.workspace);
  const steps = (await readRun(db, run.id))?.steps ?? [];
  if (commit === null || steps.some((recorded) => recorded.commit === commit)) {
    return steps.some(({ title }) => title === step.title) ? null : step;
  }
  const before = steps.findLast((recorded) => recorded.commit !== null)?.commit ?? checkout.commit;
  const changes = await workspaces.changes(repository, before, commit);
  return { ...step, commit, files: changes.map(({ path }) => path) };
}

function readRejection(error: unknown): Rejection | null {
  if (error instanceof StepRejected) return error.rejection;
  return error instanceof PatchRefused ? { outside: [], faults: error.reasons } : null;
}
