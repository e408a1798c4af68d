import type { FailureReason, RunMemory } from './memory.ts';

/** What a run fails with where its conversation is at fault: sent again, it would fail again. */
const faultsOfHistory: readonly FailureReason[] = ['refusal', 'context_exceeded'];

/**
 * The runs on a branch whose conversation a later run goes on with: those after the last one whose history the model would
 * not take. What comes next begins anew, with its brief and the plan of record.
 */
export function rememberedRuns<Run extends Pick<RunMemory, 'branch' | 'outcome'>>(
  runs: readonly Run[],
  branch: string,
): readonly Run[] {
  const onBranch = runs.filter((run) => run.branch === branch);
  const refused = onBranch.findLastIndex(
    ({ outcome }) => outcome?.kind === 'failed' && faultsOfHistory.includes(outcome.reason),
  );
  return onBranch.slice(refused + 1);
}
