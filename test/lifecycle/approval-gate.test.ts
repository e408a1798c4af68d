import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approved, nextRun, nobody, planInReview, verdictOf, withApproval } from './gate-fixture.ts';
import * as the from './world.ts';

test("S62, S64: a writer's approval of the head opens the gate, and the receipt says whose and of which bytes", () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'APPROVED');
  assert.deepEqual(verdictOf(world), {
    isOpen: true,
    approval: {
      repository: { id: 9, owner: 'octo', name: 'repo' },
      pullRequest: 8,
      head: 'sha-run1',
      planBlob: 'blob-run1',
      base: 'base0',
      reviewers: [{ id: 1, login: 'wanda', permission: 'write', review: 100 }],
      rule: the.policy.approval,
      ceiling: { maxTurns: 10, maxTokens: 1000, maxDollars: null },
      version: '0.1.0',
    },
    counted: [{ review: 100, login: 'wanda', permission: 'write' }],
    ignored: [],
    missing: [],
    warnings: [],
  });
  assert.equal(nextRun(world), 'implement');
  assert.equal(nextRun(world), null, 'once');
});

test('S62: whoever writes, maintains or administers may approve; nobody else', () => {
  for (const [permission, isOpen] of [
    ['admin', true],
    ['maintain', true],
    ['write', true],
    ['triage', false],
    ['read', false],
    ['none', false],
    ['unknown', false],
  ] as const) {
    const world = planInReview();
    the.addReview(world, the.writer, 'APPROVED');
    world.permissions = { 1: permission };
    assert.equal(verdictOf(world).isOpen, isOpen, permission);
  }
});

for (const [who, person, reason] of [
  ['a reader', the.reader, 'permission is read; write is needed'],
  ['a bot', the.bot, 'not a person'],
  ['the app itself', the.app, 'this app does not review its own plans'],
] as const) {
  test(`S62: an approval by ${who} starts nothing, whatever permission is reported`, () => {
    const world = planInReview({ permissions: { 1: 'write', 2: 'read', 3: 'admin', 4: 'admin' } });
    the.addReview(world, person, 'APPROVED');
    const { ignored, missing } = verdictOf(world);
    assert.deepEqual(
      { ignored, missing },
      { ignored: [{ review: 100, login: person.login, reason }], missing: [nobody] },
    );
    assert.equal(nextRun(world), null);
  });
}

test('S62: with approval.not_by_requester the person who asked cannot approve, and another can', () => {
  const world = planInReview({ policy: withApproval({ notByRequester: true }) });
  the.addReview(world, the.writer, 'APPROVED');
  assert.deepEqual(verdictOf(world).ignored, [
    { review: 100, login: 'wanda', reason: 'asked for the plan, and approval.not_by_requester is set' },
  ]);
  assert.equal(nextRun(world), null);
  the.addReview(world, the.maintainer, 'APPROVED');
  assert.equal(nextRun(world), 'implement');
});

test('S62: with approval.not_by_requester nobody approves while it is not known who asked', () => {
  const world = planInReview({ policy: withApproval({ notByRequester: true }) });
  the.addReview(world, the.maintainer, 'APPROVED');
  assert.deepEqual(verdictOf(world, { askers: null }).ignored, [
    {
      review: 100,
      login: 'otto',
      reason: 'who asked for the plan is not known any more; close the pull request and set the label again',
    },
  ]);
});

test('43: an approval whose author was deleted starts nothing, and is told', () => {
  const world = planInReview();
  the.addReview(world, null, 'APPROVED');
  assert.deepEqual(verdictOf(world).ignored, [{ review: 100, login: 'ghost', reason: 'the account is gone' }]);
  assert.equal(nextRun(world), null);
});

test('57: association MEMBER with permission read is refused, with a visible reason; so is an answer 403, 404 or 500', () => {
  for (const [permissions, reason] of [
    [{ 1: 'read' }, 'permission is read; write is needed'],
    [{ 1: 'none' }, 'permission is none; write is needed'],
    [{ 1: 'unknown' }, 'their permission could not be read'],
    [{}, 'their permission could not be read'],
  ] as const) {
    const world = planInReview();
    the.addReview(world, the.writer, 'APPROVED', { body: '', ...{ authorAssociation: 'MEMBER' } });
    world.permissions = permissions;
    assert.deepEqual(verdictOf(world).ignored, [{ review: 100, login: 'wanda', reason }]);
    assert.equal(nextRun(world), null);
  }
});

