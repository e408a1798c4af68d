/** YAML against a zod schema, with every mistake named by line and key. */
import { CST, isCollection, isMap, isScalar, isSeq, Lexer, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { nearestKey, type SchemaKey, schemaKeys } from './schema-keys.ts';
import { describeIssue } from './schema-problem.ts';

export type Checked<T> = { readonly value: T } | { readonly problems: readonly string[] };

/** More than these help nobody; the rest are counted. */
const maxProblems = 20;

/** Levels of collections within each other; what is written here needs four. */
const maxDepth = 50;
const maxIndentation = 200;

type YamlDocument = ReturnType<typeof parseDocument>;
type KeyPath = readonly PropertyKey[];

/**
 * Reads one YAML mapping. An empty text is an empty mapping. Anchors may not be used: nothing here needs them, and they
 * can make a small text large.
 * @param firstLine the number of the text's first line in the file that the problems speak of; 1 by default.
 */
export function parseCheckedYaml<T>(text: string, schema: z.ZodType<T>, firstLine = 1): Checked<T> {
  const lines = new LineCounter();
  const lineAt = (offset: number): number => lines.linePos(offset).line + firstLine - 1;
  if (isNestedDeep(text)) return { problems: [`line ${firstLine}: nested too deep; write it flat`] };
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const syntax = [...document.errors, ...document.warnings].map(
    (error) => `line ${lineAt(error.pos[0])}${describeSyntax(error, text)}`,
  );
  if (syntax.length > 0) return { problems: capped(syntax) };
  if (document.contents !== null && !isEmptyScalar(document.contents) && !isMap(document.contents)) {
    const line = lineAt(document.contents.range?.[0] ?? 0);
    return {
      problems: [`line ${line}: expected "key: value" lines, got ${isSeq(document.contents) ? 'a list' : 'text'}`],
    };
  }
  const read = readValue(document);
  if ('problem' in read) return { problems: [`line ${firstLine}: ${read.problem}`] };
  const parsed = schema.safeParse(read.value ?? {});
  if (parsed.success) return { value: parsed.data };
  const found = parsed.error.issues.flatMap((issue) => describe(issue, document, schema, lineAt));
  const inOrder = found.toSorted((a, b) => a.line - b.line);
  return { problems: capped(inOrder.map(({ line, text: problem }) => `line ${line}${problem}`)) };
}

/**
 * Tells a text that the parser could not take: it recurses for each level, and an overflow of its stack reads as a fault
 * of the text, or throws. No level comes without a bracket, an indicator or a deeper indentation.
 */
function isNestedDeep(text: string): boolean {
  let brackets = 0;
  let indicators = 0;
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token);
    if (type === 'flow-seq-start' || type === 'flow-map-start') brackets += 1;
    else if (type === 'flow-seq-end' || type === 'flow-map-end') brackets -= 1;
    else if (type === 'seq-item-ind' || type === 'explicit-key-ind' || type === 'map-value-ind') indicators += 1;
    else if (type === 'newline' || type === 'scalar') indicators = 0;
    if (brackets + indicators > maxDepth || (type === 'space' && token.length > maxIndentation)) return true;
  }
  return false;
}

function capped(problems: readonly string[]): readonly string[] {
  const more = problems.length - maxProblems;
  return more > 0 ? [...problems.slice(0, maxProblems), `and ${more} more`] : problems;
}

function isEmptyScalar(node: unknown): boolean {
  return isScalar(node) && node.value === null;
}

function readValue(document: YamlDocument): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: document.toJS({ maxAliasCount: 0 }) };
  } catch (cause) {
    if (cause instanceof ReferenceError) {
      return { problem: 'anchors and aliases (&, *) are not read; write the value out' };
    }
    throw cause;
  }
}

function describeSyntax(
  error: YamlDocument['errors'][number] | YamlDocument['warnings'][number],
  text: string,
): string {
  if (error.code === 'DUPLICATE_KEY') {
    const key = /^["']?([^:"'\r\n]+)/.exec(text.slice(error.pos[0]))?.[1]?.trim() ?? 'a key';
    return `, ${key}: the key is there twice; keep one`;
  }
  if (error.code === 'MULTIPLE_DOCS') return ': expected one YAML document, got a second one; remove the "---" line';
  return `: not valid YAML: ${error.message.split('\n', 1)[0]}`;
}

interface Problem {
  readonly line: number;
  readonly text: string;
}

function describe(
  issue: z.core.$ZodIssue,
  document: YamlDocument,
  schema: z.ZodType,
  lineAt: (offset: number) => number,
): readonly Problem[] {
  const problem = (path: KeyPath, what: string): Problem => {
    const key = path.map(String).join('.');
    return { line: lineAt(offsetOf(document, path)), text: `${key === '' ? '' : `, ${key}`}: ${what}` };
  };
  if (issue.code !== 'unrecognized_keys') {
    return [problem(issue.path, describeIssue(issue, valueAt(document, issue.path)))];
  }
  const known = schemaKeys(schema);
  return issue.keys.map((key) => {
    const path = [...issue.path, key];
    return problem(path, `unknown key; ${describeRemedy(path.map(String).join('.'), known)}`);
  });
}

function describeRemedy(key: string, known: readonly SchemaKey[]): string {
  const nearest = nearestKey(key, known);
  if (nearest === null) return 'remove it';
  return nearest === key ? 'write each part of it on a line of its own, indented' : `did you mean ${nearest}?`;
}

/** Where the key of `path` stands, or the nearest one around it that is there. */
function offsetOf(document: YamlDocument, path: KeyPath): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const key of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
      if (pair === undefined || !isScalar(pair.key)) return offset;
      offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = typeof key === 'number' ? node.items[key] : undefined;
      offset = (isCollection(node) || isScalar(node) ? node.range?.[0] : undefined) ?? offset;
    } else {
      return offset;
    }
  }
  return offset;
}

function valueAt(document: YamlDocument, path: KeyPath): unknown {
  const node = document.getIn(path);
  return isCollection(node) ? node.toJS(document) : node;
}
