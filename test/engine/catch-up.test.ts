import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { pino } from 'pino';
import { type CatchUpPorts, catchUpIntervalMs, createCatchUp, roundLimits } from '../../src/engine/catch-up.ts';
import type { FailedDeliveries } from '../../src/github/failed-deliveries.ts';
import { Forbidden, Unreadable } from '../../src/github/github.ts';
import { type DeliveryAttempt, maxAsks } from '../../src/github/missed-deliveries.ts';
import { type TemporaryDatabase, temporaryDatabase } from './engine-fixture.ts';

let database: TemporaryDatabase;

before(async () => {
  database = await temporaryDatabase();
});
beforeEach(async () => {
  const { db } = database;
  await db.deleteFrom('missed_delivery').execute();
  await db.deleteFrom('delivery').execute();
  await db.updateTable('delivery_list').set({ since: null, page: null, newest: null }).execute();
});
after(() => database.remove());

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** What GitHub has of the app's deliveries, and a clock. What is asked for again arrives where the app is up. */
function createHub() {
  const hub = {
    time: Date.parse('2026-03-10T00:00:00Z'),
    /** Oldest first. */
    attempts: [] as DeliveryAttempt[],
    asked: [] as string[],
    lists: 0,
    isUp: true,
    log: [] as string[],
    answer: (): void => undefined,
    fail: (guid: string, more: Partial<DeliveryAttempt> = {}) => {
      hub.time += 1;
      const id = String(hub.attempts.length + 1);
      const attempt = { id, guid, deliveredAt: hub.time, isOk: false, isAnswered: true, installation: 7 };
      hub.attempts.push({ ...attempt, ...more });
    },
    pageSize: 100,
  };
  const deliveries: FailedDeliveries = {
    keptMs: 3 * dayMs,
    list: async (page) => {
      hub.lists += 1;
      hub.answer();
      const rest = hub.attempts.filter(({ id }) => page === null || Number(id) <= Number(page)).toReversed();
      return { attempts: rest.slice(0, hub.pageSize), next: rest[hub.pageSize]?.id ?? null };
    },
    askAgain: async (id) => {
      hub.answer();
      const first = hub.attempts.find((each) => each.id === id);
      if (first === undefined) return 'gone';
      hub.asked.push(first.guid);
      hub.fail(first.guid, { isOk: hub.isUp, installation: first.installation });
      if (hub.isUp) await arrive(first.guid);
      return 'asked';
    },
  };
  const note = (_fields: unknown, text: string) => void hub.log.push(text);
  const log = Object.assign(pino({ level: 'silent' }), { info: note, warn: note });
  const start = (more: Partial<CatchUpPorts> = {}) =>
    createCatchUp({
      db: database.db,
      github: { deliveries },
      log,
      installations: null,
      signal: new AbortController().signal,
      now: () => hub.time,
      ...more,
    });
  return { hub, start };
}

async function arrive(guid: string): Promise<void> {
  const rest = {
    event: 'issues',
    action: null,
    repository: null,
    thread: null,
    sender: null,
    reason: null,
    body: null,
  };
  await database.db
    .insertInto('delivery')
    .values({ guid, state: 'ignored', ...rest })
    .execute();
}

test('R4, case 22: what failed while the app was away is asked for again, each once, and the log tells of it', async () => {
  const { hub, start } = createHub();
  hub.fail('arrived', { isOk: true });
  hub.fail('failed');
  hub.fail('failed twice');
  hub.fail('failed twice');
  hub.fail('sent again by hand');
  hub.fail('sent again by hand', { isOk: true });
  hub.fail('kept though answered late');
  await arrive('kept though answered late');
  hub.fail('of others', { installation: 8 });
  const round = start({ installations: new Set([7]) });
  await Promise.all([round(), round()]);
  assert.deepEqual(hub.asked, ['failed', 'failed twice']);
  hub.time += catchUpIntervalMs;
  await round();
  await start({ installations: new Set([7]) })();
  assert.deepEqual(hub.asked, ['failed', 'failed twice']);
  assert.deepEqual(hub.log, [
    'catching up: missed deliveries were asked for again',
    'caught up: deliveries that were missed have come',
  ]);
});

