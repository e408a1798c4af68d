/**
 * What a person sees of Markdown that others wrote, as GitHub renders it: this alone may reach a model. It stops orders
 * to the model that nobody who reviews the text would see, in
 *
 * 1. HTML comments, closed, open or closed oddly; processing instructions, declarations, CDATA;
 * 2. attributes and elements that are not shown: titles, names, unknown ones, templates, sources of pictures;
 * 3. definitions of links and their titles, words behind the fence of code, cells beyond a table, addresses and the words
 *    for an image that is not seen: what could be of use among these is given with a visible mark;
 * 4. characters that nobody sees, also when they are written as entities;
 * 5. text that becomes one of these only when something else has been taken out of it.
 *
 * The result is Markdown again. Rendered once more, nothing is taken out of it.
 */
import { isNestedDeep } from './deep-nesting.ts';
import { countHiddenRuns, visibleText } from './hidden-characters.ts';
import { htmlToText } from './html-text.ts';
import { markdownToHtml } from './markdown-html.ts';

export interface RenderedText {
  readonly text: string;
  /** How many passages were taken out that a reader does not see. */
  readonly hidden: number;
}

/** @returns why the text is not read, where that would take too long: it must not be given at all */
export function renderText(markdown: string): RenderedText | { readonly refused: string } {
  const source = visibleText(markdown);
  if (isNestedDeep(source))
    return { refused: 'it holds lists or quotations in each other, more than 20 deep on a line' };
  const page = markdownToHtml(source);
  if ('refused' in page) return page;
  const shown = htmlToText(page.html);
  if ('refused' in shown) return shown;
  return { text: shown.text, hidden: countHiddenRuns(markdown) + page.definitions + shown.hidden };
}
