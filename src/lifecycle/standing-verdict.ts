/** What the reviewers of a pull request say of it now, by their reviews alone: whether it counts is the gate's to tell. */
import type { Person, PullRequestFacts, Review } from './facts.ts';
import type { Approval } from './memory.ts';

/** A person's latest verdict. `unclear`: a state or a time that this app does not understand. */
export interface Standing {
  readonly review: Review;
  readonly person: Person;
  readonly kind: 'approves' | 'objects' | 'unclear';
}

/** Each person's latest verdict. COMMENTED leaves an earlier one standing; DISMISSED removes it and all before it. */
export function standingVerdicts(pullRequest: PullRequestFacts, held: Approval | null = null): readonly Standing[] {
  const latest = new Map<number, Standing>();
  for (const { review, at } of submittedReviews(pullRequest)) {
    if (review.author === null || review.state === 'COMMENTED') continue;
    const kind = readState(review, at, held);
    if (kind === 'withdrawn') latest.delete(review.author.id);
    else latest.set(review.author.id, { review, person: review.author, kind });
  }
  return [...latest.values()];
}

/** A review that is no standing verdict of anybody's, and why it says nothing. */
export interface Voiceless {
  readonly review: Review;
  readonly why: string;
}

/** Of each person who has given no verdict that stands, the last word; and the verdicts of accounts that are gone. */
export function voicelessReviews(pullRequest: PullRequestFacts, standing: readonly Standing[]): readonly Voiceless[] {
  const heard = new Set(standing.map(({ person }) => person.id));
  const last = new Map<number, Voiceless>();
  const ofNobody: Voiceless[] = [];
  for (const { review } of submittedReviews(pullRequest)) {
    const { author, state } = review;
    if (author === null && state !== 'COMMENTED') ofNobody.push({ review, why: 'the account is gone' });
    if (author === null || author.kind !== 'user' || author.isThisApp || heard.has(author.id)) continue;
    if (state === 'DISMISSED') last.set(author.id, { review, why: 'dismissed' });
    else if (state === 'COMMENTED' && !last.has(author.id))
      last.set(author.id, { review, why: 'comments, and gives no verdict' });
  }
  return [...last.values(), ...ofNobody];
}

interface Submitted {
  readonly review: Review;
  readonly at: number;
}

function submittedReviews({ reviews }: PullRequestFacts): readonly Submitted[] {
  return reviews
    .filter(({ state }) => state !== 'PENDING')
    .map((review) => ({ review, at: submittedMs(review) }))
    .sort((a, b) => a.at - b.at || a.review.id - b.review.id);
}

function readState(review: Review, at: number, held: Approval | null): Standing['kind'] | 'withdrawn' {
  if (at === Number.POSITIVE_INFINITY) return 'unclear';
  if (review.state === 'APPROVED') return 'approves';
  if (review.state === 'CHANGES_REQUESTED') return 'objects';
  if (review.state !== 'DISMISSED') return 'unclear';
  const isHeld = review.isHeldByThisApp && held?.reviewers.some((reviewer) => reviewer.id === review.author?.id);
  return isHeld ? 'approves' : 'withdrawn';
}

/** A review without a time that can be read comes last: whatever it says stands, and nobody can tell what it is about. */
function submittedMs({ submittedAt }: Review): number {
  const at = Date.parse(submittedAt ?? '');
  return Number.isNaN(at) ? Number.POSITIVE_INFINITY : at;
}