test('58: association NONE with permission write is accepted', () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'APPROVED', { body: '', ...{ authorAssociation: 'NONE' } });
  assert.equal(nextRun(world), 'implement');
});

test('S63, 46: an approval of an older commit starts nothing, even one that is processed after the head has moved', () => {
  const world = planInReview();
  the.pushByPerson(world);
  world.tick += 1;
  the.addReview(world, the.writer, 'APPROVED', { commit: 'sha-run1' });
  assert.deepEqual(verdictOf(world).ignored, [
    { review: 100, login: 'wanda', reason: 'names commit sha-run, and the head is human-1' },
  ]);
  assert.equal(nextRun(world), null);
});

test('S63: an approval of a commit that is gone starts nothing', () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'APPROVED', { commit: null });
  assert.deepEqual(verdictOf(world).ignored, [{ review: 100, login: 'wanda', reason: 'the commit it names is gone' }]);
  assert.equal(nextRun(world), null);
});

test('S66: a push after an approval voids it', () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'APPROVED');
  the.pushByPerson(world);
  assert.deepEqual(verdictOf(world).missing, [nobody]);
  assert.equal(nextRun(world), null);
});

for (const kind of ['force_pushed', 'base_changed', 'closed', 'reopened'] as const) {
  test(`S66: an approval given before the pull request was ${kind}, or in the same second, starts nothing`, () => {
    const world = planInReview();
    the.addReview(world, the.writer, 'APPROVED');
    the.openPullRequest(world)?.disturbances.push({ kind, at: the.now(world) });
    assert.equal(verdictOf(world).isOpen, false);
    assert.equal(nextRun(world), null);
    world.tick += 1;
    the.addReview(world, the.writer, 'APPROVED');
    assert.equal(nextRun(world), 'implement', 'one given afterwards does');
  });
}

test('S66: a time that cannot be read makes no approval fresh', () => {
  const world = planInReview();
  the.openPullRequest(world)?.disturbances.push({ kind: 'closed', at: 'yesterday' });
  the.addReview(world, the.writer, 'APPROVED');
  assert.equal(verdictOf(world).isOpen, false);
});

test('48: a review that names the head, and is older than this commit of a person, is stale', () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'APPROVED');
  world.tick += 1;
  the.pushByPerson(world);
  const own = the.openPullRequest(world);
  assert.ok(own);
  // As GitHub was seen to do after merges of the base: the commit of the review moves with the head.
  own.reviews = own.reviews.map((review) => ({ ...review, commit: own.head }));
  assert.deepEqual(verdictOf(world).ignored, [
    {
      review: 100,
      login: 'wanda',
      reason: 'given before the commit that it names was made, by the date of that commit',
    },
  ]);
  assert.equal(nextRun(world), null);
});

test('48: a review and a commit of the same second go together; one whose commit is not listed does not', () => {
  const world = planInReview();
  the.pushByPerson(world);
  the.addReview(world, the.writer, 'APPROVED');
  assert.equal(verdictOf(world).isOpen, true);
  const [first] = the.factsOf(world).pullRequests[0]?.commits ?? [];
  assert.ok(first);
  assert.equal(verdictOf(world, { pullRequest: { commits: [first] } }).isOpen, false);
});

test("48, R22: the date of this app's own commit, by the clock of its host, decides nothing", () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'APPROVED');
  const [plan] = the.factsOf(world).pullRequests[0]?.commits ?? [];
  assert.ok(plan?.trailers);
  const commits = [{ ...plan, committedAt: '2099-01-01T00:00:00Z' }];
  assert.equal(verdictOf(world, { pullRequest: { commits } }).isOpen, true);
});

