import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide } from '../../src/lifecycle/decide.ts';
import type { World } from './world.ts';
import * as the from './world.ts';

/** Plays events, each followed by the app until it rests; gives the states in turn. */
function play(world: World, ...events: readonly ((world: World) => void)[]): readonly string[] {
  return events.map((happen) => {
    world.tick += 1;
    happen(world);
    return the.reconcile(world).state;
  });
}

const label = (world: World) => the.setLabel(world, the.writer, 'labeled');
const unlabel = (world: World) => the.setLabel(world, the.writer, 'unlabeled');
const claim = (world: World) => the.work(world, 'claim');
const deliver = (world: World) => the.work(world, 'finish');
const fail = (world: World) => the.work(world, 'fail');
const ask = (world: World) => the.work(world, 'ask');
const approve = (world: World) => void the.addReview(world, the.writer, 'APPROVED');
const object = (world: World) => void the.addReview(world, the.writer, 'CHANGES_REQUESTED');
const say = (body: string) => (world: World) => the.addComment(world, the.writer, body);

test('the whole path: label, plan, changes requested, revision, approval, implementation, merge', () => {
  const world = the.createWorld();
  assert.deepEqual(
    play(world, label, claim, deliver, object, claim, deliver, approve, claim, deliver, approve, (w) =>
      the.endPullRequest(w, 'merged'),
    ),
    [
      'pending',
      'planning',
      'awaiting_approval',
      'planning',
      'planning',
      'awaiting_approval',
      'implementing',
      'implementing',
      'implemented',
      'implemented',
      'completed',
    ],
  );
  assert.equal(world.pullRequests.length, 1);
  assert.deepEqual(
    world.runs.map((run) => [run.phase, run.causes, run.isSettled]),
    [
      ['plan', ['LE_1'], true],
      ['plan', ['review:100'], true],
      ['implement', ['review:101'], true],
    ],
  );
});

test('after an implementation the pull request is ready, its plan approval is held, and the code waits for a review', () => {
  const world = the.createWorld();
  play(world, label, deliver, approve, deliver);
  const own = the.openPullRequest(world);
  assert.equal(own?.isDraft, false);
  assert.deepEqual(own?.checks, { 'planwright/plan': 'opened@sha-run2', 'planwright/code': 'waiting@sha-run2' });
  assert.deepEqual(
    own?.reviews.map((review) => [review.state, review.isHeldByThisApp]),
    [['DISMISSED', true]],
  );
  play(world, approve);
  assert.equal(own?.checks['planwright/code'], 'approved@sha-run2');
});

test('the checklist of an implementation is in the check while it is at work, and not in that of the round after it', () => {
  const world = the.createWorld();
  play(world, label, deliver, approve, claim);
  const tasks = [{ title: 'Keep the answer', status: 'done' } as const];
  world.runs = world.runs.map((run) => (run.phase === 'implement' ? { ...run, tasks } : run));
  const shown = () =>
    decide(the.factsOf(world), { runs: world.runs }).actions.flatMap((action) =>
      action.kind === 'setCheck' && action.check.name === 'planwright/code' ? [action.check] : [],
    );
  const building = { name: 'planwright/code', state: 'building', approvers: [] };
  assert.deepEqual(shown(), [{ ...building, tasks }]);
  the.work(world, 'finish');
  assert.deepEqual(shown()[0], { ...building, tasks });
  play(world, () => undefined);
  object(world);
  assert.deepEqual(shown(), [building]);
});

test('comments without a verdict wait, and go along with the next verdict', () => {
  const world = the.createWorld();
  play(world, label, deliver, (w) => void the.addReview(w, the.writer, 'COMMENTED', { body: 'a thought' }));
  assert.equal(world.runs.length, 1);
  play(world, object);
  assert.deepEqual(world.runs.at(-1)?.causes, ['review:100', 'review:101']);
});

test('a label by a reader starts nothing and is answered once; by a writer afterwards it starts', () => {
  const world = the.createWorld();
  const readerLabels = (w: World) => the.setLabel(w, the.reader, 'labeled');
  assert.deepEqual(
    play(world, readerLabels, () => {}, unlabel, label),
    ['inactive', 'inactive', 'inactive', 'pending'],
  );
  assert.deepEqual(world.marks, ['refused:LE_1']);
});

