const markers = /^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])){20}/m;

/**
 * True for a list in a quotation in a list, and so on, 20 deep on one line. Nobody writes that, and reading it takes a
 * Markdown parser seconds, or all of its stack.
 */
export function isNestedDeep(markdown: string): boolean {
  return markers.test(markdown);
}

/** Beyond as many lines a Markdown parser that knows where everything stands takes its time, which grows with their square. */
export const mostLines = 3000;

/** True for more lines than that, of whatever ending. */
export function hasManyLines(markdown: string, most = mostLines): boolean {
  let lines = 1;
  for (const _ of markdown.matchAll(/\r\n?|\n/g)) {
    lines += 1;
    if (lines > most) return true;
  }
  return false;
}
