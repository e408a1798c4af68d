import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { wakeKnown } from '../../src/engine/threads.ts';
import { startedDatabase, type TemporaryDatabase } from './engine-fixture.ts';
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
