import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Actor } from '../../src/local/forge/access.ts';
import { executeGraphql } from '../../src/local/forge/graphql/execute.ts';
import {
  addLabels,
  addReaction,
  createCheckRun,
  createComment,
  createIssue,
  dismissReview,
  openPullRequest,
  removeLabel,
  replyToThread,
  requestReviewers,
  submitReview,
} from '../../src/local/forge/operations.ts';
import { createWorld, type World } from './world.ts';

const PLAN = '# Cache\n\nOne step.\nAnother step.\n';

/** An issue with the trigger label and the app's draft pull request that holds its plan. */
function startThread(context: TestContext) {
  const world = createWorld(context);
  const { forge, repository, bot, wes, ann } = world;
  const issue = createIssue(forge, wes, repository, { title: 'Cache forgets', body: 'It does.' });
  addLabels(forge, ann, repository, issue, ['plan']);
  addReaction(forge, bot, repository, issue, issue, 'eyes');
  const head = world.commit(bot, 'planwright/issue-1', { 'plan.md': PLAN }, 'Plan\n\nPlanwright-Phase: plan\n');
  const pull = openPullRequest(forge, bot, repository, {
    title: 'Plan: cache',
    body: 'Closes #1',
    head: 'planwright/issue-1',
    base: 'main',
    draft: true,
  });
  return { ...world, issue, pull, head };
}

async function ask(world: World, actor: Actor, query: string, variables: Readonly<Record<string, unknown>> = {}) {
  const answer = await executeGraphql(world.forge, actor, { query, variables });
  assert.equal(answer.status, 200);
  return JSON.parse(JSON.stringify(answer.body)) as unknown;
}

test('an app reads an issue with its labels, events, comments and what it has reacted with', async (context) => {
  const world = startThread(context);
  const { forge, repository, issue, bot, ann, rea } = world;
  removeLabel(forge, ann, repository, issue, 'plan');
  createComment(forge, rea, repository, issue, 'Me too.');
  const body = await ask(
    world,
    bot,
    `query ($owner: String!, $name: String!) {
      viewer { __typename login databaseId }
      repository(owner: $owner, name: $name) {
        nameWithOwner isArchived isPrivate isEmpty
        owner { __typename login }
        defaultBranchRef { name prefix }
        label(name: "PLAN") { name }
        issue(number: 1) {
          number title body state stateReason locked lastEditedAt editor { login }
          author { __typename login ... on User { databaseId } }
          labels(first: 10) { totalCount nodes { name } }
          reactions(content: EYES, first: 1) { viewerHasReacted totalCount }
          comments(first: 10) { nodes { author { login } body authorAssociation isMinimized } }
          timelineItems(first: 20, itemTypes: [LABELED_EVENT, UNLABELED_EVENT, CROSS_REFERENCED_EVENT]) {
            filteredCount
            nodes {
              __typename
              ... on LabeledEvent { actor { login } label { name } createdAt }
              ... on UnlabeledEvent { actor { login } label { name } }
              ... on CrossReferencedEvent { willCloseTarget source { ... on PullRequest { number } } }
            }
          }
        }
      }
    }`,
    { owner: 'ann', name: 'shop' },
  );
  assert.deepEqual(body, {
    data: {
      viewer: { __typename: 'User', login: 'planwright[bot]', databaseId: world.app.account.id },
      repository: {
        nameWithOwner: 'ann/shop',
        isArchived: false,
        isPrivate: false,
        isEmpty: false,
        owner: { __typename: 'User', login: 'ann' },
        defaultBranchRef: { name: 'main', prefix: 'refs/heads/' },
        label: { name: 'plan' },
        issue: {
          number: 1,
          title: 'Cache forgets',
          body: 'It does.',
          state: 'OPEN',
          stateReason: null,
          locked: false,
          lastEditedAt: null,
          editor: null,
          author: { __typename: 'User', login: 'wes', databaseId: issue.author?.id },
          labels: { totalCount: 0, nodes: [] },
          reactions: { viewerHasReacted: true, totalCount: 1 },
          comments: {
            nodes: [
              { author: { login: 'rea' }, body: 'Me too.', authorAssociation: 'COLLABORATOR', isMinimized: false },
            ],
          },
          timelineItems: {
            filteredCount: 3,
            nodes: [
              {
                __typename: 'LabeledEvent',
                actor: { login: 'ann' },
                label: { name: 'plan' },
                createdAt: issue.timeline[0]?.createdAt,
              },
              { __typename: 'CrossReferencedEvent', willCloseTarget: true, source: { number: 2 } },
              { __typename: 'UnlabeledEvent', actor: { login: 'ann' }, label: { name: 'plan' } },
            ],
          },
        },
      },
    },
  });
});

