import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Forbidden, Unreadable } from '../../src/github/github.ts';
import { formatCommitMessage } from '../../src/github/trailers.ts';
import { git } from '../../src/local/forge/git-repository.ts';
import {
  closePullRequest,
  dismissReview,
  editComment,
  renameRepository,
  setCollaborator,
} from '../../src/local/forge/operations.ts';
import { startWorld, type World } from './forge-world.ts';
import { newKey } from './keys.ts';

const ofRunX = {
  phase: 'plan',
  run: 'x',
  base: 'a'.repeat(40),
  plan: null,
  reviews: [],
  approvedBy: [],
  receipt: null,
} as const;

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

function planned(title?: string) {
  const issue = world.issue(title);
  world.label(issue);
  const head = world.plan(issue);
  const pull = world.open(`planwright/issue-${issue.number}`);
  return { issue, head, pull, thread: world.threadOf(issue) };
}

test('a labelled issue is read in one query, with the permission of who set the label', async () => {
  const issue = world.issue('Cache', 'It grows.');
  world.label(issue, 'mia');
  world.takeRequests();
  const facts = await world.github.observe(world.threadOf(issue));
  const reads = world.takeRequests().filter((request) => !request.includes('/access_tokens') && request !== 'GET /app');
  assert.deepEqual(reads, ['graphql Thread', 'GET /repos/ann/shop/collaborators/mia/permission']);
  assert.deepEqual(facts.permissions, { [world.account('mia').id]: 'maintain' });
  const [event] = issue.timeline;
  assert.deepEqual(facts.issue, {
    id: issue.id,
    nodeId: issue.nodeId,
    number: issue.number,
    url: `${world.forge.webUrl}/ann/shop/issues/${issue.number}`,
    title: 'Cache',
    body: 'It grows.',
    author: { id: world.account('rea').id, login: 'rea', kind: 'user', isThisApp: false },
    state: 'open',
    isLocked: false,
    labels: ['plan'],
    labelEvents: [
      {
        id: event?.nodeId,
        kind: 'labeled',
        label: 'plan',
        by: { id: world.account('mia').id, login: 'mia', kind: 'user', isThisApp: false },
        at: event?.createdAt,
        labelChangedAt: world.repository.labels.find(({ name }) => name === 'plan')?.updatedAt,
      },
    ],
    edits: [],
    comments: [],
    reactionsByThisApp: [],
  });
  assert.deepEqual(facts.pullRequests, []);
  assert.deepEqual(facts.branches, []);
});

test('a pull request of this app is read with its plan, its trailers and the paths that its base has not changed', async () => {
  const { head, pull, thread } = planned();
  const facts = await world.github.observe(thread);
  const [found] = facts.pullRequests;
  assert.equal(found?.number, pull.number);
  assert.equal(found.head, head);
  assert.equal(found.commits[0]?.trailers?.run, 'run-1');
  assert.deepEqual(found.files, [{ path: 'plan.md', change: 'ADDED' }]);
  assert.deepEqual(found.planOfRecord?.scope, [{ path: 'README.md', change: 'modify' }]);
  assert.deepEqual(found.changedOnBase, []);
  assert.deepEqual(
    facts.branches.map(({ name }) => name),
    [found.branch],
  );
});

test("a pull request by somebody else from the thread's branch is none of the thread", async () => {
  const issue = world.issue();
  world.plan(issue);
  world.open(`planwright/issue-${issue.number}`, world.actor('wes'));
  const facts = await world.github.observe(world.threadOf(issue));
  assert.deepEqual(facts.pullRequests, []);
  assert.equal(facts.branches.length, 1);
});

test("S16: a commit under this app's e-mail address is this app's only with its signature", async () => {
  const issue = world.issue();
  const branch = `planwright/issue-${issue.number}`;
  const real = world.plan(issue);
  const { gitDir } = world.repository;
  const message = git(gitDir, ['log', '-1', '--format=%B', real]);
  const unsigned = message.replace(/\nPlanwright-Signature: .*/, '');
  assert.notEqual(unsigned, message);
  world.commit(world.app.account, branch, { 'a.txt': 'a' }, unsigned);
  world.commit(world.app.account, branch, { 'b.txt': 'b' }, message);
  const key = newKey();
  world.commit(world.app.account, branch, {}, (place) =>
    formatCommitMessage({ subject: 'x', trailers: ofRunX }, place, key),
  );
  world.open(branch);
  const facts = await world.github.observe(world.threadOf(issue));
  assert.deepEqual(
    facts.pullRequests[0]?.commits.map((commit) => commit.trailers?.run ?? null),
    ['run-1', null, null, null],
  );
  assert.equal(facts.branches[0]?.head.trailers, null);
});