test('a label by a person whose permission cannot be read is neither followed nor refused', () => {
  const world = the.createWorld({ permissions: {} });
  assert.deepEqual(play(world, label), ['inactive']);
  assert.deepEqual(world.marks, []);
  world.permissions = { 1: 'write' };
  assert.deepEqual(
    play(world, () => {}),
    ['pending'],
  );
});

test('a label that only bears the name, without an event, starts nothing', () => {
  const world = the.createWorld({ labels: ['plan'] });
  assert.deepEqual(
    play(world, () => {}),
    ['inactive'],
  );
});

test('taking the label off stops the run; setting it again starts over on the same thread', () => {
  const world = the.createWorld();
  assert.deepEqual(play(world, label, claim, unlabel, claim, label), [
    'pending',
    'planning',
    'exit_pending',
    'inactive',
    'pending',
  ]);
  assert.deepEqual(
    world.runs.map((run) => run.status),
    ['cancelled', 'queued'],
  );
});

test('an approval that goes away stops the implementation, and nothing is pushed', () => {
  const world = the.createWorld();
  const states = play(world, label, deliver, approve, claim, (w) => the.dismissLatest(w), deliver);
  assert.deepEqual(states.slice(-2), ['exit_pending', 'awaiting_approval']);
  assert.equal(the.openPullRequest(world)?.codeFiles.length, 0);
});

test('an approval that is dismissed stops the implementation, though nobody asks any more what its reviewer may do', () => {
  const world = the.createWorld();
  play(world, label, deliver, approve, claim);
  the.dismissLatest(world);
  const { state } = decide({ ...the.factsOf(world), permissions: {} }, { runs: world.runs });
  assert.equal(state, 'exit_pending');
});

test('a permission that cannot be read neither stops an implementation nor lets it be pushed', () => {
  const world = the.createWorld();
  play(world, label, deliver, approve, claim);
  const look = () => decide({ ...the.factsOf(world), permissions: {} }, { runs: world.runs });
  assert.equal(look().state, 'implementing');
  world.tick += 1;
  deliver(world);
  assert.equal(look().state, 'implementing');
  assert.deepEqual(
    look().actions.filter(({ kind }) => kind === 'publishImplementation'),
    [],
  );
});

test('changes requested while finished work waits to be pushed: nothing is pushed, the plan is revised', () => {
  const world = the.createWorld();
  play(world, label, deliver, approve);
  world.tick += 1;
  the.work(world, 'finish');
  the.addReview(world, the.writer, 'CHANGES_REQUESTED');
  assert.equal(the.reconcile(world).state, 'planning');
  assert.equal(the.openPullRequest(world)?.codeFiles.length, 0);
  assert.deepEqual(
    world.runs.map((run) => [run.phase, run.status]),
    [
      ['plan', 'parked'],
      ['implement', 'cancelled'],
      ['plan', 'queued'],
    ],
  );
});

test('a request for changes that is dismissed stops its revision, of the plan and of the code', () => {
  const dismiss = (w: World) => the.dismissLatest(w);
  const plan = the.createWorld();
  assert.deepEqual(play(plan, label, deliver, object, dismiss, claim).slice(-2), ['exit_pending', 'awaiting_approval']);
  const code = the.createWorld();
  assert.deepEqual(play(code, label, deliver, approve, deliver, object, dismiss, claim).slice(-2), [
    'exit_pending',
    'implemented',
  ]);
});

test('a failed run waits for /retry, and /retry is heard once', () => {
  const world = the.createWorld();
  assert.deepEqual(
    play(
      world,
      label,
      fail,
      () => {},
      say('/retry'),
      fail,
      () => {},
    ),
    ['pending', 'failed', 'failed', 'pending', 'failed', 'failed'],
  );
  assert.equal(world.runs.length, 2);
});

test('a failed revision does not lose the plan: its approval still starts the implementation', () => {
  const world = the.createWorld();
  assert.deepEqual(play(world, label, deliver, object, fail, approve).slice(-2), ['failed', 'implementing']);
});