test('an app reads a pull request with its commits, files, reviews, threads and checks', async (context) => {
  const world = startThread(context);
  const { forge, repository, pull, bot, wes, ann, head, app } = world;
  requestReviewers(forge, bot, repository, pull, ['ann', 'wes']);
  const approval = submitReview(forge, ann, repository, pull, { event: 'APPROVE' });
  submitReview(forge, wes, repository, pull, {
    event: 'REQUEST_CHANGES',
    body: 'Not yet.',
    comments: [{ path: 'plan.md', line: 4, startLine: 3, body: 'Why two?' }],
  });
  const [thread] = pull.pullRequest.threads;
  assert.ok(thread);
  replyToThread(forge, bot, repository, pull, thread, 'One for each.');
  dismissReview(forge, bot, repository, pull, approval, 'The plan changed.');
  createCheckRun(forge, bot, repository, 'planwright/plan', head, { conclusion: 'action_required' });
  const body = await ask(
    world,
    bot,
    `{ repository(owner: "ann", name: "shop") { pullRequests(headRefName: "planwright/issue-1", first: 5) { nodes {
      number isDraft state merged isCrossRepository headRefName headRefOid baseRefName
      author { __typename login }
      headRepository { nameWithOwner }
      closingIssuesReferences(first: 1) { nodes { number } }
      commits(first: 10) { nodes { commit {
        oid messageHeadline messageBody committedDate
        author { email date user { __typename login } }
        parents(first: 2) { totalCount }
        signature { isValid }
        statusCheckRollup { state }
        checkSuites(first: 5, filterBy: { appId: ${app.id} }) { nodes {
          app { databaseId slug } checkRuns(first: 5) { nodes { name status conclusion } }
        } }
      } } }
      files(first: 10) { nodes { path changeType additions deletions } }
      reviewRequests(first: 5) { totalCount }
      reviews(first: 10) { nodes { state body author { login } commit { oid } authorCanPushToRepository } }
      latestReviews(first: 10) { nodes { author { __typename login } state } }
      reviewDecision
      reviewThreads(first: 10) { nodes {
        path subjectType diffSide line startLine originalLine isOutdated isResolved
        comments(first: 10) { nodes { author { login } body outdated diffHunk replyTo { body } pullRequestReview { state } } }
      } }
      timelineItems(first: 10, itemTypes: [REVIEW_DISMISSED_EVENT]) { nodes {
        ... on ReviewDismissedEvent { actor { login } dismissalMessage previousReviewState review { state } }
      } }
    } } } }`,
  );
  const hunk = '@@ -0,0 +1,4 @@\n+# Cache\n+\n+One step.\n+Another step.';
  assert.deepEqual(body, {
    data: {
      repository: {
        pullRequests: {
          nodes: [
            {
              number: 2,
              isDraft: true,
              state: 'OPEN',
              merged: false,
              isCrossRepository: false,
              headRefName: 'planwright/issue-1',
              headRefOid: head,
              baseRefName: 'main',
              author: { __typename: 'Bot', login: 'planwright' },
              headRepository: { nameWithOwner: 'ann/shop' },
              closingIssuesReferences: { nodes: [{ number: 1 }] },
              commits: {
                nodes: [
                  {
                    commit: {
                      oid: head,
                      messageHeadline: 'Plan',
                      messageBody: 'Planwright-Phase: plan',
                      committedDate: '2026-12-01T08:00:00Z',
                      author: {
                        email: `${app.account.id}+planwright[bot]@users.noreply.github.com`,
                        date: '2026-12-01T10:00:00+02:00',
                        user: { __typename: 'User', login: 'planwright[bot]' },
                      },
                      parents: { totalCount: 1 },
                      signature: null,
                      statusCheckRollup: { state: 'FAILURE' },
                      checkSuites: {
                        nodes: [
                          {
                            app: { databaseId: app.id, slug: 'planwright' },
                            checkRuns: {
                              nodes: [{ name: 'planwright/plan', status: 'COMPLETED', conclusion: 'ACTION_REQUIRED' }],
                            },
                          },
                        ],
                      },
                    },
                  },
                ],
              },
              files: { nodes: [{ path: 'plan.md', changeType: 'ADDED', additions: 4, deletions: 0 }] },
              reviewRequests: { totalCount: 0 },
              reviews: {
                nodes: [
                  review('DISMISSED', '', 'ann', head, true),
                  review('CHANGES_REQUESTED', 'Not yet.', 'wes', head, true),
                  review('COMMENTED', '', 'planwright', head, false),
                ],
              },
              latestReviews: {
                nodes: [
                  { author: { __typename: 'User', login: 'ann' }, state: 'DISMISSED' },
                  { author: { __typename: 'User', login: 'wes' }, state: 'CHANGES_REQUESTED' },
                  { author: { __typename: 'Bot', login: 'planwright' }, state: 'COMMENTED' },
                ],
              },
              reviewDecision: 'CHANGES_REQUESTED',
              reviewThreads: {
                nodes: [
                  {
                    path: 'plan.md',
                    subjectType: 'LINE',
                    diffSide: 'RIGHT',
                    line: 4,
                    startLine: 3,
                    originalLine: 4,
                    isOutdated: false,
                    isResolved: false,
                    comments: {
                      nodes: [
                        {
                          author: { login: 'wes' },
                          body: 'Why two?',
                          outdated: false,
                          diffHunk: hunk,
                          replyTo: null,
                          pullRequestReview: { state: 'CHANGES_REQUESTED' },
                        },
                        {
                          author: { login: 'planwright' },
                          body: 'One for each.',
                          outdated: false,
                          diffHunk: hunk,
                          replyTo: { body: 'Why two?' },
                          pullRequestReview: { state: 'COMMENTED' },
                        },
                      ],
                    },
                  },
                ],
              },
              timelineItems: {
                nodes: [
                  {
                    actor: { login: 'planwright' },
                    dismissalMessage: 'The plan changed.',
                    previousReviewState: 'APPROVED',
                    review: { state: 'DISMISSED' },
                  },
                ],
              },
            },
          ],
        },
      },
    },
  });
});

