/** Whether the code of a pull request is approved: what the check `planwright/code` goes by. An approval of the plan is none. */
import { isEligible } from './eligibility.ts';
import type { Facts, PullRequestFacts } from './facts.ts';
import { sharedHead } from './plan-fitness.ts';
import type { Policy } from './policy.ts';
import { standingVerdicts } from './standing-verdict.ts';

/**
 * The logins of those who approve the code at the head of a pull request that holds code. Nobody while a verdict of an
 * eligible person is anything but an approval, and while another open pull request shares the head. A review that a receipt
 * names approved the plan, whatever commit GitHub says it is of.
 */
export function codeApprovers(facts: Facts, policy: Policy, pullRequest: PullRequestFacts): readonly string[] {
  const verdicts = standingVerdicts(pullRequest).filter(({ person }) => isEligible(facts, policy, person));
  const isHeldUp = verdicts.some(({ kind }) => kind !== 'approves') || sharedHead(pullRequest) !== null;
  const receipts = pullRequest.commits.flatMap(({ trailers }) => trailers?.receipt ?? []);
  const ofPlan = new Set(receipts.flatMap(({ reviewers }) => reviewers.map(({ review }) => review)));
  const ofHead = verdicts.filter(({ review }) => review.commit === pullRequest.head && !ofPlan.has(review.id));
  return isHeldUp ? [] : ofHead.map(({ person }) => person.login);
}