test('a delivery that keeps failing is asked for a few times, ever more seldom, and then told of once', async () => {
  const { hub, start } = createHub();
  hub.isUp = false;
  const begin = hub.time;
  hub.fail('poison');
  const round = start();
  const times: number[] = [];
  while (hub.time < begin + 26 * hourMs) {
    const before = hub.asked.length;
    await round();
    if (hub.asked.length > before) times.push(Math.floor((hub.time - begin) / minuteMs));
    hub.time += 30 * minuteMs;
  }
  assert.deepEqual(times, [0, 30, 60, 240, 1320]);
  const told = `asked for ${maxAsks} times and not come; see the app's page on GitHub for what it was answered`;
  assert.equal(hub.log.filter((line) => line === told).length, 1);
});

test('R5: of an outage of 60 hours, 60,000 attempts are read and 2,400 deliveries are asked for within an hour', async () => {
  const { hub, start } = createHub();
  const end = hub.time;
  // Pages of one stand for pages of a hundred: an hour reads as many, whatever they hold.
  hub.pageSize = 1;
  const pages = 12 * roundLimits.pages;
  for (let made = 0; made < pages * hub.pageSize; made += 1) {
    hub.time = end - 60 * hourMs + made * 6 * minuteMs;
    hub.fail(`delivery ${made}`);
  }
  hub.time = end;
  const isOver = () => new Set(hub.asked).size === pages * hub.pageSize;
  let rounds = 0;
  while (!isOver() && rounds < 12) {
    await start()();
    rounds += 1;
    hub.time += catchUpIntervalMs;
  }
  assert.deepEqual([rounds, isOver(), hub.asked.length], [12, true, pages * hub.pageSize]);
  assert.deepEqual([12 * roundLimits.pages * 100, 12 * roundLimits.asks], [60_000, 2400]);
  assert.ok(12 * (roundLimits.asks + roundLimits.pages) <= 5000 - 2000, 'GitHub grants 5000 requests, for tokens too');
});

test('a round that is cut off anywhere loses nothing, and what is older than GitHub keeps is left', async () => {
  const { hub, start } = createHub();
  hub.pageSize = 2;
  hub.time -= 4 * dayMs;
  hub.fail('too old');
  hub.time += 4 * dayMs;
  for (const guid of ['a', 'b', 'c', 'd', 'e']) hub.fail(guid);
  for (let allowed = 0; allowed < 8; allowed += 1) {
    let left = allowed;
    hub.answer = () => {
      if (left === 0) throw new Unreadable('502');
      left -= 1;
    };
    await start()();
    hub.time += catchUpIntervalMs;
  }
  hub.answer = () => undefined;
  hub.time += hourMs;
  await start()();
  assert.deepEqual([...new Set(hub.asked)].toSorted(), ['a', 'b', 'c', 'd', 'e']);
  assert.equal(hub.asked.length, 5);
});

test('a walk whose page GitHub knows no more begins again from the newest', async () => {
  const { hub, start } = createHub();
  hub.fail('a');
  await database.db
    .updateTable('delivery_list')
    .set({ page: '0', newest: new Date(hub.time) })
    .execute();
  const askAgain: FailedDeliveries['askAgain'] = async () => 'gone';
  const list: FailedDeliveries['list'] = async (page) => {
    hub.lists += 1;
    return page === null ? { attempts: hub.attempts, next: null } : null;
  };
  await start({ github: { deliveries: { keptMs: 3 * dayMs, askAgain, list } } })();
  assert.equal(hub.lists, 2);
  assert.deepEqual(await database.db.selectFrom('missed_delivery').select('guid').execute(), []);
});

test('a list that GitHub refuses is told of once, one that cannot be had each time, and neither throws', async () => {
  const { hub, start } = createHub();
  const round = start();
  hub.answer = () => {
    throw new Forbidden('404', null);
  };
  await round();
  await round();
  hub.answer = () => {
    throw new Unreadable('502');
  };
  await round();
  await round();
  const cutOff = 'the round for missed deliveries was cut off; the next one goes on';
  assert.match(hub.log[0] ?? '', /^the deliveries of the app cannot be listed/);
  assert.deepEqual(hub.log.slice(1), [cutOff, cutOff]);
});

test('an app that stops ends its round between two requests', async () => {
  const { hub, start } = createHub();
  const ending = new AbortController();
  for (const guid of ['a', 'b', 'c']) hub.fail(guid);
  hub.answer = () => {
    if (hub.asked.length === 1) ending.abort();
  };
  const round = start({ signal: ending.signal });
  await round();
  assert.deepEqual(hub.asked, ['a', 'b']);
  await round();
  assert.equal(hub.lists, 1);
});
