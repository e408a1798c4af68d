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
 * The lines of Markdown that a reader sees, as they were written: to be taken apart by them. Where nothing is hidden these are
 * all; else those that stand in what is seen as whole lines, in their order: words and numbers alike. @throws {UnreadableText}
 */
export function visibleLines(author: string, markdown: string): RenderedText {
  const { text, hidden } = render(author, markdown);
  // What is beyond the cells of a table is not counted.
  if (hidden === 0 && !markdown.includes('|')) return { text: markdown, hidden };
  const takeLine = createLines(text.split('\n').map(letters));
  const shown = new Map<string, string>();
  const isSeen = (line: string): boolean => {
    if (line.trim() === '') return true;
    const alone = shown.get(line) ?? render(author, line).text;
    shown.set(line, alone);
    return letters(alone) === '' ? alone !== '' : takeLine([letters(line), letters(alone)]);
  };
  const lines = markdown.split(/\r\n?|\n/).filter(isSeen);
  return { text: lines.join('\n'), hidden };
}

/** Takes the next of the lines that reads in one of some ways, and all before it with it; false where there is none. */
function createLines(lines: readonly string[]): (ways: readonly string[]) => boolean {
  const places = Map.groupBy([...lines.keys()].toReversed(), (index) => lines[index] ?? '');
  let next = 0;
  const placeOf = (way: string): number => {
    const left = places.get(way) ?? [];
    while ((left.at(-1) ?? next) < next) left.pop();
    return left.at(-1) ?? lines.length;
  };
  return (ways) => {
    const at = Math.min(...ways.map(placeOf));
    if (at === lines.length) return false;
    next = at + 1;
    return true;
  };
}

/** What a line says, whatever it looks like. */
function letters(text: string): string {
  return text.replace(/[^\p{L}\p{N}\p{Extended_Pictographic}]|(?![\p{L}\p{N}])\p{Emoji_Component}/gu, '');
}
