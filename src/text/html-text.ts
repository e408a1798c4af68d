/** HTML as Markdown that holds what is seen of it, one block after the other. */
import { codeBlock, escapeLine } from './escape-markdown.ts';
import { isLanguage } from './github-html.ts';
import { inlineText, linkAddress } from './inline-text.ts';
import { footnoteTag } from './markdown-html.ts';
import { usedFootnotes } from './used-footnotes.ts';
import { readVisible, type VisibleElement, type VisibleNode, wordsOf } from './visible-tree.ts';

/** The footnotes that are still to be shown, and how much was left out so far. */
interface Writing {
  readonly footnotes: Set<string>;
  hidden: number;
}

export function htmlToText(
  html: string,
): { readonly text: string; readonly hidden: number } | { readonly refused: string } {
  const tree = readVisible(html);
  if ('refused' in tree) return tree;
  const writing: Writing = { footnotes: usedFootnotes(tree.nodes), hidden: tree.hidden };
  const text = writeFlow(tree.nodes, writing).join('\n\n');
  return { text, hidden: writing.hidden };
}

function writeFlow(nodes: readonly VisibleNode[], writing: Writing): readonly string[] {
  const blocks: string[] = [];
  let run: VisibleNode[] = [];
  const flush = () => {
    const text = paragraph(run);
    if (text !== '') blocks.push(text);
    run = [];
  };
  for (const node of nodes) {
    if (typeof node === 'string' || !node.isBlock) run.push(node);
    else {
      flush();
      for (const block of writeBlock(node, writing)) blocks.push(block);
    }
  }
  flush();
  return blocks;
}

function paragraph(nodes: readonly VisibleNode[]): string {
  return inlineText(nodes)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(escapeLine)
    .join('\n');
}

function writeBlock(node: VisibleElement, writing: Writing): readonly string[] {
  const { tag, children } = node;
  if (/^h[1-6]$/.test(tag)) return heading(Number(tag[1]), children);
  switch (tag) {
    case 'pre':
      return writeCode(node, writing);
    case 'blockquote':
      return [prefixed(writeFlow(children, writing).join('\n\n'), '> ', '> ')];
    case 'ul':
    case 'ol':
      return writeList(node, writing);
    case footnoteTag:
      return writeFootnote(node, writing);
    case 'hr':
      return ['---'];
    case 'table':
      return writeTable(node, writing);
    case 'details':
      return node.attributes.has('open')
        ? writeFlow(children, writing)
        : ['[collapsed]', ...writeFlow(children, writing), '[end of collapsed]'];
    case 'a': {
      const address = linkAddress(node);
      return [...writeFlow(children, writing), ...(address === null ? [] : [`(${address})`])];
    }
  }
  return writeFlow(children, writing);
}

/** The first text of a footnote is shown, and none that nothing refers to. */
function writeFootnote({ attributes, children }: VisibleElement, writing: Writing): readonly string[] {
  const label = attributes.get('title') ?? '';
  if (writing.footnotes.delete(label)) {
    return [prefixed(writeFlow(children, writing).join('\n\n'), `[^${label}]: `, '    ')];
  }
  writing.hidden += 1;
  return [];
}

function heading(level: number, children: readonly VisibleNode[]): readonly string[] {
  const text = oneLine(children).replace(/(^|\s)(#+)$/, '$1\\$2');
  return text === '' ? [] : [`${'#'.repeat(level)} ${text}`];
}

function oneLine(nodes: readonly VisibleNode[]): string {
  return inlineText(nodes)
    .replace(/\s*\n\s*/g, ' ')
    .trim();
}

/** Languages of which GitHub shows a picture: what their code hides is in that nowhere. */
const drawn = /^(?:mermaid|math|geojson|topojson|stl)$/i;

/** Code to the letter. Of what stands behind the fence a language stays, which colours it; the rest is not shown. */
function writeCode({ attributes, children }: VisibleElement, writing: Writing): readonly string[] {
  const [word = '', ...rest] = (attributes.get('lang') ?? '').split(/\s+/);
  const language = isLanguage(word) ? word : '';
  if (word !== language || rest.length > 0) writing.hidden += 1;
  const code = wordsOf(children);
  return drawn.test(language) ? [`[drawn as ${language}]`, codeBlock(code, '')] : [codeBlock(code, language)];
}

function prefixed(text: string, first: string, others: string): string {
  return text
    .split('\n')
    .map((line, index) => `${index === 0 ? first : others}${line}`.trimEnd())
    .join('\n');
}

function writeList({ tag, attributes, children }: VisibleElement, writing: Writing): readonly string[] {
  const start = /^\d{1,8}$/.test(attributes.get('start') ?? '') ? Number(attributes.get('start')) : 1;
  const items = children.filter((child) => typeof child !== 'string' || child.trim() !== '');
  const isTight = items.every((item) => typeof item === 'string' || isTightItem(item));
  const written = items.map((item, index) => {
    const mark = tag === 'ol' ? `${start + index}. ` : '- ';
    const blocks = writeFlow(typeof item !== 'string' && item.tag === 'li' ? item.children : [item], writing);
    return prefixed(blocks.join(isTight ? '\n' : '\n\n'), mark, ' '.repeat(mark.length));
  });
  return written.length === 0 ? [] : [written.join(isTight ? '\n' : '\n\n')];
}

/** Its text stands beside the mark, and at most lists and code below. */
function isTightItem({ tag, children }: VisibleElement): boolean {
  if (tag !== 'li') return false;
  return children.every((child) => typeof child === 'string' || !child.isBlock || /^(?:ul|ol|pre)$/.test(child.tag));
}

function writeTable(table: VisibleElement, writing: Writing): readonly string[] {
  const rows = rowsOf(table.children).map(({ children }) =>
    children.flatMap((cell) => (typeof cell === 'string' ? [] : [oneLine(cell.children).replaceAll('|', '\\|')])),
  );
  const beside = table.children.filter((child) => typeof child !== 'string' && child.tag === 'caption');
  const width = Math.max(0, ...rows.map((row) => row.length));
  if (width === 0) return writeFlow(beside, writing);
  const full = rows.map((row) => `| ${[...row, ...Array<string>(width - row.length).fill('')].join(' | ')} |`);
  const [head = '', ...body] = full;
  const rule = `|${' --- |'.repeat(width)}`;
  return [...writeFlow(beside, writing), [head, rule, ...body].join('\n')];
}

function rowsOf(nodes: readonly VisibleNode[]): readonly VisibleElement[] {
  return nodes.flatMap((node) => {
    if (typeof node === 'string') return [];
    if (node.tag === 'tr') return [node];
    return /^(?:thead|tbody|tfoot)$/.test(node.tag) ? rowsOf(node.children) : [];
  });
}
