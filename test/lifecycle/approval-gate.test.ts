import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type GateVerdict, readApprovalGate, recheckApproval } from '../../src/lifecycle/approval-gate.ts';
import type { Policy } from '../../src/lifecycle/policy.ts';
import type { World } from './world.ts';
import * as the from './world.ts';

/** A world with a plan in review. */
function planInReview(overrides: Partial<World> = {}): World {
  const world = the.createWorld(overrides);
  the.setLabel(world, the.writer, 'labeled');
  the.reconcile(world);
  the.work(world, 'finish');
  the.reconcile(world);
  world.tick += 1;
  return world;
}

function withApproval(change: Partial<Policy['approval']>): Policy {
  return { ...the.policy, approval: { ...the.policy.approval, ...change } };
}

function verdictOf(world: World, policy: Policy = the.policy): GateVerdict {
  const facts = the.factsOf(world);
  const pullRequest = facts.pullRequests.at(-1);
  assert.ok(pullRequest, 'a pull request is open');
  return readApprovalGate(facts, policy, { pullRequest, requester: the.writer, held: null });
}

/** The run that the app orders next, if any. */
function nextRun(world: World): string | null {
  const pass = the.reconcile(world);
  const started = pass.effects.find((effect) => effect.kind === 'startRun');
  return started?.kind === 'startRun' ? started.order.phase : null;
}

const nobody = '0 of 1 required approvals of this plan.';

test("a writer's approval of the head opens the gate, and the receipt says whose and of what", () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'APPROVED');
  assert.deepEqual(verdictOf(world), {
    isOpen: true,
    approval: {
      pullRequest: 8,
      head: 'sha-run1',
      planBlob: 'blob-run1',
      base: 'base0',
      reviewers: [{ id: 1, login: 'wanda', permission: 'write', review: 100 }],
    },
    counted: [{ review: 100, login: 'wanda', permission: 'write' }],
    ignored: [],
    missing: [],
    warnings: [],
  });
  assert.equal(nextRun(world), 'implement');
  assert.equal(nextRun(world), null, 'once');
});

for (const [who, person, reason] of [
  ['a reader', the.reader, 'permission is read; write is needed'],
  ['a bot', the.bot, 'not a person'],
  ['the app itself', the.app, 'this app does not review its own plans'],
] as const) {
  test(`an approval by ${who} starts nothing`, () => {
    const world = planInReview();
    the.addReview(world, person, 'APPROVED');
    assert.deepEqual(verdictOf(world).ignored, [{ review: 100, login: person.login, reason }]);
    assert.deepEqual(verdictOf(world).missing, [nobody]);
    assert.equal(nextRun(world), null);
  });
}

test('an approval whose author was deleted starts nothing', () => {
  const world = planInReview();
  the.addReview(world, null, 'APPROVED');
  assert.equal(nextRun(world), null);
});

test('an approval by a person whose permission cannot be read starts nothing', () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'APPROVED');
  world.permissions = {};
  assert.deepEqual(verdictOf(world).ignored, [
    { review: 100, login: 'wanda', reason: 'their permission could not be read' },
  ]);
  assert.equal(nextRun(world), null);
});

test('an approval of an older commit starts nothing', () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'APPROVED');
  the.pushByPerson(world);
  assert.deepEqual(verdictOf(world).ignored, [
    { review: 100, login: 'wanda', reason: 'names commit sha-run, and the head is human-1' },
  ]);
  assert.equal(nextRun(world), null);
});

test('an approval of a commit that is gone starts nothing', () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'APPROVED', { commit: null });
  assert.equal(nextRun(world), null);
});

test('a dismissed approval starts nothing, and takes what came before it along', () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'APPROVED');
  world.tick += 1;
  the.addReview(world, the.writer, 'DISMISSED');
  assert.deepEqual(verdictOf(world).missing, [nobody]);
  assert.equal(nextRun(world), null);
});

