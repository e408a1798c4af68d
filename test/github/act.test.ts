import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type ActContext, Forbidden, type GitHubAction } from '../../src/github/github.ts';
import type { CheckState, ThreadStatus } from '../../src/lifecycle/actions.ts';
import type { GateVerdict } from '../../src/lifecycle/approval-gate.ts';
import type { Memory, Outcome } from '../../src/lifecycle/memory.ts';
import { lockIssue } from '../../src/local/forge/operations.ts';
import type { Issue } from '../../src/local/forge/state.ts';
import { contextOf, startWorld, type World } from './forge-world.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());
afterEach(() => world.forge.faults.clear());

const cost = { turns: 0, inputTokens: 0, outputTokens: 0, dollars: 0, elapsedMs: 0 };
const pending: ThreadStatus = {
  state: 'pending',
  pullRequest: null,
  isPullRequestOpen: false,
  failure: null,
  obstacles: [],
  note: null,
  previousPullRequest: null,
  cost,
};
const shut: GateVerdict = {
  isOpen: false,
  approval: null,
  counted: [],
  ignored: [],
  missing: ['0 of 1 required approvals of this plan.'],
  warnings: [],
};
const planCheck: CheckState = { name: 'planwright/plan', state: 'waiting', verdict: shut };

function asked(title?: string): Issue {
  const issue = world.issue(title);
  world.label(issue);
  return issue;
}

function planned() {
  const issue = asked();
  world.plan(issue);
  const pull = world.open(`planwright/issue-${issue.number}`);
  return { issue, pull };
}

async function look(issue: Issue, memory?: Memory): Promise<ActContext> {
  const thread = world.threadOf(issue);
  return contextOf(thread, await world.github.observe(thread), memory);
}

/** Carries it out twice on one look and once more on a fresh one. @returns the calls of each time, but for tokens */
async function thrice(issue: Issue, action: GitHubAction, memory?: Memory): Promise<readonly (readonly string[])[]> {
  const context = await look(issue, memory);
  const calls: (readonly string[])[] = [];
  const act = async (on: ActContext) => {
    world.takeRequests();
    await world.github.act(action, on);
    calls.push(world.takeRequests().filter((request) => !request.includes('/access_tokens')));
  };
  await act(context);
  await act(context);
  await act(await look(issue, memory));
  return calls;
}

function runOf(outcome: Outcome): Memory {
  const run = {
    id: 'run-1',
    phase: 'plan',
    branch: 'planwright/issue-1',
    causes: [],
    status: 'parked',
    head: null,
    base: 'a'.repeat(40),
    approval: null,
    outcome,
    isSettled: false,
    cost,
  } as const;
  return { runs: [run] };
}

test('the status comment is posted once, edited in place, and posted anew where somebody deleted it', async () => {
  const issue = asked();
  assert.deepEqual(await thrice(issue, { kind: 'setStatusComment', status: pending }), [
    [`POST /repos/ann/shop/issues/${issue.number}/comments`],
    [],
    [],
  ]);
  const [comment] = issue.comments;
  assert.deepEqual(await thrice(issue, { kind: 'setStatusComment', status: { ...pending, state: 'planning' } }), [
    [`PATCH /repos/ann/shop/issues/comments/${comment?.id}`],
    [],
    [],
  ]);
  assert.equal(issue.comments.length, 1);
  const context = await look(issue);
  issue.comments = [];
  await world.github.act({ kind: 'setStatusComment', status: pending }, context);
  assert.equal(issue.comments.length, 1);
});

test('a comment that GitHub made but did not answer for is not made again', async () => {
  for (const effect of [
    { kind: 'performThenStatus', status: 502 },
    { kind: 'cut', perform: true },
  ] as const) {
    const issue = asked();
    world.forge.faults.add({ match: { method: 'POST', path: /comments$/ }, effect });
    await world.github.act({ kind: 'setStatusComment', status: pending }, await look(issue));
    assert.equal(issue.comments.length, 1, effect.kind);
  }
});

test('a comment that GitHub did not make is made', async () => {
  const issue = asked();
  const match = { method: 'POST', path: /comments$/ };
  world.forge.faults.add({ match, effect: { kind: 'status', status: 502 } });
  await world.github.act({ kind: 'setStatusComment', status: pending }, await look(issue));
  assert.equal(issue.comments.length, 1);
});

