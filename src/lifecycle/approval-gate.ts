/**
 * The approval gate: whether the plan at a pull request's head is approved, by whom, and if not, why not.
 * Nothing but reviews opens it, and whatever cannot be told keeps it shut.
 */
import { recordedBase } from './branch.ts';
import { missingOwners } from './code-owners.ts';
import { eligibilityOf } from './eligibility.ts';
import type { Facts, Person, PullRequestFacts, Review } from './facts.ts';
import type { Approval, ApprovedCeiling } from './memory.ts';
import { certain, type Obstacle, unclear } from './obstacle.ts';
import { openConversations } from './open-conversations.ts';
import { loginOf, permissionOf } from './person.ts';
import { shortId } from './phrases.ts';
import { readFreshness, unfitFor } from './plan-fitness.ts';
import type { Policy } from './policy.ts';
import { type Standing, standingVerdicts, voicelessReviews } from './standing-verdict.ts';
import { compareTimes } from './time.ts';

/** What the gate says of a pull request's plan. A single reviewer's word is a `Standing`. */
export interface GateVerdict {
  readonly isOpen: boolean;
  /** What the receipt records; `null` while no approval is in force. */
  readonly approval: Approval | null;
  readonly counted: readonly { readonly review: number; readonly login: string; readonly permission: string }[];
  readonly ignored: readonly { readonly review: number; readonly login: string; readonly reason: string }[];
  /** Why the gate is shut, one sentence each; empty exactly when it is open. */
  readonly missing: readonly string[];
  /** True but not in the way, e.g. a changed base under `stale: warn`. */
  readonly warnings: readonly string[];
}

/** What the gate is read for. */
export interface GateQuestion {
  readonly pullRequest: PullRequestFacts;
  /** Everybody who asked for the plan; `null` where that cannot be told. */
  readonly askers: readonly Person[] | null;
  /** An approval that this app itself dismissed to hold it back from the code: it still counts for the plan. */
  readonly held: Approval | null;
}

/** Whether an approval still stands. `isUnclear`: nothing says that it does not, but not all could be read. */
export type Recheck =
  | { readonly current: true }
  | { readonly current: false; readonly why: string; readonly isUnclear: boolean };

type Judged =
  | { readonly kind: 'counts'; readonly standing: Standing }
  | { readonly kind: 'ignored'; readonly standing: Standing; readonly reason: Obstacle }
  | { readonly kind: 'blocks'; readonly obstacle: Obstacle };

interface Reading {
  readonly verdict: GateVerdict;
  readonly obstacles: readonly Obstacle[];
  /** Who approves, and of whom it could not be read whether that counts. */
  readonly undecided: readonly Person[];
}

/** Reads the gate. It opens exactly when nothing is missing; every verdict is told as counted, ignored or in the way. */
export function readApprovalGate(facts: Facts, policy: Policy, question: GateQuestion): GateVerdict {
  return read(facts, policy, question).verdict;
}

function read(facts: Facts, policy: Policy, question: GateQuestion): Reading {
  const { pullRequest, held } = question;
  const standing = standingVerdicts(pullRequest, held);
  const judged = standing.map((each) => judge(facts, policy, question, each));
  const counted = judged.flatMap((entry) => (entry.kind === 'counts' ? [entry.standing] : []));
  const ignored = judged.flatMap((entry) => (entry.kind === 'ignored' ? [entry] : []));
  const undecided = ignored.filter(({ reason }) => reason.isUnclear).map((entry) => entry.standing.person);
  const freshness = readFreshness(policy, pullRequest);
  const obstacles = [
    ...unfitFor(facts, policy, pullRequest),
    ...freshness.missing,
    ...judged.flatMap((entry) => (entry.kind === 'blocks' ? [entry.obstacle] : [])),
    ...missingApprovals(facts, policy, pullRequest, { counted: counted.map(({ person }) => person), undecided }),
  ];
  const approval = obstacles.length === 0 ? formApproval(facts, policy, pullRequest, counted) : null;
  const told = ({ review }: { readonly review: Review }) => ({ review: review.id, login: loginOf(review.author) });
  const verdict: GateVerdict = {
    isOpen: approval !== null,
    approval,
    counted: counted.map((each) => ({ ...told(each), permission: permissionOf(facts, each.person) })),
    ignored: [
      ...ignored.map((entry) => ({ ...told(entry.standing), reason: entry.reason.why })),
      ...voicelessReviews(pullRequest, standing).map((each) => ({ ...told(each), reason: each.why })),
    ],
    missing: obstacles.map(({ why }) => why),
    warnings: freshness.warnings,
  };
  return { verdict, obstacles, undecided };
}

/** What those whose approval counts have not settled yet. */
function missingApprovals(
  facts: Facts,
  policy: Policy,
  pullRequest: PullRequestFacts,
  approvers: { readonly counted: readonly Person[]; readonly undecided: readonly Person[] },
): readonly Obstacle[] {
  const { counted, undecided } = approvers;
  const required = requiredApprovals(policy.approval);
  const tooFew = tooFewApprovals(policy.approval, counted.length);
  return [
    ...(policy.approval.requireResolvedThreads ? openConversations(facts, policy, pullRequest, counted) : []),
    ...(policy.approval.codeOwners ? missingOwners(facts, pullRequest, approvers) : []),
    ...(counted.length >= required
      ? []
      : [counted.length + undecided.length >= required ? unclear(tooFew) : certain(tooFew)]),
  ];
}

/** How many approvals a rule asks for: never none, whatever it says. */
export function requiredApprovals({ required }: Policy['approval']): number {
  return Math.max(1, required);
}

