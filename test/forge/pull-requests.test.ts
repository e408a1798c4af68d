import assert from 'node:assert/strict';
import { test } from 'node:test';
import { branchHead, git } from '../../src/local/forge/git-repository.ts';
import { afterPush, createIssue } from '../../src/local/forge/operations.ts';
import { appClient, at, commitFile, createWorld, personClient, refusalOf, type World } from './world.ts';

async function openPlan(world: World, plan = 'one\ntwo\nthree\nfour\nfive\nsix\n') {
  const head = commitFile(world, 'plan-1', 'plan.md', plan);
  const octokit = appClient(world);
  const { data } = await octokit.pulls.create({ ...at, title: 'Plan', head: 'plan-1', base: 'main', draft: true });
  return { octokit, head, on: { ...at, pull_number: data.number } };
}

test('one branch has one open pull request', async (context) => {
  const world = await createWorld(context);
  const { octokit, on } = await openPlan(world);
  const again = { ...at, title: 'Again', head: 'acme:plan-1', base: 'main' };
  const refused = await refusalOf(octokit.pulls.create(again));
  assert.equal(refused.status, 422);
  assert.match(refused.message, /A pull request already exists for acme:plan-1\./);
  await octokit.pulls.update({ ...on, state: 'closed' });
  assert.equal((await octokit.pulls.create(again)).data.number, 2);
});

test('a pull request needs a head, a base and a commit between them', async (context) => {
  const world = await createWorld(context);
  const octokit = appClient(world);
  const open = (head: string, base = 'main') => refusalOf(octokit.pulls.create({ ...at, title: 'P', head, base }));
  assert.match((await open('nowhere')).message, /"field":"head","code":"invalid"/);
  commitFile(world, 'work', 'a.txt', 'a');
  assert.match((await open('work', 'nowhere')).message, /"field":"base","code":"invalid"/);
  git(world.repository.gitDir, ['update-ref', 'refs/heads/same', 'refs/heads/main']);
  assert.match((await open('same')).message, /No commits between acme:main and acme:same/);
});

test('where drafts do not exist, asking for one is refused', async (context) => {
  const world = await createWorld(context);
  world.repository.draftsSupported = false;
  const refused = await refusalOf(openPlan(world));
  assert.equal(refused.status, 422);
  assert.match(refused.message, /Draft pull requests are not supported in this repository\./);
});

test('reviews are asked of collaborators other than the author', async (context) => {
  const world = await createWorld(context);
  commitFile(world, 'work', 'a.txt', 'a');
  const writer = personClient(world, world.people.writer);
  const { data } = await writer.pulls.create({ ...at, title: 'P', head: 'work', base: 'main' });
  const ask = (login: string) =>
    appClient(world).pulls.requestReviewers({ ...at, pull_number: data.number, reviewers: [login] });
  assert.match((await refusalOf(ask('wendy'))).message, /^Review cannot be requested from pull request author\./);
  assert.match((await refusalOf(ask('sam'))).message, /^Reviews may only be requested from collaborators\./);
  assert.deepEqual(
    (await ask('rita')).data.requested_reviewers?.map((each) => each.login),
    ['rita'],
  );
});

test('nobody gives a verdict on their own pull request', async (context) => {
  const world = await createWorld(context);
  const { octokit, on } = await openPlan(world);
  const approval = await refusalOf(octokit.pulls.createReview({ ...on, event: 'APPROVE' }));
  assert.equal(approval.status, 422);
  assert.match(approval.message, /Can not approve your own pull request/);
  assert.equal((await octokit.pulls.createReview({ ...on, event: 'COMMENT', body: 'Done' })).data.state, 'COMMENTED');
});

test('a verdict ends the request for a review and names the commit', async (context) => {
  const world = await createWorld(context);
  const { octokit, on, head } = await openPlan(world);
  await octokit.pulls.requestReviewers({ ...on, reviewers: ['wendy', 'rita'] });
  const writer = personClient(world, world.people.writer);
  const { data: review } = await writer.pulls.createReview({ ...on, event: 'APPROVE' });
  assert.deepEqual([review.state, review.commit_id, review.submitted_at], ['APPROVED', head, '2026-11-30T12:00:00Z']);
  const { data: pull } = await octokit.pulls.get(on);
  assert.deepEqual(
    pull.requested_reviewers?.map((each) => each.login),
    ['rita'],
  );
});

test('a pending review is seen by its author alone until it is submitted', async (context) => {
  const world = await createWorld(context);
  const { octokit, on } = await openPlan(world);
  const writer = personClient(world, world.people.writer);
  const { data: review } = await writer.pulls.createReview({
    ...on,
    comments: [{ path: 'plan.md', line: 2, body: 'hm' }],
  });
  assert.equal(review.state, 'PENDING');
  assert.deepEqual((await octokit.pulls.listReviews(on)).data, []);
  assert.deepEqual((await octokit.pulls.listReviewComments(on)).data, []);
  await writer.pulls.submitReview({ ...on, review_id: review.id, event: 'REQUEST_CHANGES' });
  assert.deepEqual(
    (await octokit.pulls.listReviews(on)).data.map((each) => each.state),
    ['CHANGES_REQUESTED'],
  );
});

