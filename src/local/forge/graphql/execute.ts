/** Executes GraphQL over the forge's state, against the schema that GitHub publishes. */
import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type DocumentNode,
  execute,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql';
import type { Actor } from '../access.ts';
import type { Forge } from '../forge.ts';
import { ForgeError } from '../forge-error.ts';
import { mutationRoot } from './mutation.ts';
import { queryRoot } from './query.ts';
import { MAX_NODES, measureQuery } from './query-limit.ts';
import { resolveField } from './source.ts';
import type { View } from './view.ts';

export interface GraphqlRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
  readonly operationName?: string | null | undefined;
}

export interface GraphqlAnswer {
  readonly status: number;
  readonly body: {
    readonly data?: Readonly<Record<string, unknown>> | null;
    readonly errors?: readonly FormattedError[];
  };
}

/** GitHub puts `type` beside the message, where octokit looks for it. */
interface FormattedError extends GraphQLFormattedError {
  readonly type?: string;
}

const ERROR_TYPES = {
  401: 'FORBIDDEN',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'UNPROCESSABLE',
  409: 'UNPROCESSABLE',
  410: 'UNPROCESSABLE',
  422: 'UNPROCESSABLE',
} as const satisfies Readonly<Record<ForgeError['status'], string>>;

let builtSchema: GraphQLSchema | null = null;

/** GitHub's public schema, built at the first use: it takes a third of a second. */
function githubSchema(): GraphQLSchema {
  if (builtSchema === null) {
    // Beside the package's entry, which would also read the much larger JSON form.
    const file = new URL('schema.graphql', import.meta.resolve('@octokit/graphql-schema'));
    builtSchema = buildSchema(readFileSync(file, 'utf8'), { assumeValidSDL: true });
  }
  return builtSchema;
}

/**
 * Answers as GitHub's `/graphql` does: HTTP 200 with `data`, `errors` or both, whatever the query asks for.
 * Queries that break GitHub's schema are refused whole; a field that the actor may not read is `null` with a FORBIDDEN
 * or NOT_FOUND error. Source: https://docs.github.com/graphql/guides/forming-calls-with-graphql
 */
export async function executeGraphql(forge: Forge, actor: Actor, request: GraphqlRequest): Promise<GraphqlAnswer> {
  const { document, mistakes } = readQuery(request.query);
  if (document === null) return refused(mistakes);
  const operation = getOperationAST(document, request.operationName);
  if (operation === null || operation === undefined) {
    return refused([new GraphQLError('An operation name is required')]);
  }
  return run({ forge, actor }, document, operation, request);
}

/** `document` is `null` where there are mistakes. */
interface ReadQuery {
  readonly document: DocumentNode | null;
  readonly mistakes: readonly GraphQLError[];
}

const MAX_KEPT_QUERIES = 100;
const readQueries = new Map<string, ReadQuery>();

/** The same few queries come again and again: what the schema says of each is kept. */
function readQuery(text: string): ReadQuery {
  const known = readQueries.get(text);
  if (known !== undefined) return known;
  const read = checkQuery(text);
  const [oldest] = readQueries.keys();
  if (readQueries.size >= MAX_KEPT_QUERIES && oldest !== undefined) readQueries.delete(oldest);
  readQueries.set(text, read);
  return read;
}

function checkQuery(text: string): ReadQuery {
  try {
    const document = parse(text);
    const mistakes = validate(githubSchema(), document);
    return { document: mistakes.length === 0 ? document : null, mistakes };
  } catch (error) {
    if (error instanceof GraphQLError) return { document: null, mistakes: [error] };
    throw error;
  }
}

async function run(
  view: View,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  request: GraphqlRequest,
): Promise<GraphqlAnswer> {
  const variables = request.variables ?? {};
  const cost = measureQuery(document, operation, variables);
  if (cost.nodeCount > MAX_NODES) {
    const message = `This query requests up to ${cost.nodeCount.toLocaleString('en-US')} possible nodes which exceeds the maximum limit of 500,000.`;
    return refused([new GraphQLError(message, { extensions: { type: 'MAX_NODE_LIMIT_EXCEEDED' } })]);
  }
  const result = await execute({
    schema: githubSchema(),
    document,
    rootValue: operation.operation === 'mutation' ? mutationRoot(view) : queryRoot(view, cost),
    variableValues: variables,
    operationName: request.operationName,
    fieldResolver: resolveField,
  });
  const errors = (result.errors ?? []).map(formatError);
  const data = result.data === undefined ? {} : { data: result.data };
  return { status: 200, body: errors.length === 0 ? data : { ...data, errors } };
}

function refused(errors: readonly GraphQLError[]): GraphqlAnswer {
  return { status: 200, body: { errors: errors.map(formatError) } };
}

/** @throws whatever is neither a refusal nor a mistake in the query: it is a fault of the forge */
function formatError(error: GraphQLError): FormattedError {
  const { message, locations, path, extensions } = error.toJSON();
  const place = { ...(path === undefined ? {} : { path }), ...(locations === undefined ? {} : { locations }) };
  const cause = error.originalError;
  if (cause instanceof ForgeError) return { type: ERROR_TYPES[cause.status], ...place, message: sentence(cause) };
  if (cause !== undefined && cause !== null && !(cause instanceof GraphQLError)) throw cause;
  const type = extensions?.type;
  return typeof type === 'string' ? { type, ...place, message } : { ...place, message };
}

/** A 422's own words, in place of REST's "Validation Failed". */
function sentence(error: ForgeError): string {
  const reasons = error.errors.map((each) => each.message ?? `${each.field ?? each.resource} ${each.code}`);
  return reasons.length > 0 ? reasons.join('; ') : error.message.replace(/^Unprocessable Entity: "(.*)"$/, '$1');
}
