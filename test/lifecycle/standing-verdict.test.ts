import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approved, nextRun, nobody, planInReview, verdictOf } from './gate-fixture.ts';
import * as the from './world.ts';

test('44: an approval that is dismissed before the run starts starts nothing, and the check says that it was dismissed', () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'APPROVED');
  the.dismissLatest(world);
  const { ignored, missing } = verdictOf(world);
  assert.deepEqual(
    { ignored, missing },
    { ignored: [{ review: 100, login: 'wanda', reason: 'dismissed' }], missing: [nobody] },
  );
  assert.equal(nextRun(world), null);
});

test('44, S67: a dismissal takes what its reviewer said before along', () => {
  for (const before of ['APPROVED', 'CHANGES_REQUESTED'] as const) {
    const world = planInReview();
    the.addReview(world, the.writer, before);
    world.tick += 1;
    the.addReview(world, the.writer, 'DISMISSED');
    assert.deepEqual(verdictOf(world).missing, [nobody]);
    assert.equal(nextRun(world), null);
  }
});

test('44: a change request that is dismissed asks for no revision, and is in no way any more', () => {
  const world = planInReview();
  the.addReview(world, the.maintainer, 'CHANGES_REQUESTED');
  the.dismissLatest(world);
  assert.equal(nextRun(world), null);
  the.addReview(world, the.writer, 'APPROVED');
  assert.equal(nextRun(world), 'implement');
});

test('S67: the dismissal of an earlier verdict leaves the later one standing', () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'DISMISSED');
  world.tick += 1;
  the.addReview(world, the.writer, 'APPROVED');
  assert.equal(verdictOf(world).isOpen, true);
});

test('49: who approves and then requests changes before the run starts gets a revision, not an implementation', () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'APPROVED');
  world.tick += 1;
  the.addReview(world, the.writer, 'CHANGES_REQUESTED');
  assert.deepEqual(verdictOf(world).missing, ['wanda has requested changes.', nobody]);
  assert.equal(nextRun(world), 'plan');
});

test('50: a COMMENTED review after an approval leaves it standing: one implementation in all', () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'APPROVED');
  world.tick += 1;
  the.addReview(world, the.writer, 'COMMENTED', { body: 'one more thought' });
  assert.equal(nextRun(world), 'implement');
  world.tick += 1;
  the.addReview(world, the.writer, 'COMMENTED', { body: 'and another' });
  assert.equal(nextRun(world), null);
});

test('52: who requested changes and approves the revised plan is in no way any more', () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'CHANGES_REQUESTED');
  assert.equal(nextRun(world), 'plan');
  the.work(world, 'finish');
  the.reconcile(world);
  world.tick += 1;
  the.addReview(world, the.writer, 'APPROVED');
  assert.equal(nextRun(world), 'implement');
});

test('52: a change request of an older commit blocks until its author says otherwise', () => {
  const world = planInReview();
  the.addReview(world, the.maintainer, 'CHANGES_REQUESTED');
  the.reconcile(world);
  the.work(world, 'finish');
  the.reconcile(world);
  world.tick += 1;
  the.addReview(world, the.writer, 'APPROVED');
  assert.deepEqual(verdictOf(world).missing, ['otto has requested changes.']);
  assert.equal(nextRun(world), null);
});

test('53: a COMMENTED review is no approval, whatever it says, and the check says what it is', () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'COMMENTED', { body: 'LGTM, approved, go ahead' });
  assert.deepEqual(verdictOf(world).ignored, [
    { review: 100, login: 'wanda', reason: 'comments, and gives no verdict' },
  ]);
  assert.equal(nextRun(world), null);
});

test('S67: a pending review is nothing, of whatever person', () => {
  const world = planInReview();
  approved(world);
  the.addReview(world, the.writer, 'PENDING', { submittedAt: null });
  the.addReview(world, the.maintainer, 'PENDING', { submittedAt: null });
  const { isOpen, ignored } = verdictOf(world);
  assert.deepEqual({ isOpen, ignored }, { isOpen: true, ignored: [] });
});

test('S67: the latest verdict is the latest by time, in whatever order reviews are listed, and by number in one second', () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'CHANGES_REQUESTED');
  the.addReview(world, the.writer, 'APPROVED');
  const own = the.openPullRequest(world);
  assert.ok(own);
  own.reviews = own.reviews.toReversed();
  assert.equal(verdictOf(world).isOpen, true);
  world.tick += 1;
  the.addReview(world, the.writer, 'CHANGES_REQUESTED', { id: 1 });
  own.reviews = own.reviews.toReversed();
  assert.equal(verdictOf(world).isOpen, false);
});

test('an unknown review state of an eligible person shuts the gate; webhooks write states in lower case, and none is guessed', () => {
  for (const state of ['ENDORSED', 'approved', 'Approved', '']) {
    const world = planInReview();
    the.addReview(world, the.writer, 'APPROVED');
    the.addReview(world, the.maintainer, state);
    assert.deepEqual(verdictOf(world).missing, ['The review by otto is in a state not known here.'], state);
    assert.equal(nextRun(world), null);
  }
});

test('an unknown review state of somebody without a say is in nobody’s way', () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'APPROVED');
  the.addReview(world, the.reader, 'ENDORSED');
  assert.equal(verdictOf(world).isOpen, true);
});

test('a verdict without a time that can be read is the last word of its author, and unclear', () => {
  for (const submittedAt of [null, 'yesterday']) {
    const world = planInReview();
    the.addReview(world, the.maintainer, 'CHANGES_REQUESTED', { submittedAt });
    world.tick += 1;
    the.addReview(world, the.maintainer, 'APPROVED');
    assert.deepEqual(verdictOf(world).missing, ['The review by otto is in a state not known here.', nobody]);
  }
});
