/** What stands within a line, as Markdown. */
import { codeSpan, escapeInline, plainOrCode } from './escape-markdown.ts';
import { footnoteReferenceTag } from './markdown-html.ts';
import { type VisibleElement, type VisibleNode, wordsOf } from './visible-tree.ts';

/** `isMarkdown`: it goes into the line as it is; else it is text, of which pieces side by side are one. */
interface Piece {
  readonly text: string;
  readonly isMarkdown: boolean;
}

const marks: Readonly<Record<string, string>> = {
  em: '*',
  i: '_',
  strong: '**',
  b: '__',
  del: '~~',
  s: '~~',
  strike: '~~',
};

export function inlineText(nodes: readonly VisibleNode[]): string {
  let result = '';
  const pieces = merge(nodes.flatMap(piecesOf));
  for (const [index, { text, isMarkdown }] of pieces.entries()) {
    const isBeforeCode = pieces[index + 1]?.text.startsWith('`') === true;
    const next = isMarkdown ? text : escapeInline(markFormulas(text, isBeforeCode));
    // Side by side they would be a link, or one run of backticks.
    const isApart = !(/\]$/.test(result) && next.startsWith('(')) && !(/`$/.test(result) && next.startsWith('`'));
    result += isApart ? next : ` ${next}`;
  }
  return result;
}

const formula = /(?<=^|[\s(])(?<!\[formula\] )\$(?=\$?[^$]*\\[A-Za-z]|\$[^$%]*%|[^\s$%][^$%]*%[^$]*\$(?!\w))/g;

/** A formula is drawn, and commands in it draw nothing, or nothing that can be read: it is told for one. */
function markFormulas(text: string, isBeforeCode: boolean): string {
  const marked = text.replace(formula, '[formula] $');
  return isBeforeCode ? marked.replace(/(?<=^|[\s(])(?<!\[formula\] )\$$/, '[formula] $') : marked;
}

/** Text is escaped as a whole: two harmless pieces may be a tag together. */
function merge(pieces: readonly Piece[]): readonly Piece[] {
  const merged: Piece[] = [];
  let text: string[] = [];
  const flush = () => {
    if (text.length > 0) merged.push({ text: text.join(''), isMarkdown: false });
    text = [];
  };
  for (const piece of pieces) {
    if (piece.isMarkdown) {
      flush();
      merged.push(piece);
    } else text.push(piece.text);
  }
  flush();
  return merged.filter((piece) => piece.text !== '');
}

function plain(text: string): Piece {
  return { text, isMarkdown: false };
}

function markdown(text: string): Piece {
  return { text, isMarkdown: true };
}

function piecesOf(node: VisibleNode): readonly Piece[] {
  if (typeof node === 'string') return [plain(node)];
  const { tag, children } = node;
  if (tag === 'br') return [plain('\n')];
  if (tag === 'code' || tag === 'tt' || tag === 'pre') return [markdown(codeSpan(wordsOf(children)))];
  if (tag === 'img') return [markdown(imageText(node))];
  if (tag === 'a') return linkPieces(node);
  if (tag === footnoteReferenceTag) return [markdown(`[^${node.attributes.get('title') ?? ''}]`)];
  const inner = children.flatMap(piecesOf);
  const mark = marks[tag];
  if (mark !== undefined && wordsOf(children).trim() !== '') return [markdown(mark), ...inner, markdown(mark)];
  return node.isBlock || tag === 'td' || tag === 'th' ? [plain(' '), ...inner, plain(' ')] : inner;
}

function imageText({ attributes }: VisibleElement): string {
  const alt = plainOrCode(attributes.get('alt') ?? '');
  const address = plainOrCode(attributes.get('src') ?? '');
  return `[image:${alt === '' ? '' : ` ${alt}`}${address === '' ? '' : ` (${address})`}]`;
}

/** The label and the address that is seen only when the pointer rests on it. */
function linkPieces(node: VisibleElement): readonly Piece[] {
  const pieces = node.children.flatMap(piecesOf);
  const shown = linkAddress(node);
  const label = wordsOf(node.children).trim() === '' ? [markdown('[empty link]')] : [];
  return shown === null ? pieces : [...pieces, ...label, markdown(` (${shown})`)];
}

/** Where a link leads; `null` where its label says so, or it leads nowhere. */
export function linkAddress({ attributes, children }: VisibleElement): string | null {
  const address = attributes.get('href');
  if (address === undefined || address.trim() === '') return null;
  const label = wordsOf(children);
  return address === label || address === `mailto:${label}` ? null : plainOrCode(address);
}
