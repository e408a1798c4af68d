import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approved, nextRun, nobody, planInReview, recheck, verdictOf, withApproval } from './gate-fixture.ts';
import type { World } from './world.ts';
import * as the from './world.ts';

/** What the writer's approval does not survive, and what is then said of it. */
const ways: readonly { readonly what: string; readonly happen: (world: World) => void; readonly why: string }[] = [
  { what: 'it is dismissed by a person', happen: the.dismissLatest, why: nobody },
  {
    what: 'its giver requests changes',
    happen: (world) => void the.addReview(world, the.writer, 'CHANGES_REQUESTED'),
    why: `wanda has requested changes. ${nobody}`,
  },
  {
    what: 'another writer requests changes',
    happen: (world) => void the.addReview(world, the.maintainer, 'CHANGES_REQUESTED'),
    why: 'otto has requested changes.',
  },
  {
    what: 'another writer gives a verdict that is not known here',
    happen: (world) => void the.addReview(world, the.maintainer, 'ENDORSED'),
    why: 'The review by otto is in a state not known here.',
  },
  {
    what: 'another writer begins a conversation',
    happen: (world) => void the.openThread(world, 3, the.maintainer),
    why: 'Open conversation of otto at plan.md:3: resolve it, or set approval.require_resolved_threads: false.',
  },
  { what: 'a person pushes', happen: (world) => the.pushByPerson(world), why: 'The pull request has a new head.' },
  {
    what: 'the branch is forced back to the same commit',
    happen: (world) => disturb(world, 'force_pushed'),
    why: nobody,
  },
  {
    what: 'the pull request is pointed at another base and back',
    happen: (world) => disturb(world, 'base_changed'),
    why: nobody,
  },
  {
    what: 'the pull request is closed and reopened',
    happen: (world) => {
      the.endPullRequest(world, 'closed');
      the.reopenPullRequest(world);
    },
    why: nobody,
  },
  {
    what: 'its giver may write no longer',
    happen: (world) => {
      world.permissions = { ...world.permissions, 1: 'triage' };
    },
    why: nobody,
  },
  {
    what: 'planned files change on the base',
    happen: (world) => {
      world.changedOnBase = ['src/a.ts'];
    },
    why: 'Planned files have changed on the base since the plan was written: src/a.ts.',
  },
  {
    what: 'another open pull request comes to have the same head',
    happen: (world) => {
      world.sharedWith = [9];
    },
    why: 'Another open pull request (#9) has the same head commit: push a commit to one of them, or close the other.',
  },
  {
    what: 'the repository asks for more approvals',
    happen: (world) => {
      world.policy = withApproval({ required: 2 });
    },
    why: '1 of 2 required approvals of this plan.',
  },
  {
    what: 'the repository asks for others',
    happen: (world) => {
      world.policy = withApproval({ users: ['otto'] });
    },
    why: nobody,
  },
  {
    what: 'the repository asks for code owners, and has none',
    happen: (world) => {
      world.policy = withApproval({ codeOwners: true });
      world.codeOwners = 'none';
    },
    why: 'approval.code_owners is set, and the base branch has no CODEOWNERS file: add one, or set approval.code_owners: false.',
  },
];

function disturb(world: World, kind: 'force_pushed' | 'base_changed'): void {
  the.openPullRequest(world)?.disturbances.push({ kind, at: the.now(world) });
}

for (const { what, happen, why } of ways) {
  test(`S66, S68: an approval does not survive that ${what}: before the start, while at work, before the push`, () => {
    const before = planInReview();
    const held = approved(before);
    happen(before);
    assert.deepEqual(recheck(before, held), { current: false, why, isUnclear: false });
    assert.notEqual(nextRun(before), 'implement', 'before the start');

    const during = planInReview();
    approved(during);
    assert.equal(nextRun(during), 'implement');
    happen(during);
    const stops = the.reconcile(during).effects.filter(({ kind }) => kind === 'stopRun');
    assert.equal(stops.length, 1, 'while at work');

    const after = planInReview();
    approved(after);
    assert.equal(nextRun(after), 'implement');
    the.work(after, 'finish');
    happen(after);
    const pushes = the.reconcile(after).effects.filter(({ kind }) => kind === 'publishImplementation');
    assert.deepEqual(pushes, [], 'before the push');
    assert.deepEqual(the.openPullRequest(after)?.codeFiles, []);
  });
}

/** What cannot be read: it neither stops a run nor lets it start or push. */
const unread: readonly { readonly what: string; readonly happen: (world: World) => void }[] = [
  {
    what: 'the permission of its giver',
    happen: (world) => {
      world.permissions = { ...world.permissions, 1: 'unknown' };
    },
  },
  {
    what: 'the permission of somebody who objects',
    happen: (world) => {
      the.addReview(world, the.maintainer, 'CHANGES_REQUESTED');
      world.permissions = { 1: 'write' };
    },
  },
  {
    what: 'which planned files have changed on the base',
    happen: (world) => {
      world.changedOnBase = 'unknown';
    },
  },
  {
    what: 'whether the head is shared',
    happen: (world) => {
      world.sharedWith = 'unknown';
    },
  },
  {
    what: 'a membership of its giver',
    happen: (world) => {
      world.policy = withApproval({ teams: ['acme/core'] });
    },
  },
  {
    what: 'the owners of the planned paths',
    happen: (world) => {
      world.policy = withApproval({ codeOwners: true });
      world.codeOwners = 'unknown';
    },
  },
];

