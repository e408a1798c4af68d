/** Going on, under an amended plan, with the work of the run that asked for the amendment. */
import type { Kysely } from 'kysely';
import type { Resumption } from '../agent/brief.ts';
import { type CarriedWork, WorkspaceError } from '../workspace/workspace.ts';
import { type Implementation, stepMessage } from './implementation.ts';
import type { Logger } from './log.ts';
import type { RunRecord } from './run-record.ts';
import { readRun, setSteps } from './run-store.ts';
import type { Schema } from './schema.ts';
import { outsideOfCommit } from './tree-scope.ts';

type Ports = Pick<Implementation, 'github' | 'workspaces' | 'repository' | 'run' | 'policy' | 'plan'> & {
  readonly db: Kysely<Schema>;
  readonly log: Logger;
};

const lost: Resumption = { work: 'lost', tasks: [] };

/**
 * Puts the kept work onto `onto`, the commit that holds the amended plan, and its steps down as the run's own; `null` where
 * the run goes on with nobody's work. Work that is gone or does not fit is left: the run begins anew, and is told. To be
 * called again until the run has a turn of its own: it undoes what a process that died had done before that.
 */
export async function resumeWork(ports: Ports, onto: string): Promise<Resumption | null> {
  const { db, run, log } = ports;
  const { occasion } = run;
  if (occasion.kind !== 'approval' || occasion.resumes === null) return null;
  const kept = await readRun(db, occasion.resumes);
  const steps = kept === null ? null : await carryCommits(ports, kept, onto);
  if (kept === null || steps === null) {
    log.warn({ resumes: occasion.resumes }, 'the work that was kept is gone or does not fit; it begins anew');
    await setSteps(db, run.id, []);
    return lost;
  }
  if (await areWithin(ports, steps, onto)) {
    await setSteps(db, run.id, steps);
    return { work: 'kept', tasks: kept.tasks };
  }
  const isCarried = await carry(ports, { ...placeOf(run, kept, onto), message: null });
  await setSteps(db, run.id, []);
  return isCarried === null ? lost : { work: 'loose', tasks: [] };
}

function placeOf(run: RunRecord, kept: RunRecord, onto: string): Omit<CarriedWork, 'message'> {
  return { from: kept.workspace, base: kept.head ?? kept.base, to: run.workspace, onto };
}

/** The steps of the kept run, each with its commit made anew; `null` where they cannot be carried over. */
async function carryCommits(ports: Ports, kept: RunRecord, onto: string): Promise<RunRecord['steps'] | null> {
  const titleOf = (commit: string) => kept.steps.find((step) => step.commit === commit)?.title ?? '';
  const message = (commit: string) => stepMessage(ports, titleOf(commit));
  const commits = await carry(ports, { ...placeOf(ports.run, kept, onto), message });
  if (commits === null) return null;
  return kept.steps.map((step) => ({
    ...step,
    commit: step.commit === null ? null : (commits.get(step.commit) ?? null),
  }));
}

async function carry(
  { workspaces, repository, log }: Ports,
  work: CarriedWork,
): Promise<ReadonlyMap<string, string> | null> {
  try {
    return await workspaces.carryOver(repository, work);
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    log.warn({ err: error }, 'the work that was kept cannot be read');
    return null;
  }
}

/** Whether every commit is within the plan as it is now: a revision of the amendment may have taken something out. */
async function areWithin(ports: Ports, steps: RunRecord['steps'], onto: string): Promise<boolean> {
  let before = onto;
  for (const { commit } of steps) {
    if (commit === null) continue;
    const changes = await ports.workspaces.changes(ports.repository, before, commit);
    if (outsideOfCommit(ports, changes).length > 0) return false;
    before = commit;
  }
  return true;
}
