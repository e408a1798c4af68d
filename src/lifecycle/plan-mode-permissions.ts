/**
 * The permissions that were in force when a thread entered plan mode: kept with the run that entered it and with those after
 * it that stay in it, and given back to the implementation of its plan. What of them holds while planning: `agent/permissions.ts`.
 */
import type { RunOrder } from './actions.ts';
import type { RunMemory } from './memory.ts';
import type { Permissions } from './policy.ts';

type Entry = Pick<RunMemory, 'id' | 'phase' | 'branch' | 'status'> & { readonly permissions: Permissions | null };

/**
 * What is kept with a run that is ordered now; `null` with an implementation.
 * @param runs the thread's, oldest first
 */
export function permissionsAtEntry(
  { phase, branch }: Pick<RunOrder, 'phase' | 'branch'>,
  runs: readonly Entry[],
  live: Permissions,
): Permissions | null {
  if (phase === 'implement') return null;
  const before = runs.findLast((run) => run.branch === branch);
  const isStill = before?.phase === 'plan' && (before.status === 'finished' || before.status === 'parked');
  return (isStill ? before.permissions : null) ?? live;
}

/**
 * The untouched set for a run: as it was at the entry, with what has been tightened since. What its phase makes of that is
 * the run's to know.
 * @param runs the thread's, oldest first
 */
export function permissionsOf(run: Entry, runs: readonly Entry[], live: Permissions): Permissions {
  const until = runs.slice(
    0,
    runs.findIndex(({ id }) => id === run.id),
  );
  const isEntry = ({ phase, branch, permissions }: Entry) =>
    phase === 'plan' && branch === run.branch && permissions !== null;
  const entered = run.phase === 'plan' ? run : until.findLast(isEntry);
  return restorePermissions(entered?.permissions ?? null, live);
}

/**
 * The permissions after plan mode: the set that was in force when it was entered, and on top of it what has been tightened
 * since. A database that was lost remembers none: then the configuration stands.
 */
export function restorePermissions(recorded: Permissions | null, live: Permissions): Permissions {
  if (recorded === null) return live;
  const both = (one: readonly string[], other: readonly string[]) => [...new Set([...one, ...other])];
  return {
    mode: recorded.mode === 'ask' || live.mode === 'ask' ? 'ask' : 'auto',
    allow: recorded.allow,
    ask: both(recorded.ask, live.ask),
    deny: both(recorded.deny, live.deny),
  };
}