test("a commit of this app stays this app's whoever it names as author", async () => {
  const issue = world.issue();
  const branch = `planwright/issue-${issue.number}`;
  world.commit(world.account('rea'), branch, { 'plan.md': 'x' }, world.signed('Plan', ofRunX));
  const facts = await world.github.observe(world.threadOf(issue));
  assert.equal(facts.branches[0]?.head.trailers?.run, 'x');
});

test('trailers that a person wrote are no trailers', async () => {
  const issue = world.issue();
  const branch = `planwright/issue-${issue.number}`;
  world.plan(issue);
  const text = `Plan\n\nPlanwright-Phase: implement\nPlanwright-Run: x\nPlanwright-Base: ${'a'.repeat(40)}\n`;
  world.commit(world.account('wes'), branch, { 'plan.md': 'by hand\n' }, text);
  world.open(branch);
  const facts = await world.github.observe(world.threadOf(issue));
  assert.deepEqual(
    facts.pullRequests[0]?.commits.map(({ trailers }) => trailers?.phase ?? null),
    ['plan', null],
  );
  assert.equal(facts.pullRequests[0]?.planOfRecord?.text, 'by hand\n');
  assert.equal(facts.pullRequests[0]?.planOfRecord?.scope, null);
});

test('the people looked up are those whose reviews stand or wait, and no bot and nobody twice', async () => {
  const { pull, thread } = planned();
  world.review(pull, 'tri', { event: 'APPROVE' });
  world.review(pull, 'mia', { event: 'COMMENT', body: 'hm' });
  world.review(pull, 'mia', { event: 'REQUEST_CHANGES', body: 'no' });
  world.takeRequests();
  const facts = await world.github.observe(thread);
  assert.deepEqual(world.takeRequests(), [
    'graphql Thread',
    'GET /repos/ann/shop/collaborators/tri/permission',
    'GET /repos/ann/shop/collaborators/mia/permission',
  ]);
  assert.deepEqual(facts.permissions, {
    [world.account('tri').id]: 'triage',
    [world.account('mia').id]: 'maintain',
  });
});

test('a permission that cannot be read is unknown, and the rest of the thread stands', async () => {
  const issue = world.issue();
  world.label(issue, 'wes');
  world.forge.faults.add({
    match: { method: 'GET', path: /collaborators\/wes/ },
    times: 9,
    effect: { kind: 'status', status: 500 },
  });
  const facts = await world.github.observe(world.threadOf(issue));
  world.forge.faults.clear();
  assert.deepEqual(facts.permissions, { [world.account('wes').id]: 'unknown' });
});

test("a reviewer's permission taken away is seen at the next look", async () => {
  const { pull, thread } = planned();
  world.review(pull, 'wes', { event: 'APPROVE' });
  const wes = world.account('wes');
  for (const role of ['write', 'read', 'write'] as const) {
    setCollaborator(world.forge, world.actor('ann'), world.repository, wes, role);
    assert.deepEqual((await world.github.observe(thread)).permissions, { [wes.id]: role });
  }
});

test('that a writer set the label is taken as read for a minute; that a reader did, never', async () => {
  const issue = world.issue();
  world.label(issue, 'wes');
  const [thread, wes] = [world.threadOf(issue), world.account('wes')];
  const look = async () => (await world.github.observe(thread)).permissions;
  const set = (role: 'read' | 'write') => setCollaborator(world.forge, world.actor('ann'), world.repository, wes, role);
  assert.deepEqual(await look(), { [wes.id]: 'write' });
  set('read');
  assert.deepEqual(await look(), { [wes.id]: 'write' });
  world.pass(60_000);
  assert.deepEqual(await look(), { [wes.id]: 'read' });
  set('write');
  assert.deepEqual(await look(), { [wes.id]: 'write' });
});

