import assert from 'node:assert/strict';
import { test } from 'node:test';
import { permissionsInPlanMode } from '../../src/agent/permissions.ts';
import type { RunOrder } from '../../src/lifecycle/actions.ts';
import type { RunMemory } from '../../src/lifecycle/memory.ts';
import { permissionsAtEntry, permissionsOf } from '../../src/lifecycle/plan-mode-permissions.ts';
import type { Permissions } from '../../src/lifecycle/policy.ts';

const entered: Permissions = {
  mode: 'auto',
  allow: ['Bash(python:*)', 'Bash(npm test:*)'],
  ask: ['Bash(git push:*)'],
  deny: ['Edit(legal/**)'],
};
const loosened: Permissions = { mode: 'auto', allow: ['Bash'], ask: [], deny: [] };
const tightened: Permissions = { mode: 'ask', allow: [], ask: ['Edit(src/**)'], deny: ['Bash(curl:*)'] };
const branch = 'planwright/issue-1';

/** A thread whose runs are ordered one after the other. */
function threadOfRuns() {
  const runs: Parameters<typeof permissionsAtEntry>[1][number][] = [];
  const order = (
    phase: RunOrder['phase'],
    live: Permissions,
    status: RunMemory['status'] = 'finished',
    on = branch,
  ) => {
    const permissions = permissionsAtEntry({ phase, branch: on }, runs, live);
    const run = { id: `r${runs.length}`, phase, branch: on, status, permissions };
    runs.push(run);
    return run;
  };
  return { runs, order };
}

test('an approval gives the implementation exactly the set that was in force when plan mode was entered', () => {
  const { runs, order } = threadOfRuns();
  const plan = order('plan', entered);
  const work = order('implement', entered);
  assert.deepEqual([plan.permissions, work.permissions], [entered, null]);
  assert.deepEqual(permissionsOf(work, runs, entered), entered);
  assert.notDeepEqual(permissionsInPlanMode(entered), entered);
});

test('a thread that stays in plan mode keeps the set of its entry, through questions and revisions', () => {
  const { runs, order } = threadOfRuns();
  order('plan', entered, 'parked');
  assert.deepEqual(order('plan', loosened).permissions, entered);
  const work = order('implement', loosened);
  assert.deepEqual(permissionsOf(work, runs, loosened), entered);
});

test('what is tightened meanwhile holds at once, for planning and for the implementation', () => {
  const { runs, order } = threadOfRuns();
  const plan = order('plan', entered);
  const work = order('implement', tightened);
  const both: Permissions = {
    mode: 'ask',
    allow: entered.allow,
    ask: ['Bash(git push:*)', 'Edit(src/**)'],
    deny: ['Edit(legal/**)', 'Bash(curl:*)'],
  };
  for (const run of [plan, work]) assert.deepEqual(permissionsOf(run, runs, tightened), both);
});

test('plan mode that is entered anew, after an implementation or a stop, is entered with what is configured then', () => {
  for (const [phase, status] of [
    ['implement', 'parked'],
    ['plan', 'cancelled'],
    ['plan', 'failed'],
  ] as const) {
    const { order } = threadOfRuns();
    order('plan', entered);
    order(phase, entered, status);
    assert.deepEqual(order('plan', loosened).permissions, loosened);
  }
});

test('another branch of the thread is another stay in plan mode', () => {
  const { order } = threadOfRuns();
  order('plan', entered);
  assert.deepEqual(order('plan', loosened, 'finished', 'planwright/issue-1-2').permissions, loosened);
});

test('a database that was lost falls back to the live configuration', () => {
  const { runs, order } = threadOfRuns();
  assert.deepEqual(permissionsOf(order('implement', tightened), runs, tightened), tightened);
});