test('a question parks the run until a person who may answer does', () => {
  const world = the.createWorld();
  const stranger = { id: 6, login: 'sam', kind: 'user', isThisApp: false } as const;
  const states = play(world, label, ask, (w) => the.addComment(w, stranger, 'do it'), say('the first one'));
  assert.deepEqual(states, ['pending', 'awaiting_answer', 'awaiting_answer', 'planning']);
  assert.deepEqual(world.runs.at(-1)?.causes, ['comment:502']);
});

test('closing the pull request abandons the plan; a new label starts a new branch and links the old one', () => {
  const world = the.createWorld();
  const close = (w: World) => the.endPullRequest(w, 'closed');
  assert.deepEqual(play(world, label, deliver, close, () => {}, unlabel, label, deliver).slice(2), [
    'abandoned',
    'abandoned',
    'abandoned',
    'pending',
    'awaiting_approval',
  ]);
  assert.deepEqual(
    world.pullRequests.map((own) => [own.branch, own.state]),
    [
      ['planwright/issue-7', 'closed'],
      ['planwright/issue-7-2', 'open'],
    ],
  );
});

test('while an attempt has no pull request yet, the one before it is named as such and not as its own', () => {
  const world = the.createWorld();
  const close = (w: World) => the.endPullRequest(w, 'closed');
  play(world, label, deliver, close, unlabel, label);
  const closed = world.pullRequests[0]?.number;
  const named = () => {
    const status: { readonly pullRequest: unknown; readonly previousPullRequest: unknown } = JSON.parse(
      world.sticky ?? '{}',
    );
    return { pullRequest: status.pullRequest, previousPullRequest: status.previousPullRequest };
  };
  assert.deepEqual(named(), { pullRequest: null, previousPullRequest: closed });
  play(world, claim);
  assert.deepEqual(named(), { pullRequest: null, previousPullRequest: closed });
  play(world, deliver);
  assert.deepEqual(named(), { pullRequest: world.pullRequests[1]?.number, previousPullRequest: closed });
});

test("a branch of the expected name with somebody else's commits is left alone", () => {
  const world = the.createWorld();
  world.branches['planwright/issue-7'] = {
    sha: 'foreign',
    headline: 'mine',
    committedAt: the.now(world),
    trailers: null,
  };
  play(world, label, deliver);
  assert.equal(world.branches['planwright/issue-7']?.sha, 'foreign');
  assert.equal(the.openPullRequest(world)?.branch, 'planwright/issue-7-2');
});

test('with the memory gone an open plan is found again, and an approval is read anew', () => {
  const world = the.createWorld();
  play(world, label, deliver);
  world.runs = [];
  assert.deepEqual(
    play(world, () => {}, approve),
    ['awaiting_approval', 'implementing'],
  );
  assert.equal(world.pullRequests.length, 1);
});

test('with the memory gone a failure on GitHub stays a failure until a writer says so', () => {
  const world = the.createWorld();
  play(world, label, fail);
  world.runs = [];
  world.labelEvents = [
    ...world.labelEvents,
    { id: 'LE_f', kind: 'labeled', label: 'plan: failed', by: the.app, at: the.now(world), labelChangedAt: null },
  ];
  assert.deepEqual(
    play(world, () => {}, say('/retry')),
    ['failed', 'pending'],
  );
});

test('changes requested on the code start an implementation under the same plan', () => {
  const world = the.createWorld();
  const states = play(world, label, deliver, approve, deliver, object, deliver);
  assert.deepEqual(states.slice(-2), ['implementing', 'implemented']);
  const [, first, second] = world.runs;
  assert.deepEqual(second?.approval, first?.approval);
  assert.deepEqual(second?.causes, ['review:101']);
});

test('changes requested on code whose approval is lost start nothing, and the thread says why', () => {
  const world = the.createWorld();
  play(world, label, deliver, approve, deliver);
  world.runs = [];
  for (const own of world.pullRequests) {
    own.commits = own.commits.map((commit) => ({
      ...commit,
      trailers: commit.trailers === null ? null : { ...commit.trailers, receipt: null },
    }));
  }
  assert.deepEqual(play(world, object), ['implemented']);
  assert.equal(world.runs.length, 0);
  assert.match(world.sticky ?? '', /the approval that it came of cannot be found/);
});