test('review comments keep their lines, side, subject and the commit they were written on', async () => {
  const { issue, head, pull, thread } = planned();
  world.review(pull, 'wes', {
    event: 'REQUEST_CHANGES',
    comments: [
      { path: 'plan.md', line: 8, startLine: 6, body: 'two lines' },
      { path: 'plan.md', line: null, body: 'the whole' },
    ],
  });
  const [lines, whole] = (await world.github.observe(thread)).pullRequests[0]?.threads ?? [];
  assert.deepEqual(
    [
      lines?.subject,
      lines?.side,
      lines?.startLine,
      lines?.line,
      lines?.comments[0]?.body,
      lines?.comments[0]?.originalCommit,
    ],
    ['line', 'RIGHT', 6, 8, 'two lines', head],
  );
  assert.deepEqual([whole?.subject, whole?.line, whole?.comments[0]?.body], ['file', null, 'the whole']);
  world.commit(world.app.account, `planwright/issue-${issue.number}`, { 'plan.md': 'All new.\n' }, 'x');
  const outdated = (await world.github.observe(thread)).pullRequests[0]?.threads[0];
  assert.deepEqual(
    [outdated?.isOutdated, outdated?.line, outdated?.originalStartLine, outdated?.originalLine],
    [true, null, 6, 8],
  );
});

test('only a dismissal by this app under its own marker holds an approval', async () => {
  const { pull, thread } = planned();
  const [first, second] = [
    world.review(pull, 'wes', { event: 'APPROVE' }),
    world.review(pull, 'mia', { event: 'APPROVE' }),
  ];
  const marker = (id: number) => `<!-- planwright:hold ${world.repository.id}%23${thread.issue} ${id} -->`;
  dismissReview(world.forge, world.appActor, world.repository, pull, first, `held\n\n${marker(first.id)}`);
  dismissReview(world.forge, world.actor('ann'), world.repository, pull, second, `no\n\n${marker(second.id)}`);
  const reviews = (await world.github.observe(thread)).pullRequests[0]?.reviews ?? [];
  assert.deepEqual(
    reviews.map(({ state, isHeldByThisApp }) => ({ state, isHeldByThisApp })),
    [
      { state: 'DISMISSED', isHeldByThisApp: true },
      { state: 'DISMISSED', isHeldByThisApp: false },
    ],
  );
});

test('a planned file that changed on the base is named; an unplanned one is not', async () => {
  const { thread } = planned();
  world.commit(world.account('ann'), 'main', { 'README.md': '# Changed\n', 'other.txt': 'x\n' }, 'More');
  assert.deepEqual((await world.github.observe(thread)).pullRequests[0]?.changedOnBase, ['README.md']);
  world.forge.faults.add({
    match: { method: 'GET', path: /compare/ },
    times: 9,
    effect: { kind: 'status', status: 500 },
  });
  assert.equal((await world.github.observe(thread)).pullRequests[0]?.changedOnBase, 'unknown');
  world.forge.faults.clear();
});

test('later attempts are found when the third name is taken', async () => {
  const issue = world.issue();
  for (const attempt of [1, 2, 3, 4]) {
    const branch = attempt === 1 ? `planwright/issue-${issue.number}` : `planwright/issue-${issue.number}-${attempt}`;
    world.plan(issue, { branch });
    const pull = world.open(branch);
    if (attempt < 4) closePullRequest(world.forge, world.actor('ann'), world.repository, pull);
  }
  world.takeRequests();
  const facts = await world.github.observe(world.threadOf(issue));
  assert.deepEqual(
    world.takeRequests().filter((request) => request.startsWith('graphql')),
    ['graphql Thread', 'graphql Attempts'],
  );
  assert.deepEqual(
    facts.pullRequests.map(({ state }) => state),
    ['closed', 'closed', 'closed', 'open'],
  );
  assert.equal(facts.pullRequests.at(-1)?.planOfRecord?.isEmpty, false);
});

test('an edited comment says so, and a marker counts only in what this app wrote', async () => {
  const issue = world.issue();
  const marker = `<!-- planwright:questions ${world.repository.id}%23${issue.number} run-1 -->`;
  const comment = world.comment(issue, 'wes', `copied ${marker}`);
  world.pass();
  editComment(world.forge, world.actor('wes'), world.repository, issue, comment, `again ${marker}`);
  const { github } = world;
  const facts = await github.observe(world.threadOf(issue));
  assert.deepEqual(
    facts.issue.comments.map(({ editedAt, marker: found }) => ({ editedAt, found })),
    [{ editedAt: comment.lastEditedAt, found: null }],
  );
});