export function tooFewApprovals(rule: Policy['approval'], counted: number): string {
  return `${counted} of ${requiredApprovals(rule)} required approvals of this plan.`;
}

/** Whether an approval that once opened the gate still does: same bytes, same head, same people. */
export function recheckApproval(
  facts: Facts,
  policy: Policy,
  question: GateQuestion & { readonly held: Approval },
): Recheck {
  const { held, pullRequest } = question;
  const gone = (why: string): Recheck => ({ current: false, why, isUnclear: false });
  if (pullRequest.head !== held.head) return gone('The pull request has a new head.');
  const { verdict, obstacles, undecided } = read(facts, policy, question);
  if (verdict.approval === null) {
    const isUnclear = obstacles.length > 0 && obstacles.every((obstacle) => obstacle.isUnclear);
    return { current: false, why: verdict.missing.join(' '), isUnclear };
  }
  if (verdict.approval.planBlob !== held.planBlob) return gone('The plan file has changed.');
  if (verdict.approval.base !== held.base) return gone('The plan has a new base.');
  const stillThere = new Set(verdict.approval.reviewers.map((reviewer) => reviewer.id));
  const absent = held.reviewers.filter((reviewer) => !stillThere.has(reviewer.id));
  const [first] = absent;
  if (first === undefined) return { current: true };
  const isUnclear = absent.every(({ id }) => undecided.some((person) => person.id === id));
  return {
    current: false,
    why: `The approval by ${first.login} is gone${isUnclear ? ', or could not be read' : ''}.`,
    isUnclear,
  };
}

function judge(facts: Facts, policy: Policy, question: GateQuestion, standing: Standing): Judged {
  const { review, person, kind } = standing;
  const ignore = (reason: Obstacle): Judged => ({ kind: 'ignored', standing, reason });
  const block = (obstacle: Obstacle): Judged => ({ kind: 'blocks', obstacle });
  const eligibility = eligibilityOf(facts, policy, question.pullRequest, person);
  if (eligibility.kind === 'not_eligible') return ignore(certain(eligibility.why));
  if (eligibility.kind === 'unclear') {
    if (kind === 'approves') return ignore(unclear(eligibility.why));
    return block(unclear(`${person.login} has a verdict, and ${eligibility.why}.`));
  }
  if (kind === 'unclear') return block(certain(`The review by ${person.login} is in a state not known here.`));
  if (kind === 'objects') return block(certain(`${person.login} has requested changes.`));
  const reason = whyStale(question.pullRequest, review) ?? whyNotThem(policy, question, person);
  return reason === null ? { kind: 'counts', standing } : ignore(reason);
}

function whyNotThem(policy: Policy, { askers }: GateQuestion, person: Person): Obstacle | null {
  if (!policy.approval.notByRequester) return null;
  if (askers === null) return unclear(askersUnknown);
  const isAsker = askers.some(({ id }) => id === person.id);
  return isAsker ? certain('asked for the plan, and approval.not_by_requester is set') : null;
}

const askersUnknown = 'who asked for the plan is not known any more; close the pull request and set the label again';

/** Why an approval is of something else than what stands there now. A time that cannot be compared is never fresh. */
export function whyStale(pullRequest: PullRequestFacts, review: Review): Obstacle | null {
  const { commit, submittedAt } = review;
  if (commit === null) return certain('the commit it names is gone');
  if (commit !== pullRequest.head) {
    return certain(`names commit ${shortId(commit)}, and the head is ${shortId(pullRequest.head)}`);
  }
  const isAfter = (at: string) => compareTimes(submittedAt ?? '', at) > 0;
  const disturbance = pullRequest.disturbances.find(({ at }) => !isAfter(at));
  if (disturbance !== undefined) {
    return certain(`given before the pull request was ${disturbanceWords[disturbance.kind]}`);
  }
  return isOfEarlierBytes(pullRequest, review)
    ? certain('given before the commit that it names was made, by the date of that commit')
    : null;
}

/**
 * GitHub has been seen to move the commit of a review forward: a commit of a person's that is younger than the review is
 * not what was reviewed. This app's own commits bear the date of its host, whose clock decides nothing.
 */
function isOfEarlierBytes({ commits, head }: PullRequestFacts, { submittedAt }: Review): boolean {
  const commit = commits.find(({ sha }) => sha === head);
  if (commit === undefined) return true;
  return commit.trailers === null && !(compareTimes(submittedAt ?? '', commit.committedAt) >= 0);
}

const disturbanceWords = {
  force_pushed: 'force-pushed',
  base_changed: 'pointed at another base',
  closed: 'closed',
  reopened: 'reopened',
} as const;

function ceilingOf({ budget: { maxTurns, maxTokens, maxDollars } }: Policy): ApprovedCeiling {
  return { maxTurns, maxTokens, maxDollars };
}

function formApproval(
  facts: Facts,
  policy: Policy,
  pullRequest: PullRequestFacts,
  counted: readonly Standing[],
): Approval | null {
  const base = recordedBase(pullRequest);
  if (base === null || pullRequest.planOfRecord === null) return null;
  const { id, owner, name } = facts.repository;
  return {
    repository: { id, owner, name },
    pullRequest: pullRequest.number,
    head: pullRequest.head,
    planBlob: pullRequest.planOfRecord.blob,
    base,
    reviewers: counted.map(({ review, person }) => ({
      id: person.id,
      login: person.login,
      permission: permissionOf(facts, person),
      review: review.id,
    })),
    rule: policy.approval,
    ceiling: ceilingOf(policy),
    version: facts.app.version,
  };
}
