/** What of a plan's body would take a Markdown parser minutes: it takes the square of some numbers, and these are bounded. */
import { hasManyLines, mostLines } from '../text/deep-nesting.ts';

/** A plan holds a sentence a line; a far longer one is something else, and slow to read. */
export const maxLineCharacters = 4_000;

/** A parser tries to end each `[` at each `]`, and looks for the end of each of the others in all that follows. */
const bounds = [
  { opening: '[', most: 2_000, instead: 'write fewer links' },
  { opening: '<!', most: 50, instead: 'leave HTML out' },
  { opening: '<?', most: 50, instead: 'leave HTML out' },
] as const;

/** What there is too much of, below the front matter; `null` where that can be read. */
export function bodyExcess(body: string): string | null {
  if (hasManyLines(body))
    return `expected at most ${mostLines} lines below the front matter, got more; shorten the plan`;
  for (const { opening, most, instead } of bounds) {
    const found = body.split(opening).length - 1;
    if (found > most) {
      return `expected at most ${most} "${opening}" below the front matter, got ${found}; ${instead}`;
    }
  }
  return null;
}

/** The index of the first line that is none any more; -1 where there is none. */
export function longLine(lines: readonly string[]): number {
  return lines.findIndex((line) => line.length > maxLineCharacters);
}
