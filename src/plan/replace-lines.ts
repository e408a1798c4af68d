/** Changes to a plan's text that leave every byte alone that they do not name: line ends, trailing blanks, a missing last one. */

export interface Passage {
  readonly old: string;
  readonly new: string;
}

/**
 * The text with a passage replaced that occurs once; else how often it occurs. Whoever names a passage has read it with
 * `\n` at the line ends: it is found, and replaced, with those of the text.
 */
export function replacePassage(text: string, passage: Passage): string | { readonly found: number } {
  const old = withPlainEnds(passage.old);
  const rows = splitLines(text);
  const plain = rows.map((row) => row.text + (row.end === '' ? '' : '\n')).join('');
  // Half of a character is nothing that anybody has read.
  const found = old === '' || !old.isWellFormed() ? 0 : countOf(plain, old);
  if (found !== 1) return { found };
  const at = plain.indexOf(old);
  const [start, end] = [offsetIn(rows, at), offsetIn(rows, at + old.length)];
  const lineEnd = lineEndIn(text.slice(start, end)) ?? lineEndIn(text.slice(end)) ?? lineEndIn(text) ?? '\n';
  return text.slice(0, start) + withPlainEnds(passage.new).replaceAll('\n', () => lineEnd) + text.slice(end);
}

function withPlainEnds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Places that overlap count as two, so that one is never taken for the other. */
function countOf(text: string, passage: string): number {
  let count = 0;
  for (let at = text.indexOf(passage); at !== -1; at = text.indexOf(passage, at + passage.length)) count += 1;
  return count === 1 && text.indexOf(passage, text.indexOf(passage) + 1) !== -1 ? 2 : count;
}

/** Where a character is that stands at `at` while every line end is one character. */
function offsetIn(rows: readonly Row[], at: number): number {
  let [plain, own] = [0, 0];
  for (const { text, end } of rows) {
    const length = text.length + (end === '' ? 0 : 1);
    if (plain + length > at) break;
    plain += length;
    own += text.length + end.length;
  }
  return own + at - plain;
}

export interface LineReplacement {
  /** The lines to replace, without their ends, as they read when they were looked at. */
  readonly seen: readonly string[];
  /** 1-based: where they were then. */
  readonly line: number;
  /** What comes in their place; nothing deletes them. */
  readonly lines: readonly string[];
}

/**
 * The text with whole lines replaced: those that read as they did, and of several such places the one nearest to where
 * they were. `gone`: no place reads like that; `ambiguous`: two are as near.
 */
export function replaceLines(text: string, replacement: LineReplacement): string | 'gone' | 'ambiguous' {
  const { seen, line, lines } = replacement;
  const rows = splitLines(text);
  const distance = (at: number) => Math.abs(at - (line - 1));
  const [nearest, second] = placesOf(rows, seen).toSorted((a, b) => distance(a) - distance(b));
  if (nearest === undefined) return 'gone';
  if (second !== undefined && distance(second) === distance(nearest)) return 'ambiguous';
  const replaced = rows.slice(nearest, nearest + seen.length);
  const lastEnd = replaced.at(-1)?.end ?? '';
  const between = replaced[0]?.end || rows[0]?.end || '\n';
  const fresh = lines.map((each, at) => each + (at === lines.length - 1 ? lastEnd : between));
  const bytes = (each: readonly Row[]) => each.map((row) => row.text + row.end).join('');
  return bytes(rows.slice(0, nearest)) + fresh.join('') + bytes(rows.slice(nearest + seen.length));
}

interface Row {
  readonly text: string;
  /** Empty for a last line without one. */
  readonly end: string;
}

function splitLines(text: string): readonly Row[] {
  const rows: Row[] = [];
  for (const [whole, line = '', end = ''] of text.matchAll(/([^\n]*?)(\r?\n|$)/g)) {
    if (whole !== '') rows.push({ text: line, end });
  }
  return rows;
}

/**
 * Where the lines begin that read like `seen`, in one pass over the rows however alike they are; none for no lines.
 * Source: Knuth, Morris, Pratt, Fast pattern matching in strings, 1977
 */
function placesOf(rows: readonly Row[], seen: readonly string[]): readonly number[] {
  const places: number[] = [];
  const borders = bordersOf(seen);
  let length = 0;
  rows.forEach(({ text }, at) => {
    while (length > 0 && seen[length] !== text) length = borders[length - 1] ?? 0;
    if (seen[length] === text) length += 1;
    if (length > 0 && length === seen.length) places.push(at + 1 - length);
  });
  return places;
}

/** For each beginning of the lines, how many of its last ones are its first ones too. */
function bordersOf(lines: readonly string[]): readonly number[] {
  const borders = [0];
  let length = 0;
  for (const line of lines.slice(1)) {
    while (length > 0 && lines[length] !== line) length = borders[length - 1] ?? 0;
    if (lines[length] === line) length += 1;
    borders.push(length);
  }
  return borders;
}

function lineEndIn(text: string): string | null {
  return /\r?\n/.exec(text)?.[0] ?? null;
}
