/** Which words of a review are not heard, and why: they reach no model, and are counted where people see it. */
import type { Person, Review, ReviewComment, ReviewThread } from '../lifecycle/facts.ts';
import { loginOf } from '../lifecycle/person.ts';
import { compareTimes } from '../lifecycle/time.ts';

/** `changed_later`: what stood there when the review was submitted is gone, and nothing else was submitted. */
export type WhyUnheard = 'may_not_review' | 'changed_later';

export interface LeftOut {
  readonly login: string;
  readonly why: WhyUnheard;
  readonly count: number;
}

interface Hearing {
  readonly reviews: readonly Review[];
  readonly maySpeak: (person: Person) => boolean;
}

/** Why a body or a comment is not heard; `null` where it is. */
export function whyUnheard(text: Review | ReviewComment, hearing: Hearing): WhyUnheard | null {
  if (text.author === null || !hearing.maySpeak(text.author)) return 'may_not_review';
  const { editedAt } = text;
  const submittedAt = submissionOf(text, hearing.reviews);
  if (editedAt === null) return null;
  // A change in the second of the submission may have come after it.
  return submittedAt !== null && compareTimes(editedAt, submittedAt) < 0 ? null : 'changed_later';
}

function submissionOf(text: Review | ReviewComment, reviews: readonly Review[]): string | null {
  if ('submittedAt' in text) return text.submittedAt;
  return reviews.find(({ id }) => id === text.reviewId)?.submittedAt ?? null;
}

export interface LeftOutSource extends Hearing {
  readonly threads: readonly ReviewThread[];
  /** The reviews that were answered. */
  readonly reviewIds: readonly number[];
  /** The commit that they are about: reviews of it by people who may not review are counted too. */
  readonly reviewed: string | null;
}

/** How much was left out of the answered reviews and of their threads, by person and reason; this app's own not included. */
export function countLeftOut(source: LeftOutSource): readonly LeftOut[] {
  const { reviews, threads, reviewIds, reviewed } = source;
  const others = reviews
    .filter(({ author, commit }) => reviewed !== null && commit === reviewed && author?.isThisApp !== true)
    .filter((review) => whyUnheard(review, source) === 'may_not_review')
    .map(({ id }) => id);
  const ids = new Set([...reviewIds, ...others]);
  const belongs = ({ reviewId }: ReviewComment) => reviewId !== null && ids.has(reviewId);
  const texts = [
    ...reviews.filter(({ id, body }) => ids.has(id) && body.trim() !== ''),
    ...threads.flatMap(({ comments }) => (comments.some(belongs) ? comments : [])),
  ];
  const counted = new Map<string, LeftOut>();
  for (const text of texts) {
    const why = text.author?.isThisApp === true ? null : whyUnheard(text, source);
    if (why === null) continue;
    const login = loginOf(text.author);
    const key = `${login} ${why}`;
    counted.set(key, { login, why, count: (counted.get(key)?.count ?? 0) + 1 });
  }
  return [...counted.values()];
}
