import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type DeliveryAttempt, distanceAfter, maxAsks, sortAttempts } from '../../src/github/missed-deliveries.ts';

const everybody = () => true;

/** The attempts at a few deliveries, newest first. */
const history = fc
  .array(
    fc.record({
      guid: fc.constantFrom('a', 'b', 'c', 'd'),
      isOk: fc.boolean(),
      isAnswered: fc.boolean(),
      installation: fc.constantFrom(1, 2, null),
    }),
    { maxLength: 24 },
  )
  .map((given) =>
    given.map((each, index): DeliveryAttempt => {
      const place = { id: String(given.length - index), deliveredAt: 1000 * (given.length - index) };
      // All attempts at a delivery are of one installation, and one that got through was answered.
      const installation = each.guid === 'd' ? 2 : each.guid === 'c' ? null : 1;
      return { ...each, ...place, installation, isAnswered: each.isOk || each.isAnswered };
    }),
  );

/** Reads page after page, of which a kill may forget what the newer ones told, as the engine does. */
function readInPages(attempts: readonly DeliveryAttempt[], size: number, isServed: (id: number | null) => boolean) {
  const noted = new Map<string, string>();
  const arrived = new Set<string>();
  for (let at = 0; at < attempts.length; at += size) {
    const sorted = sortAttempts(attempts.slice(at, at + size), arrived, isServed);
    for (const guid of sorted.arrived) {
      arrived.add(guid);
      noted.delete(guid);
    }
    for (const { guid, id } of sorted.missed) noted.set(guid, noted.get(guid) ?? id);
  }
  return noted;
}

test('R4: exactly those are missed of which no attempt got through, however they are spread over pages', () => {
  const isServed = (id: number | null) => id === 1;
  const rule = (attempts: readonly DeliveryAttempt[], size: number) => {
    for (const [served, isThere] of [
      [everybody, () => true],
      [isServed, isServed],
    ] as const) {
      const expected = new Map<string, string>();
      for (const { guid, id, installation } of attempts) {
        const isMissed = !attempts.some((each) => each.guid === guid && each.isOk) && isThere(installation);
        if (isMissed && !expected.has(guid)) expected.set(guid, id);
      }
      assert.deepEqual(new Map([...readInPages(attempts, size, served)].toSorted()), new Map([...expected].toSorted()));
    }
  };
  fc.assert(fc.property(history, fc.integer({ min: 1, max: 25 }), rule), { numRuns: 500 });
});

test('an attempt without an answer is asked for again only once none can come any more', () => {
  const attempt = { id: '7', guid: 'a', deliveredAt: 1000, isOk: false, installation: 1 };
  const dueAt = (isAnswered: boolean) =>
    sortAttempts([{ ...attempt, isAnswered }], new Set(), everybody).missed.map((missed) => missed.dueAt);
  assert.deepEqual([dueAt(true), dueAt(false)], [[1000], [31_000]]);
});

test('a delivery is asked for again five times within a day, each time at a greater distance', () => {
  const minutes = Array.from({ length: maxAsks }, (_, index) => distanceAfter(index + 1) / 60_000);
  assert.deepEqual(minutes, [5, 30, 180, 1080, 5]);
});
