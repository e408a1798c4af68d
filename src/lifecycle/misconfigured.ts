import type { Decision, ThreadStatus } from './actions.ts';
import { currentPullRequest, holdsCode } from './branch.ts';
import { totalCost } from './budget.ts';
import type { Facts } from './facts.ts';
import type { Memory } from './memory.ts';
import { readRequests, triggerOf } from './request.ts';
import type { ThreadState } from './state.ts';

/**
 * The repository's configuration cannot be read: no run starts, none is stopped, and the issue says what is wrong. Only an
 * issue that is a thread already says so, or one that a writer asks a plan for: by the label that the configuration still
 * tells, else by the default one, or by `/plan`.
 */
export function presentMisconfigured(facts: Facts, memory: Memory, problems: readonly string[]): Decision {
  const state = stateAtRest(facts, memory);
  const isOurs = memory.runs.length > 0 || facts.pullRequests.length > 0;
  const isAsked =
    facts.issue.state === 'open' && readRequests(facts, memory, triggerOf(facts.policy)).standing !== null;
  if (!isOurs && !isAsked) return { state, actions: [] };
  const status: ThreadStatus = {
    state,
    pullRequest: currentPullRequest(facts)?.number ?? null,
    isPullRequestOpen: currentPullRequest(facts)?.state === 'open',
    failure: null,
    obstacles: problems,
    note: null,
    previousPullRequest: null,
    cost: totalCost(memory),
  };
  return { state, actions: [{ kind: 'setStatusComment', status }] };
}

function stateAtRest(facts: Facts, memory: Memory): ThreadState {
  const run = memory.runs.at(-1);
  if (run?.status === 'queued' || run?.status === 'running') return run.phase === 'plan' ? 'planning' : 'implementing';
  if (run?.status === 'stopping') return 'exit_pending';
  const pullRequest = currentPullRequest(facts);
  if (pullRequest === null) return 'inactive';
  if (pullRequest.state !== 'open') return pullRequest.state === 'merged' ? 'completed' : 'abandoned';
  return holdsCode(pullRequest) ? 'implemented' : 'awaiting_approval';
}
