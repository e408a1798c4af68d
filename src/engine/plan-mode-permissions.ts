/**
 * The permissions that were in force when a thread entered plan mode: kept with the run that entered it and with those after
 * it that stay in it, and given back to the implementation of its plan.
 */
import type { Kysely } from 'kysely';
import { restorePermissions } from '../agent/permissions.ts';
import type { RunOrder } from '../lifecycle/actions.ts';
import type { Permissions } from '../lifecycle/policy.ts';
import type { RunRecord } from './run-record.ts';
import { readRuns } from './run-store.ts';
import type { Schema } from './schema.ts';

/** What is kept with a run that is ordered now; `null` with an implementation. */
export async function permissionsAtEntry(
  db: Kysely<Schema>,
  thread: string,
  { phase, branch }: RunOrder,
  live: Permissions,
): Promise<Permissions | null> {
  if (phase === 'implement') return null;
  const before = (await readRuns(db, thread)).findLast((run) => run.branch === branch);
  const isStill = before?.phase === 'plan' && (before.status === 'finished' || before.status === 'parked');
  return (isStill ? before.permissions : null) ?? live;
}

/** The untouched set for a run: as it was at the entry, with what has been tightened since. What the phase makes of it is the run's to know. */
export async function permissionsOf(db: Kysely<Schema>, run: RunRecord, live: Permissions): Promise<Permissions> {
  const runs = run.phase === 'plan' ? [run] : await readRuns(db, run.thread);
  const until = runs.findIndex(({ id }) => id === run.id);
  const entered = runs
    .slice(0, until + 1)
    .findLast(({ phase, branch, permissions }) => phase === 'plan' && branch === run.branch && permissions !== null);
  return restorePermissions(entered?.permissions ?? null, live);
}