test('a configuration that cannot be read gives its problems, and another plan path is asked for once more', async () => {
  world.commit(world.account('ann'), 'main', { '.github/planwright.yml': 'nonsense: 1\n' }, 'Configure');
  const issue = world.issue();
  const broken = await world.github.observe(world.threadOf(issue));
  assert.ok('problems' in broken.policy && broken.policy.problems.length > 0);
  world.commit(
    world.account('ann'),
    'main',
    { '.github/planwright.yml': 'plan:\n  path: docs/plan.md\n' },
    'Configure',
  );
  world.takeRequests();
  const facts = await world.github.observe(world.threadOf(issue));
  assert.deepEqual(world.takeRequests(), ['graphql Thread', 'graphql Thread']);
  assert.ok('plan' in facts.policy && facts.policy.plan.path === 'docs/plan.md');
  await world.github.observe(world.threadOf(issue));
  assert.deepEqual(world.takeRequests(), ['graphql Thread']);
  world.commit(world.account('ann'), 'main', { '.github/planwright.yml': null }, 'Configure');
});

test("where the base has a file at the plan's path, the plan has a name of its own", async () => {
  world.commit(world.account('ann'), 'main', { 'plan.md': 'an old plan\n' }, 'Keep a plan');
  const issue = world.issue();
  const before = await world.github.observe(world.threadOf(issue));
  assert.ok('plan' in before.policy && before.policy.plan.path === `plan-${issue.number}.md`);
  world.plan(issue, { path: `plan-${issue.number}.md` });
  world.open(`planwright/issue-${issue.number}`);
  const facts = await world.github.observe(world.threadOf(issue));
  assert.ok('plan' in facts.policy && facts.policy.plan.path === `plan-${issue.number}.md`);
  assert.match(facts.pullRequests[0]?.planOfRecord?.text ?? '', /# Clear the cache/);
  world.commit(world.account('ann'), 'main', { 'plan.md': null }, 'Drop it');
  const later = await world.github.observe(world.threadOf(issue));
  assert.ok('plan' in later.policy && later.policy.plan.path === `plan-${issue.number}.md`);
});

test('a renamed repository is read under its new name', async () => {
  const { thread } = planned();
  renameRepository(world.forge, world.actor('ann'), world.repository, 'store');
  const { owner, name } = (await world.connect().observe(thread)).repository;
  assert.deepEqual({ owner, name }, { owner: 'ann', name: 'store' });
  renameRepository(world.forge, world.actor('ann'), world.repository, 'shop');
});

test('an issue that is not there yet is waited for, and one that never comes is out of reach', async () => {
  const notFound = {
    data: { repository: null },
    errors: [{ type: 'NOT_FOUND', message: 'Could not resolve to an Issue' }],
  };
  const issue = world.issue();
  const match = { method: 'POST', path: /graphql/ };
  world.forge.faults.add({ match, times: 2, effect: { kind: 'status', status: 200, body: notFound } });
  assert.equal((await world.github.observe(world.threadOf(issue))).issue.number, issue.number);
  world.takeRequests();
  await assert.rejects(world.github.observe({ ...world.threadOf(issue), issue: 9999 }), Forbidden);
  assert.equal(world.takeRequests().filter((request) => request === 'graphql Thread').length, 4);
});

const partial = [
  {
    name: 'an answer with errors beside its data',
    body: { data: {}, errors: [{ type: 'INTERNAL', message: 'oops' }] },
  },
  {
    name: 'an answer without the repository',
    body: { data: { viewer: { databaseId: 1, login: 'x' }, repository: null } },
  },
  { name: "an answer that is not GraphQL's", body: ['hello'] },
];
for (const { name, body } of partial) {
  test(`${name} is unreadable`, async () => {
    const match = { method: 'POST', path: /graphql/ };
    world.forge.faults.add({ match, effect: { kind: 'status', status: 200, body } });
    await assert.rejects(world.github.observe(world.threadOf(world.issue())), Unreadable);
  });
}

test("no call of all these breaks GitHub's own description", () => {
  assert.deepEqual(world.forge.violations, []);
});
