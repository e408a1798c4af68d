/** What a plan says of the code: the places that it names in backticks, and the names that it says come into being. */
import { type CitedPlace, isSymbol, parseCitedPlace } from './repository-path.ts';

export interface Citation extends CitedPlace {
  /** 1-based line of the plan file on which it stands. */
  readonly line: number;
  /** That line: a plan holds a sentence a line. */
  readonly sentence: string;
  /** Whether the symbol stands beside the path in backticks of its own: "`evict` of `src/cache.ts`". */
  readonly isBeside: boolean;
}

/** A node of Markdown, as far as citations need it. */
export interface CodeNode {
  readonly type: string;
  readonly value?: unknown;
  readonly children?: readonly CodeNode[];
  readonly position?: { readonly start: { readonly line: number } } | undefined;
}

export interface Passage {
  /** In order of appearance. */
  readonly citations: readonly Citation[];
  readonly introduced: readonly string[];
}

interface PassageSource {
  /** Paths that count as cited though they do not look like a path, e.g. `Makefile`. */
  readonly knownPaths: ReadonlySet<string>;
  /** The number in the plan file of the first line of what was parsed. */
  readonly firstLine: number;
  /** A line of what was parsed, by its number from 1. */
  readonly lineAt: (line: number) => string;
  /** Numbers of lines by whether they introduce something: each is looked at once. */
  readonly introduces: Map<number, boolean>;
}

/** Words that say that something is not there yet. A line with one of them introduces the names in it. */
const introducing =
  /\b(?:add|adds|added|adding|new|newly|creat\w+|introduc\w+|renam\w+|extract\w*|split\w*|mov(?:e|es|ed|ing)|writ(?:e|es|ten|ing)|defin\w+|declar\w+|implement\w*|export\w*|becom\w+|called|named|replac\w+|missing|lacks?)\b|\bnot (?:yet|there|exist)/i;

/** What stands between a symbol and the file that it is in, and between a file and its symbol. */
const symbolFirst = /^\s*(?:of|in|from|at|\((?:in|of|from)?|,? ?defined in|@)\s*$/i;
const pathFirst = /^(?:\s*[(:]\s*|['’]s\s+|\s+(?:exports|defines|declares|holds|has)\s+)$/i;

/** All that one block names, in one walk over it. */
export function readPassage(node: CodeNode, source: PassageSource): Passage {
  const found: Found = { citations: [], introduced: [] };
  walk(node, source, found);
  return found;
}

interface Found {
  readonly citations: Citation[];
  readonly introduced: string[];
}

function walk(node: CodeNode, source: PassageSource, found: Found): void {
  const children = node.children ?? [];
  for (const [index, child] of children.entries()) {
    const span = spanOf(child);
    if (span === null) walk(child, source, found);
    else readSpan(span, [children[index + 1], children[index + 2]], { child, source, found });
  }
}

function spanOf(node: CodeNode | undefined): string | null {
  return node?.type === 'inlineCode' && typeof node.value === 'string' ? node.value : null;
}

interface SpanPlace {
  readonly child: CodeNode;
  readonly source: PassageSource;
  readonly found: Found;
}

function readSpan(
  span: string,
  [between, next]: readonly [CodeNode | undefined, CodeNode | undefined],
  { child, source, found }: SpanPlace,
): void {
  const at = child.position?.start.line ?? 1;
  const sentence = source.lineAt(at);
  const place = { line: at + source.firstLine - 1, sentence };
  const cited = citedPlace(span, source);
  const isIntroduced = source.introduces.get(at) ?? introducing.test(sentence);
  source.introduces.set(at, isIntroduced);
  if (isIntroduced) found.introduced.push(cited === null ? span : (cited.symbol ?? ''));
  if (cited !== null) found.citations.push({ ...cited, ...place, isBeside: false });
  const other = spanOf(next);
  if (other === null || typeof between?.value !== 'string' || !isSymbolPair(span, other, between.value, source)) return;
  const [symbol, file] = cited === null ? [span, citedPlace(other, source)] : [other, cited];
  if (file !== null) found.citations.push({ path: file.path, lines: null, symbol, ...place, isBeside: true });
}

/** Whether one of two neighbours is a file and the other, by the words between them, something in it. */
function isSymbolPair(span: string, other: string, between: string, source: PassageSource): boolean {
  const [first, second] = [citedPlace(span, source), citedPlace(other, source)];
  if (first === null && second !== null) return second.symbol === null && isSymbol(span) && symbolFirst.test(between);
  return first !== null && first.symbol === null && second === null && isSymbol(other) && pathFirst.test(between);
}

function citedPlace(span: string, { knownPaths }: PassageSource): CitedPlace | null {
  return knownPaths.has(span) ? { path: span, lines: null, symbol: null } : parseCitedPlace(span);
}
