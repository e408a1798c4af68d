import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReviewThread } from '../../src/lifecycle/facts.ts';
import { approved, nextRun, nobody, planInReview, recheck, verdictOf, withApproval } from './gate-fixture.ts';
import type { World } from './world.ts';
import * as the from './world.ts';

const mend = 'resolve it, or set approval.require_resolved_threads: false.';
const ottos = `Open conversation of otto at plan.md:12: ${mend}`;

/** A plan that the writer has approved and on which these conversations are open. */
function planDiscussed(open: (world: World) => void, overrides: Partial<World> = {}): World {
  const world = planInReview(overrides);
  open(world);
  world.tick += 1;
  the.addReview(world, the.writer, 'APPROVED');
  return world;
}

function changed(world: World, change: Partial<ReviewThread>): void {
  world.threads = world.threads.map((thread) => ({ ...thread, ...change }));
}

test('S69: an open conversation that another eligible person began keeps the gate shut until it is resolved', () => {
  const world = planDiscussed((own) => the.openThread(own, 12, the.maintainer, the.writer));
  const { isOpen, counted, missing } = verdictOf(world);
  assert.deepEqual({ isOpen, counted: counted.length, missing }, { isOpen: false, counted: 1, missing: [ottos] });
  assert.equal(nextRun(world), null);
  changed(world, { isResolved: true });
  assert.equal(nextRun(world), 'implement');
});

test('S69: who approves has settled their own conversations', () => {
  const world = planDiscussed((own) => the.openThread(own, 12, the.writer, the.maintainer));
  assert.equal(nextRun(world), 'implement');
});

test('S69: an approval that does not count settles nothing', () => {
  const world = planDiscussed((own) => the.openThread(own, 12, the.maintainer));
  the.addReview(world, the.maintainer, 'APPROVED', { commit: 'sha-older' });
  assert.deepEqual(verdictOf(world).missing, [ottos]);
  world.tick += 1;
  the.addReview(world, the.maintainer, 'APPROVED');
  assert.equal(verdictOf(world).isOpen, true);
});

test('S69: a conversation of somebody without a say, of a bot, of this app or of a deleted account is in nobody’s way', () => {
  const world = planDiscussed((own) => {
    for (const author of [the.reader, the.bot, the.app, null]) the.openThread(own, 3, author, the.maintainer);
    the.openThread(own, 4);
  });
  assert.equal(nextRun(world), 'implement');
});

test('S69: a conversation of a person who is not among those asked for is in nobody’s way', () => {
  const policy = withApproval({ users: ['wanda'] });
  const world = planDiscussed((own) => the.openThread(own, 12, the.maintainer), { policy });
  assert.equal(nextRun(world), 'implement');
});

test('S69: a conversation of a person of whom permission or membership could not be read keeps the gate shut', () => {
  const unread = planDiscussed((own) => the.openThread(own, 12, the.maintainer), { permissions: { 1: 'write' } });
  assert.deepEqual(verdictOf(unread).missing, [
    `Open conversation of otto at plan.md:12, and their permission could not be read: ${mend}`,
  ]);
  const policy = withApproval({ users: ['wanda'], teams: ['acme/core'] });
  const unclear = planDiscussed((own) => the.openThread(own, 12, the.maintainer), { policy });
  assert.deepEqual(verdictOf(unclear).missing, [
    `Open conversation of otto at plan.md:12, and their membership of acme/core could not be read: ${mend}`,
  ]);
});

test('S69: with approval.require_resolved_threads: false open conversations keep nothing shut', () => {
  const policy = withApproval({ requireResolvedThreads: false });
  const world = planDiscussed((own) => the.openThread(own, 12, the.maintainer), { policy });
  assert.equal(nextRun(world), 'implement');
});

