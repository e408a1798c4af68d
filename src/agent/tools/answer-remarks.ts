import type { FeedbackAnswer } from '../../lifecycle/memory.ts';
import { nameSome } from '../../lifecycle/phrases.ts';
import type { LineRemark } from '../brief.ts';
import { CallRefused } from './definition.ts';

const MAX_NAMED = 50;

/** @throws CallRefused for an answer to something that nobody remarked */
export function checkAnswers(answers: readonly FeedbackAnswer[], remarks: readonly LineRemark[]): void {
  const known = new Set(remarks.map(({ thread }) => thread));
  const unknown = answers.map(({ thread }) => thread).filter((thread) => !known.has(thread));
  if (unknown.length === 0) return;
  const told = known.size === 0 ? 'there are none' : nameSome([...known], MAX_NAMED);
  throw new CallRefused(
    `expected answers to remarks of the review, got ${nameSome(unknown, MAX_NAMED)}; the remarks: ${told}`,
  );
}

/** What to tell of remarks that have no answer; `null` where each has one. */
export function tellMissing(answers: readonly FeedbackAnswer[], remarks: readonly LineRemark[]): string | null {
  const answered = new Set(answers.map(({ thread }) => thread));
  const missing = remarks.map(({ thread }) => thread).filter((thread) => !answered.has(thread));
  if (missing.length === 0) return null;
  return `expected an answer to each remark, got none to ${nameSome(missing, MAX_NAMED)}; say for each whether the plan was changed, and how or why not`;
}

/** One answer for each remark, in their order: the last that was given, or one without a word. */
export function completeAnswers(
  answers: readonly FeedbackAnswer[],
  remarks: readonly LineRemark[],
): readonly FeedbackAnswer[] {
  return remarks.map(
    ({ thread }) => answers.findLast((answer) => answer.thread === thread) ?? { thread, changed: false, text: '' },
  );
}