test("an approval next to another writer's change request starts no implementation", () => {
  const other = { id: 5, login: 'otto', kind: 'user', isThisApp: false } as const;
  const world = planInReview({ permissions: { 1: 'write', 2: 'read', 5: 'maintain' } });
  the.addReview(world, other, 'CHANGES_REQUESTED');
  the.addReview(world, the.writer, 'APPROVED');
  assert.deepEqual(verdictOf(world).missing, ['otto has requested changes.']);
  assert.equal(nextRun(world), 'plan');
});

test('a change request by a person whose permission cannot be read keeps the gate shut', () => {
  const other = { id: 5, login: 'otto', kind: 'user', isThisApp: false } as const;
  const world = planInReview();
  the.addReview(world, other, 'CHANGES_REQUESTED');
  the.addReview(world, the.writer, 'APPROVED');
  assert.deepEqual(verdictOf(world).missing, ['otto has a verdict, and their permission could not be read.']);
  assert.equal(nextRun(world), null);
});

test('the same reviewer who approves after having requested changes opens the gate', () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'CHANGES_REQUESTED');
  world.tick += 1;
  the.addReview(world, the.writer, 'APPROVED');
  assert.equal(verdictOf(world).isOpen, true);
});

test('a COMMENTED review is no approval, whatever it says, and takes none away', () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'COMMENTED', { body: 'LGTM, approved' });
  assert.equal(nextRun(world), null);
  the.addReview(world, the.writer, 'APPROVED');
  world.tick += 1;
  the.addReview(world, the.writer, 'COMMENTED', { body: 'one more thought' });
  assert.equal(verdictOf(world).isOpen, true);
});

test('a comment that says LGTM, on the issue, starts nothing', () => {
  const world = planInReview();
  the.addComment(world, the.writer, 'LGTM, approved, go ahead');
  assert.equal(nextRun(world), null);
});

test('a pending review is nothing', () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'PENDING', { submittedAt: null });
  assert.deepEqual(verdictOf(world).counted, []);
});

test('a review in a state that is not known shuts the gate', () => {
  const other = { id: 5, login: 'otto', kind: 'user', isThisApp: false } as const;
  const world = planInReview({ permissions: { 1: 'write', 5: 'write' } });
  the.addReview(world, the.writer, 'APPROVED');
  the.addReview(world, other, 'ENDORSED');
  assert.deepEqual(verdictOf(world).missing, ['The review by otto is in a state not known here.']);
});

for (const kind of ['force_pushed', 'base_changed', 'closed', 'reopened'] as const) {
  test(`an approval given before the pull request was ${kind} starts nothing`, () => {
    const world = planInReview();
    the.addReview(world, the.writer, 'APPROVED');
    the.openPullRequest(world)?.disturbances.push({ kind, at: the.now(world) });
    assert.equal(verdictOf(world).isOpen, false);
    assert.equal(nextRun(world), null);
  });
}

test('a pull request that changes more than the plan cannot be approved', () => {
  const world = planInReview();
  the.pushByPerson(world, 'src/evil.ts');
  the.addReview(world, the.writer, 'APPROVED');
  assert.deepEqual(verdictOf(world).missing, ['The pull request changes more than the plan: src/evil.ts.']);
});

test('two required approvals are two people', () => {
  const policy = withApproval({ required: 2 });
  const world = planInReview({ policy, permissions: { 1: 'write', 5: 'write' } });
  the.addReview(world, the.writer, 'APPROVED');
  world.tick += 1;
  the.addReview(world, the.writer, 'APPROVED');
  assert.deepEqual(verdictOf(world, policy).missing, ['1 of 2 required approvals of this plan.']);
  the.addReview(world, { id: 5, login: 'otto', kind: 'user', isThisApp: false }, 'APPROVED');
  assert.equal(verdictOf(world, policy).isOpen, true);
});

test('approval.users names whose approval counts, and logins have no case', () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'APPROVED');
  assert.equal(verdictOf(world, withApproval({ users: ['Wanda'] })).isOpen, true);
  assert.equal(verdictOf(world, withApproval({ users: ['otto'] })).isOpen, false);
});

