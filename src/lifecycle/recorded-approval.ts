/** The approval behind the code of a pull request: it opened the gate once, and stands while what GitHub shows now bears it out. */
import { mayPlanAnew } from './branch.ts';
import type { Facts, PullRequestFacts } from './facts.ts';
import type { Approval } from './memory.ts';
import type { Thread } from './thread.ts';

/**
 * The approval that an implementation on this pull request went by: from memory, else from the receipt in its newest commit
 * of code. Either counts only while the pull request bears it out.
 */
export function recordedApproval(thread: Thread, pullRequest: PullRequestFacts): Approval | null {
  const found = claimedApprovals(thread, pullRequest);
  return found.find((approval) => whyNotBorneOut(thread.facts, pullRequest, approval) === null) ?? null;
}

/** Why no recorded approval stands behind the code, and what to do about it. */
export function whyNotRecorded(thread: Thread, pullRequest: PullRequestFacts): string {
  const [claimed] = claimedApprovals(thread, pullRequest);
  const why = claimed === undefined ? null : whyNotBorneOut(thread.facts, pullRequest, claimed);
  const anew = mayPlanAnew(pullRequest)
    ? '`/replan` has the plan written and approved anew.'
    : 'Close the pull request and set the label again to start anew.';
  return `${why ?? 'No commit of code bears the receipt of an approval.'} ${anew}`;
}

function claimedApprovals(thread: Thread, pullRequest: PullRequestFacts): readonly Approval[] {
  const remembered = thread.memory.runs.findLast(
    (run) => run.approval?.pullRequest === pullRequest.number && run.status !== 'cancelled',
  );
  const code = pullRequest.commits.findLast(({ trailers }) => trailers?.phase === 'implement');
  return [remembered?.approval ?? null, code?.trailers?.receipt ?? null].filter((approval) => approval !== null);
}

/**
 * An approval counts for one pull request of one repository, for the plan that it names, and for as long as its reviews
 * are there: as approvals, or dismissed by this app to keep them from counting for the code.
 * @returns a sentence that says why it does not count; `null` where it does
 */
export function whyNotBorneOut(facts: Facts, pullRequest: PullRequestFacts, approval: Approval): string | null {
  const isHere = approval.repository.id === facts.repository.id && approval.pullRequest === pullRequest.number;
  if (!isHere) return 'The approval is of another pull request.';
  if (!isOfThisPlan(pullRequest, approval)) return 'The plan that was approved is not the plan of this pull request.';
  if (approval.reviewers.length === 0) return 'The approval names nobody.';
  const gone = approval.reviewers.find((reviewer) => !isReviewThere(pullRequest, approval, reviewer));
  return gone === undefined ? null : `The approval by ${gone.login} is gone.`;
}

/** The approved commit is there, no plan of this app came after it, and whoever has the plan file left it as it was. */
function isOfThisPlan({ commits, planOfRecord }: PullRequestFacts, { head, planBlob }: Approval): boolean {
  const at = commits.findIndex(({ sha }) => sha === head);
  if (at === -1 || commits.slice(at + 1).some(({ trailers }) => trailers?.phase === 'plan')) return false;
  const blobs = [commits[at]?.trailers?.plan ?? null, planOfRecord?.blob ?? null];
  return blobs.every((blob) => blob === null || blob === planBlob);
}

function isReviewThere(
  { reviews }: PullRequestFacts,
  { head }: Approval,
  reviewer: Approval['reviewers'][number],
): boolean {
  const review = reviews.find(({ id }) => id === reviewer.review);
  if (review === undefined || review.author?.id !== reviewer.id || review.commit !== head) return false;
  return review.state === 'APPROVED' || (review.state === 'DISMISSED' && review.isHeldByThisApp);
}
