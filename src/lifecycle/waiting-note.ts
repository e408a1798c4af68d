/** What people are told beside "the plan waits for approval". */
import { workToResume } from './amendment.ts';
import { recordedBase } from './branch.ts';
import type { PullRequestFacts } from './facts.ts';
import { readFreshness } from './plan-fitness.ts';
import type { Policy } from './policy.ts';
import type { Thread } from './thread.ts';

/** `null` where there is nothing to be told. */
export function waitingNote({ memory, policy }: Thread, pullRequest: PullRequestFacts): string | null {
  const base = recordedBase(pullRequest);
  const kept = base === null ? null : workToResume(memory.runs, pullRequest.branch, base);
  const notes = [...(kept === null ? [] : [workIsKept]), ...movedBase(policy, pullRequest)];
  return notes.length === 0 ? null : notes.join(' ');
}

export const workIsKept =
  'The implementation asks for a change of the plan, and why is said in the pull request. Its work so far is kept, and goes on once the plan as it is now is approved.';

function movedBase(policy: Policy, pullRequest: PullRequestFacts): readonly string[] {
  if (pullRequest.changedOnBase === 'unknown') return [];
  const { missing, warnings } = readFreshness(policy, pullRequest);
  const anew = '`/replan` has it written against the base as it is now.';
  return [
    ...missing.map(({ why }) => `${why} An approval does not count until that is settled: ${anew}`),
    ...warnings.map((warning) => `${warning} An approval counts all the same; ${anew}`),
  ];
}
