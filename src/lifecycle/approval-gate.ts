/**
 * The approval gate: whether the plan at a pull request's head is approved, by whom, and if not, why not.
 * Nothing but reviews opens it, and whatever cannot be told keeps it shut.
 */
import { holdsCode, recordedBase } from './branch.ts';
import type { Facts, Person, PullRequestFacts, Review } from './facts.ts';
import type { Approval } from './memory.ts';
import { isUnknown, isWriter, permissionOf } from './person.ts';
import type { Policy } from './policy.ts';
import { compareTimes } from './time.ts';

/** What the gate says of a pull request's plan. A single reviewer's word is a `Standing`. */
export interface GateVerdict {
  readonly isOpen: boolean;
  /** What the receipt records; `null` while the gate is shut. */
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
  /** The person who asked for the plan, where known. */
  readonly requester: Person | null;
  /** An approval that this app itself dismissed to hold it back from the code: it still counts for the plan. */
  readonly held: Approval | null;
}

type Standing = { readonly review: Review; readonly person: Person; readonly kind: 'approves' | 'objects' | 'unclear' };
type Judged =
  | { readonly kind: 'counts'; readonly standing: Standing }
  | { readonly kind: 'ignored'; readonly review: number; readonly login: string; readonly reason: string }
  | { readonly kind: 'blocks'; readonly why: string };

/** Reads the gate. It opens exactly when nothing is missing; every review is told as counted, ignored or in the way. */
export function readApprovalGate(facts: Facts, policy: Policy, question: GateQuestion): GateVerdict {
  const { pullRequest } = question;
  const judged = standingVerdicts(pullRequest, question.held).map((standing) =>
    judge(facts, policy, question, standing),
  );
  const counted = judged.flatMap((entry) => (entry.kind === 'counts' ? [entry.standing] : []));
  const ignored = judged.flatMap((entry) => (entry.kind === 'ignored' ? [entry] : []));
  const freshness = readFreshness(policy, pullRequest);
  const required = Math.max(1, policy.approval.required);
  const missing = [
    ...unfitFor(facts, policy, pullRequest),
    ...freshness.missing,
    ...judged.flatMap((entry) => (entry.kind === 'blocks' ? [entry.why] : [])),
    ...(counted.length >= required ? [] : [`${counted.length} of ${required} required approvals of this plan.`]),
  ];
  const approval = missing.length === 0 ? formApproval(facts, policy, pullRequest, counted) : null;
  return {
    isOpen: approval !== null,
    approval,
    counted: counted.map(({ review, person }) => ({
      review: review.id,
      login: person.login,
      permission: permissionOf(facts, person),
    })),
    ignored: ignored.map(({ review, login, reason }) => ({ review, login, reason })),
    missing,
    warnings: freshness.warnings,
  };
}

/** Whether an approval that once opened the gate still does: same bytes, same head, same people. */
export function recheckApproval(
  facts: Facts,
  policy: Policy,
  question: GateQuestion & { readonly held: Approval },
): { readonly current: true } | { readonly current: false; readonly why: string } {
  const { held, pullRequest } = question;
  if (pullRequest.head !== held.head) return { current: false, why: 'The pull request has a new head.' };
  const verdict = readApprovalGate(facts, policy, question);
  if (verdict.approval === null) return { current: false, why: verdict.missing.join(' ') };
  if (verdict.approval.planBlob !== held.planBlob) return { current: false, why: 'The plan file has changed.' };
  if (verdict.approval.base !== held.base) return { current: false, why: 'The plan has a new base.' };
  const stillThere = new Set(verdict.approval.reviewers.map((reviewer) => reviewer.id));
  const gone = held.reviewers.find((reviewer) => !stillThere.has(reviewer.id));
  return gone === undefined ? { current: true } : { current: false, why: `The approval by ${gone.login} is gone.` };
}

/** Each person's latest verdict. COMMENTED leaves an earlier one standing; DISMISSED removes it and all before it. */
export function standingVerdicts(pullRequest: PullRequestFacts, held: Approval | null = null): readonly Standing[] {
  const latest = new Map<number, Standing>();
  const submitted = pullRequest.reviews.filter((review) => review.submittedAt !== null && review.state !== 'PENDING');
  for (const review of submitted.toSorted(byTime)) {
    if (review.author === null || review.state === 'COMMENTED') continue;
    const kind = readState(review, held);
    if (kind === 'withdrawn') latest.delete(review.author.id);
    else latest.set(review.author.id, { review, person: review.author, kind });
  }
  return [...latest.values()];
}

function readState(review: Review, held: Approval | null): Standing['kind'] | 'withdrawn' {
  if (review.state === 'APPROVED') return 'approves';
  if (review.state === 'CHANGES_REQUESTED') return 'objects';
  if (review.state !== 'DISMISSED') return 'unclear';
  const isHeld = review.isHeldByThisApp && held?.reviewers.some((reviewer) => reviewer.id === review.author?.id);
  return isHeld ? 'approves' : 'withdrawn';
}

