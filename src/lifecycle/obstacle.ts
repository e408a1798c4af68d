/** One sentence that says what keeps the approval gate shut, and what to do about it. */
export interface Obstacle {
  readonly why: string;
  /** True where what would tell could not be read: the gate stays shut, and nothing is given up for it. */
  readonly isUnclear: boolean;
}

export function certain(why: string): Obstacle {
  return { why, isUnclear: false };
}

export function unclear(why: string): Obstacle {
  return { why, isUnclear: true };
}
