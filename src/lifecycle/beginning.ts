import { goesOnAsParked, type Occasion } from './actions.ts';
import type { RunMemory } from './memory.ts';

/**
 * The run that began the work which a run goes on with, back over every pause: what it was told still holds. The run itself
 * where it began anew, or where those before it are forgotten.
 * @param runs the thread's, oldest first
 */
export function beginningOf<Run extends Pick<RunMemory, 'id' | 'branch' | 'status'> & { readonly occasion: Occasion }>(
  runs: readonly Run[],
  run: Run,
): Run {
  const at = runs.findIndex(({ id }) => id === run.id);
  const earlier = runs.slice(0, Math.max(0, at));
  return earlier.reduceRight(
    (begun, before) =>
      goesOnAsParked(begun.occasion) && before.branch === run.branch && before.status === 'parked' ? before : begun,
    run,
  );
}
