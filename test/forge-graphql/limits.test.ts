import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import type { Actor } from '../../src/local/forge/access.ts';
import { executeGraphql } from '../../src/local/forge/graphql/execute.ts';
import { archiveRepository, createComment, createIssue, createLabel } from '../../src/local/forge/operations.ts';
import { createAccount, createRepository } from '../../src/local/forge/setup.ts';
import { createWorld, type World } from './world.ts';

async function ask(world: World, actor: Actor, query: string, variables: Readonly<Record<string, unknown>> = {}) {
  const answer = await executeGraphql(world.forge, actor, { query, variables });
  assert.equal(answer.status, 200);
  const { data, errors = [] } = answer.body;
  const problems = errors.map(({ type, path, message }) => ({ type, path, message }));
  return { data: JSON.parse(JSON.stringify(data ?? null)) as unknown, problems };
}

const inShop = (selection: string): string => `{ repository(owner: "ann", name: "shop") { ${selection} } }`;

const ISSUES = z.object({
  repository: z.object({
    issues: z.object({
      nodes: z.array(z.object({ title: z.string() })),
      pageInfo: z.object({
        hasNextPage: z.boolean(),
        hasPreviousPage: z.boolean(),
        endCursor: z.string(),
        startCursor: z.string(),
      }),
    }),
  }),
});

test('a connection is paged both ways by its cursors, and a page does not shift when something is added', async (context) => {
  const world = createWorld(context);
  const { forge, repository, wes } = world;
  for (const title of ['a', 'b', 'c', 'd']) createIssue(forge, wes, repository, { title });
  const page = 'nodes { title } pageInfo { hasNextPage hasPreviousPage endCursor startCursor }';
  const pageOf = async (bounds: string) => {
    const { data } = await ask(world, wes, inShop(`issues(${bounds}) { totalCount ${page} }`));
    const { nodes, pageInfo } = ISSUES.parse(data).repository.issues;
    return { titles: nodes.map((node) => node.title).join(''), ...pageInfo };
  };
  const first = await pageOf('first: 3');
  assert.deepEqual([first.titles, first.hasPreviousPage, first.hasNextPage], ['abc', false, true]);
  createIssue(forge, wes, repository, { title: 'e' });
  const second = await pageOf(`first: 3, after: "${first.endCursor}"`);
  assert.deepEqual([second.titles, second.hasPreviousPage, second.hasNextPage], ['de', true, false]);
  const back = await pageOf(`last: 2, before: "${second.startCursor}"`);
  assert.deepEqual([back.titles, back.hasPreviousPage, back.hasNextPage], ['bc', true, true]);
  assert.equal((await pageOf('first: 5, orderBy: {field: CREATED_AT, direction: DESC}')).titles, 'edcba');
});

test('a connection without a bound is refused, unless only its count is asked for', async (context) => {
  const world = createWorld(context);
  assert.deepEqual(await ask(world, world.wes, inShop('issues { totalCount }')), {
    data: { repository: { issues: { totalCount: 0 } } },
    problems: [],
  });
  const refused = await ask(
    world,
    world.wes,
    `${inShop('labels { ...Names }')} fragment Names on LabelConnection { nodes { name } }`,
  );
  assert.deepEqual(refused, {
    data: { repository: { labels: null } },
    problems: [
      {
        type: 'MISSING_PAGINATION_BOUNDARIES',
        path: ['repository', 'labels'],
        message: 'You must provide a `first` or `last` value to properly paginate the `labels` connection.',
      },
    ],
  });
});

test('more than 100 in a page, a foreign cursor and both bounds are refused', async (context) => {
  const world = createWorld(context);
  const problemOf = async (bounds: string) => {
    const { problems } = await ask(world, world.wes, inShop(`labels(${bounds}) { nodes { name } }`));
    return problems.map(({ type, message }) => `${type}: ${message}`);
  };
  assert.deepEqual(await problemOf('first: 101'), [
    'EXCESSIVE_PAGINATION: Requesting 101 records on the `labels` connection exceeds the `first` limit of 100 records.',
  ]);
  assert.deepEqual(await problemOf('first: 5, after: "nonsense"'), [
    'INVALID_CURSOR_ARGUMENTS: `nonsense` does not appear to be a valid cursor.',
  ]);
  assert.deepEqual(await problemOf('first: 5, last: 5'), [
    'INVALID_PAGINATION_BOUNDARIES: Passing both `first` and `last` to paginate the `labels` connection is not supported.',
  ]);
  assert.deepEqual(await problemOf('first: -1'), [
    'ARGUMENT_LIMIT: `first` on the `labels` connection cannot be less than zero.',
  ]);
});