test('only approvals and change requests can be dismissed', async (context) => {
  const world = await createWorld(context);
  const { octokit, on } = await openPlan(world);
  const writer = personClient(world, world.people.writer);
  const { data: approval } = await writer.pulls.createReview({ ...on, event: 'APPROVE' });
  const { data: remark } = await writer.pulls.createReview({ ...on, event: 'COMMENT', body: 'hm' });
  const dismiss = (id: number) => octokit.pulls.dismissReview({ ...on, review_id: id, message: 'Code follows.' });
  assert.equal((await dismiss(approval.id)).data.state, 'DISMISSED');
  assert.equal((await refusalOf(dismiss(approval.id))).status, 422);
  assert.equal((await refusalOf(dismiss(remark.id))).status, 422);
  const { timeline } = world.repository.issues[0] ?? { timeline: [] };
  const event = timeline.find((each) => each.kind === 'review_dismissed');
  assert.equal(event?.kind === 'review_dismissed' ? event.previousState : null, 'approved');
});

test('a comment must stand on a line of the diff', async (context) => {
  const world = await createWorld(context);
  const { on } = await openPlan(world);
  const writer = personClient(world, world.people.writer);
  const comment = (path: string, line: number) =>
    refusalOf(writer.pulls.createReview({ ...on, event: 'COMMENT', comments: [{ path, line, body: 'hm' }] }));
  assert.match((await comment('plan.md', 7)).message, /Line could not be resolved/);
  assert.match((await comment('README.md', 1)).message, /Path could not be resolved/);
  assert.deepEqual(world.repository.issues[0]?.pullRequest?.reviews, []);
});

test('a comment shows the diff down to its last line', async (context) => {
  const world = await createWorld(context);
  const { on } = await openPlan(world);
  const writer = personClient(world, world.people.writer);
  const comments = [{ path: 'plan.md', start_line: 2, line: 3, body: 'both' }];
  await writer.pulls.createReview({ ...on, event: 'COMMENT', comments });
  const { data } = await writer.pulls.listReviewComments(on);
  assert.deepEqual(
    data.map(({ start_line, line, side, diff_hunk }) => ({ start_line, line, side, diff_hunk })),
    [{ start_line: 2, line: 3, side: 'RIGHT', diff_hunk: '@@ -0,0 +1,6 @@\n+one\n+two\n+three' }],
  );
});

test('after a push a comment follows its lines, or is outdated where they changed', async (context) => {
  const world = await createWorld(context);
  const { octokit, on, head } = await openPlan(world);
  const writer = personClient(world, world.people.writer);
  const comments = [
    { path: 'plan.md', line: 2, body: 'changed' },
    { path: 'plan.md', start_line: 4, line: 5, body: 'kept' },
  ];
  await writer.pulls.createReview({ ...on, event: 'REQUEST_CHANGES', comments });
  await writer.pulls.createReviewComment({
    ...on,
    commit_id: head,
    path: 'plan.md',
    body: 'all',
    subject_type: 'file',
  });
  const next = commitFile(world, 'plan-1', 'plan.md', 'zero\none\nTWO\nthree\nfour\nfive\nsix\n');
  const { data } = await octokit.pulls.listReviewComments(on);
  assert.deepEqual(
    data.map((each) => [each.body, each.start_line ?? null, each.line, each.original_line, each.commit_id]),
    [
      ['changed', null, null, 2, head],
      ['kept', 5, 6, 5, next],
      ['all', null, null, null, next],
    ],
  );
  assert.equal((await octokit.pulls.get(on)).data.head.sha, next);
});

test('a comment on a removed line stays with it', async (context) => {
  const world = await createWorld(context);
  commitFile(world, 'work', 'README.md', 'one\nthree\n');
  const octokit = appClient(world);
  const { data: pull } = await octokit.pulls.create({ ...at, title: 'P', head: 'work', base: 'main' });
  const on = { ...at, pull_number: pull.number };
  const writer = personClient(world, world.people.writer);
  const comments = [{ path: 'README.md', line: 2, side: 'LEFT', body: 'needed' }];
  await writer.pulls.createReview({ ...on, event: 'COMMENT', comments });
  const read = async () => (await octokit.pulls.listReviewComments(on)).data.map(({ side, line }) => ({ side, line }));
  assert.deepEqual(await read(), [{ side: 'LEFT', line: 2 }]);
  commitFile(world, 'work', 'README.md', 'one\nthree\nfour\n');
  assert.deepEqual(await read(), [{ side: 'LEFT', line: 2 }]);
  commitFile(world, 'work', 'README.md', 'one\ntwo\nthree\n');
  assert.deepEqual(await read(), [{ side: 'LEFT', line: null }]);
});

