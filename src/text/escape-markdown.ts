/** Text put into Markdown so that all of it is seen there, and as little as possible looks other than it was. */

/** Within a paragraph. What makes text stand out (`*`, `_`, `~`) stays: it hides nothing. */
export function escapeInline(text: string): string {
  return text
    .replace(/\\(?=[!-/:-@[-`{-~\n]|$)/g, '\\\\')
    .replace(/`/g, '\\`')
    .replace(/<(?=[A-Za-z/!?])/g, '\\<')
    .replace(/&(?=#?\w+;)/g, '\\&')
    .replace(/\](?=\()/g, '\\]');
}

/** A line of a paragraph: it begins no block of another kind. */
export function escapeLine(line: string): string {
  // A footnote; what refers to one stays that.
  if (/^\[\^[^\]\s]+\]:/.test(line)) return line.replace(']:', ']\\:');
  // A definition of a link; a fence; the line under a heading; the line under the head of a table.
  if (/^(?:\[(?:[^\]\\]|\\.)*(?:\]:|$)|~{3}|=+\s*$|[|:-][\s|:-]*$|(?:[*_]\s*){3,}$)/.test(line)) return `\\${line}`;
  if (/^(?:#{1,6}(?:\s|$)|>|[+*-](?:\s|$))/.test(line)) return `\\${line}`;
  return line.replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2');
}

/** Text as code that it cannot leave. */
export function codeSpan(text: string): string {
  const line = text.replace(/\s*\n\s*/g, ' ');
  if (line.trim() === '') return '';
  const mark = '`'.repeat(longestRun(line) + 1);
  const pad = /^`|`$|^ .* $/.test(line) ? ' ' : '';
  return `${mark}${pad}${line}${pad}${mark}`;
}

export function codeBlock(text: string, language: string): string {
  const mark = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${mark}${language}\n${text.replace(/\n$/, '')}\n${mark}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

/** Where a link leads, or a name beside an image: as it is where nothing in it is Markdown, else as code. */
export function plainOrCode(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return /[\\`<>[\]*_~|]|&#?\w+;|^$/.test(line) && !/^https?:\/\/[\w\-.~:/?#@!$&'+,;=%]+$/.test(line)
    ? codeSpan(line)
    : line;
}
