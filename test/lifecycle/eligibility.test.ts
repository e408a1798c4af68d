import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isEligible } from '../../src/lifecycle/eligibility.ts';
import { approved, nextRun, nobody, planInReview, recheck, verdictOf, withApproval } from './gate-fixture.ts';
import * as the from './world.ts';

test('S12: an association with the repository is never asked for and never read', () => {
  const root = new URL('../../src/', import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts') && !file.startsWith('local/'));
  assert.ok(sources.length > 50, 'the sources were found');
  const readers = sources.filter((file) => /author_?association/i.test(readFileSync(new URL(file, root), 'utf8')));
  assert.deepEqual(readers, []);
});

test('approval.users names whose approval counts, if they are writers; logins have no case', () => {
  const world = planInReview({ policy: withApproval({ users: ['Wanda', 'rita'] }) });
  the.addReview(world, the.reader, 'APPROVED');
  the.addReview(world, the.maintainer, 'APPROVED');
  assert.deepEqual(verdictOf(world).ignored, [
    { review: 100, login: 'rita', reason: 'permission is read; write is needed' },
    { review: 101, login: 'otto', reason: 'not among approval.users' },
  ]);
  assert.equal(nextRun(world), null);
  the.addReview(world, { ...the.writer, login: 'WANDA' }, 'APPROVED');
  assert.equal(nextRun(world), 'implement');
});

test('S74: an excluded login counts for nothing, neither as approval nor as objection', () => {
  const world = planInReview({ policy: withApproval({ users: ['wanda'] }) });
  the.addReview(world, the.maintainer, 'CHANGES_REQUESTED');
  the.addReview(world, the.writer, 'APPROVED');
  assert.equal(nextRun(world), 'implement');
});

test('S74: a login that passed to another account takes no approval along', () => {
  const world = planInReview({ policy: withApproval({ users: ['wanda'] }), permissions: { 1: 'write', 77: 'none' } });
  the.addReview(world, { ...the.maintainer, id: 77, login: 'wanda' }, 'APPROVED');
  assert.equal(nextRun(world), null);
});

test("approval.teams: an active member's approval counts, if they are writers; nobody else's does", () => {
  for (const [membership, permission, reason] of [
    ['member', 'write', null],
    ['member', 'read', 'permission is read; write is needed'],
    ['not_member', 'write', 'not among approval.teams'],
    ['unknown', 'write', 'their membership of acme/core could not be read'],
  ] as const) {
    const world = planInReview({
      policy: withApproval({ teams: ['acme/core'] }),
      memberships: { 1: { 'acme/core': membership } },
    });
    world.permissions = { 1: permission };
    the.addReview(world, the.writer, 'APPROVED');
    const { isOpen, ignored } = verdictOf(world);
    const expected = reason === null ? [] : [{ review: 100, login: 'wanda', reason }];
    assert.deepEqual({ isOpen, ignored }, { isOpen: reason === null, ignored: expected });
  }
});

test('approval.teams: a membership that was not asked for is not known, and grants nothing', () => {
  const world = planInReview({ policy: withApproval({ teams: ['acme/core'] }) });
  the.addReview(world, the.writer, 'APPROVED');
  assert.deepEqual(verdictOf(world).ignored, [
    { review: 100, login: 'wanda', reason: 'their membership of acme/core could not be read' },
  ]);
});

test('users and teams add up: whoever is among either', () => {
  const world = planInReview({
    policy: withApproval({ required: 2, users: ['wanda'], teams: ['acme/core', 'acme/docs'] }),
    memberships: {
      1: { 'acme/core': 'unknown', 'acme/docs': 'unknown' },
      5: { 'acme/core': 'not_member', 'acme/docs': 'member' },
    },
  });
  the.addReview(world, the.writer, 'APPROVED');
  the.addReview(world, the.maintainer, 'APPROVED');
  assert.equal(verdictOf(world).isOpen, true);
  world.memberships = { 5: { 'acme/core': 'not_member', 'acme/docs': 'not_member' } };
  assert.deepEqual(verdictOf(world).ignored, [
    { review: 101, login: 'otto', reason: 'not among approval.users, approval.teams' },
  ]);
});

test('an objection, or a verdict not known here, of a person whose membership could not be read shuts the gate', () => {
  for (const state of ['CHANGES_REQUESTED', 'ENDORSED']) {
    const world = planInReview({ policy: withApproval({ users: ['wanda'], teams: ['acme/core'] }) });
    the.addReview(world, the.maintainer, state);
    the.addReview(world, the.writer, 'APPROVED');
    assert.deepEqual(verdictOf(world).missing, [
      'otto has a verdict, and their membership of acme/core could not be read.',
    ]);
    assert.equal(nextRun(world), null, 'and starts no revision');
    world.memberships = { 5: { 'acme/core': 'not_member' } };
    assert.equal(verdictOf(world).isOpen, true);
  }
});

test('S68: who has left the team takes their approval along; who cannot be read does neither', () => {
  const world = planInReview({
    policy: withApproval({ teams: ['acme/core'] }),
    memberships: { 1: { 'acme/core': 'member' } },
  });
  const held = approved(world);
  assert.deepEqual(recheck(world, held), { current: true });
  world.memberships = { 1: { 'acme/core': 'not_member' } };
  assert.deepEqual(recheck(world, held), { current: false, why: nobody, isUnclear: false });
  world.memberships = {};
  assert.deepEqual(recheck(world, held), { current: false, why: nobody, isUnclear: true });
});

test('whose feedback is worked on is whose verdict can count', () => {
  const owners = [{ path: 'src/a.ts', owners: ['@otto', '@acme/core'] }];
  const named = withApproval({ users: ['wanda'] });
  const owned = withApproval({ users: ['wanda'], codeOwners: true });
  const world = planInReview({ codeOwners: owners, memberships: { 5: { 'acme/core': 'not_member' } } });
  const facts = the.factsOf(world);
  const people = [the.writer, the.maintainer, the.reader, the.bot, the.app, null];
  const heard = (policy: typeof named) => people.filter((person) => isEligible(facts, policy, person));
  assert.deepEqual(heard(the.policy), [the.writer, the.maintainer]);
  assert.deepEqual(heard(named), [the.writer]);
  assert.deepEqual(heard(owned), [the.writer, the.maintainer]);
  assert.deepEqual(
    people.filter((person) => isEligible({ ...facts, pullRequests: [] }, owned, person)),
    [the.writer],
    'no pull request, no owners',
  );
});