test('a history that was rewritten is told as a force push', async (context) => {
  const world = await createWorld(context);
  const { head } = await openPlan(world);
  const parent = branchHead(world.repository.gitDir, 'main') ?? '';
  const after = commitFile(world, 'plan-1', 'plan.md', 'other\n', { parent });
  const [issue] = world.repository.issues;
  assert.deepEqual(
    issue?.timeline.map((event) => (event.kind === 'head_ref_force_pushed' ? [event.before, event.after] : event.kind)),
    [[head, after]],
  );
});

test('a draft and a conflict are not merged; a merge closes what it says it closes', async (context) => {
  const world = await createWorld(context);
  const { forge, repository, actors } = world;
  createIssue(forge, actors.writer, repository, { title: 'Bug' });
  commitFile(world, 'work', 'README.md', 'ONE\ntwo\nthree\n');
  const writer = personClient(world, world.people.writer);
  const body = 'Fixes #1';
  const { data: pull } = await writer.pulls.create({
    ...at,
    title: 'P',
    body,
    head: 'work',
    base: 'main',
    draft: true,
  });
  const on = { ...at, pull_number: pull.number };
  assert.match((await refusalOf(writer.pulls.merge(on))).message, /^Pull Request is still a draft/);
  const { pullRequest } = repository.issues[1] ?? {};
  assert.ok(pullRequest);
  pullRequest.draft = false;
  commitFile(world, 'main', 'README.md', 'uno\ntwo\nthree\n');
  assert.match((await refusalOf(writer.pulls.merge(on))).message, /^Pull Request is not mergeable/);
  commitFile(world, 'main', 'README.md', 'one\ntwo\nthree\n');
  const { data: merged } = await writer.pulls.merge(on);
  assert.equal(branchHead(repository.gitDir, 'main'), merged.sha);
  assert.equal(git(repository.gitDir, ['show', 'main:README.md']), 'ONE\ntwo\nthree\n');
  const states = repository.issues.map((issue) => [issue.state, issue.timeline.map((event) => event.kind)]);
  assert.deepEqual(states, [
    ['closed', ['closed']],
    ['closed', ['merged', 'closed']],
  ]);
  const { data: after } = await writer.pulls.get(on);
  assert.deepEqual([after.merged, after.changed_files, after.commits], [true, 1, 1]);
});

test('a branch that is deleted closes its pull request', async (context) => {
  const world = await createWorld(context);
  const { octokit, on, head } = await openPlan(world);
  await octokit.git.deleteRef({ ...at, ref: 'heads/plan-1' });
  const { data } = await octokit.pulls.get(on);
  assert.deepEqual([data.state, data.merged, data.head.sha], ['closed', false, head]);
});

test('a pull request whose commits are pushed to its base is merged', async (context) => {
  const world = await createWorld(context);
  const { octokit, on, head } = await openPlan(world);
  const { gitDir } = world.repository;
  const before = branchHead(gitDir, 'main') ?? '';
  git(gitDir, ['update-ref', 'refs/heads/main', head]);
  afterPush(world.forge, world.actors.writer, world.repository, 'refs/heads/main', before, head);
  const { data } = await octokit.pulls.get(on);
  assert.deepEqual([data.state, data.merged, data.merge_commit_sha, data.changed_files], ['closed', true, head, 1]);
});

test('a check run that was completed keeps its status and conclusion', async (context) => {
  const world = await createWorld(context);
  const { octokit, head } = await openPlan(world);
  const made = { ...at, name: 'planwright/plan', head_sha: head, conclusion: 'action_required' } as const;
  const { data: check } = await octokit.checks.create(made);
  const { data: after } = await octokit.checks.update({
    ...at,
    check_run_id: check.id,
    status: 'in_progress',
    output: { title: 'another title', summary: 'and text' },
  });
  assert.deepEqual(
    [after.status, after.conclusion, after.output.title],
    ['completed', 'action_required', 'another title'],
  );
});

test('a check run belongs to the app that made it', async (context) => {
  const world = await createWorld(context);
  const { octokit, head } = await openPlan(world);
  const { data: check } = await octokit.checks.create({ ...at, name: 'planwright/plan', head_sha: head });
  const writer = personClient(world, world.people.writer);
  assert.equal((await refusalOf(writer.checks.create({ ...at, name: 'x', head_sha: head }))).status, 403);
  await octokit.checks.update({ ...at, check_run_id: check.id, conclusion: 'success' });
  await octokit.checks.create({ ...at, name: 'planwright/plan', head_sha: head, status: 'in_progress' });
  const { data } = await octokit.checks.listForRef({ ...at, ref: 'plan-1' });
  assert.deepEqual(
    data.check_runs.map(({ status, conclusion }) => [status, conclusion]),
    [['in_progress', null]],
  );
  const { data: all } = await octokit.checks.listForRef({ ...at, ref: head, filter: 'all' });
  assert.equal(all.total_count, 2);
});
