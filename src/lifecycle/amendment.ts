/** Changes of an approved plan that its implementation asked for, as the runs of a thread tell of them. */
import { reviewsAmong } from './cause.ts';
import type { RunMemory } from './memory.ts';

/**
 * The run whose kept work an implementation by the plan now goes on with: the newest one on the branch, where it waits for
 * an amendment. Revisions of the amendment change nothing about that; a plan that was written anew does.
 */
export function workToResume(runs: readonly RunMemory[], branch: string, base: string): RunMemory | null {
  for (const run of runsThatCount(runs, branch)) {
    if (run.phase === 'plan' && isPlannedAnew(run)) return null;
    if (run.phase === 'implement') return run.outcome?.kind === 'amendment' && run.base === base ? run : null;
  }
  return null;
}

/** Why the plan of the branch was amended since it was first written, or last written anew; oldest first. */
export function amendmentReasons(runs: readonly RunMemory[], branch: string): readonly string[] {
  const reasons: string[] = [];
  for (const run of runsThatCount(runs, branch)) {
    if (run.phase === 'plan' && isPlannedAnew(run)) break;
    if (run.outcome?.kind === 'amendment' && run.isSettled) reasons.unshift(run.outcome.reason);
  }
  return reasons;
}

/** The branch's runs, newest first, without those that came to nothing: what they went on with is still there. */
function runsThatCount(runs: readonly RunMemory[], branch: string): readonly RunMemory[] {
  return runs.filter((run) => run.branch === branch && !['cancelled', 'failed'].includes(run.status)).toReversed();
}

/** A revision answers reviews; every other plan run on a plan that exists writes it anew. */
function isPlannedAnew(run: RunMemory): boolean {
  return run.head !== null && reviewsAmong(run.causes).length === 0;
}
