/** The answer to `/status`. Pure. */
import { currentPullRequest } from '../lifecycle/branch.ts';
import { totalCost, usedCeilings } from '../lifecycle/budget.ts';
import type { Facts } from '../lifecycle/facts.ts';
import type { Memory, RunMemory } from '../lifecycle/memory.ts';
import { statusLabels } from '../lifecycle/state.ts';
import { ceilingLines, costLine } from './cost-text.ts';

/** What stands on GitHub, and what the last run does or did. */
export function threadStatusReply(facts: Facts, memory: Memory): string {
  const pullRequest = currentPullRequest(facts);
  const shown = Object.values(statusLabels).find((label) => label !== null && facts.issue.labels.includes(label));
  const run = memory.runs.at(-1);
  const lines = [
    `Status label: ${shown === undefined || shown === null ? 'none' : `\`${shown}\``}.`,
    pullRequest === null ? 'Pull request: none yet.' : `Pull request: #${pullRequest.number}, ${pullRequest.state}.`,
    run === undefined ? 'Runs: none yet.' : `Last run: ${describeRun(run)}.`,
    costLine(totalCost(memory)),
    ...('problems' in facts.policy ? [] : ceilingLines(usedCeilings(memory, facts.policy.budget))),
  ];
  return lines
    .filter((line) => line !== null)
    .map((line) => `- ${line}`)
    .join('\n');
}

const statusWords = {
  queued: 'queued',
  running: 'at work',
  stopping: 'being stopped',
  finished: 'finished',
  parked: 'waiting for an answer',
  cancelled: 'cancelled',
  failed: 'failed',
} as const satisfies Record<RunMemory['status'], string>;

function wordOf({ status, outcome }: RunMemory): string {
  return status === 'parked' && outcome?.kind === 'budget_reached' ? 'waiting at a ceiling' : statusWords[status];
}

function describeRun(run: RunMemory): string {
  const waitsForPlan = run.status === 'parked' && run.outcome?.kind === 'amendment';
  const status = waitsForPlan ? 'waiting for the approval of a change of its plan' : wordOf(run);
  return `${run.phase === 'plan' ? 'planning' : 'implementation'}, ${status}`;
}
