/** What resolvers hand to graphql-js: plain objects whose members are values or functions of the field's arguments. */
import { GraphQLError, type GraphQLFieldResolver, type GraphQLResolveInfo } from 'graphql';

export type Args = Readonly<Record<string, unknown>>;
export type Info = GraphQLResolveInfo;
export type Resolve = (args: Args, info: Info) => unknown;
export type Value = string | number | boolean | null | Source | readonly Value[] | Resolve;

export interface Source {
  readonly __typename?: string;
  readonly [field: string]: Value | undefined;
}

function isSource(value: unknown): value is Source {
  return typeof value === 'object' && value !== null;
}

/**
 * Reads a field of a source. A field of GitHub's schema that the forge does not play is an error and never a silent
 * `null`, so that nothing is built on an answer that nobody gave.
 */
export const resolveField: GraphQLFieldResolver<unknown, unknown> = (source, args, _context, info) => {
  const value = isSource(source) ? source[info.fieldName] : undefined;
  if (value === undefined) {
    throw new GraphQLError(`${info.parentType.name}.${info.fieldName} is not played by the local forge`, {
      extensions: { type: 'NOT_PLAYED' },
    });
  }
  return typeof value === 'function' ? value(args, info) : value;
};

/** The argument as text; `null` where it is absent. */
export function textArg(args: Args, name: string): string | null {
  const value = args[name];
  return typeof value === 'string' ? value : null;
}

export function numberArg(args: Args, name: string): number | null {
  const value = args[name];
  return typeof value === 'number' ? value : null;
}

/** The argument as a list of texts; `null` where it is absent, which is another thing than an empty list. */
export function listArg(args: Args, name: string): readonly string[] | null {
  const value: unknown = args[name];
  if (!Array.isArray(value)) return null;
  return value.filter((each: unknown) => typeof each === 'string');
}

/** An input object; empty where it is absent. */
export function inputArg(args: Args, name: string): Args {
  const value = args[name];
  return isArgs(value) ? value : {};
}

function isArgs(value: unknown): value is Args {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
