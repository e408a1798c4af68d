import { fromMarkdown } from 'mdast-util-from-markdown';
import { type Citation, type CodeNode, type Passage, readPassage } from './citations.ts';

/** Emphasis is never looked at, and finding it takes quadratic time in a hostile text. */
const withoutEmphasis = { disable: { null: ['attention'] } };

type Root = ReturnType<typeof fromMarkdown>;
type Block = Root['children'][number];

/** One `##` section: its heading in Markdown, its text without blank lines around it, the 1-based line of its heading. */
export interface PlanSection {
  readonly heading: string;
  readonly text: string;
  readonly line: number;
  /** In order of appearance; a path cited twice is in it twice. */
  readonly citations: readonly Citation[];
  /** Names in backticks on lines that say that something comes into being. */
  readonly introduced: readonly string[];
}

export interface PlanStep {
  /** The step's first line as plain text. */
  readonly title: string;
  /** The whole step in Markdown, without its number. */
  readonly text: string;
  /** 1-based line of the file. */
  readonly line: number;
  /** The files that the step cites, each once. */
  readonly paths: readonly string[];
}

export interface PlanBody {
  readonly title: string | null;
  readonly lead: string;
  readonly sections: readonly PlanSection[];
  readonly steps: readonly PlanStep[];
}

/** The text being read, and where it stands in the file. */
interface Source {
  readonly text: string;
  readonly lines: readonly string[];
  readonly firstLine: number;
  /** Paths that count as cited though they do not look like a path, e.g. `Makefile`. */
  readonly knownPaths: ReadonlySet<string>;
  readonly introduces: Map<number, boolean>;
}

/**
 * Reads what follows the front matter.
 * @param firstLine the number of the text's first line in the plan file.
 * @param files the paths of the front matter: a code span that is one of them cites it, whatever it looks like.
 */
export function parsePlanBody(text: string, firstLine: number, files: readonly string[]): PlanBody {
  const source: Source = {
    text,
    lines: text.split('\n'),
    firstLine,
    knownPaths: new Set(files),
    introduces: new Map(),
  };
  const { children } = fromMarkdown(text, { extensions: [withoutEmphasis] });
  const starts = children.flatMap((block, index) => (isHeading(block, 2) ? [index] : []));
  const before = children.slice(0, starts[0] ?? children.length);
  const titleAt = before.findIndex((block) => isHeading(block, 1));
  const title = before[titleAt];
  const groups = starts.map((start, index) => children.slice(start, starts[index + 1] ?? children.length));
  return {
    title: title === undefined ? null : headingText(title, source),
    lead: [before.slice(0, Math.max(titleAt, 0)), before.slice(titleAt + 1)]
      .map((blocks) => linesOf(blocks, source))
      .filter((part) => part !== '')
      .join('\n\n'),
    sections: groups.map((group) => readSection(group, source)),
    steps: groups.filter((group) => isSection(group, 'steps', source)).flatMap((group) => readSteps(group, source)),
  };
}

function isHeading(block: Block, depth: number): boolean {
  return block.type === 'heading' && block.depth === depth;
}

function isSection(group: readonly Block[], name: string, source: Source): boolean {
  return group[0] !== undefined && headingText(group[0], source).toLowerCase() === name;
}

function readSection(group: readonly Block[], source: Source): PlanSection {
  const [heading, ...blocks] = group;
  const passages = group.map((block) => passageOf(block, source));
  return {
    heading: heading === undefined ? '' : headingText(heading, source),
    text: linesOf(blocks, source),
    line: heading === undefined ? source.firstLine : lineOf(heading, source),
    citations: passages.flatMap(({ citations }) => citations),
    introduced: passages.flatMap(({ introduced }) => introduced),
  };
}

function readSteps(group: readonly Block[], source: Source): readonly PlanStep[] {
  return group.flatMap((block) => {
    if (block.type !== 'list' || block.ordered !== true) return [];
    return block.children.map((item) => ({
      title: formatTitle(plainText(item.children[0])),
      text: sliceOf(item.children, source),
      line: lineOf(item, source),
      paths: [...new Set(passageOf(item, source).citations.map((citation) => citation.path))],
    }));
  });
}

/** The first line without a task mark and without marks of emphasis around words. */
function formatTitle(text: string): string {
  const line = text.split('\n', 1)[0] ?? '';
  return line
    .replace(/^\[[ xX]\]\s+/, '')
    .replaceAll(/(?<![\w*])(\*{1,3}|_{1,3})(?=\S)([^*_]+)(?<=\S)\1(?![\w*])/g, '$2')
    .trim();
}

interface Placed {
  readonly position?: Block['position'] | undefined;
}

function headingText(heading: Block, source: Source): string {
  return sliceOf('children' in heading ? heading.children : [], source)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The whole lines of blocks that stand on the outermost level, so that the indentation of the first one is kept. */
function linesOf(blocks: readonly Placed[], source: Source): string {
  const start = blocks[0]?.position?.start.line;
  const end = blocks.at(-1)?.position?.end.line;
  return start === undefined || end === undefined
    ? ''
    : source.lines
        .slice(start - 1, end)
        .join('\n')
        .trimEnd();
}

/** The Markdown from the first node's beginning to the last one's end. */
function sliceOf(nodes: readonly Placed[], source: Source): string {
  const start = nodes[0]?.position?.start.offset;
  const end = nodes.at(-1)?.position?.end.offset;
  return start === undefined || end === undefined ? '' : source.text.slice(start, end);
}

function lineOf(node: Placed, source: Source): number {
  return (node.position?.start.line ?? 1) + source.firstLine - 1;
}

function passageOf(node: CodeNode, { lines, ...source }: Source): Passage {
  return readPassage(node, { ...source, lineAt: (line) => lines[line - 1] ?? '' });
}

/** What a reader sees of a node, without marks. Raw HTML is not part of it. */
function plainText(node: CodeNode | undefined): string {
  if (node === undefined || node.type === 'html') return '';
  if (node.type === 'break') return '\n';
  if (typeof node.value === 'string') return node.value;
  return (node.children ?? []).map(plainText).join('');
}
