import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { migrate } from '../../src/engine/migrate.ts';
import { insertRun, readRun } from '../../src/engine/run-store.ts';
import { formatThreadKey } from '../../src/github/identifiers.ts';
import { noCost } from '../../src/lifecycle/budget.ts';
import { newThread, planOrder, type TemporaryDatabase, temporaryDatabase } from './engine-fixture.ts';

let database: TemporaryDatabase;

before(async () => {
  database = await temporaryDatabase();
});

after(() => database.remove());

/** The tables as the version before spending was counted has made them. */
async function goBack(): Promise<void> {
  const { db } = database;
  await sql`drop table spend, missed_delivery, delivery_list`.execute(db);
  await sql`alter table run drop column permissions`.execute(db);
}

async function forgetMigrations(): Promise<void> {
  await sql`delete from kysely_migration where name >= '003'`.execute(database.db);
}

async function hasSpending(): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select to_regclass('spend') is not null as found`.execute(database.db);
  return rows[0]?.found === true;
}

test('tables of an older version are brought up to date, once', async () => {
  const { db } = database;
  await goBack();
  await migrate(db);
  assert.equal(await hasSpending(), false, 'what was done is not done again');
  await forgetMigrations();
  await migrate(db);
  assert.equal(await hasSpending(), true);
});

test('a run that an older version has kept can be read', async () => {
  const { db } = database;
  const thread = newThread();
  const key = formatThreadKey(thread);
  const { id: repository, owner, name } = thread.repository;
  await db
    .insertInto('thread')
    .values({ key, installation: 7, repository, owner, name, issue: thread.issue, pull_request: null, problem: null })
    .execute();
  const id = await insertRun(db, key, planOrder());
  assert.ok(id !== null);
  await db
    .updateTable('run')
    .set({
      cost: '{"turns":80,"inputTokens":9,"outputTokens":1,"dollars":null}',
      occasion: '{"kind":"answer","comments":[3]}',
      status: 'failed',
      outcome: '{"kind":"failed","reason":"budget","detail":"The run has used 80 of its 80 turns."}',
    })
    .where('id', '=', id)
    .execute();
  await goBack();
  await forgetMigrations();
  await migrate(db);
  const run = await readRun(db, id);
  assert.deepEqual(run?.cost, { ...noCost, turns: 80, inputTokens: 9, outputTokens: 1, dollars: null });
  assert.deepEqual(run.occasion, { kind: 'answer', comments: [3], isContinued: false });
  const detail = 'The run has used 80 of its 80 turns.';
  assert.deepEqual(run.outcome, { kind: 'failed', reason: 'crashed', detail });
});

test('tables of a newer version are refused', async () => {
  const { db } = database;
  await sql`insert into kysely_migration (name, timestamp) values ('999-later', '2030-01-01T00:00:00Z')`.execute(db);
  await assert.rejects(migrate(db), /expected the database's tables to be brought up to date/);
});
