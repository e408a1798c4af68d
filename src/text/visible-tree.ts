/** HTML as a tree of what is shown of it. */
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { blockTags, isLayout, knownTags, unseenTags } from './github-html.ts';
import { countHiddenRuns, visibleText } from './hidden-characters.ts';
import { footnoteReferenceTag, footnoteTag } from './markdown-html.ts';

export interface VisibleElement {
  readonly tag: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly VisibleNode[];
  /** Whether it stands, or holds what stands, on lines of its own. */
  readonly isBlock: boolean;
}

export type VisibleNode = string | VisibleElement;

export interface VisibleTree {
  readonly nodes: readonly VisibleNode[];
  /** Passages that were taken out, as nobody sees them. */
  readonly hidden: number;
}

interface Reading {
  hidden: number;
  isTooDeep: boolean;
}

const mostLevels = 400;

/** Attributes that are given with the text in words of their own. */
const told: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  img: ['src', 'alt'],
  pre: ['lang'],
  [footnoteTag]: ['title'],
  [footnoteReferenceTag]: ['title'],
};

/** Faults of HTML by which a part of it is in the tree nowhere. */
const lossy = new Set(['eof-in-tag', 'end-tag-with-attributes', 'invalid-character-sequence-after-doctype-name']);

export function readVisible(html: string): VisibleTree | { readonly refused: string } {
  const reading: Reading = { hidden: 0, isTooDeep: false };
  const onParseError = ({ code }: { readonly code: string }) => {
    if (lossy.has(code)) reading.hidden += 1;
  };
  const nodes = readAll(parseFragment(html, { onParseError }), reading, 0);
  if (reading.isTooDeep) return { refused: `it holds HTML elements in each other, more than ${mostLevels} deep` };
  return { nodes, hidden: reading.hidden };
}

function readAll(parent: DefaultTreeAdapterTypes.ParentNode, reading: Reading, level: number): readonly VisibleNode[] {
  if (level > mostLevels) {
    reading.isTooDeep = true;
    return [];
  }
  return parent.childNodes.flatMap((node) => readNode(node, reading, level));
}

function readNode(node: DefaultTreeAdapterTypes.ChildNode, reading: Reading, level: number): readonly VisibleNode[] {
  if ('tagName' in node) return readElement(node, reading, level);
  if (node.nodeName === '#text' && 'value' in node) return [readText(node.value, reading)];
  reading.hidden += 1;
  return [];
}

function readText(value: string, reading: Reading): string {
  reading.hidden += countHiddenRuns(value);
  return visibleText(value);
}

function readElement(
  element: DefaultTreeAdapterTypes.Element,
  reading: Reading,
  level: number,
): readonly VisibleNode[] {
  const { tagName: tag, attrs } = element;
  const isHidden = attrs.some(({ name }) => name === 'hidden');
  if (unseenTags.has(tag) || isHidden || tag === 'source') {
    reading.hidden += 1;
    return [];
  }
  const children = readAll(element, reading, level + 1);
  const isKnown = knownTags.has(tag) || blockTags.has(tag);
  if (!isKnown) reading.hidden += 1;
  const attributes = new Map(attrs.map(({ name, value }) => [name, visibleText(value)]));
  const lost = attrs.filter((each) => !isLayout(each) && told[tag]?.includes(each.name) !== true);
  if (isKnown) reading.hidden += lost.filter(({ name }) => name !== 'style').length;
  const isStyled = lost.some(({ name }) => name === 'style') || tag === 'bdo' || isTiny(element);
  const shown = isStyled ? ['[styled] ', ...children] : children;
  const isBlock = blockTags.has(tag) || children.some((child) => typeof child !== 'string' && child.isBlock);
  return isKnown || isBlock ? [{ tag, attributes, children: shown, isBlock }] : shown;
}

const shrinking = new Set('sub sup small rt code tt samp pre h5 h6'.split(' '));
const mostShrinks = 4;

/** Each such element within another makes its text smaller: at this one it can hardly be read any more. */
function isTiny(element: DefaultTreeAdapterTypes.Element): boolean {
  if (!shrinking.has(element.tagName)) return false;
  let shrinks = 0;
  for (
    let at: DefaultTreeAdapterTypes.ParentNode | null = element;
    at !== null && 'tagName' in at;
    at = at.parentNode
  ) {
    if (shrinking.has(at.tagName)) shrinks += 1;
  }
  return shrinks === mostShrinks;
}

/** The words of some nodes, whatever they look like. */
export function wordsOf(nodes: readonly VisibleNode[]): string {
  return nodes
    .map((node) => {
      if (typeof node === 'string') return node;
      if (node.tag === 'br') return '\n';
      const address = node.attributes.get(node.tag === 'img' ? 'src' : 'href') ?? '';
      const words = node.tag === 'img' ? `[image: ${node.attributes.get('alt') ?? ''}]` : wordsOf(node.children);
      return address === '' || address === words ? words : `${words} (${address})`;
    })
    .join('');
}