test('S69: each person’s conversations are told in one sentence, outdated ones and those on the file as well', () => {
  const world = planDiscussed((own) => {
    the.openThread(own, 12, the.maintainer);
    the.openThread(own, 30, the.maintainer);
    the.openThread(own, 1, the.maintainer);
  });
  const [first, second, third] = world.threads;
  assert.ok(first && second && third);
  world.threads = [first, { ...second, line: null, isOutdated: true }, { ...third, subject: 'file', line: null }];
  assert.deepEqual(verdictOf(world).missing, [
    `Open conversation of otto at plan.md:12, plan.md:30 (outdated), plan.md: ${mend}`,
  ]);
});

test('S69, S70: of a hundred and twenty conversations none is left out, and the first ten are named', () => {
  const world = planDiscussed((own) => {
    for (let line = 1; line <= 119; line += 1) the.openThread(own, line, the.writer);
    the.openThread(own, 120, the.maintainer);
  });
  assert.deepEqual(verdictOf(world).missing, [`Open conversation of otto at plan.md:120: ${mend}`]);
  const many = planDiscussed((own) => {
    for (let line = 1; line <= 120; line += 1) the.openThread(own, line, the.maintainer);
  });
  assert.match(verdictOf(many).missing[0] ?? '', /plan\.md:10 and 110 more: /);
});

test('S69, S68: a conversation that another eligible person begins after the approval stops the run, and says so', () => {
  const world = planInReview();
  const held = approved(world);
  assert.equal(nextRun(world), 'implement');
  the.openThread(world, 12, the.maintainer);
  assert.deepEqual(recheck(world, held), { current: false, why: ottos, isUnclear: false });
  const { state, effects } = the.reconcile(world);
  assert.equal(state, 'exit_pending');
  const why = `The plan is no longer approved. ${ottos}`;
  assert.deepEqual(
    effects.filter(({ kind }) => kind === 'stopRun'),
    [{ kind: 'stopRun', run: 'run2', why }],
  );
});

test('S69, S68: a conversation that is begun while finished work waits for its push keeps it from being pushed', () => {
  const world = planInReview();
  approved(world);
  nextRun(world);
  the.work(world, 'finish');
  the.openThread(world, 12, the.maintainer);
  const { effects } = the.reconcile(world);
  assert.deepEqual(
    effects.filter(({ kind }) => kind === 'publishImplementation'),
    [],
  );
  assert.deepEqual(the.openPullRequest(world)?.codeFiles, []);
});

test('S69: who cannot be read neither stops the run by a conversation nor lets it be pushed, and the thread says so', () => {
  const world = planInReview({ permissions: { 1: 'write' } });
  const held = approved(world);
  nextRun(world);
  the.openThread(world, 12, the.maintainer);
  const unread = recheck(world, held);
  assert.ok(!unread.current);
  assert.equal(unread.isUnclear, true);
  assert.equal(the.reconcile(world).state, 'implementing');
  the.work(world, 'finish');
  assert.equal(the.reconcile(world).state, 'implementing');
  assert.match(world.sticky ?? '', /The work is done and not pushed yet\. Open conversation of otto/);
  world.permissions = { 1: 'write', 5: 'read' };
  assert.equal(the.reconcile(world).state, 'implemented');
});

test('S69: held back from the code, an approval still settles its giver’s conversations', () => {
  const world = planDiscussed((own) => the.openThread(own, 12, the.writer));
  const { approval } = verdictOf(world);
  assert.ok(approval);
  const own = the.openPullRequest(world);
  assert.ok(own);
  own.reviews = own.reviews.map((review) => ({ ...review, state: 'DISMISSED', isHeldByThisApp: true }));
  assert.deepEqual(recheck(world, approval), { current: true });
  own.reviews = own.reviews.map((review) => ({ ...review, isHeldByThisApp: false }));
  const gone = recheck(world, approval);
  assert.deepEqual(gone, {
    current: false,
    why: `Open conversation of wanda at plan.md:12: ${mend} ${nobody}`,
    isUnclear: false,
  });
});
