import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amendmentReasons } from '../../src/lifecycle/amendment.ts';
import type { World } from './world.ts';
import * as the from './world.ts';

/** Something happens and the app looks, until it is at rest. */
function look(world: World, event: (world: World) => void) {
  world.tick += 1;
  event(world);
  return the.reconcile(world);
}

const claim = (world: World) => the.work(world, 'claim');
const finish = (world: World) => the.work(world, 'finish');
const amend = (world: World) => the.work(world, 'amend');
const approve = (world: World) => the.addReview(world, the.writer, 'APPROVED');
const object = (world: World) => the.addReview(world, the.writer, 'CHANGES_REQUESTED');
const say = (text: string) => (world: World) => the.addComment(world, the.writer, text);

/** An approved plan whose implementation is at work. */
function implementing(overrides: Partial<World> = {}): World {
  const world = the.createWorld(overrides);
  for (const event of [(of: World) => the.setLabel(of, the.writer, 'labeled'), claim, finish, approve, claim]) {
    look(world, event);
  }
  return world;
}

/** The same, with an amendment that waits for approval. */
function amended(): World {
  const world = implementing();
  look(world, amend);
  return world;
}

function pullOf(world: World) {
  const pull = the.openPullRequest(world);
  assert.ok(pull !== undefined);
  return pull;
}

/** What the run that is ordered by an approval goes on with. */
function resumesOf({ effects }: the.Pass): string | null {
  const started = effects.find(({ kind }) => kind === 'startRun');
  assert.ok(started?.kind === 'startRun' && started.order.occasion.kind === 'approval');
  return started.order.occasion.resumes;
}

test('an amendment becomes the plan of the pull request, is told once, and waits for approval as a draft', () => {
  const world = implementing();
  const approved = pullOf(world).head;
  const { state, effects } = look(world, amend);
  assert.equal(state, 'awaiting_approval');
  const own = effects.filter(({ kind }) => ['publishPlan', 'tellAmendment', 'settleRun'].includes(kind));
  assert.deepEqual(own, [
    { kind: 'publishPlan', run: 'run2' },
    { kind: 'tellAmendment', run: 'run2', from: approved },
    { kind: 'settleRun', run: 'run2', as: 'published' },
  ]);
  const pull = pullOf(world);
  assert.deepEqual(
    [pull.head, pull.isDraft, pull.commits.at(-1)?.trailers?.phase, pull.requested],
    ['sha-run2', true, 'plan', ['wanda']],
  );
  assert.equal(pull.checks['planwright/plan'], 'waiting@sha-run2');
  assert.equal(world.statusLabel, 'plan: review');
  assert.match(world.sticky ?? '', /Its work so far is kept/);
  assert.deepEqual([world.runs.at(-1)?.status, world.runs.length], ['parked', 2]);
});

test('the approval before the amendment starts nothing; one of the amended plan goes on with the kept work', () => {
  const world = amended();
  assert.equal(look(world, () => undefined).state, 'awaiting_approval');
  assert.equal(world.runs.length, 2);
  const pass = look(world, approve);
  assert.deepEqual([pass.state, resumesOf(pass)], ['implementing', 'run2']);
  const run = world.runs.at(-1);
  assert.deepEqual([run?.phase, run?.head, run?.approval?.head], ['implement', 'sha-run2', 'sha-run2']);
  look(world, claim);
  assert.equal(look(world, finish).state, 'implemented');
});

test('an earlier approver reads of an amendment in one comment, also after commenting on the amended plan', () => {
  const world = amended();
  assert.deepEqual(pullOf(world).requested, ['wanda']);
  look(world, (of) => the.addReview(of, the.writer, 'COMMENTED'));
  look(world, () => undefined);
  assert.deepEqual(
    [pullOf(world).comments.map(({ marker }) => marker), pullOf(world).requested],
    [['amendment:run2'], []],
  );
  assert.equal(resumesOf(look(world, approve)), 'run2');
});

test('changes requested on an amendment have the plan revised, and the approval of that goes on with the kept work', () => {
  const world = amended();
  assert.equal(look(world, object).state, 'planning');
  assert.deepEqual([world.runs.at(-1)?.phase, world.runs.at(-1)?.head], ['plan', 'sha-run2']);
  look(world, claim);
  assert.equal(look(world, finish).state, 'awaiting_approval');
  assert.equal(resumesOf(look(world, approve)), 'run2');
});

test('a plan that was written anew is implemented from its beginning', () => {
  const world = amended();
  look(world, say('/replan'));
  look(world, claim);
  look(world, finish);
  assert.equal(resumesOf(look(world, approve)), null);
  assert.deepEqual(amendmentReasons(world.runs, 'planwright/issue-7'), []);
});

test('an implementation may amend its plan again: the newest work is what goes on', () => {
  const world = amended();
  for (const event of [approve, claim, amend]) look(world, event);
  assert.equal(resumesOf(look(world, approve)), 'run3');
  assert.deepEqual(amendmentReasons(world.runs, 'planwright/issue-7'), [
    'src/b.ts must change too.',
    'src/b.ts must change too.',
  ]);
});

