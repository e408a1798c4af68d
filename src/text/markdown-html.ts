/** Markdown as the HTML that GitHub makes of it, before what is unsafe in that is taken out. */
import { createHash } from 'node:crypto';
import createMarkdownIt, { type Env, type MarkdownIt, type Token } from 'markdown-it';
import footnotes from 'markdown-it-footnote';

export interface MarkdownHtml {
  readonly html: string;
  /** Definitions of links: they are shown nowhere. */
  readonly definitions: number;
}

/** What a footnote and what refers to one become; nobody can write them. Their title is the label. */
export const footnoteTag = 'planwright-footnote';
export const footnoteReferenceTag = 'planwright-footnote-reference';

/** Levels that the parser goes into; blocks that are deeper it drops. */
const mostLevels = 100;
/** What a browser may have to repeat for formatting that is left open, and tags of one text: beyond, reading takes long. */
const mostRepeats = 50_000;
const mostTags = 10_000;

const markdown = createMarkdown();

/** @returns why the text is not read, where that would take too long */
export function markdownToHtml(text: string): MarkdownHtml | { readonly refused: string } {
  const env: Env = {};
  const tokens = markdown.parse(text, env);
  const refused = whyCostly(tokens);
  if (refused !== null) return { refused };
  const html = markdown.renderer.render(tokens, markdown.options, env);
  return { html, definitions: Object.keys(env.references ?? {}).length };
}

function flatten(tokens: readonly Token[]): readonly Token[] {
  return tokens.flatMap((token) => [token, ...(token.children ?? [])]);
}

function createMarkdown() {
  const md = createMarkdownIt({ html: true, maxNesting: mostLevels });
  md.use(footnotes);
  // GitHub has none of that kind; and footnotes stay where they were written.
  md.inline.ruler.disable('footnote_inline');
  md.core.ruler.disable('footnote_tail');
  // Of one open comment the parser takes it that there is none in the rest of the paragraph, of whatever kind.
  md.inline.ruler.before('html_inline', 'html_special', (state) => {
    state.skipHtmlSpecial = false;
    return false;
  });
  moveTable(md);
  keepDefinitions(md);
  // Where a link leads is shown, so every address stays as it was written.
  md.validateLink = () => true;
  md.normalizeLink = (address) => address;
  const { rules } = md.renderer;
  const raw = (tokens: readonly Token[], index: number) => filterTags(tokens[index]?.content ?? '');
  // Not everything that reads HTML ends a comment at `<!-->` or `--!>`: what might be hidden is not taken for seen.
  rules.html_block = (tokens, index) => raw(tokens, index).replace(/<!--(?=-?>)|--(?=!>)/g, '$& ');
  rules.html_inline = (tokens, index) => raw(tokens, index).replace(/--(?=!>)/g, '$& ');
  rules.fence = (tokens, index) => {
    const { info = '', content = '' } = tokens[index] ?? {};
    return `<pre lang="${md.utils.escapeHtml(md.utils.unescapeAll(info).trim())}">${fromFirstLine(md.utils.escapeHtml(content))}</pre>\n`;
  };
  rules.code_block = (tokens, index) =>
    `<pre>${fromFirstLine(md.utils.escapeHtml(tokens[index]?.content ?? ''))}</pre>\n`;
  rules.footnote_reference_open = (tokens, index) => `<${footnoteTag} title="${labelOf(tokens[index])}">`;
  rules.footnote_reference_close = () => `</${footnoteTag}>`;
  rules.footnote_ref = (tokens, index) =>
    `<${footnoteReferenceTag} title="${labelOf(tokens[index])}"></${footnoteReferenceTag}>`;
  // Which of the two marks was written is told by the tag, so that it can be written again.
  for (const mark of ['em', 'strong'] as const) {
    for (const end of ['open', 'close'] as const) {
      rules[`${mark}_${end}`] = (tokens, index) => {
        const isLine = tokens[index]?.markup.startsWith('_') === true;
        const tag = mark === 'em' ? (isLine ? 'i' : 'em') : isLine ? 'b' : 'strong';
        return end === 'open' ? `<${tag}>` : `</${tag}>`;
      };
    }
  }
  return md;
}

/** GitHub takes a line for the head of a table where it begins nothing else. */
function moveTable({ block: { ruler } }: MarkdownIt): void {
  const table = ruleOf(ruler, 'table');
  ruler.disable('table');
  ruler.before('lheading', 'late_table', table, { alt: ['paragraph', 'reference'] });
}

/** To GitHub the definition of a link is a paragraph at first: what begins a list elsewhere may be part of a title there. */
function keepDefinitions({ block: { ruler } }: MarkdownIt): void {
  const list = ruleOf(ruler, 'list');
  ruler.at(
    'list',
    (state, first, last, silent) => {
      const { parentType } = state;
      if (parentType === 'reference') state.parentType = 'paragraph';
      const begins = list(state, first, last, silent);
      if (parentType === 'reference') state.parentType = parentType;
      return begins;
    },
    { alt: ['paragraph', 'reference', 'blockquote'] },
  );
}

type Ruler = MarkdownIt['block']['ruler'];

function ruleOf(ruler: Ruler, name: string): ReturnType<Ruler['getRules']>[number] {
  const rules = ruler.getRules('');
  ruler.disable(name);
  const [rule] = rules.filter((each) => !ruler.getRules('').includes(each));
  ruler.enable(name);
  if (rule === undefined) throw new Error(`expected the parser to have a rule ${name}, got none`);
  return rule;
}

/** HTML drops a line break behind `<pre>`. */
function fromFirstLine(content: string): string {
  return `\n${content}`;
}

/** A label is seen as a number only: it has no room for words. */
function labelOf(token: Token | undefined): string {
  const label = String(token?.meta?.label);
  return /^[\w.-]{1,20}$/.test(label) ? label : createHash('sha256').update(label).digest('hex').slice(0, 8);
}

/** Tags that GitHub shows as text. Source: https://github.github.com/gfm/#disallowed-raw-html-extension- */
function filterTags(html: string): string {
  return html.replace(
    /<(?=\/?(?:title|textarea|style|xmp|iframe|noembed|noframes|script|plaintext|planwright-[a-z-]*)(?:[\s/>]|$))/gi,
    '&lt;',
  );
}

const formatting = new Set('a b big code em font i nobr s small strike strong tt u'.split(' '));

/** Formatting that is open where a paragraph ends is opened anew in each that follows. */
function whyCostly(tokens: readonly Token[]): string | null {
  if (tokens.some(({ level }) => level >= mostLevels - 10))
    return 'it holds lists or quotations too deep in each other';
  let [tags, open, repeats] = [0, 0, 0];
  for (const { type, content, nesting, block } of flatten(tokens)) {
    if (block && nesting === 1) repeats += open;
    if (type !== 'html_block' && type !== 'html_inline') continue;
    for (const [, slash, name = ''] of content.matchAll(/<(\/?)([a-z][a-z\d]*)/gi)) {
      tags += 1;
      if (!formatting.has(name.toLowerCase())) repeats += open;
      else open = Math.max(0, open + (slash === '/' ? -1 : 1));
    }
  }
  if (tags > mostTags) return `it holds ${tags} HTML tags, and at most ${mostTags} are read`;
  return repeats > mostRepeats ? 'it holds HTML tags that are opened again and again and never closed' : null;
}
