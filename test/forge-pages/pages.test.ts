import assert from 'node:assert/strict';
import { request } from 'node:http';
import { type TestContext, test } from 'node:test';
import {
  createCheckRun,
  createComment,
  createIssue,
  openPullRequest,
  submitReview,
} from '../../src/local/forge/operations.ts';
import { createAccount, createRepository } from '../../src/local/forge/setup.ts';
import { createWorld } from '../forge-graphql/world.ts';
import { openPages } from './browser.ts';

const PLAN = '# Cache\n\nOne step.\nAnother step.\n';

/** An issue, and the app's draft pull request with its plan. */
async function open(context: TestContext) {
  const world = createWorld(context);
  const { forge, repository, bot, wes } = world;
  const issue = createIssue(forge, wes, repository, {
    title: 'Cache <i>forgets</i>',
    body: '<script>alert(1)</script>',
  });
  const head = world.commit(bot, 'planwright/issue-1', { 'plan.md': PLAN }, 'Plan');
  const text = { title: 'Plan: cache', head: 'planwright/issue-1', base: 'main', draft: true };
  const pull = openPullRequest(forge, bot, repository, text);
  return { ...world, ...(await openPages(context, forge)), issue, pull, head };
}

const ISSUE = '/ann/shop/issues/1';
const PULL = '/ann/shop/pull/2';

test('every page says that the forge is local, and what the starter says of the model', async (context) => {
  const world = createWorld(context);
  const { as } = await openPages(context, Object.assign(world.forge, { notice: 'The model is scripted.' }));
  const { status, text } = await as(null).get('/');
  assert.equal(status, 200);
  assert.match(text, /<strong>Local forge\.<\/strong>.*github\.com\. The model is scripted\./);
  assert.match(text, /<a href="\/ann\/shop\/issues">ann\/shop<\/a>/);
});

test('texts are shown as they were written and are never markup', async (context) => {
  const { as } = await open(context);
  const { text } = await as(null).get(ISSUE);
  assert.match(text, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/);
  assert.doesNotMatch(text, /<script>alert|<i>forgets/);
});

test('a visitor says who they are, is remembered, and returns to these pages and no others', async (context) => {
  const { as } = await open(context);
  const chosen = await as(null).post('/-/visitor', { login: 'wes', back: `${PULL}/files?line=1` });
  assert.deepEqual([chosen.status, chosen.location], [303, `${PULL}/files?line=1`]);
  assert.equal(chosen.cookie, 'forge_login=wes; Path=/; HttpOnly; SameSite=Strict');
  for (const back of ['//evil.example/', 'https://evil.example/', '/\\evil.example/']) {
    assert.equal((await as(null).post('/-/visitor', { login: 'wes', back })).location, '/', back);
  }
  assert.equal((await as(null).post('/-/visitor', { login: 'planwright[bot]' })).status, 404);
});