test("somebody else's copy of the status comment is not taken for it", async () => {
  const issue = asked();
  await world.github.act({ kind: 'setStatusComment', status: pending }, await look(issue));
  const copy = issue.comments[0]?.body ?? '';
  issue.comments = [];
  world.comment(issue, 'rea', copy);
  await world.github.act({ kind: 'setStatusComment', status: pending }, await look(issue));
  assert.deepEqual(
    issue.comments.map(({ author }) => author?.login),
    ['rea', 'planwright[bot]'],
  );
});

test('on a locked conversation nothing is posted, and nothing fails', async () => {
  const issue = asked();
  lockIssue(world.forge, world.actor('ann'), world.repository, issue, true);
  assert.deepEqual(await thrice(issue, { kind: 'setStatusComment', status: pending }), [[], [], []]);
});

test('the status labels are made once, together, and swapped without touching other labels', async () => {
  const issue = asked();
  world.label(issue, 'wes', 'bug');
  const [first, second, third] = await thrice(issue, { kind: 'setStatusLabel', label: 'plan: queued' });
  assert.deepEqual([first, second, third], [['graphql CreateStatusLabels', 'graphql SwapStatusLabel'], [], []]);
  assert.deepEqual(issue.labels, ['plan', 'bug', 'plan: queued']);
  assert.deepEqual(await thrice(issue, { kind: 'setStatusLabel', label: 'plan: review' }), [
    ['graphql SwapStatusLabel'],
    [],
    [],
  ]);
  assert.deepEqual(issue.labels.toSorted(), ['bug', 'plan', 'plan: review']);
  await world.github.act({ kind: 'setStatusLabel', label: null }, await look(issue));
  assert.deepEqual(issue.labels.toSorted(), ['bug', 'plan']);
  const made = world.repository.labels.filter(({ name }) => name.startsWith('plan:'));
  assert.deepEqual(
    made.map(({ name, color }) => `${name} ${color}`),
    [
      'plan: queued d4c5f9',
      'plan: writing bfdadc',
      'plan: question d876e3',
      'plan: review fbca04',
      'plan: building 1d76db',
      'plan: done 0e8a16',
      'plan: failed b60205',
    ],
  );
});

test('labels that GitHub made but did not answer for are found, and one label event tells of the swap', async () => {
  world.repository.labels = world.repository.labels.filter(({ name }) => !name.startsWith('plan:'));
  const issue = asked();
  const isMutation = ({ body }: { readonly body: unknown }) => JSON.stringify(body).includes('mutation');
  world.forge.faults.add({ match: isMutation, times: 2, effect: { kind: 'performThenStatus', status: 502 } });
  await world.github.act({ kind: 'setStatusLabel', label: 'plan: queued' }, await look(issue));
  assert.deepEqual(issue.labels, ['plan', 'plan: queued']);
  const events = issue.timeline.filter((event) => event.kind === 'labeled' && event.label === 'plan: queued');
  assert.equal(events.length, 1);
  assert.equal(world.repository.labels.filter(({ name }) => name === 'plan: queued').length, 1);
});

test('a reaction is added once, to the issue or to a comment', async () => {
  const issue = asked();
  const comment = world.comment(issue, 'wes', '/plan');
  assert.deepEqual(await thrice(issue, { kind: 'react', to: { kind: 'issue' }, reaction: 'eyes' }), [
    [`POST /repos/ann/shop/issues/${issue.number}/reactions`],
    [],
    [],
  ]);
  const to = { kind: 'comment', nodeId: comment.nodeId, id: comment.id } as const;
  assert.deepEqual(await thrice(issue, { kind: 'react', to, reaction: 'confused' }), [
    [`POST /repos/ann/shop/issues/comments/${comment.id}/reactions`],
    [],
    [],
  ]);
});