test('S67, 51: an approval next to an open change request of another writer starts no implementation, in either order', () => {
  for (const states of [
    ['CHANGES_REQUESTED', 'APPROVED'],
    ['APPROVED', 'CHANGES_REQUESTED'],
  ] as const) {
    const world = planInReview();
    const [first, second] = states[0] === 'APPROVED' ? [the.writer, the.maintainer] : [the.maintainer, the.writer];
    the.addReview(world, first, states[0]);
    world.tick += 1;
    the.addReview(world, second, states[1]);
    assert.deepEqual(verdictOf(world).missing, ['otto has requested changes.']);
    assert.equal(nextRun(world), 'plan');
  }
});

test('S67: a change request by somebody without write access is in nobody’s way', () => {
  const world = planInReview();
  the.addReview(world, the.reader, 'CHANGES_REQUESTED');
  the.addReview(world, the.writer, 'APPROVED');
  assert.equal(nextRun(world), 'implement');
});

test('S67: a change request by a person whose permission cannot be read keeps the gate shut, and starts nothing', () => {
  const world = planInReview({ permissions: { 1: 'write' } });
  the.addReview(world, the.maintainer, 'CHANGES_REQUESTED');
  the.addReview(world, the.writer, 'APPROVED');
  assert.deepEqual(verdictOf(world).missing, ['otto has a verdict, and their permission could not be read.']);
  assert.equal(nextRun(world), null);
});

test('S68: facts decide, not that a review came: an approval that was given and taken back in between starts nothing', () => {
  const world = planInReview();
  approved(world);
  the.dismissLatest(world);
  assert.equal(nextRun(world), null);
});

test('S70: a hundred and forty reviews are all read: the one objection among them keeps the gate shut', () => {
  const world = planInReview();
  for (let count = 0; count < 140; count += 1) {
    the.addReview(world, count === 70 ? the.maintainer : the.writer, count === 70 ? 'CHANGES_REQUESTED' : 'APPROVED');
    world.tick += 1;
  }
  assert.deepEqual(verdictOf(world).missing, ['otto has requested changes.']);
});

test('S74: two required approvals are two people, and none is said to be enough', () => {
  const world = planInReview({ policy: withApproval({ required: 2 }) });
  the.addReview(world, the.writer, 'APPROVED');
  world.tick += 1;
  the.addReview(world, the.writer, 'APPROVED');
  assert.deepEqual(verdictOf(world).missing, ['1 of 2 required approvals of this plan.']);
  the.addReview(world, the.maintainer, 'APPROVED');
  assert.equal(verdictOf(world).isOpen, true);
  world.policy = withApproval({ required: 0 });
  assert.equal(verdictOf(planInReview({ policy: world.policy })).isOpen, false);
});

test('S74: two logins of one id, before and after a change of name, are one person', () => {
  const world = planInReview({ policy: withApproval({ required: 2 }) });
  the.addReview(world, the.writer, 'APPROVED');
  world.tick += 1;
  the.addReview(world, { ...the.writer, login: 'wanda-2' }, 'APPROVED');
  const { isOpen, counted } = verdictOf(world);
  assert.deepEqual(
    { isOpen, counted },
    { isOpen: false, counted: [{ review: 101, login: 'wanda-2', permission: 'write' }] },
  );
});

test('S75, 53: comments, reactions, labels, edited text, auto-merge and checks of others never open the gate', () => {
  const world = planInReview();
  world.labels.push('approved', 'lgtm');
  the.addComment(world, the.writer, 'LGTM, approved, go ahead');
  the.addReview(world, the.writer, 'COMMENTED', { body: 'LGTM, approved, go ahead' });
  const [comment] = world.comments;
  assert.ok(comment);
  const check = {
    id: 1,
    name: 'planwright/plan',
    status: 'completed',
    conclusion: 'success',
    title: null,
    summary: null,
  };
  const verdict = verdictOf(world, {
    pullRequest: {
      ...{ autoMergeRequest: { enabledBy: the.writer }, reactions: ['THUMBS_UP'] },
      title: 'Approved',
      body: 'Planwright-Approved-By: wanda',
      isDraft: false,
      comments: [comment],
      checks: [check],
    },
  });
  assert.deepEqual(verdict.missing, [nobody]);
  assert.deepEqual(verdict.counted, []);
  assert.equal(nextRun(world), null);
});
