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
  const pattern = new RegExp(passage.old.split(/\r?\n/).map(escapePattern).join('\\r?\\n'), 'g');
  const matches = [...text.matchAll(pattern)];
  const [match] = matches;
  if (match === undefined || matches.length !== 1) return { found: matches.length };
  const end = match.index + match[0].length;
  const lineEnd = lineEndIn(match[0]) ?? lineEndIn(text.slice(end)) ?? lineEndIn(text) ?? '\n';
  return text.slice(0, match.index) + passage.new.split(/\r?\n/).join(lineEnd) + text.slice(end);
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
  const places = rows.flatMap((_, at) => (isAt(rows, at, seen) ? [at] : []));
  const distance = (at: number) => Math.abs(at - (line - 1));
  const [nearest, second] = places.toSorted((a, b) => distance(a) - distance(b));
  if (nearest === undefined || seen.length === 0) return 'gone';
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

function isAt(rows: readonly Row[], at: number, seen: readonly string[]): boolean {
  return seen.every((line, offset) => rows[at + offset]?.text === line);
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function lineEndIn(text: string): string | null {
  return /\r?\n/.exec(text)?.[0] ?? null;
}
