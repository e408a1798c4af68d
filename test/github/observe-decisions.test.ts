import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownPlanPath } from '../../src/github/observe-attempts.ts';
import { changedPaths } from '../../src/github/observe-base.ts';
import { personOf } from '../../src/github/observe-facts.ts';
import { readPermission } from '../../src/github/observe-permissions.ts';
import { newKey } from './keys.ts';

test('a role counts for what it is, and an unknown word for nothing', () => {
  const read = (permission: string, role_name?: string) => readPermission({ permission, role_name });
  assert.deepEqual(
    [
      read('admin', 'admin'),
      read('write', 'maintain'),
      read('write', 'write'),
      read('read', 'triage'),
      read('read', 'read'),
      read('none', 'none'),
      read('write', 'release-crew'),
      read('write'),
      read('read', 'maintain'),
      read('superuser', 'write'),
      readPermission({}),
      readPermission(null),
    ],
    ['admin', 'maintain', 'write', 'triage', 'read', 'none', 'write', 'write', 'read', 'unknown', 'unknown', 'unknown'],
  );
});

const view = { self: 99, appId: 7, repository: 1, issue: 42, key: newKey() };

test('only a user is a person; this app is told by its id, with or without [bot] in its login', () => {
  const of = (__typename: string, login: string, databaseId?: number | null) =>
    personOf({ __typename, login, databaseId }, view);
  assert.deepEqual(of('User', 'wes', 2), { id: 2, login: 'wes', kind: 'user', isThisApp: false });
  assert.deepEqual(of('Bot', 'planwright', 99), { id: 99, login: 'planwright[bot]', kind: 'bot', isThisApp: true });
  assert.deepEqual(of('User', 'planwright[bot]', 99), {
    id: 99,
    login: 'planwright[bot]',
    kind: 'bot',
    isThisApp: true,
  });
  assert.deepEqual(of('Bot', 'planwright', 98), { id: 98, login: 'planwright[bot]', kind: 'bot', isThisApp: false });
  assert.deepEqual(of('Mannequin', 'old', 3), { id: 3, login: 'old', kind: 'bot', isThisApp: false });
  assert.deepEqual(of('SomethingNew', 'x', 4), { id: 4, login: 'x', kind: 'bot', isThisApp: false });
  assert.equal(of('SomethingNew', 'x'), null);
  assert.equal(personOf(null, view), null);
});

test('a comparison names the planned paths that changed, by old and new name', () => {
  const files = [{ filename: 'a.ts' }, { filename: 'new.ts', previous_filename: 'old.ts' }, { filename: 'other.ts' }];
  assert.deepEqual(changedPaths({ status: 'ahead', files }, ['a.ts', 'old.ts', 'b.ts', 'a.ts']), ['a.ts', 'old.ts']);
  assert.deepEqual(changedPaths({ status: 'ahead', files: [] }, ['a.ts']), []);
});

test('a comparison that is cut, of a rewritten base or of another form tells nothing', () => {
  const many = Array.from({ length: 300 }, (_, index) => ({ filename: `f${index}` }));
  assert.equal(changedPaths({ status: 'ahead', files: many }, ['a.ts']), 'unknown');
  assert.equal(changedPaths({ status: 'diverged', files: [] }, ['a.ts']), 'unknown');
  assert.equal(changedPaths({ status: 'behind', files: [] }, ['a.ts']), 'unknown');
  assert.equal(changedPaths({ status: 'ahead' }, ['a.ts']), 'unknown');
});

test("a thread's own plan stands beside the configured one", () => {
  assert.deepEqual(
    ['plan.md', 'docs/plan.md', 'docs.v2/plan', '.plan'].map((path) => ownPlanPath(path, 42)),
    ['plan-42.md', 'docs/plan-42.md', 'docs.v2/plan-42', '.plan-42'],
  );
});