test('a query that could return more than 500,000 nodes is refused before it runs', async (context) => {
  const world = createWorld(context);
  const deep = (size: string): string => `query ($size: Int = 100) { rateLimit { cost nodeCount }
    repository(owner: "ann", name: "shop") { issues(first: ${size}) { nodes { comments(first: 100) { nodes {
      reactions(first: 100) { nodes { content } } } } } } } }`;
  assert.deepEqual(await ask(world, world.wes, deep('$size')), {
    data: null,
    problems: [
      {
        type: 'MAX_NODE_LIMIT_EXCEEDED',
        path: undefined,
        message: 'This query requests up to 1,010,100 possible nodes which exceeds the maximum limit of 500,000.',
      },
    ],
  });
  assert.deepEqual(await ask(world, world.wes, deep('$size'), { size: 10 }), {
    data: { rateLimit: { cost: 10, nodeCount: 101010 }, repository: { issues: { nodes: [] } } },
    problems: [],
  });
});

test('a query that breaks the schema is refused whole, and so is a syntax error', async (context) => {
  const world = createWorld(context);
  const wrong = await ask(world, world.wes, inShop('isArchived colour'));
  assert.deepEqual([wrong.data, wrong.problems.length], [null, 1]);
  assert.match(wrong.problems[0]?.message ?? '', /Cannot query field "colour" on type "Repository"/);
  const unclosed = await ask(world, world.wes, '{ viewer { login }');
  assert.deepEqual([unclosed.data, unclosed.problems.length], [null, 1]);
});

test('a field of the schema that the forge does not play is an error and no silent null', async (context) => {
  const world = createWorld(context);
  assert.deepEqual(await ask(world, world.wes, inShop('name latestRelease { name }')), {
    data: { repository: { name: 'shop', latestRelease: null } },
    problems: [
      {
        type: 'NOT_PLAYED',
        path: ['repository', 'latestRelease'],
        message: 'Repository.latestRelease is not played by the local forge',
      },
    ],
  });
});

test('a token without the permission gets FORBIDDEN where it may not read, and the rest of the answer', async (context) => {
  const world = createWorld(context);
  createIssue(world.forge, world.wes, world.repository, { title: 'a' });
  const actor = world.appActor({ contents: 'read' });
  const forbidden = (...path: string[]) => ({
    type: 'FORBIDDEN',
    path,
    message: 'Resource not accessible by integration',
  });
  const query = inShop(
    'name issue(number: 1) { title } pullRequest(number: 2) { title } object(expression: "HEAD:README.md") { ... on Blob { text } }',
  );
  assert.deepEqual(await ask(world, actor, query), {
    data: { repository: { name: 'shop', issue: null, pullRequest: null, object: { text: '# Shop\n' } } },
    problems: [forbidden('repository', 'issue'), forbidden('repository', 'pullRequest')],
  });
});

test('a repository out of reach is not found, as is what is not there', async (context) => {
  const world = createWorld(context);
  const { forge, repository, bot } = world;
  createRepository(forge, { owner: createAccount(forge, 'eve'), name: 'vault', private: true });
  const missing = await ask(
    world,
    bot,
    `{
    foreign: repository(owner: "eve", name: "vault") { name }
    repository(owner: "ANN", name: "Shop") { issue(number: 7) { title } pullRequest(number: 7) { title } }
    node(id: "I_MTIz") { id }
  }`,
  );
  const notFound = (path: string[], message: string) => ({ type: 'NOT_FOUND', path, message });
  assert.deepEqual(missing, {
    data: { foreign: null, repository: { issue: null, pullRequest: null }, node: null },
    problems: [
      notFound(['foreign'], "Could not resolve to a Repository with the name 'eve/vault'."),
      notFound(['repository', 'issue'], 'Could not resolve to an Issue with the number of 7.'),
      notFound(['repository', 'pullRequest'], 'Could not resolve to a PullRequest with the number of 7.'),
      notFound(['node'], "Could not resolve to a node with the global id of 'I_MTIz'"),
    ],
  });
  archiveRepository(forge, world.ann, repository);
  assert.deepEqual(await ask(world, bot, inShop('isArchived')), {
    data: { repository: { isArchived: true } },
    problems: [],
  });
});

test('text of a blob comes from git, is cut behind 512,000 bytes, and is null where it is binary', async (context) => {
  const world = createWorld(context);
  world.commit(world.wes, 'main', { 'big.txt': 'x'.repeat(512_001), 'logo.bin': 'a\0b' }, 'Add files');
  const field = (alias: string, path: string): string =>
    `${alias}: object(expression: "HEAD:${path}") { ... on Blob { text byteSize isBinary isTruncated } }`;
  const { data } = await ask(
    world,
    world.wes,
    inShop([field('config', '.github/planwright.yml'), field('logo', 'logo.bin'), field('none', 'none.txt')].join(' ')),
  );
  assert.deepEqual(data, {
    repository: {
      config: { text: 'trigger:\n  label: plan\n', byteSize: 23, isBinary: false, isTruncated: false },
      logo: { text: null, byteSize: 3, isBinary: true, isTruncated: false },
      none: null,
    },
  });
  assert.deepEqual((await ask(world, world.wes, inShop(field('big', 'big.txt')))).data, {
    repository: { big: { text: 'x'.repeat(512_000), byteSize: 512_001, isBinary: false, isTruncated: true } },
  });
});

