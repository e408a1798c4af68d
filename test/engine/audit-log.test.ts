import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { auditLines } from '../../src/engine/audit-decision.ts';
import { auditNews } from '../../src/engine/audit-log.ts';
import { wakeKnown } from '../../src/engine/threads.ts';
import type { Action } from '../../src/lifecycle/actions.ts';
import { decide } from '../../src/lifecycle/decide.ts';
import * as the from '../lifecycle/world.ts';
import { factsOf, newThread, planOrder, startedDatabase, type TemporaryDatabase } from './engine-fixture.ts';
import { wokenThread } from './woken-thread.ts';

let database: TemporaryDatabase;

before(async () => {
  database = await startedDatabase();
});

after(() => database.remove());

test('the audit log can be added to and not changed', async () => {
  const { key } = await wokenThread(database);
  const { db } = database;
  await db.insertInto('audit').values({ thread: key, run: null, event: 'refused_call', detail: 'bash' }).execute();
  await assert.rejects(db.updateTable('audit').set({ detail: 'x' }).execute(), /append-only/);
  await assert.rejects(db.deleteFrom('audit').execute(), /append-only/);
  await wakeKnown(db, database.boss, key);
});

test('case 58: every request, command and approval that was followed or refused is in the audit log with its reason, once', async () => {
  const refusal = { kind: 'refuse', cause: 'LE_1', login: 'rea', why: 'No.' } as const;
  const confused = { kind: 'react', to: { kind: 'comment', nodeId: 'IC_5', id: 5 }, reaction: 'confused' } as const;
  const actions: readonly Action[] = [refusal, { ...refusal, cause: 'LE_2' }, confused];
  const { look, key, deliver } = await wokenThread(database, { actions });
  await look();
  await deliver();
  await look({ wake: 2 });
  const rows = await database.db.selectFrom('audit').select(['event', 'detail']).where('thread', '=', key).execute();
  assert.deepEqual(rows, [
    { event: 'request_refused', detail: 'LE_1 by rea: No.' },
    { event: 'request_refused', detail: 'LE_2 by rea: No.' },
    { event: 'command_refused', detail: 'comment:5: its author has no write access' },
  ]);
});

test('a verdict of the gate is written down again when it has changed, and only then', async () => {
  const { key: thread } = await wokenThread(database);
  const told: boolean[] = [];
  for (const detail of ['shut', 'shut', 'open', 'shut']) {
    told.push(await auditNews(database.db, { thread, run: null, event: 'gate_read', detail }, 'change'));
  }
  assert.deepEqual(told, [true, false, true, true]);
});

test('case 58: the line of a request names who asked and by what permission; that of an approval whose reviews counted', () => {
  const world = the.createWorld();
  const lines = () => {
    const facts = the.factsOf(world);
    const memory = { runs: world.runs };
    return auditLines({ facts, memory, decision: decide(facts, memory) }).map(({ event, detail }) => [event, detail]);
  };
  world.tick += 1;
  the.setLabel(world, the.writer, 'labeled');
  assert.deepEqual(lines(), [['request_accepted', 'plan on planwright/issue-7 for LE_1: asked for by wanda (write)']]);
  the.reconcile(world);
  the.work(world, 'finish');
  the.reconcile(world);
  world.tick += 1;
  the.addReview(world, the.reader, 'APPROVED');
  const shut =
    'shut; does not count: review 100 by rita: permission is read; write is needed; missing: 0 of 1 required approvals of this plan.';
  assert.deepEqual(lines(), [['gate_read', shut]]);
  the.addReview(world, the.writer, 'APPROVED');
  assert.deepEqual(lines()[0], [
    'approval_accepted',
    'implement on planwright/issue-7 for review:101: approved at sha-run1 by wanda (write, review 101)',
  ]);
});

test('an order without a request that is known says so', () => {
  const facts = factsOf(newThread());
  const decision = { state: 'pending', actions: [{ kind: 'startRun', order: planOrder() }] } as const;
  assert.deepEqual(auditLines({ facts, memory: { runs: [] }, decision }), [
    {
      event: 'request_accepted',
      detail: 'plan on planwright/issue-1 for LE_1: asked for by nobody known',
      once: 'thread',
    },
  ]);
});
