import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { migrate } from '../../src/engine/migrate.ts';
import { type TemporaryDatabase, temporaryDatabase } from './engine-fixture.ts';

let database: TemporaryDatabase;

before(async () => {
  database = await temporaryDatabase();
});

after(() => database.remove());

async function hasAuditIndex(): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_indexes where indexname = 'audit_by_thread'`.execute(database.db);
  return rows.length === 1;
}

test('tables of an older version are brought up to date, once', async () => {
  const { db } = database;
  await sql`drop index audit_by_thread`.execute(db);
  await migrate(db);
  assert.equal(await hasAuditIndex(), false, 'what was done is not done again');
  await sql`delete from kysely_migration where name = '002-audit-by-thread'`.execute(db);
  await migrate(db);
  assert.equal(await hasAuditIndex(), true);
});

test('tables of a newer version are refused', async () => {
  const { db } = database;
  await sql`insert into kysely_migration (name, timestamp) values ('999-later', '2030-01-01T00:00:00Z')`.execute(db);
  await assert.rejects(migrate(db), /expected the database's tables to be brought up to date/);
});
