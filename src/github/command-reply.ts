/** The answers to commands. Pure. */
import type { ThreadStatus } from '../lifecycle/actions.ts';
import { currentPullRequest } from '../lifecycle/branch.ts';
import type { Command } from '../lifecycle/command.ts';
import type { Facts, PullRequestFacts } from '../lifecycle/facts.ts';
import type { Memory } from '../lifecycle/memory.ts';
import { shortId } from '../lifecycle/phrases.ts';
import type { OutRules } from '../text/text-out.ts';
import { planComment, statusComment } from './comments.ts';
import { threadStatusReply } from './status-reply.ts';

export interface CommandReply {
  readonly reply: Command['name'];
  readonly status: ThreadStatus;
  readonly facts: Facts;
  readonly memory: Memory;
  readonly rules: OutRules;
}

/** What is the case, for a command that there is nothing to do for, and for one that asks. */
export function commandReply({ reply, status, facts, memory, rules }: CommandReply): string {
  const withStatus = (lead: string) => `${lead}\n\n${statusComment(status, rules)}`;
  switch (reply) {
    case 'status':
      return threadStatusReply(facts, memory);
    case 'view_plan':
      return viewPlan(currentPullRequest(facts), withStatus);
    case 'plan':
      return withStatus(planLead(status));
    case 'replan':
      return withStatus('There is no plan here that could be written anew now.');
    case 'retry':
      return withStatus('There is nothing to try again.');
    case 'continue':
      return withStatus('Nothing waits for this word.');
    case 'allow':
    case 'deny':
      return withStatus('No call waited for this word when it was given.');
    case 'cancel':
      return withStatus('There is nothing to stop.');
  }
}

function planLead({ state, pullRequest, isPullRequestOpen }: ThreadStatus): string {
  if (pullRequest !== null && isPullRequestOpen) return `There is a pull request already: #${pullRequest}.`;
  const isUnderWay = state === 'pending' || state === 'planning' || state === 'awaiting_answer';
  return isUnderWay ? 'A plan is on its way already, from what was asked for before.' : 'Nothing was started.';
}

/** The saved plan, or what waits in its place; says which. */
function viewPlan(pullRequest: PullRequestFacts | null, withStatus: (lead: string) => string): string {
  if (pullRequest === null) return withStatus('**There is no saved plan yet.** This is what waits:');
  const { planOfRecord, number } = pullRequest;
  if (planOfRecord?.isEmpty === true) {
    return withStatus(`**There is no saved plan:** #${number} holds a placeholder in its place. This is what waits:`);
  }
  if (planOfRecord !== null) {
    return `${withStatus('**This is the saved plan.**')}\n\n${planComment(planOfRecord, number)}`;
  }
  const approved = approvedCommit(pullRequest);
  const where = approved === null ? '' : ` The approved plan stands in its commit \`${shortId(approved)}\`.`;
  return withStatus(`**There is no plan file at the head of #${number}.**${where}`);
}

/** The commit whose plan was approved, as the implementation's commits say. */
function approvedCommit({ commits }: PullRequestFacts): string | null {
  const implementation = commits.findLast(({ trailers }) => trailers?.phase === 'implement')?.trailers;
  return implementation?.receipt?.head ?? implementation?.approvedBy[0]?.commit ?? null;
}
