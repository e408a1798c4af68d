import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { addLabels, createIssue, renameRepository } from '../../src/local/forge/operations.ts';
import { OPERATION_IDS } from '../../src/local/forge/rest/operation-ids.ts';
import { appClient, at, commitFile, createWorld, jwtClient, personClient, refusalOf } from './world.ts';

test('the description holds exactly the operations that are served', () => {
  const file = new URL('../../src/local/forge/schema/openapi.json', import.meta.url);
  const ids = [...readFileSync(file, 'utf8').matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id);
  assert.deepEqual(ids.toSorted(), OPERATION_IDS.toSorted());
});

test('from a label to a merge, every request and answer fits the description of GitHub', async (context) => {
  const world = await createWorld(context);
  const octokit = appClient(world);
  const writer = personClient(world, world.people.writer);
  const { data: issue } = await writer.issues.create({ ...at, title: 'Cache it', labels: ['plan'] });
  const place = { ...at, issue_number: issue.number };
  await octokit.issues.addLabels({ ...place, labels: ['plan: writing'] });
  await octokit.issues.removeLabel({ ...place, name: 'plan: writing' });
  await octokit.issues.createLabel({ ...at, name: 'plan: done', color: '00ff00', description: 'Done' });
  await octokit.issues.getLabel({ ...at, name: 'plan: done' });
  await octokit.issues.listLabelsForRepo(at);
  await octokit.issues.setLabels({ ...place, labels: ['plan: done', 'plan'] });
  await octokit.issues.listLabelsOnIssue(place);
  const { data: comment } = await octokit.issues.createComment({ ...place, body: 'Working' });
  await octokit.issues.updateComment({ ...at, comment_id: comment.id, body: 'Done' });
  await octokit.issues.getComment({ ...at, comment_id: comment.id });
  await octokit.issues.listComments(place);
  await octokit.reactions.createForIssue({ ...place, content: 'eyes' });
  await octokit.reactions.listForIssue(place);
  await octokit.reactions.createForIssueComment({ ...at, comment_id: comment.id, content: 'confused' });
  await octokit.issues.get(place);
  await octokit.issues.update({ ...place, title: 'Cache all of it', assignees: ['wendy'] });
  await octokit.issues.listForRepo({ ...at, labels: 'plan', state: 'all' });
  await octokit.issues.lock(place);
  await octokit.issues.unlock(place);

  const head = commitFile(world, 'plan-1', 'plan.md', 'a\nb\nc\n');
  const { data: pull } = await octokit.pulls.create({ ...at, title: 'P', head: 'plan-1', base: 'main', draft: true });
  const on = { ...at, pull_number: pull.number };
  await octokit.pulls.requestReviewers({ ...on, reviewers: ['wendy'] });
  const { data: review } = await writer.pulls.createReview({
    ...on,
    event: 'REQUEST_CHANGES',
    comments: [
      { path: 'plan.md', body: 'why', line: 2 },
      { path: 'plan.md', body: 'both', start_line: 1, line: 3, side: 'RIGHT' },
    ],
  });
  await writer.pulls.createReviewComment({
    ...on,
    commit_id: head,
    path: 'plan.md',
    body: 'all',
    subject_type: 'file',
  });
  await octokit.pulls.listReviews(on);
  await octokit.pulls.listCommentsForReview({ ...on, review_id: review.id });
  const { data: comments } = await octokit.pulls.listReviewComments(on);
  const first = comments[0];
  assert.ok(first);
  await octokit.pulls.createReplyForReviewComment({ ...on, comment_id: first.id, body: 'changed' });
  await octokit.pulls.dismissReview({ ...on, review_id: review.id, message: 'held' });
  await octokit.pulls.update({ ...on, title: 'Q', body: 'text' });
  await octokit.pulls.get(on);
  await octokit.pulls.list({ ...at, head: 'acme:plan-1', state: 'all' });
  await octokit.pulls.listFiles(on);
  await octokit.pulls.listCommits(on);

  const output = { title: 'Waiting', summary: 'One of two' };
  const { data: check } = await octokit.checks.create({ ...at, name: 'planwright/plan', head_sha: head, output });
  await octokit.checks.update({ ...at, check_run_id: check.id, conclusion: 'action_required' });
  await octokit.checks.get({ ...at, check_run_id: check.id });
  await octokit.checks.listForRef({ ...at, ref: 'plan-1' });
  await octokit.repos.get(at);
  await octokit.repos.getContent({ ...at, path: 'README.md', ref: 'plan-1' });
  await octokit.repos.getCollaboratorPermissionLevel({ ...at, username: 'wendy' });
  await octokit.repos.compareCommitsWithBasehead({ ...at, basehead: `main...${head}` });
  await octokit.repos.getBranch({ ...at, branch: 'plan-1' });
  await octokit.repos.getCommit({ ...at, ref: head });
  await octokit.git.getRef({ ...at, ref: 'heads/plan-1' });
  await octokit.git.listMatchingRefs({ ...at, ref: 'heads/plan' });
  await octokit.rateLimit.get();
  await octokit.users.getByUsername({ username: 'planwright[bot]' });
  await octokit.apps.listReposAccessibleToInstallation();

  const app = jwtClient(world);
  await app.apps.getAuthenticated();
  await app.apps.listInstallations();
  await app.apps.getInstallation({ installation_id: world.installation.id });
  await app.apps.getRepoInstallation(at);
  await app.apps.createInstallationAccessToken({ installation_id: world.installation.id });
  await app.apps.listWebhookDeliveries();
  await octokit.git.deleteRef({ ...at, ref: 'heads/plan-1' });
  await octokit.apps.revokeInstallationAccessToken();
  assert.deepEqual(world.forge.violations, []);
});