for (const { what, happen } of unread) {
  test(`S68: where ${what} cannot be read nothing starts, nothing is stopped and nothing is pushed`, () => {
    const before = planInReview();
    const held = approved(before);
    happen(before);
    const again = recheck(before, held);
    assert.ok(!again.current);
    assert.equal(again.isUnclear, true);
    assert.equal(nextRun(before), null, 'nothing starts');

    const during = planInReview();
    approved(during);
    nextRun(during);
    happen(during);
    assert.equal(the.reconcile(during).state, 'implementing', 'nothing is stopped');
    the.work(during, 'finish');
    assert.equal(the.reconcile(during).state, 'implementing', 'nothing is pushed');
    assert.deepEqual(the.openPullRequest(during)?.codeFiles, []);
    assert.match(during.sticky ?? '', /The work is done and not pushed yet\./, 'and the thread says why');
  });
}

test('S68: what is certain stops a run, whatever else cannot be read', () => {
  const world = planInReview();
  const held = approved(world);
  the.dismissLatest(world);
  world.sharedWith = 'unknown';
  const again = recheck(world, held);
  assert.deepEqual(again.current ? null : again.isUnclear, false);
});

test('S68: the same approval of another plan file, another base or other people is another approval', () => {
  const world = planInReview();
  const held = approved(world);
  const gone = (why: string) => ({ current: false, why, isUnclear: false });
  assert.deepEqual(recheck(world, held), { current: true });
  assert.deepEqual(recheck(world, { ...held, planBlob: 'other' }), gone('The plan file has changed.'));
  assert.deepEqual(recheck(world, { ...held, base: 'other' }), gone('The plan has a new base.'));
  the.addReview(world, the.maintainer, 'APPROVED');
  assert.deepEqual(recheck(world, held), { current: true }, 'one more takes nothing away');
  the.addReview(world, the.writer, 'DISMISSED');
  assert.deepEqual(recheck(world, held), gone('The approval by wanda is gone.'));
});

test('S68: of two approvals, one by a person who cannot be read at the moment is not given up', () => {
  const world = planInReview();
  the.addReview(world, the.writer, 'APPROVED');
  the.addReview(world, the.maintainer, 'APPROVED');
  const held = verdictOf(world).approval;
  assert.ok(held);
  world.permissions = { 1: 'write' };
  assert.deepEqual(recheck(world, held), {
    current: false,
    why: 'The approval by otto is gone, or could not be read.',
    isUnclear: true,
  });
});

test("S71: this app's own dismissal, made to hold the code back, does not withdraw the approval; anybody else's does", () => {
  const world = planInReview();
  const held = approved(world);
  const own = the.openPullRequest(world);
  assert.ok(own);
  own.reviews = own.reviews.map((review) => ({ ...review, state: 'DISMISSED', isHeldByThisApp: true }));
  assert.deepEqual(recheck(world, held), { current: true });
  assert.equal(verdictOf(world).isOpen, false, 'it opens nothing anew');
  const others = { ...held, reviewers: held.reviewers.map((reviewer) => ({ ...reviewer, id: 5 })) };
  assert.equal(recheck(world, others).current, false, 'nor for anybody whose approval is not recorded');
  own.reviews = own.reviews.map((review) => ({ ...review, isHeldByThisApp: false }));
  assert.deepEqual(recheck(world, held), { current: false, why: nobody, isUnclear: false });
});

test('S71: an approval that did not count before the hold does not come to count by it', () => {
  const world = planInReview();
  the.addReview(world, the.maintainer, 'APPROVED', { commit: 'sha-older' });
  const held = approved(world);
  const own = the.openPullRequest(world);
  assert.ok(own);
  own.reviews = own.reviews.map((review) => ({
    ...review,
    commit: own.head,
    state: 'DISMISSED',
    isHeldByThisApp: true,
  }));
  world.policy = withApproval({ required: 2 });
  assert.deepEqual(recheck(world, held), {
    current: false,
    why: '1 of 2 required approvals of this plan.',
    isUnclear: false,
  });
});

test('S71: a verdict after the hold is the latest: an objection of the same person withdraws, another approval does not', () => {
  for (const [state, current] of [
    ['CHANGES_REQUESTED', false],
    ['DISMISSED', false],
    ['COMMENTED', true],
    ['APPROVED', true],
  ] as const) {
    const world = planInReview();
    const held = approved(world);
    const own = the.openPullRequest(world);
    assert.ok(own);
    own.reviews = own.reviews.map((review) => ({ ...review, state: 'DISMISSED', isHeldByThisApp: true }));
    the.addReview(world, the.writer, state);
    assert.equal(recheck(world, held).current, current, state);
  }
});
