/**
 * What a query could return at most, counted before it runs, as GitHub does.
 * Source: https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api#node-limit
 */
import {
  type DocumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';

export const MAX_NODES = 500_000;

export interface QueryCost {
  /** Nodes of all connections, each as often as the connections around it can repeat it. */
  readonly nodeCount: number;
  /** Points of the rate limit: one for each hundred requests that the connections would take. */
  readonly cost: number;
}

type Variables = Readonly<Record<string, unknown>>;

interface Tally {
  nodes: number;
  requests: number;
}

/** Counts the connections of the operation; fields without `first` or `last` repeat nothing. */
export function measureQuery(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): QueryCost {
  const tally: Tally = { nodes: 0, requests: 0 };
  const defaults = (operation.variableDefinitions ?? []).map((definition) => [
    definition.variable.name.value,
    definition.defaultValue === undefined ? undefined : valueFromASTUntyped(definition.defaultValue),
  ]);
  const known = { ...Object.fromEntries(defaults), ...variables };
  countSelections(document, operation.selectionSet, known, 1, tally);
  return { nodeCount: tally.nodes, cost: Math.max(1, Math.round(tally.requests / 100)) };
}

function countSelections(
  document: DocumentNode,
  selection: SelectionSetNode | undefined,
  variables: Variables,
  times: number,
  tally: Tally,
): void {
  for (const node of selection?.selections ?? []) {
    if (node.kind === Kind.FIELD) countField(document, node, variables, times, tally);
    else if (node.kind === Kind.INLINE_FRAGMENT) countSelections(document, node.selectionSet, variables, times, tally);
    else countSelections(document, fragmentSelection(document, node.name.value), variables, times, tally);
  }
}

function countField(document: DocumentNode, field: FieldNode, variables: Variables, times: number, tally: Tally): void {
  const size = pageSize(field, variables);
  if (size !== null) {
    tally.nodes += times * size;
    tally.requests += times;
  }
  countSelections(document, field.selectionSet, variables, times * (size ?? 1), tally);
}

function pageSize(field: FieldNode, variables: Variables): number | null {
  const bound = field.arguments?.find((each) => each.name.value === 'first' || each.name.value === 'last');
  if (bound === undefined) return null;
  const value: unknown = valueFromASTUntyped(bound.value, variables);
  return typeof value === 'number' ? value : null;
}

function fragmentSelection(document: DocumentNode, name: string): SelectionSetNode | undefined {
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name) return definition.selectionSet;
  }
  return undefined;
}
