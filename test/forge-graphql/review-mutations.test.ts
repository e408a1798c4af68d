import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executeGraphql } from '../../src/local/forge/graphql/execute.ts';
import { openPullRequest, submitReview } from '../../src/local/forge/operations.ts';
import { createWorld } from './world.ts';

test('the app marks ready, answers and resolves threads, and dismisses an approval', async (context) => {
  const { forge, repository, bot, wes, ann, commit } = createWorld(context);
  commit(bot, 'planwright/issue-1', { 'plan.md': 'One.\nTwo.\n' }, 'Plan');
  const text = { title: 'Plan', head: 'planwright/issue-1', base: 'main', draft: true };
  const pull = openPullRequest(forge, bot, repository, text);
  const approval = submitReview(forge, ann, repository, pull, { event: 'APPROVE' });
  const comments = [{ path: 'plan.md', line: 2, body: 'Why?' }];
  submitReview(forge, wes, repository, pull, { event: 'COMMENT', comments });
  const [thread] = pull.pullRequest.threads;
  assert.ok(thread);
  const { body } = await executeGraphql(forge, bot, {
    query: `mutation ($pull: ID!, $thread: ID!, $review: ID!) {
      reply: addPullRequestReviewThreadReply(input: { pullRequestReviewThreadId: $thread, body: "Because." }) {
        comment { body author { login } replyTo { body } }
      }
      resolve: resolveReviewThread(input: { threadId: $thread }) { thread { isResolved resolvedBy { login } } }
      reopen: unresolveReviewThread(input: { threadId: $thread }) { thread { isResolved resolvedBy { login } } }
      dismiss: dismissPullRequestReview(input: { pullRequestReviewId: $review, message: "Code needs its own." }) {
        pullRequestReview { state }
      }
      ready: markPullRequestReadyForReview(input: { pullRequestId: $pull }) { pullRequest { isDraft } }
      draft: convertPullRequestToDraft(input: { pullRequestId: $pull }) {
        pullRequest { isDraft timelineItems(last: 5) { nodes { __typename } } }
      }
    }`,
    variables: { pull: pull.nodeId, thread: thread.nodeId, review: approval.nodeId },
  });
  const events = [
    'PullRequestReview',
    'PullRequestReview',
    'ReviewDismissedEvent',
    'ReadyForReviewEvent',
    'ConvertToDraftEvent',
  ];
  assert.deepEqual(JSON.parse(JSON.stringify(body)), {
    data: {
      reply: { comment: { body: 'Because.', author: { login: 'planwright' }, replyTo: { body: 'Why?' } } },
      resolve: { thread: { isResolved: true, resolvedBy: { login: 'planwright[bot]' } } },
      reopen: { thread: { isResolved: false, resolvedBy: null } },
      dismiss: { pullRequestReview: { state: 'DISMISSED' } },
      ready: { pullRequest: { isDraft: false } },
      draft: {
        pullRequest: { isDraft: true, timelineItems: { nodes: events.map((__typename) => ({ __typename })) } },
      },
    },
  });
});

test('a push that touches a commented line leaves its thread outdated, with the line it was written on', async (context) => {
  const { forge, repository, bot, wes, commit } = createWorld(context);
  const first = commit(bot, 'planwright/issue-1', { 'plan.md': 'One.\nTwo.\n' }, 'Plan');
  const pull = openPullRequest(forge, bot, repository, { title: 'Plan', head: 'planwright/issue-1', base: 'main' });
  const comments = [{ path: 'plan.md', line: 2, body: 'Why?' }];
  submitReview(forge, wes, repository, pull, { event: 'COMMENT', comments });
  const second = commit(bot, 'planwright/issue-1', { 'plan.md': 'One.\nThree.\n' }, 'Revise');
  const { body } = await executeGraphql(forge, wes, {
    query: `{ repository(owner: "ann", name: "shop") { pullRequest(number: 1) {
      headRefOid
      commits(last: 1) { totalCount nodes { commit { message } } }
      reviewThreads(first: 1) { nodes { isOutdated line originalLine comments(first: 1) { nodes {
        outdated commit { oid } originalCommit { oid } } } } }
    } } }`,
  });
  assert.deepEqual(JSON.parse(JSON.stringify(body)), {
    data: {
      repository: {
        pullRequest: {
          headRefOid: second,
          commits: { totalCount: 2, nodes: [{ commit: { message: 'Revise' } }] },
          reviewThreads: {
            nodes: [
              {
                isOutdated: true,
                line: null,
                originalLine: 2,
                comments: { nodes: [{ outdated: true, commit: { oid: first }, originalCommit: { oid: first } }] },
              },
            ],
          },
        },
      },
    },
  });
});
