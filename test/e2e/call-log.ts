import type { RequestRecord } from '../../src/local/forge/request-log.ts';

/** How many API calls there were, by kind. */
export function formatCalls(calls: readonly RequestRecord[]): string {
  const minted = calls.filter(({ path }) => path.endsWith('/access_tokens')).length;
  const graphql = calls.filter(({ kind }) => kind === 'graphql').length;
  const revoked = calls.filter(revokesToken).length;
  const rest = calls.length - graphql - minted - revoked;
  return `${calls.length} API calls: ${rest} REST, ${graphql} GraphQL, ${minted} tokens minted, ${revoked} revoked`;
}

/** What S82 asks for on top of what a path needs. */
export function revokesToken({ method, path }: RequestRecord): boolean {
  return method === 'DELETE' && path.endsWith('/installation/token');
}

/** One call as a line, with its time since `first`. */
export function formatCall(
  { method, path, status, body, at }: RequestRecord,
  first: RequestRecord | undefined,
): string {
  const query = typeof body === 'object' && body !== null && 'query' in body ? String(body.query) : '';
  const name = /(?:query|mutation) \w+/.exec(query)?.[0] ?? '';
  return `  ${at - (first?.at ?? at)} ms ${method} ${path} ${name} ${status}`;
}