test('/replan after an implementation takes the code out again, and its plan needs an approval of its own', () => {
  const world = the.createWorld();
  const states = play(world, label, deliver, approve, deliver, say('/replan start over'), deliver, approve);
  assert.deepEqual(states.slice(-3), ['planning', 'awaiting_approval', 'implementing']);
  assert.equal(world.runs.at(-1)?.approval?.head, 'sha-run3');
});

test('/replan is refused where it would take commits of people out', () => {
  const world = the.createWorld();
  play(world, label, deliver, approve, deliver, (w) => the.pushByPerson(w, 'src/b.ts'));
  assert.deepEqual(
    play(world, say('/replan'), () => {}),
    ['implemented', 'implemented'],
  );
  assert.deepEqual(
    world.marks.filter((mark) => mark.startsWith('refused')),
    ['refused:comment:500'],
  );
});

test('what the plan lint still says stands in the check of the plan', () => {
  const world = the.createWorld();
  play(world, label);
  const findings = ['line 4: src/a.ts: expected an existing file'];
  world.runs = world.runs.map((run) => ({
    ...run,
    status: 'finished',
    outcome: { kind: 'plan_ready', plan: 'plan', findings, answers: [] },
  }));
  the.reconcile(world);
  const check = decide(the.factsOf(world), { runs: world.runs }).actions.find(
    (action) => action.kind === 'setCheck' && action.check.name === 'planwright/plan',
  );
  assert.deepEqual(
    check?.kind === 'setCheck' && check.check.name === 'planwright/plan' && check.check.verdict.warnings,
    ['Plan lint: line 4: src/a.ts: expected an existing file'],
  );
});

test('approval.stale: replan plans once more from the tip of the base, once for each tip', () => {
  const world = the.createWorld({ policy: { ...the.policy, approval: { ...the.policy.approval, stale: 'replan' } } });
  play(world, label, deliver);
  world.changedOnBase = ['src/a.ts'];
  assert.deepEqual(
    play(world, approve, fail, () => {}),
    ['planning', 'failed', 'failed'],
  );
  assert.deepEqual(world.runs.at(-1)?.causes, ['base:base0']);
});

test('commands count on the first line alone, unquoted and unedited', () => {
  const looks = ['> /retry', 'please /retry', '```\n/retry\n```', 'text\n/retry', '/retryy', ' /retry'];
  for (const body of looks) {
    const world = the.createWorld();
    assert.deepEqual(play(world, label, fail, say(body)).at(-1), 'failed', body);
  }
  const edited = the.createWorld();
  play(edited, label, fail, say('/retry'));
  assert.equal(edited.runs.length, 2);
  const before = the.createWorld();
  play(before, label, fail);
  the.addComment(before, the.writer, '/retry');
  before.comments = before.comments.map((comment) => ({ ...comment, editedAt: '2026-01-01T00:00:00Z' }));
  assert.equal(the.reconcile(before).state, 'failed');
});

test('a comment that is long and nearly a command is read at once', () => {
  const world = the.createWorld();
  the.addComment(world, the.reader, `/plan${' '.repeat(65_000)}\rx`);
  const begin = performance.now();
  the.reconcile(world);
  const milliseconds = performance.now() - begin;
  assert.ok(milliseconds < 1000, `expected less than a second, got ${milliseconds} ms`);
});

test('a configuration that cannot be read starts nothing and is told on the issue', () => {
  const world = the.createWorld();
  label(world);
  const facts = { ...the.factsOf(world), policy: { problems: ['line 2: approval.required: expected a number'] } };
  const decision = decide(facts, { runs: [] });
  assert.equal(decision.state, 'inactive');
  assert.deepEqual(
    decision.actions.map((action) => action.kind),
    ['setStatusComment'],
  );
});

test('a repository without a commit, and an archived one, start nothing', () => {
  const world = the.createWorld();
  label(world);
  const facts = the.factsOf(world);
  for (const repository of [
    { ...facts.repository, defaultBranch: null },
    { ...facts.repository, isArchived: true },
  ]) {
    const decision = decide({ ...facts, repository }, { runs: [] });
    assert.equal(decision.state, 'inactive');
    assert.ok(!decision.actions.some((action) => action.kind === 'startRun'));
  }
});
