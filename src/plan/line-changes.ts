/** What changed between two versions of a plan, by lines. */

/** Some lines of the version before, replaced by some of the version after; lines are counted from 0. */
export interface LineChange {
  readonly before: number;
  readonly removed: number;
  readonly after: number;
  readonly added: number;
}

/** Lines of the version before, counted from 1, both ends included. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** Beyond so many pairs of lines the middle of two versions counts as one change. */
const maxPairs = 4_000_000;

/** The changes that lead from one text to the other, in order; none where they are the same. */
export function compareLines(before: string, after: string): readonly LineChange[] {
  const a = before.split('\n');
  const b = after.split('\n');
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const old = a.slice(start, a.length - end);
  const fresh = b.slice(start, b.length - end);
  if (old.length === 0 && fresh.length === 0) return [];
  const whole: LineChange = { before: 0, removed: old.length, after: 0, added: fresh.length };
  const changes = old.length * fresh.length > maxPairs ? [whole] : changesBetween(old, fresh);
  return changes.map((change) => ({ ...change, before: change.before + start, after: change.after + start }));
}

/** Along a longest common subsequence. */
function changesBetween(a: readonly string[], b: readonly string[]): readonly LineChange[] {
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const changes: LineChange[] = [];
  let [i, j, before, after] = [0, 0, 0, 0];
  const close = () => {
    if (i > before || j > after) changes.push({ before, removed: i - before, after, added: j - after });
  };
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      close();
      [i, j] = [i + 1, j + 1];
      [before, after] = [i, j];
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  [i, j] = [a.length, b.length];
  close();
  return changes;
}

/** Whether a change touches some lines, or stands right before or after them. */
export function touches({ before, removed }: LineChange, { start, end }: LineRange): boolean {
  return before <= end && before + removed >= start - 1;
}
