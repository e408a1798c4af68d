import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Action } from '../../src/lifecycle/actions.ts';
import { decide } from '../../src/lifecycle/decide.ts';
import type { Disturbance, Person } from '../../src/lifecycle/facts.ts';
import type { Pass, World } from './world.ts';
import * as the from './world.ts';

const otto: Person = { id: 5, login: 'otto', kind: 'user', isThisApp: false };

/** A thread whose plan is under review by two writers. */
function planned(overrides: Partial<World> = {}): World {
  const world = the.createWorld({ permissions: { 1: 'write', 2: 'read', 5: 'write' }, ...overrides });
  step(world, () => the.setLabel(world, the.writer, 'labeled'));
  step(world, () => the.work(world, 'claim'));
  step(world, () => the.work(world, 'finish'));
  return world;
}

function step(world: World, happen: () => unknown): Pass {
  world.tick += 1;
  happen();
  return the.reconcile(world);
}

function own(world: World) {
  const found = the.openPullRequest(world);
  assert.ok(found !== undefined);
  return found;
}

const said = (world: World) => own(world).comments.map(({ marker }) => marker);
const lapsedIn = (actions: readonly Action[]) =>
  actions.flatMap((action) => (action.kind === 'tellLapsed' ? [action.lapsed] : []));
const phases = (world: World) => world.runs.map(({ phase }) => phase);

test('an approval of a commit that is no longer the head starts nothing; one comment asks for a review of the head', () => {
  const world = planned();
  const before = own(world).head;
  step(world, () => the.pushByPerson(world));
  const late = step(world, () => the.addReview(world, the.writer, 'APPROVED', { commit: before }));
  const head = own(world).head;
  assert.equal(late.state, 'awaiting_approval');
  assert.deepEqual(lapsedIn(late.effects), [
    [
      {
        login: 'wanda',
        why: `names commit ${before.slice(0, 7)}, and the head is ${head.slice(0, 7)}: a person has changed the branch since`,
      },
    ],
  ]);
  assert.deepEqual(
    [said(world), own(world).requested, phases(world)],
    [[`lapsed:review:100@${head}`], ['wanda'], ['plan']],
  );
  assert.deepEqual(the.reconcile(world).effects, []);
});

test("a person's commit lapses every approval that stood, with one comment and a request to each", () => {
  const world = planned({ policy: { ...the.policy, approval: { ...the.policy.approval, required: 3 } } });
  step(world, () => the.addReview(world, the.writer, 'APPROVED'));
  step(world, () => the.addReview(world, otto, 'APPROVED'));
  step(world, () => the.addReview(world, the.reader, 'APPROVED'));
  const { effects } = step(world, () => the.pushByPerson(world));
  assert.deepEqual(
    lapsedIn(effects).map((lapsed) => lapsed.map(({ login }) => login)),
    [['wanda', 'otto']],
  );
  assert.deepEqual([said(world).length, own(world).requested], [1, ['wanda', 'otto']]);
});

for (const [kind, words] of [
  ['force_pushed', 'force-pushed'],
  ['base_changed', 'pointed at another base'],
  ['reopened', 'reopened'],
] as const satisfies readonly (readonly [Disturbance['kind'], string])[]) {
  test(`an approval of before the pull request was ${words} is told as lapsed once, whatever its commit`, () => {
    const world = planned({ policy: { ...the.policy, approval: { ...the.policy.approval, required: 2 } } });
    step(world, () => the.addReview(world, the.writer, 'APPROVED'));
    const { effects } = step(world, () => {
      own(world).disturbances = [{ kind, at: the.now(world) }];
    });
    assert.deepEqual(lapsedIn(effects), [[{ login: 'wanda', why: `given before the pull request was ${words}` }]]);
    assert.deepEqual(lapsedIn(step(world, () => undefined).effects), []);
  });
}

test('a revision tells of the approvals that lapse with it, asks those people again, and nothing is told twice', () => {
  const world = planned({ policy: { ...the.policy, approval: { ...the.policy.approval, required: 2 } } });
  const from = own(world).head;
  step(world, () => the.addReview(world, the.writer, 'APPROVED'));
  step(world, () => the.addReview(world, otto, 'CHANGES_REQUESTED'));
  step(world, () => the.work(world, 'claim'));
  const { effects } = step(world, () => the.work(world, 'finish'));
  const tell = effects.filter(({ kind }) => kind === 'tellRevision' || kind === 'tellLapsed');
  assert.deepEqual(tell, [{ kind: 'tellRevision', run: 'run2', from, answers: [] }]);
  assert.deepEqual([said(world), own(world).requested], [['revision:run2'], ['wanda', 'otto']]);
  assert.deepEqual(the.reconcile(world).effects, []);
});

test('an approval of the old plan, given while its revision is being published, is asked for again and never lost silently', () => {
  const world = planned();
  const old = own(world).head;
  step(world, () => the.addReview(world, otto, 'CHANGES_REQUESTED'));
  step(world, () => the.work(world, 'claim'));
  the.work(world, 'finish');
  const seen = decide(the.factsOf(world), { runs: world.runs });
  assert.ok(seen.actions.some(({ kind }) => kind === 'publishPlan'));
  the.reconcile(world);
  const { state, effects } = step(world, () => the.addReview(world, the.writer, 'APPROVED', { commit: old }));
  assert.equal(state, 'awaiting_approval');
  assert.deepEqual(
    lapsedIn(effects).map((lapsed) => lapsed.map(({ login }) => login)),
    [['wanda']],
  );
  assert.deepEqual([phases(world), own(world).requested.includes('wanda')], [['plan', 'plan'], true]);
});

