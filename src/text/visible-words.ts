/** What people see of words that are given to a run. */
import { type RenderedText, renderText } from './rendered-text.ts';

/** Thrown for a text that cannot be read as people see it: no run begins with a part of it. */
export class UnreadableText extends Error {
  override readonly name = 'UnreadableText';
  constructor(author: string, reason: string) {
    super(
      `Expected a text that can be read as GitHub shows it, got one by @${author} that cannot: ${reason}. Nothing was sent to the model. Write it plainer, then ask again.`,
    );
  }
}

/** The text as a person sees it, and how much of it that does not hold. @throws {UnreadableText} */
export function visibleWords(author: string, markdown: string): { readonly text: string; readonly hidden?: number } {
  const { text, hidden } = render(author, markdown);
  return hidden === 0 ? { text } : { text, hidden };
}

function render(author: string, markdown: string): RenderedText {
  const rendered = renderText(markdown);
  if ('refused' in rendered) throw new UnreadableText(author, rendered.refused);
  return rendered;
}

/**
 * The lines of Markdown of which a reader sees something, as they were written: to be taken apart by them. In the whole, a
 * comment may reach over many. @throws {UnreadableText}
 */
export function visibleLines(author: string, markdown: string): RenderedText {
  const { text, hidden } = render(author, markdown);
  const seen = letters(text);
  let at = 0;
  const isSeen = (line: string): boolean => {
    const alone = render(author, line).text;
    if (alone === '') return line.trim() === '';
    const found = [line, alone].map(letters).find((each) => seen.indexOf(each, at) !== -1);
    if (found !== undefined) at = seen.indexOf(found, at) + found.length;
    return found !== undefined;
  };
  const lines = markdown.split(/\r\n?|\n/).filter(isSeen);
  return { text: lines.join('\n'), hidden };
}

/** What a line says, whatever it looks like; the number of an item is not part of that, as lists are counted anew. */
function letters(text: string): string {
  return text
    .replace(/^[ \t]*\d{1,9}[.)](?=\s|$)/gm, '')
    .replace(/[^\p{L}\p{N}\p{Extended_Pictographic}]|(?![\p{L}\p{N}])\p{Emoji_Component}/gu, '');
}
