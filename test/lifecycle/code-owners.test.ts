import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PathOwners, ScopeEntry } from '../../src/lifecycle/facts.ts';
import { approved, nextRun, nobody, planInReview, recheck, verdictOf, withApproval } from './gate-fixture.ts';
import type { World } from './world.ts';
import * as the from './world.ts';

const policy = withApproval({ codeOwners: true });

/** A plan for these paths, approved by the writer. */
function planOwned(owners: readonly PathOwners[] | 'none' | 'unknown', overrides: Partial<World> = {}) {
  const world = planInReview({ policy, codeOwners: owners, ...overrides });
  the.addReview(world, the.writer, 'APPROVED');
  const scope = typeof owners === 'string' ? [] : owners.map(({ path }): ScopeEntry => ({ path, change: 'modify' }));
  const planOfRecord = { blob: 'b', text: 'plan', scope, isEmpty: false };
  return { world, beside: { pullRequest: { planOfRecord } } };
}

const owned = (path: string, ...owners: readonly string[]): PathOwners => ({ path, owners });

test('code owners: every planned path that has owners needs the approval of one of them', () => {
  const { world, beside } = planOwned([owned('src/a.ts', '@wanda', '@otto'), owned('docs/b.md', '@otto'), owned('c')]);
  const verdict = verdictOf(world, beside);
  assert.deepEqual(
    { isOpen: verdict.isOpen, counted: verdict.counted.length, missing: verdict.missing },
    { isOpen: false, counted: 1, missing: ['docs/b.md: the approval of an owner is missing (@otto).'] },
  );
  the.addReview(world, the.maintainer, 'APPROVED');
  assert.equal(verdictOf(world, beside).isOpen, true);
});

test('code owners: paths without owners need none, and without owners any writer approves', () => {
  const { world, beside } = planOwned([owned('src/a.ts'), owned('src/b.ts')]);
  assert.equal(verdictOf(world, beside).isOpen, true);
});

test('code owners: where they are not asked for, owners that could not be read are in nobody’s way', () => {
  for (const codeOwners of ['none', 'unknown', [owned('src/a.ts', '@otto')]] as const) {
    const world = planInReview({ codeOwners });
    the.addReview(world, the.writer, 'APPROVED');
    assert.equal(nextRun(world), 'implement');
  }
});

test('code owners: a login has no case, and an active member of an owning team is an owner', () => {
  const { world, beside } = planOwned([owned('a', '@Wanda'), owned('b', '@Acme/Core')], {
    memberships: { 1: { 'acme/core': 'member' } },
  });
  assert.equal(verdictOf(world, beside).isOpen, true);
  world.memberships = { 1: { 'acme/core': 'not_member' } };
  assert.deepEqual(verdictOf(world, beside).missing, ['b: the approval of an owner is missing (@Acme/Core).']);
});

test('code owners: a membership that could not be read is none', () => {
  const { world, beside } = planOwned([owned('b', '@acme/core')]);
  assert.deepEqual(verdictOf(world, beside).missing, [
    'b: the approval of an owner is missing (@acme/core). Whether wanda is a member of their teams could not be read.',
  ]);
});

test('code owners: an approval that does not count, of an owner, is none', () => {
  const { world, beside } = planOwned([owned('a', '@rita')]);
  the.addReview(world, the.reader, 'APPROVED');
  assert.deepEqual(verdictOf(world, beside).missing, ['a: the approval of an owner is missing (@rita).']);
});

test('code owners: paths with the same owners are told in one sentence, ten of them by name', () => {
  const paths = Array.from({ length: 12 }, (_, at) => owned(`p${at}`, '@otto', '@acme/core'));
  const { world, beside } = planOwned(paths, { memberships: { 1: { 'acme/core': 'not_member' } } });
  assert.deepEqual(verdictOf(world, beside).missing, [
    'p0, p1, p2, p3, p4, p5, p6, p7, p8, p9 and 2 more: the approval of an owner is missing (@otto, @acme/core).',
  ]);
});

test('code owners: owners named by e-mail alone cannot be told from anybody, and the gate says so', () => {
  const { world, beside } = planOwned([owned('a', 'wanda@example.com'), owned('b', 'x@example.com', '@wanda')]);
  assert.deepEqual(verdictOf(world, beside).missing, [
    'The owners of a are named by e-mail alone, which tells of no account: name them by login or team in CODEOWNERS, or set approval.code_owners: false.',
  ]);
});

test('code owners: an e-mail address is nobody, whatever it looks like', () => {
  const named = withApproval({ users: ['rita'], codeOwners: true });
  const { world, beside } = planOwned([owned('a', 'core/wanda@example.com', 'wanda')], { policy: named });
  const reason = 'not among approval.users, the owners of the planned paths';
  assert.deepEqual(verdictOf(world, beside).ignored, [{ review: 100, login: 'wanda', reason }]);
});

