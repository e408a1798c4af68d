import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { schema as github } from '@octokit/graphql-schema';
import { buildSchema, type GraphQLSchema, parse, validate } from 'graphql';
import {
  attemptsQuery,
  type ConnectionName,
  codeOwnersQuery,
  pageQuery,
  pullRequestsPageQuery,
  statusLabelNames,
  threadQuery,
} from '../../src/github/observe-query.ts';

const connectionNames: readonly ConnectionName[] = [
  'issueLabels',
  'issueComments',
  'issueEvents',
  'issueEdits',
  'commits',
  'files',
  'reviews',
  'reviewThreads',
  'comments',
  'reviewRequests',
  'disturbances',
  'threadComments',
  'checkRuns',
  'sharing',
];

let schema: GraphQLSchema;
before(() => {
  schema = buildSchema(github.idl, { assumeValidSDL: true });
});

function problems(text: string): readonly string[] {
  return validate(schema, parse(text)).map(({ message }) => message);
}

test("the query of a thread is valid against GitHub's own schema", () => {
  assert.deepEqual(problems(threadQuery), []);
  assert.deepEqual(problems(attemptsQuery), []);
  assert.deepEqual(problems(pullRequestsPageQuery), []);
  assert.deepEqual(problems(codeOwnersQuery), []);
});

test("the query for a further page of any connection is valid against GitHub's own schema", () => {
  for (const name of connectionNames) assert.deepEqual(problems(pageQuery(name)), [], name);
});

test('the status labels are those of the states, once each', () => {
  assert.deepEqual(statusLabelNames, [
    'plan: queued',
    'plan: writing',
    'plan: question',
    'plan: review',
    'plan: building',
    'plan: done',
    'plan: failed',
  ]);
});
