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

async function hasSpending(): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select to_regclass('spend') is not null as found`.execute(database.db);
  return rows[0]?.found === true;
}

test('tables of an older version are brought up to date, once', async () => {
  const { db } = database;
  await sql`drop table spend`.execute(db);
  await sql`alter table run drop column permissions`.execute(db);
  await migrate(db);
  assert.equal(await hasSpending(), false, 'what was done is not done again');
  await sql`delete from kysely_migration where name = '003-permissions-and-spending'`.execute(db);
  await migrate(db);
  assert.equal(await hasSpending(), true);
});

test('tables of a newer version are refused', async () => {
  const { db } = database;
  await sql`insert into kysely_migration (name, timestamp) values ('999-later', '2030-01-01T00:00:00Z')`.execute(db);
  await assert.rejects(migrate(db), /expected the database's tables to be brought up to date/);
});
