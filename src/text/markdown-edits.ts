/** Editing a Markdown text where it is active, and nowhere else. */
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

export type Node = ReturnType<typeof fromMarkdown> | ReturnType<typeof fromMarkdown>['children'][number];

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** As GitHub reads a file or a comment. */
export function parseGfm(text: string): ReturnType<typeof fromMarkdown> {
  return fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

/** Emphasis makes nothing active, and finding it takes quadratic time in a hostile text. */
const withoutEmphasis = { disable: { null: ['attention', 'strikethrough'] } };

/** The same for long texts: links, images and code are found, emphasis is not. */
export function parseWithoutEmphasis(text: string): ReturnType<typeof fromMarkdown> {
  return fromMarkdown(text, { extensions: [gfm(), withoutEmphasis], mdastExtensions: [gfmFromMarkdown()] });
}

type Change = (node: Node, source: string) => string | null;

/** Replaces nodes of a Markdown text. `change` gives a node's new text; `null` leaves it and looks at its children. */
function editNodes(text: string, change: Change, parse: (text: string) => Node): string {
  const edits: Edit[] = [];
  const visit = (node: Node): void => {
    const start = node.position?.start.offset ?? 0;
    const end = node.position?.end.offset ?? 0;
    const changed = node.type === 'root' ? null : change(node, text.slice(start, end));
    if (changed !== null) edits.push({ start, end, text: changed });
    else if ('children' in node) for (const child of node.children) visit(child);
  };
  visit(parse(text));
  return edits.toReversed().reduce((rest, edit) => {
    const [before, after] = [rest.slice(0, edit.start), rest.slice(edit.end)];
    // Two runs of backticks side by side would be one.
    const left = before.endsWith('`') && edit.text.startsWith('`') ? ' ' : '';
    const right = after.startsWith('`') && edit.text.endsWith('`') ? ' ' : '';
    return before + left + edit.text + right + after;
  }, text);
}

interface Limits {
  /** How the text is read; `parseGfm` by default. */
  readonly parse?: (text: string) => Node;
  /** How often it is read at the most; 8 times by default. */
  readonly rounds?: number;
}

/**
 * Edits until nothing is left to edit: what is escaped or becomes code can lay bare what stood beside it.
 * @returns `null` where that takes too long
 */
export function editUntilCalm(text: string, change: Change, limits: Limits = {}): string | null {
  const { parse = parseGfm, rounds = 8 } = limits;
  let current = text;
  for (let round = 0; round < rounds; round += 1) {
    const next = editNodes(current, change, parse);
    if (next === current) return current;
    current = next;
  }
  return null;
}

/** What a reader sees of a node, without marks. */
export function plainText(node: Node): string {
  if ('children' in node) return node.children.map(plainText).join('');
  return 'value' in node ? node.value : '';
}