test('a refusal, a reply and questions are said once for each cause', async () => {
  const issue = asked();
  const refusal = { kind: 'refuse', login: 'rea', why: 'Only writers can.' } as const;
  const post = `POST /repos/ann/shop/issues/${issue.number}/comments`;
  assert.deepEqual(await thrice(issue, { ...refusal, cause: 'EV_1' }), [[post], [], []]);
  assert.deepEqual(await thrice(issue, { ...refusal, cause: 'EV_2' }), [[post], [], []]);
  assert.deepEqual(await thrice(issue, { kind: 'reply', cause: 'comment:1', reply: 'status', status: pending }), [
    [post],
    [],
    [],
  ]);
  const memory = runOf({ kind: 'question', questions: [{ text: 'Which cache?', suggestions: ['all'] }] });
  assert.deepEqual(await thrice(issue, { kind: 'askQuestions', run: 'run-1' }, memory), [[post], [], []]);
  const facts = (await look(issue)).facts;
  assert.deepEqual(
    facts.issue.comments.map(({ marker }) => marker),
    ['refusal:EV_1', 'refusal:EV_2', 'reply:comment:1', 'questions:run-1'],
  );
});

test('a command on the pull request is answered there', async () => {
  const { issue, pull } = planned();
  const command = world.comment(pull, 'wes', '/view-plan');
  const action = { kind: 'reply', cause: `comment:${command.id}`, reply: 'view_plan', status: pending } as const;
  assert.deepEqual(await thrice(issue, action), [[`POST /repos/ann/shop/issues/${pull.number}/comments`], [], []]);
  assert.match(world.pullRequest(pull.number).comments.at(-1)?.body ?? '', /# Clear the cache/);
});

test('a comment that names no question is told so once, where it was written', async () => {
  const { issue, pull } = planned();
  const [here, there] = [world.comment(issue, 'wes', 'The fast one.'), world.comment(pull, 'wes', 'That one.')];
  const ask = (id: number) => ({ kind: 'askForNumbers', cause: `comment:${id}`, login: 'wes', open: [1, 2] }) as const;
  for (const [{ id }, on] of [
    [here, issue],
    [there, pull],
  ] as const) {
    assert.deepEqual(await thrice(issue, ask(id)), [[`POST /repos/ann/shop/issues/${on.number}/comments`], [], []]);
  }
  const said = world.pullRequest(pull.number).comments.at(-1)?.body ?? '';
  assert.match(said, /^\*\*Which question does this answer\?\*\* The comment by `wes`/);
});

test("the pull request is opened once, as a draft with the issue's title", async () => {
  const issue = asked('Fix "@all"\r\n caches');
  world.plan(issue);
  const action = {
    kind: 'openPullRequest',
    branch: `planwright/issue-${issue.number}`,
    previousPullRequest: null,
  } as const;
  assert.deepEqual(await thrice(issue, action), [['POST /repos/ann/shop/pulls'], [], []]);
  const context = await look(issue);
  const [found] = context.facts.pullRequests;
  assert.equal(found?.title, 'Fix "@ all" caches');
  assert.equal(found.isDraft, true);
  assert.equal(context.facts.pullRequests.length, 1);
});

test('a pull request that GitHub opened but did not answer for is adopted', async () => {
  for (const effect of [
    { kind: 'performThenStatus', status: 502 },
    { kind: 'cut', perform: true },
  ] as const) {
    const issue = asked();
    const head = world.plan(issue);
    const branch = `planwright/issue-${issue.number}`;
    const context = await look(issue);
    world.forge.faults.add({ match: { method: 'POST', path: /pulls$/ }, effect });
    await world.github.act({ kind: 'openPullRequest', branch, previousPullRequest: null }, context);
    const made = world.repository.issues.filter((each) => each.pullRequest?.headRef === branch);
    assert.equal(made.length, 1);
    assert.deepEqual(context.pullRequest, { number: made[0]?.number, nodeId: made[0]?.pullRequest?.nodeId });
    assert.equal(context.head, head);
  }
});

test("case 66: a pull request of this app that the look missed is adopted; somebody else's from that branch is named as being in the way", async () => {
  const issue = asked();
  world.plan(issue);
  const branch = `planwright/issue-${issue.number}`;
  const context = await look(issue);
  const pull = world.open(branch);
  await world.github.act({ kind: 'openPullRequest', branch, previousPullRequest: null }, context);
  assert.equal(context.pullRequest?.number, pull.number);

  const other = asked();
  world.plan(other);
  const taken = `planwright/issue-${other.number}`;
  world.open(taken, world.actor('wes'));
  const action = { kind: 'openPullRequest', branch: taken, previousPullRequest: null } as const;
  const theirs = world.pullRequest(world.repository.issues.at(-1)?.number ?? 0);
  await assert.rejects(world.github.act(action, await look(other)), (error) => {
    assert.ok(error instanceof Forbidden);
    assert.equal(
      error.message,
      `pull request ${theirs.number} by wes is open from the branch \`${taken}\`, where the plan's own has to be; close it, and this goes on by itself.`,
    );
    return true;
  });
});

test('where there are no drafts an ordinary pull request says [Plan] in its title, until the work is done', async (t) => {
  const plain = await startWorld({ draftsSupported: false });
  t.after(() => plain.close());
  const issue = plain.issue('Cache');
  plain.label(issue);
  plain.plan(issue);
  const thread = plain.threadOf(issue);
  const branch = `planwright/issue-${issue.number}`;
  const context = contextOf(thread, await plain.github.observe(thread));
  await plain.github.act({ kind: 'openPullRequest', branch, previousPullRequest: null }, context);
  const number = context.pullRequest?.number ?? 0;
  assert.equal(plain.pullRequest(number).title, '[Plan] Cache');
  assert.equal(plain.pullRequest(number).pullRequest.draft, false);
  const report = { steps: [], files: [], verifications: [], deviations: [] };
  const fresh = contextOf(thread, await plain.github.observe(thread));
  plain.takeRequests();
  await plain.github.act({ kind: 'setPullRequestText', run: 'r', report }, fresh);
  await plain.github.act({ kind: 'markReady' }, fresh);
  assert.deepEqual(plain.takeRequests(), [`PATCH /repos/ann/shop/pulls/${number}`]);
  assert.equal(plain.pullRequest(number).title, 'Cache');
});

test('reviewers are asked once; one that GitHub does not accept hinders nobody', async () => {
  const { issue, pull } = planned();
  const call = `POST /repos/ann/shop/pulls/${pull.number}/requested_reviewers`;
  assert.deepEqual(await thrice(issue, { kind: 'requestReviewers', logins: ['wes'] }), [[call], [], []]);
  const context = await look(issue);
  await world.github.act({ kind: 'requestReviewers', logins: ['WES', 'out', 'mia'] }, context);
  assert.deepEqual(
    world.pullRequest(pull.number).pullRequest.requestedReviewers.map(({ login }) => login),
    ['wes', 'mia'],
  );
});

test('a check is made once on the head; its words change in place, another verdict after a completed one takes a new run', async () => {
  const { issue, pull } = planned();
  const head = pull.pullRequest.headSha;
  assert.deepEqual(await thrice(issue, { kind: 'setCheck', check: planCheck }), [
    ['POST /repos/ann/shop/check-runs'],
    [],
    [],
  ]);
  const runs = () => world.repository.checkRuns.filter((run) => run.headSha === head);
  const [run] = runs();
  assert.deepEqual(
    [run?.name, run?.status, run?.conclusion, run?.externalId],
    ['planwright/plan', 'completed', 'action_required', `${world.repository.id}#${issue.number}`],
  );
  const verdict = { ...planCheck.verdict, missing: ['wes has requested changes.'] };
  assert.deepEqual(await thrice(issue, { kind: 'setCheck', check: { ...planCheck, verdict } }), [
    [`PATCH /repos/ann/shop/check-runs/${run?.id}`],
    [],
    [],
  ]);
  const writing: CheckState = { ...planCheck, state: 'writing' };
  assert.deepEqual(await thrice(issue, { kind: 'setCheck', check: writing }), [
    ['POST /repos/ann/shop/check-runs'],
    [],
    [],
  ]);
  assert.deepEqual(
    runs().map(({ status, conclusion }) => ({ status, conclusion })),
    [
      { status: 'completed', conclusion: 'action_required' },
      { status: 'in_progress', conclusion: null },
    ],
  );
});

test('a check that GitHub made but did not answer for is adopted', async () => {
  const { issue, pull } = planned();
  const context = await look(issue);
  world.forge.faults.add({
    match: { method: 'POST', path: /check-runs$/ },
    effect: { kind: 'performThenStatus', status: 502 },
  });
  await world.github.act({ kind: 'setCheck', check: planCheck }, context);
  assert.equal(world.repository.checkRuns.filter((run) => run.headSha === pull.pullRequest.headSha).length, 1);
});

test('a head that was pushed after the look gets its checks without a look; one known before gets a look', async () => {
  const { issue } = planned();
  const context = await look(issue);
  context.head = world.commit(world.app.account, `planwright/issue-${issue.number}`, { x: 'y' }, 'more');
  world.takeRequests();
  await world.github.act({ kind: 'setCheck', check: planCheck }, context);
  assert.deepEqual(world.takeRequests(), ['POST /repos/ann/shop/check-runs']);

  const orphan = asked();
  const head = world.plan(orphan);
  const again = await look(orphan);
  again.head = head;
  world.takeRequests();
  await world.github.act({ kind: 'setCheck', check: planCheck }, again);
  assert.deepEqual(
    world.takeRequests().map((request) => request.replace(/\?.*/, '')),
    [`GET /repos/ann/shop/commits/${head}/check-runs`, 'POST /repos/ann/shop/check-runs'],
  );
});

test("a plan's approvals are set aside once, and only approvals", async () => {
  const { issue, pull } = planned();
  const approval = world.review(pull, 'wes', { event: 'APPROVE' });
  const objection = world.review(pull, 'mia', { event: 'REQUEST_CHANGES', body: 'no' });
  const calls = await thrice(issue, { kind: 'holdApprovals', reviews: [approval.id, objection.id] });
  assert.deepEqual(calls, [[`PUT /repos/ann/shop/pulls/${pull.number}/reviews/${approval.id}/dismissals`], [], []]);
  const { facts } = await look(issue);
  assert.deepEqual(
    facts.pullRequests[0]?.reviews.map(({ state, isHeldByThisApp }) => ({ state, isHeldByThisApp })),
    [
      { state: 'DISMISSED', isHeldByThisApp: true },
      { state: 'CHANGES_REQUESTED', isHeldByThisApp: false },
    ],
  );
});

test('where GitHub refuses to dismiss an approval, the rest goes on', async () => {
  const { issue, pull } = planned();
  const approval = world.review(pull, 'wes', { event: 'APPROVE' });
  const body = { message: 'You are not authorized to dismiss reviews on this branch' };
  world.forge.faults.add({
    match: { method: 'PUT', path: /dismissals/ },
    effect: { kind: 'status', status: 403, body },
  });
  await world.github.act({ kind: 'holdApprovals', reviews: [approval.id] }, await look(issue));
  assert.equal(world.pullRequest(pull.number).pullRequest.reviews[0]?.state, 'APPROVED');
});

test("the pull request's text is set once, and it is marked ready once", async () => {
  const { issue, pull } = planned();
  const report = {
    steps: [{ title: 'Clear it', commit: 'c'.repeat(40), files: ['README.md'] }],
    files: [{ path: 'README.md', planned: 'modify', actual: 'modify' }],
    verifications: [],
    deviations: [],
  };
  assert.deepEqual(await thrice(issue, { kind: 'setPullRequestText', run: 'run-3', report }), [
    [`PATCH /repos/ann/shop/pulls/${pull.number}`],
    [],
    [],
  ]);
  assert.match(world.pullRequest(pull.number).body ?? '', new RegExp(`^Closes #${issue.number}\n`));
  assert.deepEqual(await thrice(issue, { kind: 'markReady' }), [['graphql MarkReady'], [], []]);
  assert.equal(world.pullRequest(pull.number).pullRequest.draft, false);
});

test('a pull request that GitHub marked ready but did not answer for is looked at, and not marked again', async () => {
  const { issue } = planned();
  const context = await look(issue);
  const match = ({ body }: { readonly body: unknown }) => JSON.stringify(body).includes('MarkReady');
  world.forge.faults.add({ match, effect: { kind: 'performThenStatus', status: 502 } });
  world.takeRequests();
  await world.github.act({ kind: 'markReady' }, context);
  assert.equal(world.takeRequests().filter((request) => request === 'graphql MarkReady').length, 1);
});

test("no call of all these breaks GitHub's own description", () => {
  assert.deepEqual(world.forge.violations, []);
});
