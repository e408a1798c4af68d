/** Gates with one mistake each, made of the right one: a comparison that finds nothing wrong with them proves nothing. */
import { type GateQuestion, type GateVerdict, readApprovalGate } from '../../src/lifecycle/approval-gate.ts';
import type { Facts, Permission, PullRequestFacts, Review } from '../../src/lifecycle/facts.ts';
import type { Policy } from '../../src/lifecycle/policy.ts';

export interface WrongGate {
  readonly mistake: string;
  readonly gate: (facts: Facts, policy: Policy, question: GateQuestion) => GateVerdict;
  /** How many approvals are required when it is tried. */
  readonly required: number;
}

export const wrongGates: readonly WrongGate[] = [
  readingPermission('counts triage', 'triage', 'write'),
  readingPermission('counts people without any permission', 'none', 'write'),
  readingPermission('counts people whose permission could not be read', 'unknown', 'write'),
  readingPermission('overlooks objections of people whose permission could not be read', 'unknown', 'none'),
  readingPermission('lets anybody object', 'triage', 'unknown'),
  readingPermission('does not count administrators', 'admin', 'read'),
  reading('does not see that it is closed', (own) => ({ state: 'open', disturbances: own.disturbances })),
  reading('forgets that it was closed', (own) => without(own, 'closed', 'reopened')),
  reading('forgets that it had another base', (own) => without(own, 'base_changed')),
  reading('takes any base', () => ({ baseBranch: 'main' })),
  reading('counts an approval of an older head', (own) => ({
    reviews: own.reviews.map((review) => ({ ...review, commit: own.head })),
    commits: own.commits.map((commit) => ({ ...commit, committedAt: own.createdAt })),
  })),
  readingReviews('restores what was said before a dismissal', (reviews) =>
    reviews.filter(({ state }) => state !== 'DISMISSED'),
  ),
  readingReviews('takes no notice of a dismissal', (reviews) => renamed(reviews, 'DISMISSED', 'APPROVED')),
  readingReviews('lets a comment take an approval away', (reviews) => renamed(reviews, 'COMMENTED', 'DISMISSED')),
  readingReviews('takes a comment for an approval', (reviews) => renamed(reviews, 'COMMENTED', 'APPROVED')),
  readingReviews('takes a comment for an objection', (reviews) => renamed(reviews, 'COMMENTED', 'CHANGES_REQUESTED')),
  readingReviews('overlooks objections', (reviews) => renamed(reviews, 'CHANGES_REQUESTED', 'COMMENTED')),
  readingReviews('takes an objection for an approval', (reviews) => renamed(reviews, 'CHANGES_REQUESTED', 'APPROVED')),
  readingReviews('lets an objection stand for ever', (reviews) => {
    const objectors = reviews.filter(({ state }) => state === 'CHANGES_REQUESTED').map(({ author }) => author?.id);
    return reviews.filter(({ state, author }) => state !== 'APPROVED' || !objectors.includes(author?.id));
  }),
  readingReviews('goes by the first verdict of a person', (reviews) =>
    reviews.filter(({ author }, at) => reviews.findIndex((review) => review.author?.id === author?.id) === at),
  ),
  {
    mistake: 'minds no open conversation',
    gate: (facts, policy, question) =>
      readApprovalGate(facts, withApproval(policy, { requireResolvedThreads: false }), question),
    required: 1,
  },
  {
    mistake: 'asks for one approval too many',
    gate: (facts, policy, question) => readApprovalGate(facts, withApproval(policy, { required: 2 }), question),
    required: 1,
  },
  {
    mistake: 'asks for one approval too few',
    gate: (facts, policy, question) => readApprovalGate(facts, withApproval(policy, { required: 1 }), question),
    required: 2,
  },
  { mistake: 'counts one person twice', gate: countingReviews, required: 2 },
  {
    mistake: 'is shut and says no reason',
    gate: (facts, policy, question) => ({ ...readApprovalGate(facts, policy, question), missing: [] }),
    required: 1,
  },
];

function readingPermission(mistake: string, from: Permission, to: Permission): WrongGate {
  const gate: WrongGate['gate'] = (facts, policy, question) => {
    const read = Object.entries(facts.permissions).map(([id, held]) => [id, held === from ? to : held] as const);
    return readApprovalGate({ ...facts, permissions: Object.fromEntries(read) }, policy, question);
  };
  return { mistake, gate, required: 1 };
}

function reading(mistake: string, change: (own: PullRequestFacts) => Partial<PullRequestFacts>): WrongGate {
  const gate: WrongGate['gate'] = (facts, policy, question) => {
    const pullRequest = { ...question.pullRequest, ...change(question.pullRequest) };
    return readApprovalGate({ ...facts, pullRequests: [pullRequest] }, policy, { ...question, pullRequest });
  };
  return { mistake, gate, required: 1 };
}

function readingReviews(mistake: string, change: (reviews: readonly Review[]) => readonly Review[]): WrongGate {
  return reading(mistake, ({ reviews }) => ({ reviews: change(reviews) }));
}

function without(own: PullRequestFacts, ...kinds: readonly string[]): Partial<PullRequestFacts> {
  return { disturbances: own.disturbances.filter(({ kind }) => !kinds.includes(kind)) };
}

function renamed(reviews: readonly Review[], from: string, to: string): readonly Review[] {
  return reviews.map((review) => (review.state === from ? { ...review, state: to } : review));
}

function withApproval(policy: Policy, change: Partial<Policy['approval']>): Policy {
  return { ...policy, approval: { ...policy.approval, ...change } };
}

/** Takes every review for one of another person. */
function countingReviews(facts: Facts, policy: Policy, question: GateQuestion): GateVerdict {
  const reviews = question.pullRequest.reviews.map((review) => ({
    ...review,
    author: review.author === null ? null : { ...review.author, id: 1000 + review.id },
  }));
  const permissions = Object.fromEntries(
    question.pullRequest.reviews.map(({ id, author }) => [1000 + id, facts.permissions[author?.id ?? 0] ?? 'unknown']),
  );
  const pullRequest = { ...question.pullRequest, reviews };
  return readApprovalGate({ ...facts, permissions }, policy, { ...question, pullRequest });
}