function judge(facts: Facts, policy: Policy, question: GateQuestion, standing: Standing): Judged {
  const { review, person, kind } = standing;
  const ignore = (reason: string): Judged => ({ kind: 'ignored', review: review.id, login: person.login, reason });
  if (person.isThisApp) return ignore('this app does not review its own plans');
  if (person.kind !== 'user') return ignore('not a person');
  if (kind !== 'approves' && isUnknown(facts, person)) {
    return { kind: 'blocks', why: `${person.login} has a verdict, and their permission could not be read.` };
  }
  if (isUnknown(facts, person)) return ignore('their permission could not be read');
  if (!isWriter(facts, person)) return ignore(`permission is ${permissionOf(facts, person)}; write is needed`);
  if (!isNamed(policy, person)) return ignore('not among approval.users');
  if (kind === 'unclear') return { kind: 'blocks', why: `The review by ${person.login} is in a state not known here.` };
  if (kind === 'objects') return { kind: 'blocks', why: `${person.login} has requested changes.` };
  const reason = whyStale(question.pullRequest, review) ?? whyNotThem(policy, question, person);
  return reason === null ? { kind: 'counts', standing } : ignore(reason);
}

function isNamed(policy: Policy, person: Person): boolean {
  if (policy.approval.users === null) return true;
  return policy.approval.users.some((login) => login.toLowerCase() === person.login.toLowerCase());
}

/** Whether a person's verdicts can count at all: what decides if their feedback is worked on. */
export function isEligible(facts: Facts, policy: Policy, person: Person | null): boolean {
  return person !== null && isWriter(facts, person) && isNamed(policy, person);
}

function whyNotThem(policy: Policy, question: GateQuestion, person: Person): string | null {
  if (!policy.approval.notByRequester) return null;
  if (question.requester === null) return 'who asked for the plan is not known';
  return question.requester.id === person.id ? 'asked for the plan, and approval.not_by_requester is set' : null;
}

function whyStale(pullRequest: PullRequestFacts, review: Review): string | null {
  if (review.commit === null) return 'the commit it names is gone';
  if (review.commit !== pullRequest.head) {
    return `names commit ${short(review.commit)}, and the head is ${short(pullRequest.head)}`;
  }
  const disturbance = pullRequest.disturbances.find(
    ({ at }) => review.submittedAt === null || compareTimes(review.submittedAt, at) <= 0,
  );
  return disturbance === undefined ? null : `given before the pull request was ${disturbanceWords[disturbance.kind]}`;
}

const disturbanceWords = {
  force_pushed: 'force-pushed',
  base_changed: 'pointed at another base',
  closed: 'closed',
  reopened: 'reopened',
} as const;

/** What keeps a plan from being approved whoever reviews it. */
function unfitFor(facts: Facts, policy: Policy, pullRequest: PullRequestFacts): readonly string[] {
  const reasons: string[] = [];
  const plan = pullRequest.planOfRecord;
  if (pullRequest.state !== 'open') reasons.push('The pull request is not open.');
  if (pullRequest.baseBranch !== facts.repository.defaultBranch?.name) {
    reasons.push(`The pull request's base is ${pullRequest.baseBranch}, not the default branch.`);
  }
  if (holdsCode(pullRequest)) reasons.push('The pull request already holds code.');
  if (recordedBase(pullRequest) === null) {
    reasons.push('No commit of this app says what base the plan was written against.');
  }
  if (plan === null) return [...reasons, `There is no plan at ${policy.plan.path}.`];
  if (plan.isEmpty && !policy.approval.allowEmptyPlan) reasons.push('No plan has been written yet.');
  if (plan.scope === null && !plan.isEmpty) reasons.push("The plan's front matter cannot be read.");
  const others = pullRequest.files.filter((file) => file.path !== policy.plan.path);
  if (pullRequest.files.some((file) => file.path === policy.plan.path && isMoved(file.change))) {
    reasons.push('Another file was moved onto the plan file.');
  }
  if (others.length > 0) {
    reasons.push(`The pull request changes more than the plan: ${others.map((file) => file.path).join(', ')}.`);
  }
  return reasons;
}

/** GitHub tells of a move by its new path alone: the old one is gone without being named. */
function isMoved(change: string): boolean {
  return change === 'RENAMED';
}

function readFreshness(
  policy: Policy,
  pullRequest: PullRequestFacts,
): { readonly missing: readonly string[]; readonly warnings: readonly string[] } {
  const changed = pullRequest.changedOnBase;
  if (changed !== 'unknown' && changed.length === 0) return { missing: [], warnings: [] };
  const what =
    changed === 'unknown'
      ? 'It cannot be told which planned files have changed on the base since the plan was written.'
      : `Planned files have changed on the base since the plan was written: ${changed.join(', ')}.`;
  return policy.approval.stale === 'warn' ? { missing: [], warnings: [what] } : { missing: [what], warnings: [] };
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
    version: facts.app.version,
  };
}

function byTime(a: Review, b: Review): number {
  return compareTimes(a.submittedAt ?? '', b.submittedAt ?? '') || a.id - b.id;
}

function short(sha: string): string {
  return sha.slice(0, 7);
}