test('work that goes on and is called off goes on once more when the plan is approved again', () => {
  const world = amended();
  for (const event of [approve, claim, the.dismissLatest, claim]) look(world, event);
  assert.equal(world.runs.at(-1)?.status, 'cancelled');
  assert.equal(resumesOf(look(world, approve)), 'run2');
});

test('work that goes on and fails goes on from where it was kept, by /retry as by a new approval', () => {
  for (const again of [say('/retry'), approve]) {
    const world = amended();
    for (const event of [approve, claim, (of: World) => the.work(of, 'fail')]) look(world, event);
    assert.equal(resumesOf(look(world, again)), 'run2');
  }
});

const withdrawing: readonly (readonly [string, (world: World) => void, string])[] = [
  ['the approval was dismissed', the.dismissLatest, 'awaiting_approval'],
  ['a reviewer requested changes', object, 'planning'],
  ['a person pushed', (world) => the.pushByPerson(world), 'awaiting_approval'],
  ['the label was taken off', (world) => the.setLabel(world, the.writer, 'unlabeled'), 'abandoned'],
  ['the pull request was closed', (world) => the.endPullRequest(world, 'closed'), 'abandoned'],
  [
    'a planned file changed on the base',
    (world) => {
      world.changedOnBase = ['src/a.ts'];
    },
    'awaiting_approval',
  ],
];

for (const [what, event, state] of withdrawing) {
  test(`an amendment is withdrawn, and nothing is pushed, where ${what} before it was published`, () => {
    const world = implementing();
    const head = pullOf(world).head;
    amend(world);
    const result = look(world, event);
    assert.equal(result.state, state);
    assert.deepEqual(
      result.effects.filter(({ kind }) => kind === 'publishPlan' || kind === 'tellAmendment'),
      [],
    );
    assert.equal(
      world.pullRequests[0]?.commits.some(({ sha }) => sha === 'sha-run2'),
      false,
    );
    assert.ok(what === 'a person pushed' || world.pullRequests[0]?.head === head);
    assert.equal(world.runs[1]?.status, 'cancelled');
  });
}

test('while it cannot be told whether the approval stands, an amendment is neither published nor given up', () => {
  const world = implementing();
  amend(world);
  const result = look(world, (of) => {
    of.permissions = { ...of.permissions, [the.writer.id]: 'unknown' };
  });
  assert.equal(
    result.effects.some(({ kind }) => kind === 'publishPlan' || kind === 'settleRun'),
    false,
  );
  assert.equal(
    look(world, (of) => {
      of.permissions = { 1: 'write', 2: 'read' };
    }).state,
    'awaiting_approval',
  );
});

test('a plan beside code is never published: an amendment of a later round changes nothing', () => {
  const world = implementing();
  for (const event of [finish, object, claim]) look(world, event);
  const { effects } = look(world, amend);
  assert.equal(
    effects.some(({ kind }) => kind === 'publishPlan'),
    false,
  );
  assert.deepEqual(pullOf(world).codeFiles, ['src/a.ts']);
});

test('a process that dies after any action of an amendment loses nothing and does nothing twice', () => {
  const whole = amended();
  for (let count = 0; count < 14; count += 1) {
    const world = implementing();
    world.tick += 1;
    amend(world);
    assert.equal(the.reconcile(world, count).state, 'awaiting_approval', `after ${count} actions`);
    assert.deepEqual({ ...world, sticky: '' }, { ...whole, sticky: '' }, `after ${count} actions`);
    assert.equal(resumesOf(look(world, approve)), 'run2');
  }
});

test('without memory an amended plan on the branch is just a plan in review', () => {
  const world = amended();
  world.runs = [];
  assert.equal(look(world, () => undefined).state, 'awaiting_approval');
  assert.equal(world.runs.length, 0);
  assert.equal(resumesOf(look(world, approve)), null);
});

test('a base that changed a planned file is told on the issue before approval, and a finished run is not pushed', () => {
  const move = (world: World) => {
    world.changedOnBase = ['src/a.ts'];
  };
  const waiting = the.createWorld();
  for (const event of [(of: World) => the.setLabel(of, the.writer, 'labeled'), claim, finish]) look(waiting, event);
  look(waiting, move);
  const told = /Planned files have changed on the base since the plan was written: src\/a\.ts\. .*\/replan/;
  assert.match(waiting.sticky ?? '', told);
  assert.equal(look(waiting, approve).state, 'awaiting_approval');
  assert.equal(waiting.runs.length, 1);
  const built = implementing();
  finish(built);
  const { state, effects } = look(built, move);
  assert.deepEqual([state, effects.some(({ kind }) => kind === 'publishImplementation')], ['awaiting_approval', false]);
  assert.match(built.sticky ?? '', /nothing of it was pushed\. Planned files have changed on the base/);
});
