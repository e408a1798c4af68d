/** Relay connections with GitHub's limits. Source: https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api */
import { GraphQLError, Kind, type SelectionSetNode } from 'graphql';
import { type Args, type Info, numberArg, type Source, textArg, type Value } from './source.ts';

const MAX_PAGE = 100;

export interface ConnectionOptions<Item> {
  readonly items: readonly Item[];
  /** Unique among the items and stable: cursors go by it, so that a page does not shift when an item is added before it. */
  readonly keyOf: (item: Item) => string | number;
  readonly present: (item: Item) => Value;
  /** What the connection has besides `nodes`, `edges`, `pageInfo` and `totalCount`. */
  readonly extra?: Source;
}

/**
 * The connection that the field's `first`, `last`, `after` and `before` ask for.
 * @throws {GraphQLError} where GitHub refuses the page: no bound, both bounds, a negative one, more than 100, a foreign cursor
 */
export function connection<Item>(args: Args, info: Info, options: ConnectionOptions<Item>): Source {
  requireBounds(args, info);
  const { items, keyOf, present } = options;
  const range = pageRange(args, items.map(keyOf).map(String));
  const cursors = items.map((item, index) => formatCursor(index, String(keyOf(item))));
  const page = items.slice(range.start, range.end);
  const cursorAt = (index: number): string | null => (page.length === 0 ? null : (cursors[index] ?? null));
  return {
    ...options.extra,
    totalCount: items.length,
    nodes: () => page.map(present),
    edges: () => page.map((item, index) => ({ cursor: cursorAt(range.start + index), node: () => present(item) })),
    pageInfo: {
      startCursor: cursorAt(range.start),
      endCursor: cursorAt(range.end - 1),
      hasPreviousPage: range.start > 0,
      hasNextPage: range.end < items.length,
    },
  };
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function pageRange(args: Args, keys: readonly string[]): Range {
  const after = cursorArg(args, 'after', keys);
  const before = cursorArg(args, 'before', keys);
  const start = after === null ? 0 : after + 1;
  const end = Math.max(start, before ?? keys.length);
  const first = numberArg(args, 'first');
  const last = numberArg(args, 'last');
  if (first !== null) return { start, end: Math.min(end, start + first) };
  if (last !== null) return { start: Math.max(start, end - last), end };
  return { start, end: start };
}

function formatCursor(index: number, key: string): string {
  return Buffer.from(`cursor:v2:${index}:${key}`).toString('base64');
}

/** The index of the item that the cursor names, or where it stood if it is gone. */
function cursorArg(args: Args, name: string, keys: readonly string[]): number | null {
  const cursor = textArg(args, name);
  if (cursor === null) return null;
  const match = /^cursor:v2:(\d+):(.*)$/s.exec(Buffer.from(cursor, 'base64').toString());
  if (match === null) throw refusal('INVALID_CURSOR_ARGUMENTS', `\`${cursor}\` does not appear to be a valid cursor.`);
  const index = keys.indexOf(match[2] ?? '');
  return index === -1 ? Number(match[1]) : index;
}

function requireBounds(args: Args, info: Info): void {
  const name = info.fieldName;
  const first = numberArg(args, 'first');
  const last = numberArg(args, 'last');
  if (first !== null && last !== null) {
    const message = `Passing both \`first\` and \`last\` to paginate the \`${name}\` connection is not supported.`;
    throw refusal('INVALID_PAGINATION_BOUNDARIES', message);
  }
  const bound = first ?? last;
  const word = first === null ? 'last' : 'first';
  if (bound === null) {
    if (!readsItems(info)) return;
    const message = `You must provide a \`first\` or \`last\` value to properly paginate the \`${name}\` connection.`;
    throw refusal('MISSING_PAGINATION_BOUNDARIES', message);
  }
  if (bound < 0) throw refusal('ARGUMENT_LIMIT', `\`${word}\` on the \`${name}\` connection cannot be less than zero.`);
  if (bound > MAX_PAGE) {
    const message = `Requesting ${bound} records on the \`${name}\` connection exceeds the \`${word}\` limit of ${MAX_PAGE} records.`;
    throw refusal('EXCESSIVE_PAGINATION', message);
  }
}

/** A count alone needs no bound. */
function readsItems(info: Info): boolean {
  const names = info.fieldNodes.flatMap((node) => selectedNames(node.selectionSet, info));
  return names.some((name) => name === 'nodes' || name === 'edges' || name === 'pageInfo');
}

function selectedNames(selection: SelectionSetNode | undefined, info: Info): readonly string[] {
  return (selection?.selections ?? []).flatMap((node) => {
    if (node.kind === Kind.FIELD) return [node.name.value];
    if (node.kind === Kind.INLINE_FRAGMENT) return selectedNames(node.selectionSet, info);
    return selectedNames(info.fragments[node.name.value]?.selectionSet, info);
  });
}

function refusal(type: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } });
}
