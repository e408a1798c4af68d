/** Suggestion blocks in a review comment: the lines that a reviewer wants in place of those the comment is about. */

export interface SuggestionBlock {
  /** The new lines, without their ends; none where the lines are to be deleted. */
  readonly lines: readonly string[];
}

interface Fence {
  readonly mark: string;
  readonly indent: number;
  readonly info: string;
}

/**
 * Takes the suggestion blocks out of a comment: `text` holds `[suggestion 1]` in the place of the first. Only what GitHub
 * shows as a suggestion is one: a closed fence of backticks or tildes with the word `suggestion` alone, outside of other
 * fences, quotations and HTML comments.
 * Source: https://docs.github.com/pull-requests/collaborating-with-pull-requests/reviewing-changes-in-pull-requests/commenting-on-a-pull-request
 */
export function takeOutSuggestions(
  comment: string,
  first = 1,
): { readonly text: string; readonly blocks: readonly SuggestionBlock[] } {
  const rows = comment.split(/\r\n|\n|\r/);
  const closing = closingRows(rows);
  const kept: string[] = [];
  const blocks: SuggestionBlock[] = [];
  let at = 0;
  while (at < rows.length) {
    const end = endOfBlock(rows, closing, at);
    const fence = openingFence(rows[at] ?? '');
    if (end !== null && fence?.info.toLowerCase() === 'suggestion') {
      kept.push(`[suggestion ${first + blocks.length}]`);
      blocks.push({ lines: rows.slice(at + 1, end).map((row) => withoutIndent(row, fence.indent)) });
    } else {
      kept.push(...rows.slice(at, (end ?? at) + 1));
    }
    at = (end ?? at) + 1;
  }
  return { text: blocks.length === 0 ? comment : kept.join('\n'), blocks };
}

/** The last row of the fence or HTML comment that begins here; `null` where none begins, or a fence is not closed. */
function endOfBlock(rows: readonly string[], closing: ClosingRow, at: number): number | null {
  const row = rows[at] ?? '';
  if (/^ {0,3}<!--/.test(row)) return endOfHtmlComment(rows, at);
  const fence = openingFence(row);
  if (fence === null) return null;
  const end = closing(fence.mark, at);
  if (end !== null) return end;
  // An open fence runs to the end of the text: nothing after it is a block of its own.
  return fence.info.toLowerCase() === 'suggestion' ? null : rows.length - 1;
}

function endOfHtmlComment(rows: readonly string[], at: number): number {
  const end = rows.findIndex((each, index) => index >= at && each.includes('-->'));
  return end === -1 ? rows.length - 1 : end;
}

function openingFence(row: string): Fence | null {
  const match = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})(.*)$/.exec(row);
  if (match?.[1] === undefined || match[2] === undefined || match[3] === undefined) return null;
  return { indent: match[1].length, mark: match[2], info: match[3].trim() };
}

/** The first row after `at` that closes a fence of the mark; `null` where none does. */
type ClosingRow = (mark: string, at: number) => number | null;

/** To be asked from the first row to the last: a mark that nothing closes is looked for once. */
function closingRows(rows: readonly string[]): ClosingRow {
  const marks = rows.map((row) => /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(row)?.[1] ?? '');
  const open = new Set<string>();
  return (mark, at) => {
    if (open.has(mark)) return null;
    for (let end = at + 1; end < marks.length; end += 1) if (marks[end]?.startsWith(mark)) return end;
    open.add(mark);
    return null;
  };
}

/** A fence that is indented takes as many blanks off its content. */
function withoutIndent(row: string, indent: number): string {
  return row.slice(Math.min(indent, /^ */.exec(row)?.[0].length ?? 0));
}
