import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeCalls } from '../../src/local/demo/api-calls.ts';
import type { RequestRecord } from '../../src/local/forge/request-log.ts';

const call = (kind: RequestRecord['kind'], method: string, path: string, query?: string): RequestRecord => ({
  kind,
  method,
  path,
  token: 'installation',
  body: query === undefined ? null : { query },
  at: 0,
  status: 200,
});

test('each call is counted by what it is for, and git is none', () => {
  const calls = [
    call('graphql', 'POST', '/api/graphql', 'query Thread { viewer { login } }'),
    call('graphql', 'POST', '/api/graphql', '\nmutation Ready { markPullRequestReadyForReview { clientMutationId } }'),
    call('rest', 'POST', '/api/v3/app/installations/1/access_tokens'),
    call('rest', 'DELETE', '/api/v3/installation/token'),
    call('rest', 'GET', '/api/v3/repos/acme/shop'),
    call('rest', 'POST', '/api/v3/repos/acme/shop/pulls'),
    call('rest', 'PATCH', '/api/v3/repos/acme/shop/issues/comments/1'),
    call('git', 'POST', '/acme/shop.git/git-receive-pack'),
  ];
  assert.equal(
    describeCalls(calls),
    '7 API calls: 2 GraphQL (1 reads of threads, 1 writes) and 5 REST (2 for tokens, 1 look-ups, 2 writes)',
  );
});
