import { type Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from 'kysely/migration';
import type { Schema } from './schema.ts';

const migrations: Readonly<Record<string, Migration>> = {
  '001-threads': { up: createTables },
  '002-audit-by-thread': { up: indexAudit },
  '003-permissions-and-spending': { up: addSpending },
  '004-missed-deliveries': { up: addMissedDeliveries },
};

/** Brings the tables to the newest version. Each migration is one transaction; a killed process leaves none half done. */
export async function migrate(db: Kysely<Schema>): Promise<void> {
  if (await isUpToDate(db)) return;
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const failed = results?.find((result) => result.status === 'Error')?.migrationName ?? 'before the first';
  throw new Error(`expected the database's tables to be brought up to date, got a failure in migration ${failed}`, {
    cause: error,
  });
}

/** Two short looks. The migrator reads the whole catalogue, which takes as long as opening the database. */
async function isUpToDate(db: Kysely<Schema>): Promise<boolean> {
  const found = await sql<{ isThere: boolean }>`
    select to_regclass(${DEFAULT_MIGRATION_TABLE}) is not null as "isThere"`.execute(db);
  if (found.rows[0]?.isThere !== true) return false;
  const done = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(db);
  const known = Object.keys(migrations);
  return done.rows.length === known.length && done.rows.every(({ name }) => known.includes(name));
}

async function createTables(db: Kysely<Schema>): Promise<void> {
  for (const statement of statements) {
    await sql.raw(statement).execute(db);
  }
}

async function indexAudit(db: Kysely<Schema>): Promise<void> {
  await sql`create index audit_by_thread on audit (thread, event, id)`.execute(db);
}

async function addSpending(db: Kysely<Schema>): Promise<void> {
  await sql`alter table run add column permissions text`.execute(db);
  await sql`create table spend (
    repository bigint not null, day text not null, run text not null references run (id), cost text not null,
    primary key (repository, day, run))`.execute(db);
  await sql`create index spend_by_run on spend (run)`.execute(db);
  await fillRuns(db);
}

async function addMissedDeliveries(db: Kysely<Schema>): Promise<void> {
  await sql`create table missed_delivery (
    guid text primary key, attempt text not null, delivered_at timestamptz not null, asks integer not null default 0,
    due_at timestamptz not null)`.execute(db);
  await sql`create table delivery_list (
    is_only boolean primary key default true check (is_only), since timestamptz, page text, newest timestamptz)`.execute(
    db,
  );
  await sql`insert into delivery_list default values`.execute(db);
}

/** Gives the rows of runs what they are read for. No text of people is taken for JSON: that may hold what jsonb refuses. */
async function fillRuns(db: Kysely<Schema>): Promise<void> {
  await sql`update run set cost = (cost::jsonb || '{"elapsedMs":0}')::text`.execute(db);
  await sql`update run set occasion = (occasion::jsonb || '{"isContinued":false}')::text
    where occasion like '{"kind":"answer",%'`.execute(db);
  // A run at its ceiling parks; one that has failed there stays failed.
  const [before, after] = ['{"kind":"failed","reason":"budget"', '{"kind":"failed","reason":"crashed"'];
  await sql`update run set outcome = ${after} || substr(outcome, length(${before}) + 1)
    where starts_with(outcome, ${before})`.execute(db);
}

const statements = [
  `create table delivery (
    guid text primary key, seq bigserial not null, event text not null, action text, repository bigint, thread text,
    sender text, received_at timestamptz not null default now(), state text not null, reason text, body text)`,
  `create index delivery_by_thread on delivery (thread, state)`,
  `create table thread (
    key text primary key, installation bigint not null, repository bigint not null, owner text not null,
    name text not null, issue integer not null, pull_request integer, wakes integer not null default 0,
    seen_wakes integer not null default 0, retry_wake integer not null default 0, woken_at timestamptz, reconciled_at timestamptz,
    state text not null default 'inactive', problem text, unique (repository, issue))`,
  `create index thread_by_pull_request on thread (repository, pull_request)`,
  `create table run (
    id text primary key, seq bigserial not null, thread text not null references thread (key), phase text not null,
    branch text not null, causes text not null, occasion text not null, status text not null, head text,
    base text not null, approval text, outcome text, is_settled boolean not null default false, cost text not null,
    plan text, workspace text not null, steps text not null, tasks text not null, attempts integer not null default 0,
    created_at timestamptz not null default now(), ended_at timestamptz)`,
  `create unique index one_active_run on run (thread) where status in ('queued', 'running', 'stopping')`,
  `create table turn (
    thread text not null references thread (key), seq integer not null, run text not null references run (id),
    messages text not null, stored_at timestamptz not null default now(), primary key (thread, seq))`,
  `create table audit (
    id bigserial primary key, at timestamptz not null default now(), thread text not null, run text,
    event text not null, detail text not null)`,
  `create function refuse_change() returns trigger language plpgsql as $$
    begin raise exception 'the audit log is append-only'; end $$`,
  `create trigger audit_append_only before update or delete or truncate on audit
    for each statement execute function refuse_change()`,
];
