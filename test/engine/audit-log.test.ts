import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import { auditLines } from '../../src/engine/audit-decision.ts';
import { audit, auditNews, auditWithheld } from '../../src/engine/audit-log.ts';
import { wakeKnown } from '../../src/engine/threads.ts';
import type { Action } from '../../src/lifecycle/actions.ts';
import { decide } from '../../src/lifecycle/decide.ts';
import * as the from '../lifecycle/world.ts';
import { factsOf, newThread, planOrder, silent, startedDatabase, type TemporaryDatabase } from './engine-fixture.ts';
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
  const read = database.db.selectFrom('audit').select(['event', 'detail']).where('thread', '=', key);
  assert.deepEqual(await read.where('event', '!=', 'delivery').execute(), [
    { event: 'request_refused', detail: 'LE_1 by rea: No.' },
    { event: 'request_refused', detail: 'LE_2 by rea: No.' },
    { event: 'command_refused', detail: 'comment:5: its author has no write access' },
  ]);
});

test('S84: each line is in the log of the process as well, once, by thread and event', async () => {
  const { key: thread } = await wokenThread(database);
  const written: unknown[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line) => void written.push(JSON.parse(line)) });
  const line = { thread, run: 'run-1', event: 'call_refused', detail: 'bash' };
  await audit({ db: database.db, log }, line);
  await audit(
    { db: database.db, log: log.child({ thread, run: 'run-1', phase: 'plan' }) },
    { ...line, detail: 'write' },
  );
  const info = { level: 30, msg: 'audit' };
  assert.deepEqual(written, [
    { ...info, ...line },
    { ...info, phase: 'plan', ...line, detail: 'write' },
  ]);
});

test('S84: what was taken out of a text is told once, though every look composes that text again, and after a restart', async () => {
  const { key, thread } = await wokenThread(database);
  for (const _start of [1, 2]) {
    const tell = auditWithheld({ db: database.db, log: silent });
    const texts = ['a title', 'a title', 'a comment', 'a title'];
    await Promise.all(texts.map((rest) => tell(thread, ['GitHub token'], rest)));
  }
  const read = database.db.selectFrom('audit').select('detail').where('thread', '=', key);
  const details = (await read.where('event', '=', 'secret_withheld').execute()).map(({ detail }) => detail);
  assert.deepEqual(
    details.map((detail) => detail.replace(/[0-9a-f]{64}$/, '…')),
    ['GitHub token, in a text whose rest is …', 'GitHub token, in a text whose rest is …'],
  );
  assert.equal(new Set(details).size, 2);
});

test('S84: a line holds no token, no NUL, and no more than 4,000 characters', async () => {
  const { key: thread } = await wokenThread(database);
  const ports = { db: database.db, log: silent };
  await audit(ports, { thread, run: null, event: 'long', detail: 'x'.repeat(5000) });
  await audit(ports, { thread, run: null, event: 'to\u0000ld', detail: `\u0000 ghs_${'a1'.repeat(30)} was said` });
  const read = database.db.selectFrom('audit').select(['event', 'detail']).where('thread', '=', thread);
  assert.deepEqual(await read.where('event', '!=', 'delivery').orderBy('id').execute(), [
    { event: 'long', detail: 'x'.repeat(4000) },
    { event: 'told', detail: ' [secret] was said' },
  ]);
});

test('S84: a dismissal by this app is written down as GitHub shows it, and one by a person is not its own', () => {
  const world = the.createWorld();
  const pullRequest = (id: number, isHeldByThisApp: boolean) => ({
    ...{ id, nodeId: `PRR_${id}`, author: the.writer, state: 'DISMISSED' as const, commit: 'sha-run1', body: '' },
    ...{ submittedAt: '2026-01-03T00:00:00Z', editedAt: null, isHeldByThisApp },
  });
  world.tick += 1;
  the.setLabel(world, the.writer, 'labeled');
  the.reconcile(world);
  the.work(world, 'finish');
  the.reconcile(world);
  const facts = the.factsOf(world);
  const reviews = [pullRequest(8, true), pullRequest(9, false)];
  const shown = { ...facts, pullRequests: facts.pullRequests.map((each) => ({ ...each, reviews })) };
  const decision = { state: 'implementing', actions: [] } as const;
  assert.deepEqual(auditLines({ facts: shown, memory: { runs: [] }, decision }), [
    {
      event: 'approval_dismissed',
      detail: `review 8 by wanda of sha-run1 on #${facts.pullRequests[0]?.number}, by this app`,
      once: 'thread',
    },
  ]);
});

test('a verdict of the gate is written down again when it has changed, and only then', async () => {
  const { key: thread } = await wokenThread(database);
  const told: boolean[] = [];
  for (const detail of ['shut', 'shut', 'open', 'shut']) {
    told.push(
      await auditNews({ db: database.db, log: silent }, { thread, run: null, event: 'gate_read', detail }, 'change'),
    );
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
    'implement on planwright/issue-7 for review:101: approved at sha-run1, plan blob-run1, by wanda (write, review 101)',
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
