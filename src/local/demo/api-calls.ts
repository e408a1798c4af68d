/** How often GitHub would have been asked, and what for. */
import type { RequestRecord } from '../forge/request-log.ts';

/** One sentence over what the app sent to the forge. */
export function describeCalls(requests: readonly RequestRecord[]): string {
  const counts = { reads: 0, graphqlWrites: 0, tokens: 0, lookups: 0, writes: 0 };
  for (const request of requests) {
    const purpose = purposeOf(request);
    if (purpose !== null) counts[purpose] += 1;
  }
  const { reads, graphqlWrites, tokens, lookups, writes } = counts;
  const rest = tokens + lookups + writes;
  const graphql = reads + graphqlWrites;
  return (
    `${rest + graphql} API calls: ${graphql} GraphQL (${reads} reads of threads, ${graphqlWrites} writes) and ` +
    `${rest} REST (${tokens} for tokens, ${lookups} look-ups, ${writes} writes)`
  );
}

type Purpose = 'reads' | 'graphqlWrites' | 'tokens' | 'lookups' | 'writes';

/** `null` for git. */
function purposeOf({ kind, method, path, body }: RequestRecord): Purpose | null {
  if (kind === 'git') return null;
  if (kind === 'graphql') return /^\s*mutation\b/.test(queryOf(body)) ? 'graphqlWrites' : 'reads';
  if (path.endsWith('/access_tokens') || path.endsWith('/installation/token')) return 'tokens';
  return method === 'GET' || method === 'HEAD' ? 'lookups' : 'writes';
}

function queryOf(body: unknown): string {
  return typeof body === 'object' && body !== null ? String(Reflect.get(body, 'query')) : '';
}