test('with approval.not_by_requester the person who asked cannot approve', () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'APPROVED');
  assert.equal(verdictOf(world, withApproval({ notByRequester: true })).isOpen, false);
});

test('planned files that changed on the base block, or warn, as configured; not knowing is never better', () => {
  for (const changedOnBase of [['src/a.ts'], 'unknown'] as const) {
    const world = planInReview();
    the.addReview(world, the.writer, 'APPROVED');
    world.changedOnBase = changedOnBase;
    assert.equal(verdictOf(world).isOpen, false);
    const warned = verdictOf(world, withApproval({ stale: 'warn' }));
    assert.equal(warned.isOpen, true);
    assert.equal(warned.warnings.length, 1);
  }
});

test('a file that was moved onto the plan file keeps the gate shut: its old place has changed as well', () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'APPROVED');
  const facts = the.factsOf(world);
  const [own] = facts.pullRequests;
  assert.ok(own);
  const pullRequest = { ...own, files: [{ path: 'plan.md', change: 'RENAMED' }] };
  const verdict = readApprovalGate(facts, the.policy, { pullRequest, requester: the.writer, held: null });
  assert.deepEqual(verdict.missing, ['Another file was moved onto the plan file.']);
});

/** Without memory, on a branch whose last commit says that it implements the plan by an approval of the writer's. */
function codeInReview(change: (reviews: World['pullRequests'][number]['reviews']) => typeof reviews): World {
  const world = planInReview();
  the.addReview(world, the.writer, 'APPROVED');
  const own = the.openPullRequest(world);
  assert.ok(own);
  own.reviews = change(own.reviews);
  const approvedBy = [{ login: the.writer.login, commit: own.head }];
  const trailers = {
    run: 'x',
    base: 'base0',
    plan: own.planBlob,
    reviews: [],
    approvedBy,
    phase: 'implement',
  } as const;
  own.commits.push({ sha: 'sha-x', headline: 'x', committedAt: the.now(world), trailers });
  own.head = 'sha-x';
  world.runs = [];
  world.tick += 1;
  the.addReview(world, the.writer, 'CHANGES_REQUESTED');
  return world;
}

test('without memory an approval that commits tell of counts as far as the reviews bear it out', () => {
  const held = codeInReview((reviews) =>
    reviews.map((review) => ({ ...review, state: 'DISMISSED', isHeldByThisApp: true })),
  );
  assert.equal(nextRun(held), 'implement');
  const untrue = [
    codeInReview(() => []),
    codeInReview((reviews) => reviews.map((review) => ({ ...review, state: 'COMMENTED' }))),
    codeInReview((reviews) => reviews.map((review) => ({ ...review, state: 'DISMISSED' }))),
    codeInReview((reviews) => reviews.map((review) => ({ ...review, commit: 'sha-older' }))),
    codeInReview((reviews) => reviews.map((review) => ({ ...review, author: the.bot }))),
  ];
  for (const world of untrue) assert.equal(nextRun(world), null);
  const twoNeeded = codeInReview((reviews) => reviews);
  twoNeeded.policy = withApproval({ required: 2 });
  assert.equal(nextRun(twoNeeded), null);
});

test("this app's own dismissal, made to hold the code back, does not withdraw the approval that it holds", () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'APPROVED');
  const held = verdictOf(world).approval;
  assert.ok(held);
  const own = the.openPullRequest(world);
  assert.ok(own);
  own.reviews = own.reviews.map((review) => ({ ...review, state: 'DISMISSED', isHeldByThisApp: true }));
  const current = () => {
    const facts = the.factsOf(world);
    const pullRequest = facts.pullRequests.at(-1);
    assert.ok(pullRequest);
    return recheckApproval(facts, the.policy, { pullRequest, requester: the.writer, held });
  };
  assert.deepEqual(current(), { current: true });
  assert.equal(verdictOf(world).isOpen, false, 'it opens nothing anew');
  own.reviews = own.reviews.map((review) => ({ ...review, isHeldByThisApp: false }));
  assert.deepEqual(current(), { current: false, why: nobody });
});