test('code owners: without a CODEOWNERS file, or where it cannot be read, the gate is shut and says what to do', () => {
  assert.deepEqual(verdictOf(planOwned('none').world).missing, [
    'approval.code_owners is set, and the base branch has no CODEOWNERS file: add one, or set approval.code_owners: false.',
  ]);
  const { world } = planOwned('unknown');
  assert.deepEqual(verdictOf(world).missing, [
    'The owners of the planned paths could not be read: look at CODEOWNERS on the base branch, or set approval.code_owners: false.',
  ]);
  assert.equal(nextRun(world), null);
});

test('code owners: the placeholder, where it may be approved, names no path that anybody owns', () => {
  const { world } = planOwned('unknown', { policy: withApproval({ codeOwners: true, allowEmptyPlan: true }) });
  const planOfRecord = { blob: 'b', text: 'No plan written yet', scope: null, isEmpty: true };
  assert.equal(verdictOf(world, { pullRequest: { planOfRecord } }).isOpen, true);
});

test('code owners: the words of the placeholder over planned paths do not do without the owners that could not be read', () => {
  const { world } = planOwned('unknown', { policy: withApproval({ codeOwners: true, allowEmptyPlan: true }) });
  const scope = [{ path: 'src/a.ts', change: 'modify' }] as const;
  const planOfRecord = { blob: 'b', text: 'No plan written yet', scope, isEmpty: true };
  assert.equal(verdictOf(world, { pullRequest: { planOfRecord } }).isOpen, false);
});

test('code owners: a planned path of which nothing is said is one that could not be read', () => {
  const world = planInReview({ policy, codeOwners: [owned('src/other.ts')] });
  the.addReview(world, the.writer, 'APPROVED');
  assert.deepEqual(verdictOf(world).missing, [
    'The owners of src/a.ts could not be read: look at CODEOWNERS on the base branch, or set approval.code_owners: false.',
  ]);
});

test('code owners: an owner who is among neither users nor teams counts as well, and so does their objection', () => {
  const named = withApproval({ users: ['wanda'], codeOwners: true, required: 2 });
  const { world, beside } = planOwned([owned('src/a.ts', '@otto')], { policy: named });
  the.addReview(world, the.maintainer, 'APPROVED');
  assert.equal(verdictOf(world, beside).isOpen, true);
  world.tick += 1;
  the.addReview(world, the.maintainer, 'CHANGES_REQUESTED');
  assert.equal(verdictOf(world, beside).missing[0], 'otto has requested changes.');
  assert.equal(nextRun(world), 'plan');
});

test('code owners: who is none of users, teams and owners is told so; an owner who cannot be read blocks by an objection', () => {
  const named = withApproval({ users: ['wanda'], teams: ['acme/docs'], codeOwners: true });
  const memberships = { 5: { 'acme/docs': 'not_member', 'acme/core': 'not_member' } } as const;
  const { world, beside } = planOwned([owned('src/a.ts', '@wanda', '@acme/core')], { policy: named, memberships });
  the.addReview(world, the.maintainer, 'CHANGES_REQUESTED');
  const { isOpen, ignored } = verdictOf(world, beside);
  const reason = 'not among approval.users, approval.teams, the owners of the planned paths';
  assert.deepEqual({ isOpen, ignored }, { isOpen: true, ignored: [{ review: 101, login: 'otto', reason }] });
  world.memberships = { 5: { 'acme/docs': 'not_member' } };
  assert.deepEqual(verdictOf(world, beside).missing, [
    'otto has a verdict, and their membership of acme/core could not be read.',
  ]);
});

test('S68: code owners that change after the approval stop the run; where they cannot be read it neither stops nor pushes', () => {
  const { world, beside } = planOwned([owned('src/a.ts', '@wanda')]);
  const held = approved(world);
  assert.deepEqual(recheck(world, held), { current: true });
  world.codeOwners = [owned('src/a.ts', '@otto')];
  assert.deepEqual(recheck(world, held), {
    current: false,
    why: 'src/a.ts: the approval of an owner is missing (@otto).',
    isUnclear: false,
  });
  world.codeOwners = 'none';
  assert.equal(recheck(world, held, beside).current, false);
  world.codeOwners = 'unknown';
  const unread = recheck(world, held);
  assert.deepEqual(unread.current ? null : unread.isUnclear, true);
});

test('S68: an owner who approves and cannot be read at the moment does not lose their approval for good', () => {
  const { world } = planOwned([owned('src/a.ts', '@otto')]);
  the.addReview(world, the.maintainer, 'APPROVED');
  const held = verdictOf(world).approval;
  assert.ok(held);
  world.permissions = { 1: 'write' };
  assert.deepEqual(recheck(world, held), {
    current: false,
    why: 'src/a.ts: the approval of an owner is missing (@otto).',
    isUnclear: true,
  });
});

test('S68: an owner outside of users whose owning cannot be read does not lose their approval for good', () => {
  const named = withApproval({ users: ['rita'], codeOwners: true });
  const { world } = planOwned([owned('src/a.ts', '@wanda')], { policy: named });
  const held = approved(world);
  world.codeOwners = 'unknown';
  const unread = recheck(world, held);
  assert.ok(!unread.current);
  assert.deepEqual({ isUnclear: unread.isUnclear, ends: unread.why.endsWith(nobody) }, { isUnclear: true, ends: true });
});