test('labels, refs and files of a tree are listed as git and the repository have them', async (context) => {
  const world = createWorld(context);
  const { forge, repository, wes } = world;
  createLabel(forge, wes, repository, { name: 'plan: queued' });
  world.commit(wes, 'planwright/issue-1', { 'plan.md': 'x' }, 'Plan');
  const { data } = await ask(
    world,
    wes,
    inShop(`
    labels(query: "plan", first: 5) { nodes { name color } }
    refs(refPrefix: "refs/heads/planwright/", first: 5) { nodes { name prefix target { ... on Commit { message file(path: "plan.md") { type path } } } } }
    ref(qualifiedName: "planwright/issue-1") { name prefix }
    object(expression: "main:src") { ... on Tree { entries { name type mode object { ... on Blob { byteSize } } } } }`),
  );
  assert.deepEqual(data, {
    repository: {
      labels: { nodes: [{ name: 'plan: queued', color: 'ededed' }] },
      refs: {
        nodes: [
          {
            name: 'issue-1',
            prefix: 'refs/heads/planwright/',
            target: { message: 'Plan', file: { type: 'blob', path: 'plan.md' } },
          },
        ],
      },
      ref: { name: 'planwright/issue-1', prefix: 'refs/heads/' },
      object: { entries: [{ name: 'cache.ts', type: 'blob', mode: 0o100644, object: { byteSize: 32 } }] },
    },
  });
});

test('several mutations of one document are carried out in order, up to the one that is refused', async (context) => {
  const world = createWorld(context);
  const { forge, repository, wes, bot } = world;
  const issue = createIssue(forge, wes, repository, { title: 'a' });
  const comment = createComment(forge, bot, repository, issue, 'Working.');
  const answer = await ask(
    world,
    bot,
    `mutation ($repository: ID!, $issue: ID!, $comment: ID!) {
    label: createLabel(input: { repositoryId: $repository, name: "plan: queued", color: "0e8a16" }) { label { name color } }
    twice: createLabel(input: { repositoryId: $repository, name: "Plan: queued", color: "0e8a16" }) { label { name } }
    eyes: addReaction(input: { subjectId: $issue, content: EYES }) { reaction { content user { login } } reactionGroups { content viewerHasReacted } }
    edit: updateIssueComment(input: { id: $comment, body: "Done.", clientMutationId: "7" }) { clientMutationId issueComment { body lastEditedAt } }
    add: addComment(input: { subjectId: $issue, body: "One more." }) { commentEdge { node { body author { login } } } }
    ready: markPullRequestReadyForReview(input: { pullRequestId: $issue }) { pullRequest { isDraft } }
  }`,
    { repository: repository.nodeId, issue: issue.nodeId, comment: comment.nodeId },
  );
  assert.deepEqual(answer, {
    data: {
      label: { label: { name: 'plan: queued', color: '0e8a16' } },
      twice: null,
      eyes: {
        reaction: { content: 'EYES', user: { login: 'planwright[bot]' } },
        reactionGroups: ['THUMBS_UP', 'THUMBS_DOWN', 'LAUGH', 'HOORAY', 'CONFUSED', 'HEART', 'ROCKET', 'EYES'].map(
          (content) => ({ content, viewerHasReacted: content === 'EYES' }),
        ),
      },
      edit: { clientMutationId: '7', issueComment: { body: 'Done.', lastEditedAt: comment.lastEditedAt } },
      add: { commentEdge: { node: { body: 'One more.', author: { login: 'planwright' } } } },
      ready: null,
    },
    problems: [
      { type: 'UNPROCESSABLE', path: ['twice'], message: 'name already_exists' },
      {
        type: 'NOT_FOUND',
        path: ['ready'],
        message: `Could not resolve to a node with the global id of '${issue.nodeId}'`,
      },
    ],
  });
  assert.deepEqual(
    issue.comments.map((each) => each.body),
    ['Done.', 'One more.'],
  );
});

test('a mutation by someone who may not is FORBIDDEN and changes nothing', async (context) => {
  const world = createWorld(context);
  const { forge, repository, wes, rea } = world;
  const issue = createIssue(forge, wes, repository, { title: 'a' });
  const label = createLabel(forge, wes, repository, { name: 'plan' });
  const query = `mutation ($issue: ID!, $labels: [ID!]!) {
    addLabelsToLabelable(input: { labelableId: $issue, labelIds: $labels }) { labelable { ... on Issue { number } } }
  }`;
  const variables = { issue: issue.nodeId, labels: [label.nodeId] };
  const { problems } = await ask(world, rea, query, variables);
  assert.deepEqual(
    problems.map(({ type, path }) => ({ type, path })),
    [{ type: 'FORBIDDEN', path: ['addLabelsToLabelable'] }],
  );
  assert.deepEqual(issue.labels, []);
  await ask(world, wes, query, variables);
  assert.deepEqual(issue.labels, ['plan']);
});
