import assert from 'node:assert/strict';
import { test } from 'node:test';
import { git } from '../../src/local/forge/git-repository.ts';
import { executeGraphql } from '../../src/local/forge/graphql/execute.ts';
import {
  afterPush,
  closePullRequest,
  editPullRequest,
  openPullRequest,
  reopenIssue,
  submitReview,
} from '../../src/local/forge/operations.ts';
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

test('a forced push, a new base, a closing and a reopening are in the timeline as GitHub names them', async (context) => {
  const { forge, repository, bot, wes, commit } = createWorld(context);
  const first = commit(bot, 'planwright/issue-1', { 'plan.md': 'One.\n' }, 'Plan');
  commit(wes, 'next', { 'NEXT.md': 'x\n' }, 'Next');
  const pull = openPullRequest(forge, bot, repository, { title: 'Plan', head: 'planwright/issue-1', base: 'main' });
  const second = commit(bot, 'elsewhere', { 'plan.md': 'Two.\n' }, 'Plan again');
  git(repository.gitDir, ['update-ref', 'refs/heads/planwright/issue-1', second]);
  afterPush(forge, wes, repository, 'refs/heads/planwright/issue-1', first, second);
  editPullRequest(forge, wes, repository, pull, { base: 'next' });
  closePullRequest(forge, wes, repository, pull);
  reopenIssue(forge, wes, repository, pull);
  const { body } = await executeGraphql(forge, wes, {
    query: `{ repository(owner: "ann", name: "shop") { pullRequest(number: 1) { timelineItems(first: 10, itemTypes: [
      HEAD_REF_FORCE_PUSHED_EVENT, BASE_REF_CHANGED_EVENT, CLOSED_EVENT, REOPENED_EVENT
    ]) { nodes {
      __typename
      ... on HeadRefForcePushedEvent { actor { login } beforeCommit { oid } afterCommit { oid } ref { name } }
      ... on BaseRefChangedEvent { previousRefName currentRefName }
      ... on ClosedEvent { closable { closed } }
      ... on ReopenedEvent { actor { login } }
    } } } } }`,
  });
  const nodes = [
    {
      __typename: 'HeadRefForcePushedEvent',
      actor: { login: 'wes' },
      beforeCommit: { oid: first },
      afterCommit: { oid: second },
      ref: { name: 'planwright/issue-1' },
    },
    { __typename: 'BaseRefChangedEvent', previousRefName: 'main', currentRefName: 'next' },
    { __typename: 'ClosedEvent', closable: { closed: false } },
    { __typename: 'ReopenedEvent', actor: { login: 'wes' } },
  ];
  assert.deepEqual(JSON.parse(JSON.stringify(body)), {
    data: { repository: { pullRequest: { timelineItems: { nodes } } } },
  });
});
