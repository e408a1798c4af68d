import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { createInbox, type Delivery } from '../../src/engine/inbox.ts';
import { threadQueue } from '../../src/engine/queue.ts';
import { readThreadRecord, recordFinding } from '../../src/engine/threads.ts';
import type { ThreadRef } from '../../src/github/github.ts';
import { formatThreadKey } from '../../src/github/identifiers.ts';
import { newThread, silent, startedDatabase, type TemporaryDatabase } from './engine-fixture.ts';

let database: TemporaryDatabase;

before(async () => {
  database = await startedDatabase();
});

after(() => database.remove());

function labelled(thread: ThreadRef, guid: string = randomUUID()): Delivery {
  const payload = { action: 'labeled', repository: { id: thread.repository.id }, sender: { login: 'ada' } };
  return { guid, event: 'issues', payload, destination: { kind: 'issue', ...thread } };
}

async function wakesOf(thread: ThreadRef): Promise<number | undefined> {
  return (await readThreadRecord(database.db, formatThreadKey(thread)))?.wakes;
}

async function jobsOf(thread: ThreadRef): Promise<unknown[]> {
  return (await database.boss.findJobs(threadQueue, { key: formatThreadKey(thread) })).map((job) => job.data);
}

test("the data folder is its owner's alone", async () => {
  assert.equal((await stat(database.folder)).mode & 0o777, 0o700);
});

test('one delivery sent ten times, one after the other and at once, wakes its thread once', async () => {
  const inbox = createInbox(database.db, database.boss, silent, null);
  const thread = newThread();
  const delivery = labelled(thread);
  const results = [await inbox.store(delivery)];
  for (let time = 2; time <= 5; time += 1) {
    results.push(await inbox.store(delivery));
  }
  results.push(...(await Promise.all(Array.from({ length: 5 }, () => inbox.store(delivery)))));
  assert.deepEqual(results, ['woken', ...Array.from({ length: 9 }, () => 'known')]);
  assert.equal(await wakesOf(thread), 1);
  assert.deepEqual(await jobsOf(thread), [{ thread: formatThreadKey(thread), wake: 1, attempt: 0 }]);
});

test('a delivery and its wake are kept both or not at all', async () => {
  const inbox = createInbox(database.db, database.boss, silent, null);
  const thread = newThread();
  const tooLarge = { ...thread, issue: 2 ** 40 };
  const delivery = labelled(tooLarge);
  await assert.rejects(inbox.store(delivery), /out of range/);
  const stored = await database.db.selectFrom('delivery').select('guid').where('guid', '=', delivery.guid).execute();
  assert.deepEqual(stored, []);
  assert.equal(await wakesOf(tooLarge), undefined);
});

test('a delivery that leads nowhere is kept with its reason and wakes nothing', async () => {
  const inbox = createInbox(database.db, database.boss, silent, null);
  const guid = randomUUID();
  const destination = { kind: 'ignored', reason: 'the event is not listened to' } as const;
  const payload = { action: 'started\u0000', repository: null, sender: { login: 'ada' } };
  assert.equal(await inbox.store({ guid, event: 'watch', payload, destination }), 'ignored');
  const row = await database.db
    .selectFrom('delivery')
    .select(['event', 'action', 'sender', 'thread', 'state', 'reason', 'body'])
    .where('guid', '=', guid)
    .executeTakeFirst();
  assert.deepEqual(row, {
    event: 'watch',
    action: 'started',
    sender: 'ada',
    thread: null,
    state: 'ignored',
    reason: 'the event is not listened to',
    body: null,
  });
});

test('a comment on a pull request wakes the thread that the pull request is of', async () => {
  const inbox = createInbox(database.db, database.boss, silent, null);
  const thread = newThread();
  const { installation, repository } = thread;
  await inbox.store(labelled(thread));
  const pullRequest = 1000 + thread.issue;
  const { owner, name } = repository;
  await recordFinding(database.db, formatThreadKey(thread), {
    seenWakes: 1,
    state: 'awaiting_approval',
    owner,
    name,
    pullRequest,
  });
  const comment = { guid: randomUUID(), event: 'issue_comment', payload: {} };
  const known = { kind: 'pull_request', installation, repository, pullRequest } as const;
  const foreign = { ...known, pullRequest: 999_999 };
  assert.equal(await inbox.store({ ...comment, destination: known }), 'woken');
  assert.equal(await inbox.store({ ...comment, guid: randomUUID(), destination: foreign }), 'ignored');
  assert.equal(await wakesOf(thread), 2);
});

test('S6: what comes from an installation that is not listed is kept and wakes nothing', async () => {
  const inbox = createInbox(database.db, database.boss, silent, new Set([8, 9]));
  const thread = newThread();
  const { installation } = thread;
  const guids = [randomUUID(), randomUUID(), randomUUID()];
  const [first = '', second = '', third = ''] = guids;
  const delivery = labelled(thread, first);
  assert.equal(await inbox.store(delivery), 'ignored');
  const destination = { kind: 'installation', installation } as const;
  assert.equal(await inbox.store({ ...delivery, guid: second, event: 'installation', destination }), 'ignored');
  assert.equal(await inbox.store(labelled({ ...thread, installation: 8 }, third)), 'woken');
  const rows = await database.db
    .selectFrom('delivery')
    .select(['guid', 'state', 'reason', 'body'])
    .where('guid', 'in', guids.slice(0, 2))
    .orderBy('seq')
    .execute();
  const reason = 'the installation 7 is not listed in PLANWRIGHT_INSTALLATIONS';
  assert.deepEqual(
    rows,
    [first, second].map((guid) => ({ guid, state: 'ignored', reason, body: null })),
  );
  assert.equal((await readThreadRecord(database.db, formatThreadKey(thread)))?.ref.installation, 8);
});

test('S84: a delivery that wakes a thread is in its audit log, with who sent it; one that is known already is not again', async () => {
  const inbox = createInbox(database.db, database.boss, silent, null);
  const thread = newThread();
  const guid = randomUUID();
  const payload = { action: 'labeled', sender: { login: 'ada', id: 5 }, issue: { title: 'canary' } };
  for (let time = 1; time <= 2; time += 1) await inbox.store({ ...labelled(thread, guid), payload });
  const rows = await database.db
    .selectFrom('audit')
    .select(['event', 'run', 'detail'])
    .where('thread', '=', formatThreadKey(thread))
    .execute();
  assert.deepEqual(rows, [{ event: 'delivery', run: null, detail: `${guid} issues.labeled by ada (5)` }]);
});

test('a renamed repository is the same thread under its new name', async () => {
  const inbox = createInbox(database.db, database.boss, silent, null);
  const thread = newThread();
  await inbox.store(labelled(thread));
  const renamed = { ...thread, repository: { ...thread.repository, name: 'store' } };
  await inbox.store(labelled(renamed));
  assert.deepEqual((await readThreadRecord(database.db, formatThreadKey(thread)))?.ref, renamed);
  assert.equal(await wakesOf(thread), 2);
});