test('a request that breaks the description is answered 422 and recorded', async (context) => {
  const world = await createWorld(context);
  const octokit = appClient(world);
  const refused = await refusalOf(octokit.request('POST /repos/acme/shop/issues', { title: ['no', 'text'] }));
  assert.equal(refused.status, 422);
  assert.equal(world.forge.violations.length, 1);
  assert.match(world.forge.violations[0] ?? '', /^issues\/create asked \/repos\/acme\/shop\/issues:/);
  assert.equal((await refusalOf(octokit.request('GET /repos/{owner}/{repo}/topics', at))).status, 404);
  assert.equal(world.forge.violations.length, 2);
});

test('long lists come in pages that link to each other', async (context) => {
  const world = await createWorld(context);
  for (let number = 1; number <= 5; number += 1) {
    createIssue(world.forge, world.actors.writer, world.repository, { title: `T${number}` });
  }
  const octokit = appClient(world);
  const { headers, data } = await octokit.issues.listForRepo({ ...at, per_page: 2, page: 2, labels: '' });
  assert.deepEqual(
    data.map((issue) => issue.number),
    [3, 2],
  );
  const url = `${world.forge.webUrl}/api/v3/repos/acme/shop/issues?per_page=2`;
  assert.deepEqual(headers.link?.replaceAll('&labels=', '').split(', '), [
    `<${url}&page=1>; rel="prev"`,
    `<${url}&page=1>; rel="first"`,
    `<${url}&page=3>; rel="next"`,
    `<${url}&page=3>; rel="last"`,
  ]);
  const all = await octokit.paginate(octokit.issues.listForRepo, { ...at, per_page: 2 });
  assert.deepEqual(
    all.map((issue) => issue.number),
    [5, 4, 3, 2, 1],
  );
});

test('the old name of a repository leads to the new one', async (context) => {
  const world = await createWorld(context);
  createIssue(world.forge, world.actors.writer, world.repository, { title: 'Here' });
  renameRepository(world.forge, world.actors.owner, world.repository, 'store');
  const octokit = appClient(world);
  const { data } = await octokit.issues.get({ ...at, issue_number: 1 });
  assert.equal(data.title, 'Here');
  const { data: comment } = await octokit.issues.createComment({ ...at, issue_number: 1, body: 'Still here' });
  assert.equal(comment.issue_url, `${world.forge.webUrl}/api/v3/repos/acme/store/issues/1`);
  assert.deepEqual(world.forge.violations, []);
});

test('every answer tells the rate limit', async (context) => {
  const world = await createWorld(context);
  const octokit = appClient(world);
  await octokit.repos.get(at);
  const { headers } = await octokit.repos.get(at);
  assert.equal(headers['x-ratelimit-limit'], '15000');
  assert.equal(headers['x-ratelimit-remaining'], '14998');
  assert.equal(headers['x-ratelimit-reset'], String(Date.parse('2026-11-30T13:00:00Z') / 1000));
});

test('a label that the repository lacks is made, and put on once', async (context) => {
  const world = await createWorld(context);
  const { forge, repository, actors } = world;
  const issue = createIssue(forge, actors.writer, repository, { title: 'T' });
  addLabels(forge, actors.writer, repository, issue, ['plan', 'PLAN']);
  assert.deepEqual(issue.labels, ['plan']);
  assert.deepEqual(
    repository.labels.map((label) => label.name),
    ['bug', 'enhancement', 'plan'],
  );
  assert.deepEqual(
    issue.timeline.map((event) => event.kind),
    ['labeled'],
  );
});

test('labels of an issue filed by someone who may not label are dropped', async (context) => {
  const world = await createWorld(context);
  const { data } = await personClient(world, world.people.stranger).issues.create({
    ...at,
    title: 'T',
    labels: ['plan'],
  });
  assert.deepEqual(data.labels, []);
});