test('an approval of the new plan, given while its revision is still being published, is honoured exactly once', () => {
  for (let done = 1; done < 12; done += 1) {
    const world = planned();
    step(world, () => the.addReview(world, the.writer, 'CHANGES_REQUESTED'));
    step(world, () => the.work(world, 'claim'));
    the.work(world, 'finish');
    the.reconcileUntil(world, done);
    world.tick += 1;
    if (own(world).head === 'sha-run2') the.addReview(world, the.writer, 'APPROVED');
    the.reconcile(world);
    the.reconcile(world);
    const isApproved = own(world).reviews.length === 2;
    assert.deepEqual(phases(world), isApproved ? ['plan', 'plan', 'implement'] : ['plan', 'plan'], `after ${done}`);
    assert.equal(said(world).filter((marker) => marker?.startsWith('lapsed:')).length, 0);
  }
});

test('while something is at work that changes the plan, and once there is code, no lapsed approval is told', () => {
  const world = planned({ policy: { ...the.policy, approval: { ...the.policy.approval, required: 2 } } });
  step(world, () => the.addReview(world, the.writer, 'APPROVED'));
  step(world, () => {
    the.addReview(world, otto, 'CHANGES_REQUESTED');
    the.pushByPerson(world);
  });
  assert.deepEqual(said(world), []);
  const built = planned();
  step(built, () => the.addReview(built, the.writer, 'APPROVED'));
  step(built, () => the.work(built, 'claim'));
  step(built, () => the.work(built, 'finish'));
  assert.deepEqual([own(built).reviews[0]?.state, said(built)], ['DISMISSED', []]);
});

test('an approval that never could count does not lapse', () => {
  const strict = { ...the.policy, approval: { ...the.policy.approval, notByRequester: true } };
  const world = planned({ policy: strict });
  for (const person of [the.writer, the.reader, the.bot, null])
    step(world, () => the.addReview(world, person, 'APPROVED'));
  step(world, () => the.pushByPerson(world));
  assert.deepEqual(said(world), []);
});

test('editing or deleting an old review, a comment or the issue starts no run', () => {
  const world = planned();
  step(world, () => the.addReview(world, the.writer, 'CHANGES_REQUESTED'));
  step(world, () => the.work(world, 'claim'));
  step(world, () => the.work(world, 'finish'));
  const edits: readonly (() => void)[] = [
    () => {
      own(world).reviews = own(world).reviews.map((review) => ({ ...review, body: '/plan', editedAt: the.now(world) }));
    },
    () => {
      own(world).reviews = [];
    },
    () => the.addReview(world, the.writer, 'COMMENTED', { body: 'approved, go', editedAt: the.now(world) }),
    () => {
      world.comments = world.comments.map((comment) => ({ ...comment, body: '/plan', editedAt: the.now(world) }));
    },
  ];
  for (const edit of edits) assert.equal(step(world, edit).state, 'awaiting_approval');
  assert.deepEqual(phases(world), ['plan', 'plan']);
});

test('a bot that requests changes on every revision starts no round, and approves none', () => {
  const world = planned();
  for (const state of ['CHANGES_REQUESTED', 'APPROVED', 'CHANGES_REQUESTED']) {
    assert.equal(step(world, () => the.addReview(world, the.bot, state)).state, 'awaiting_approval');
  }
  assert.deepEqual(phases(world), ['plan']);
  step(world, () => the.addReview(world, the.writer, 'APPROVED'));
  assert.deepEqual(phases(world), ['plan', 'implement']);
});

test('a revision that asks a question still answers its reviews once it has the answer', () => {
  const world = planned();
  step(world, () => the.addReview(world, the.writer, 'CHANGES_REQUESTED'));
  step(world, () => the.work(world, 'claim'));
  step(world, () => the.work(world, 'ask'));
  step(world, () => the.addComment(world, the.writer, 'The second.'));
  assert.deepEqual(world.runs.at(-1)?.causes, ['review:100', `comment:${world.comments.at(-1)?.id}`]);
  step(world, () => the.work(world, 'claim'));
  step(world, () => the.work(world, 'finish'));
  assert.deepEqual(own(world).commits.at(-1)?.trailers?.reviews, [100]);
});

test('a request for changes that is withdrawn stops the revision also where it had asked a question', () => {
  const world = planned();
  step(world, () => the.addReview(world, the.writer, 'CHANGES_REQUESTED'));
  step(world, () => the.work(world, 'claim'));
  step(world, () => the.work(world, 'ask'));
  step(world, () => the.addComment(world, the.writer, 'The second.'));
  assert.equal(step(world, () => the.dismissLatest(world)).state, 'exit_pending');
});

test('comments without a verdict wait, and go with the next verdict', () => {
  const world = planned();
  assert.equal(step(world, () => the.addReview(world, otto, 'COMMENTED', { body: 'Hm.' })).state, 'awaiting_approval');
  step(world, () => the.addReview(world, the.reader, 'COMMENTED', { body: 'Delete it all.' }));
  const { effects } = step(world, () => the.addReview(world, the.writer, 'CHANGES_REQUESTED'));
  const orders = effects.flatMap((action) => (action.kind === 'startRun' ? [action.order.occasion] : []));
  assert.deepEqual(orders, [{ kind: 'reviews', reviews: [100, 102] }]);
});
