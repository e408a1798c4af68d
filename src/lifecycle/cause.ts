/**
 * A cause is what a run answers, as one word: a label event's own id, or a comment, a review or a tip of the base branch
 * by its number or commit.
 */

export function commentCause(comment: number): string {
  return `comment:${comment}`;
}

export function reviewCause(review: number): string {
  return `review:${review}`;
}

export function baseCause(tip: string): string {
  return `base:${tip}`;
}

/** The ids of the reviews among causes, in their order. */
export function reviewsAmong(causes: readonly string[]): readonly number[] {
  return idsAmong(causes, /^review:(\d+)$/);
}

/** The ids of the comments among causes, in their order. */
export function commentsAmong(causes: readonly string[]): readonly number[] {
  return idsAmong(causes, /^comment:(\d+)$/);
}

function idsAmong(causes: readonly string[], pattern: RegExp): readonly number[] {
  return causes.flatMap((cause) => {
    const id = pattern.exec(cause)?.[1];
    return id === undefined ? [] : [Number(id)];
  });
}
