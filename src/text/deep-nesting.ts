const markers = /^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])){20}/m;

/**
 * True for a list in a quotation in a list, and so on, 20 deep on one line. Nobody writes that, and reading it takes a
 * Markdown parser seconds, or all of its stack.
 */
export function isNestedDeep(markdown: string): boolean {
  return markers.test(markdown);
}