function review(state: string, body: string, login: string, oid: string, authorCanPushToRepository: boolean) {
  return { state, body, author: { login }, commit: { oid }, authorCanPushToRepository };
}

test('a review that is not submitted is seen by its author alone', async (context) => {
  const world = startThread(context);
  const { forge, repository, pull, wes, ann } = world;
  submitReview(forge, wes, repository, pull, {
    event: null,
    comments: [{ path: 'plan.md', line: 1, body: 'Still thinking.' }],
  });
  const query = `{ repository(owner: "ann", name: "shop") { pullRequest(number: 2) {
    reviews(first: 5) { nodes { state } } reviewThreads(first: 5) { totalCount }
  } } }`;
  assert.deepEqual(await ask(world, ann, query), {
    data: { repository: { pullRequest: { reviews: { nodes: [] }, reviewThreads: { totalCount: 0 } } } },
  });
  assert.deepEqual(await ask(world, wes, query), {
    data: {
      repository: { pullRequest: { reviews: { nodes: [{ state: 'PENDING' }] }, reviewThreads: { totalCount: 1 } } },
    },
  });
});

test('node finds everything by the id it was shown with', async (context) => {
  const world = startThread(context);
  const { forge, repository, pull, issue, wes, bot, head } = world;
  createComment(forge, wes, repository, issue, 'Hello.');
  submitReview(forge, wes, repository, pull, {
    event: 'COMMENT',
    comments: [{ path: 'plan.md', line: 1, body: 'Why?' }],
  });
  createCheckRun(forge, bot, repository, 'planwright/plan', head, {});
  const shown = await executeGraphql(forge, bot, {
    query: `{ repository(owner: "ann", name: "shop") {
      id owner { id } label(name: "plan") { id } defaultBranchRef { id target { id ... on Commit { tree { id } } } }
      object(expression: "HEAD:README.md") { id }
      issue(number: 1) { id comments(first: 1) { nodes { id } } timelineItems(first: 1, itemTypes: LABELED_EVENT) { nodes { ... on Node { id } } } }
      pullRequest(number: 2) {
        id author { ... on Node { id } } reviews(first: 1) { nodes { id } }
        reviewThreads(first: 1) { nodes { id comments(first: 1) { nodes { id } } } }
        commits(first: 1) { nodes { commit { checkSuites(first: 1) { nodes { id app { id } checkRuns(first: 1) { nodes { id } } } } } } }
      }
    } }`,
  });
  const ids = [...JSON.stringify(shown.body).matchAll(/"id":"([^"]+)"/g)].map((match) => match[1]);
  assert.deepEqual(shown.body.errors, undefined);
  const body = await ask(world, bot, 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }', { ids });
  const types = [
    'Repository',
    'User',
    'Label',
    'Ref',
    'Commit',
    'Tree',
    'Blob',
    'Issue',
    'IssueComment',
    'LabeledEvent',
    'PullRequest',
    'Bot',
    'PullRequestReview',
    'PullRequestReviewThread',
    'PullRequestReviewComment',
    'CheckSuite',
    'App',
    'CheckRun',
  ];
  assert.deepEqual(body, { data: { nodes: types.map((__typename, index) => ({ __typename, id: ids[index] })) } });
});