test('a form from another site changes nothing', async (context) => {
  const { as, issue } = await open(context);
  const path = `${ISSUE}/comments`;
  const foreign: readonly Readonly<Record<string, string>>[] = [
    { origin: 'https://evil.example' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site' },
    {},
  ];
  for (const headers of foreign) assert.equal((await as('wes').post(path, { body: 'Hi.' }, headers)).status, 403);
  assert.equal(issue.comments.length, 0);
  assert.equal((await as('wes').post(path, { body: 'Hi.' })).status, 303);
  assert.deepEqual(
    issue.comments.map(({ author, body }) => [author?.login, body]),
    [['wes', 'Hi.']],
  );
});

test('a host name that is not this machine is refused', async (context) => {
  const { origin } = await open(context);
  const status = await new Promise((resolve, reject) => {
    const asked = request(origin, { headers: { host: 'evil.example' } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on('error', reject).end();
  });
  assert.equal(status, 421);
});

test('a private repository is shown to its people alone', async (context) => {
  const { forge, as } = await open(context);
  createRepository(forge, { owner: createAccount(forge, 'eve'), name: 'vault', private: true });
  assert.doesNotMatch((await as('wes').get('/')).text, /vault/);
  assert.equal((await as('wes').get('/eve/vault/issues')).status, 404);
  assert.equal((await as('eve').get('/eve/vault/issues')).status, 200);
});

test('an issue is opened, labelled, commented on and closed by buttons', async (context) => {
  const { as, repository } = await open(context);
  const opened = await as('ann').post('/ann/shop/issues', { title: 'New', body: 'a\r\nb' });
  assert.equal(opened.location, '/ann/shop/issues/3');
  await as('ann').post('/ann/shop/issues/3/labels', { add: 'plan' });
  assert.match((await as('ann').get('/ann/shop/issues/3')).text, /name="remove" value="plan" aria-pressed="true"/);
  await as('ann').post('/ann/shop/issues/3/labels', { remove: 'plan' });
  await as('ann').post('/ann/shop/issues/3/state', { state: 'closed' });
  const issue = repository.issues.find((each) => each.number === 3);
  assert.deepEqual(
    [issue?.body, issue?.labels, issue?.state, issue?.timeline.map((event) => event.kind)],
    ['a\nb', [], 'closed', ['labeled', 'unlabeled', 'closed']],
  );
});

test('what a person may not do is refused with the reason, and their text is kept', async (context) => {
  const { as, issue } = await open(context);
  const labelled = await as('rea').post(`${ISSUE}/labels`, { add: 'plan' });
  assert.equal(labelled.status, 403);
  assert.match(labelled.text, /role="alert">Must have triage access to the repository\./);
  assert.deepEqual(issue.labels, []);
  const nobody = await as(null).post(`${ISSUE}/comments`, { body: 'A long thought.' });
  assert.equal(nobody.status, 403);
  assert.match(nobody.text, /Choose who you are at the top of the page first\.[\s\S]*A long thought\./);
});

test('a pull request shows its state, checks with their summaries, commits and the plan by lines', async (context) => {
  const { as, forge, bot, repository, head } = await open(context);
  const output = { title: 'Waiting', summary: 'One approval is needed.' };
  createCheckRun(forge, bot, repository, 'planwright/plan', head, { conclusion: 'action_required', output });
  const page = (await as('wes').get(PULL)).text;
  assert.match(page, /class="badge draft">Draft</);
  assert.match(
    page,
    /action required<\/span> <strong>planwright\/plan<\/strong> Waiting[\s\S]*One approval is needed\./,
  );
  assert.match(
    (await as('wes').get(`${PULL}/commits`)).text,
    new RegExp(`${head.slice(0, 7)}</code> <strong class="who">planwright\\[bot\\]`),
  );
  const files = (await as('wes').get(`${PULL}/files`)).text;
  assert.match(
    files,
    /aria-label="Comment on line 3">3<\/a><\/td>\s*<td class="mark">\+<\/td><td class="code">One step\.<\/td>/,
  );
  assert.equal((await as('wes').get(ISSUE.replace('1', '2'))).location, PULL);
});

test('comments are gathered into a review that only its author sees until it is submitted', async (context) => {
  const { as, pull, head } = await open(context);
  const line = (body: string, more: Readonly<Record<string, string>>) =>
    as('wes').post(`${PULL}/comments`, { path: 'plan.md', side: 'RIGHT', head, mode: 'review', body, ...more });
  assert.equal((await line('Why two?', { startLine: '3', line: '4' })).location, `${PULL}/files`);
  await line('A better title?', { startLine: '1', line: '1' });
  await line('In all fine.', {});
  assert.match((await as('wes').get(`${PULL}/files`)).text, /3 comments gathered[\s\S]*/);
  assert.doesNotMatch((await as('ann').get(`${PULL}/files`)).text, /Why two\?/);
  await as('wes').post(`${PULL}/reviews`, { event: 'REQUEST_CHANGES', body: 'Not yet.', head });
  assert.deepEqual(
    pull.pullRequest.reviews.map(({ author, state, body, commit }) => [author?.login, state, body, commit]),
    [['wes', 'CHANGES_REQUESTED', 'Not yet.', head]],
  );
  assert.deepEqual(
    pull.pullRequest.threads.map(({ subjectType, startLine, line: at, comments }) => [
      subjectType,
      startLine,
      at,
      comments[0]?.body,
    ]),
    [
      ['LINE', 3, 4, 'Why two?'],
      ['LINE', null, 1, 'A better title?'],
      ['FILE', null, null, 'In all fine.'],
    ],
  );
  assert.match((await as('ann').get(`${PULL}/files`)).text, /On lines 3 to 4[\s\S]*Why two\?/);
});

test('a gathered comment is taken back, and the review with the last one', async (context) => {
  const { as, pull, head } = await open(context);
  const fields = { path: 'plan.md', side: 'RIGHT', line: '1', head, mode: 'review', body: 'Hm.' };
  await as('wes').post(`${PULL}/comments`, fields);
  const comment = String(pull.pullRequest.threads[0]?.comments[0]?.id);
  assert.equal((await as('ann').post(`${PULL}/discard`, { comment })).status, 404);
  assert.equal((await as('wes').post(`${PULL}/discard`, { comment })).status, 303);
  assert.deepEqual([pull.pullRequest.reviews, pull.pullRequest.threads], [[], []]);
});

test('a verdict is about the commit that its author has seen', async (context) => {
  const { as, bot, commit, pull, head } = await open(context);
  const next = commit(bot, 'planwright/issue-1', { 'plan.md': `${PLAN}Third.\n` }, 'Revise');
  const late = await as('ann').post(`${PULL}/reviews`, { event: 'APPROVE', body: '', head });
  assert.equal(late.status, 409);
  assert.match(late.text, /The branch has moved on since you loaded the page/);
  assert.deepEqual(pull.pullRequest.reviews, []);
  await as('ann').post(`${PULL}/reviews`, { event: 'APPROVE', body: '', head: next });
  assert.deepEqual(
    pull.pullRequest.reviews.map(({ state, commit: on }) => [state, on]),
    [['APPROVED', next]],
  );
});

test('a line outside the diff, a nonsense line and a comment without text are refused', async (context) => {
  const { as, pull, head } = await open(context);
  const fields = { path: 'plan.md', side: 'RIGHT', line: '1', head, mode: 'single', body: 'Hm.' };
  for (const wrong of [
    { line: '99' },
    { line: '-1' },
    { line: '1e3' },
    { body: ' ' },
    { path: 'README.md' },
    { side: 'UP' },
  ]) {
    assert.equal(
      (await as('wes').post(`${PULL}/comments`, { ...fields, ...wrong })).status,
      422,
      JSON.stringify(wrong),
    );
  }
  assert.deepEqual(pull.pullRequest.reviews, []);
});

test('threads are answered and resolved from the page', async (context) => {
  const { as, forge, repository, pull, wes } = await open(context);
  const comments = [{ path: 'plan.md', line: 3, body: 'Why?' }];
  submitReview(forge, wes, repository, pull, { event: 'COMMENT', comments });
  const [thread] = pull.pullRequest.threads;
  assert.ok(thread);
  const fields = { thread: thread.nodeId, back: `${PULL}/files` };
  await as('ann').post(`${PULL}/replies`, { ...fields, body: 'Because.' });
  assert.match((await as('ann').get(`${PULL}/files`)).text, /name="resolved" value="true">Resolve</);
  await as('ann').post(`${PULL}/threads`, { ...fields, resolved: 'true' });
  assert.deepEqual(
    [thread.comments.map(({ author, body }) => [author?.login, body]), thread.isResolved, thread.resolvedBy?.login],
    [
      [
        ['wes', 'Why?'],
        ['ann', 'Because.'],
      ],
      true,
      'ann',
    ],
  );
  assert.equal((await as('rea').post(`${PULL}/threads`, { ...fields, resolved: 'false' })).status, 403);
  assert.equal(thread.isResolved, true);
});

test('a line is chosen without a script: its number leads to a form for it', async (context) => {
  const { as } = await open(context);
  const { text } = await as('wes').get(`${PULL}/files?path=plan.md&side=RIGHT&line=4`);
  const form = /Another step\.<\/td><\/tr><tr class="below">[\s\S]*?<\/form>/.exec(text)?.[0] ?? '';
  assert.match(form, /name="path" value="plan\.md"/);
  assert.match(form, /name="line" type="number" min="1" value="4"/);
  assert.doesNotMatch((await as(null).get(`${PULL}/files?path=plan.md&line=4`)).text, /<form class="stack/);
});

test('the version of a thread changes when something happens there, and not by what one person gathers', async (context) => {
  const { as, forge, repository, issue, rea, head } = await open(context);
  const versionOf = async (number: number) => (await as(null).get(`/ann/shop/issues/${number}/version`)).text;
  const before = [await versionOf(1), await versionOf(2)];
  const fields = { path: 'plan.md', side: 'RIGHT', line: '1', head, mode: 'review', body: 'Hm.' };
  await as('wes').post(`${PULL}/comments`, fields);
  assert.deepEqual([await versionOf(1), await versionOf(2)], before);
  assert.ok((await as('wes').get(PULL)).text.includes(`data-version="${before[1]}"`));
  createComment(forge, rea, repository, issue, 'Me too.');
  assert.notEqual(await versionOf(1), before[0]);
  await as('wes').post(`${PULL}/reviews`, { event: 'COMMENT', body: '', head });
  assert.notEqual(await versionOf(2), before[1]);
});

test('a ready pull request is merged at the commit that was looked at', async (context) => {
  const { as, forge, repository, wes, commit } = await open(context);
  const head = commit(wes, 'fix', { 'src/cache.ts': 'x\n' }, 'Fix');
  const pull = openPullRequest(forge, wes, repository, { title: 'Fix', head: 'fix', base: 'main' });
  assert.match((await as('ann').get('/ann/shop/pull/3')).text, /<button>Merge<\/button>/);
  assert.equal((await as('ann').post('/ann/shop/pull/3/merge', { head: 'f'.repeat(40) })).status, 409);
  assert.equal((await as('ann').post('/ann/shop/pull/3/merge', { head })).status, 303);
  assert.equal(pull.pullRequest.merged, true);
  assert.doesNotMatch((await as('ann').get('/ann/shop/pull/3')).text, /<button>Merge<\/button>/);
});

test('a form above the size limit is refused', async (context) => {
  const { as, issue } = await open(context);
  assert.equal((await as('wes').post(`${ISSUE}/comments`, { body: 'x'.repeat(1_000_001) })).status, 413);
  const long = await as('wes').post(`${ISSUE}/comments`, { body: 'x'.repeat(65_537) });
  assert.equal(long.status, 422);
  assert.match(long.text, /maximum is 65536 characters/);
  assert.deepEqual(issue.comments, []);
});
