import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { permissionsInPlanMode } from '../../src/agent/permissions.ts';
import { permissionsAtEntry, permissionsOf } from '../../src/engine/plan-mode-permissions.ts';
import { insertRun, readRun } from '../../src/engine/run-store.ts';
import { wake } from '../../src/engine/threads.ts';
import type { RunOrder } from '../../src/lifecycle/actions.ts';
import type { RunMemory } from '../../src/lifecycle/memory.ts';
import type { Permissions } from '../../src/lifecycle/policy.ts';
import { newThread, planOrder, startedDatabase, type TemporaryDatabase } from './engine-fixture.ts';

let database: TemporaryDatabase;

before(async () => {
  database = await startedDatabase();
});

after(() => database.remove());

const entered: Permissions = {
  mode: 'auto',
  allow: ['Bash(python:*)', 'Bash(npm test:*)'],
  ask: ['Bash(git push:*)'],
  deny: ['Edit(legal/**)'],
};
const loosened: Permissions = { mode: 'auto', allow: ['Bash'], ask: [], deny: [] };
const tightened: Permissions = { mode: 'ask', allow: [], ask: ['Edit(src/**)'], deny: ['Bash(curl:*)'] };
const implementing = { phase: 'implement', occasion: { kind: 'approval', reviews: [9], resumes: null } } as const;

/** A thread whose runs are ordered one after the other. */
async function threadOfRuns() {
  const { db } = database;
  const key = await wake(db, database.boss, newThread());
  const order = async (more: Partial<RunOrder>, live: Permissions, ends: RunMemory['status'] = 'finished') => {
    const ordered = planOrder(more);
    const id = await insertRun(db, key, ordered, await permissionsAtEntry(db, key, ordered, live));
    assert.ok(id !== null);
    await db.updateTable('run').set({ status: ends }).where('id', '=', id).execute();
    const run = await readRun(db, id);
    assert.ok(run !== null);
    return run;
  };
  return { key, order };
}

test('an approval gives the implementation exactly the set that was in force when plan mode was entered', async () => {
  const { order } = await threadOfRuns();
  const plan = await order({}, entered);
  const work = await order(implementing, entered);
  assert.deepEqual([plan.permissions, work.permissions], [entered, null]);
  assert.deepEqual(await permissionsOf(database.db, work, entered), entered);
  assert.notDeepEqual(permissionsInPlanMode(entered), entered);
});

test('a thread that stays in plan mode keeps the set of its entry, through questions and revisions', async () => {
  const { order } = await threadOfRuns();
  await order({}, entered, 'parked');
  const revision = await order({ occasion: { kind: 'reviews', reviews: [8] } }, loosened);
  assert.deepEqual(revision.permissions, entered);
  const work = await order(implementing, loosened);
  assert.deepEqual(await permissionsOf(database.db, work, loosened), entered);
});

test('what is tightened meanwhile holds at once, for planning and for the implementation', async () => {
  const { order } = await threadOfRuns();
  const plan = await order({}, entered);
  const work = await order(implementing, tightened);
  const both: Permissions = {
    mode: 'ask',
    allow: entered.allow,
    ask: ['Bash(git push:*)', 'Edit(src/**)'],
    deny: ['Edit(legal/**)', 'Bash(curl:*)'],
  };
  for (const run of [plan, work]) assert.deepEqual(await permissionsOf(database.db, run, tightened), both);
});

test('plan mode that is entered anew, after an implementation or a stop, is entered with what is configured then', async () => {
  for (const between of [[implementing, 'parked'] as const, [{}, 'cancelled'] as const]) {
    const { order } = await threadOfRuns();
    await order({}, entered);
    await order(between[0], entered, between[1]);
    const again = await order({ occasion: { kind: 'replan', text: null } }, loosened);
    assert.deepEqual(again.permissions, loosened);
  }
});

test('another branch of the thread is another stay in plan mode', async () => {
  const { order } = await threadOfRuns();
  await order({}, entered);
  const other = await order({ branch: 'planwright/issue-1-2' }, loosened);
  assert.deepEqual(other.permissions, loosened);
});

test('a database that was lost falls back to the live configuration', async () => {
  const { order } = await threadOfRuns();
  const work = await order(implementing, tightened);
  assert.deepEqual(await permissionsOf(database.db, work, tightened), tightened);
});
