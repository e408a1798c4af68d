/** What a pull request's commits and receipts claim, and which of it GitHub bears out. Pure. */
import { requiredApprovals } from '../lifecycle/approval-gate.ts';
import type { Permission, Review } from '../lifecycle/facts.ts';
import type { Approval } from '../lifecycle/memory.ts';
import { mayWrite } from '../lifecycle/person.ts';
import { shortId } from '../lifecycle/phrases.ts';
import type { CommitEvidence, Evidence, ReceiptEvidence } from './evidence.ts';

export interface Claim {
  /** A clause without a full stop: `commit 1a2b3c4 is this app's`. */
  readonly what: string;
  readonly verdict: 'holds' | 'does not hold' | 'cannot be told';
  /** `null` where it holds. */
  readonly why: string | null;
}

type Verdict = Omit<Claim, 'what'>;

const holds: Verdict = { verdict: 'holds', why: null };
const fails = (why: string): Verdict => ({ verdict: 'does not hold', why });
const unknown = (why: string): Verdict => ({ verdict: 'cannot be told', why });

/** Every claim once, in the order in which a reader would ask. */
export function judgeEvidence(evidence: Evidence): readonly Claim[] {
  const code = evidence.commits.filter(({ trailers }) => trailers?.phase === 'implement');
  return [
    ...evidence.commits.filter(({ signature }) => signature !== 'none').map(judgeSignature),
    ...(evidence.receipts.length > 0 ? [] : [noReceipt]),
    ...code.filter(({ receipt }) => receipt === null).map(judgeUnreceipted),
    ...evidence.receipts.flatMap((receipt) => judgeReceipt(evidence, receipt)),
  ];
}

const noReceipt: Claim = {
  what: 'the plan was approved',
  ...fails(
    'expected a receipt in the check planwright/plan or in a commit of code, got none; has the gate opened yet?',
  ),
};

function judgeSignature({ sha, headline, signature }: CommitEvidence): Claim {
  const what = `commit ${shortId(sha)} (${headline}) is this app's, on its tree and its parents`;
  if (signature === 'holds') return { what, ...holds };
  return { what, ...fails('expected its signature by this app, got none, or one over something else') };
}

function judgeUnreceipted({ sha }: CommitEvidence): Claim {
  return {
    what: `commit ${shortId(sha)} goes by an approval`,
    ...fails('expected a receipt in its trailers, got none'),
  };
}

function judgeReceipt(evidence: Evidence, receipt: ReceiptEvidence): readonly Claim[] {
  const { approval } = receipt;
  if (approval === null) {
    const why = "expected canonical JSON under this app's signature, got something else";
    return [{ what: `the receipt ${clip(receipt.shown.receipt)} is this app's`, ...fails(why) }];
  }
  const head = shortId(approval.head);
  const bearers = evidence.commits.filter((commit) => commit.receipt?.receipt === receipt.shown.receipt);
  return [
    { what: `the receipt of ${head} is signed by this app`, ...holds },
    { what: `the receipt of ${head} is of this pull request`, ...judgePlace(evidence, approval) },
    { what: `the check of ${head} shows the same receipt`, ...judgeCheck(receipt) },
    { what: `${head} holds the plan that was approved`, ...judgePlan(receipt, approval) },
    { what: `as many approved ${head} as the rule asks for`, ...judgeNumber(approval) },
    ...approval.reviewers.flatMap((reviewer) => judgeReviewer(evidence, receipt, approval, reviewer)),
    ...bearers.map((commit) => ({
      what: `commit ${shortId(commit.sha)} stands after ${head}`,
      ...judgeOrder(evidence.commits, approval, commit),
    })),
  ];
}

function judgePlace({ repository, pullRequest }: Evidence, approval: Approval): Verdict {
  if (approval.repository.id === repository && approval.pullRequest === pullRequest) return holds;
  const { owner, name, id } = approval.repository;
  return fails(
    `expected pull request ${pullRequest} of repository ${repository}, got ${approval.pullRequest} of ${id} (${owner}/${name})`,
  );
}

function judgeCheck({ check, shown }: ReceiptEvidence): Verdict {
  if (check === 'unknown') return unknown('the checks of that commit could not be read');
  if (check === 'none') return fails('expected the receipt in its check planwright/plan, got none there');
  return check.receipt === shown.receipt && check.signature === shown.signature
    ? holds
    : fails('expected the receipt that the commits bear, got another one');
}

function judgePlan({ plans }: ReceiptEvidence, { planBlob }: Approval): Verdict {
  if (plans === 'unknown') return unknown('the files of that commit could not be read');
  if (plans.some(({ blob }) => blob === planBlob)) return holds;
  const found = plans.filter(({ blob }) => blob !== null).map(({ path, blob }) => `${blob} at ${path}`);
  return fails(`expected ${planBlob}, got ${found.join(', ') || `nothing at ${plans[0]?.path ?? 'plan.md'}`}`);
}

function judgeNumber({ reviewers, rule }: Approval): Verdict {
  const people = new Set(reviewers.map(({ id }) => id)).size;
  const required = requiredApprovals(rule);
  return people >= required ? holds : fails(`expected ${required}, got ${people}`);
}

type Reviewer = Approval['reviewers'][number];

function judgeReviewer(
  { reviews }: Evidence,
  { permissions }: ReceiptEvidence,
  { head }: Approval,
  reviewer: Reviewer,
): readonly Claim[] {
  const review = reviews.find(({ id }) => id === reviewer.review);
  return [
    {
      what: `${reviewer.login} (${reviewer.id}) approved ${shortId(head)} in review ${reviewer.review}`,
      ...judgeReview(review, head, reviewer),
    },
    { what: `${reviewer.login} may write`, ...judgePermission(permissions.get(reviewer.id) ?? 'unknown', reviewer) },
  ];
}

function judgeReview(review: Review | undefined, head: string, reviewer: Reviewer): Verdict {
  if (review === undefined) return fails('there is no such review');
  if (review.author === null) return unknown('the account of its author is gone');
  if (review.author.id !== reviewer.id) return fails(`it is by ${review.author.login} (${review.author.id})`);
  if (review.commit === null) return unknown('the commit that it names is gone');
  if (review.commit !== head) return fails(`it names ${shortId(review.commit)}`);
  if (review.state === 'APPROVED' || (review.state === 'DISMISSED' && review.isHeldByThisApp)) return holds;
  if (review.state === 'DISMISSED') return fails('it was dismissed, and not by this app to keep it from the code');
  return fails(`its state is ${review.state}`);
}

/** GitHub keeps no record of what somebody was allowed to do: only what is the case now can be compared. */
function judgePermission(now: Permission, { permission }: Reviewer): Verdict {
  if (!mayWrite(permission)) return fails(`then ${permission}, now ${now}`);
  if (now === 'unknown') return unknown(`then ${permission}; what they may do now could not be read`);
  return mayWrite(now) ? holds : unknown(`then ${permission}, now ${now}`);
}

function judgeOrder(commits: readonly CommitEvidence[], { head }: Approval, commit: CommitEvidence): Verdict {
  const approved = commits.findIndex(({ sha }) => sha === head);
  if (approved === -1) return fails(`${shortId(head)} is not among the commits of the pull request`);
  return approved < commits.indexOf(commit) ? holds : fails(`it stands before ${shortId(head)}`);
}

function clip(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 39)}…`;
}
