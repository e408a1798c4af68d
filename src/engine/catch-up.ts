/**
 * Finds deliveries again that did not get through: GitHub lists them for some days, and sends one again where it is asked to.
 * Asking once too often does no harm: a delivery keeps its GUID, and one that has come changes nothing.
 */
import type { Kysely } from 'kysely';
import { Forbidden, type GitHub } from '../github/github.ts';
import { distanceAfter, maxAsks, sortAttempts } from '../github/missed-deliveries.ts';
import type { Logger } from './log.ts';
import {
  dueDeliveries,
  type ListProgress,
  noteAsk,
  notePage,
  readProgress,
  strikeOut,
  strikeOutOne,
  takeGivenUp,
} from './missed-store.ts';
import type { Schema } from './schema.ts';

export interface CatchUpPorts {
  readonly db: Kysely<Schema>;
  readonly github: Pick<GitHub, 'deliveries'>;
  readonly log: Logger;
  /** Whose deliveries are asked for again; `null` for everybody's. */
  readonly installations: ReadonlySet<number> | null;
  /** Ends a round between two requests. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch; the host's clock by default. */
  readonly now?: () => number;
}

export const catchUpIntervalMs = 5 * 60 * 1000;
/**
 * An hour has twelve rounds, which list 60,000 attempts and ask for 2,400 deliveries: what 60 hours with 1,000 attempts and
 * 40 failures an hour leave. That is 3,000 of the 5,000 requests that GitHub grants an app in an hour: it mints tokens by them too.
 */
export const roundLimits = { pages: 50, asks: 200 } as const;
/** An attempt may be listed after a newer one: the newest minutes are listed again. */
const overlapMs = 10 * 60 * 1000;

/** @returns one round; it never throws, and none begins while another is under way */
export function createCatchUp(ports: CatchUpPorts): () => Promise<void> {
  const { log, signal } = ports;
  let underWay: Promise<void> | null = null;
  let isRefusalSaid = false;
  const round = async () => {
    if (signal.aborted) return;
    try {
      await strikeOutWhatCame(ports);
      const isWhole = await readList(ports);
      if (signal.aborted) return;
      await askForMissed(ports);
      if (!isWhole) log.info('more deliveries are listed than a round reads; the next one goes on');
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Forbidden)) {
        log.warn({ err: error }, 'the round for missed deliveries was cut off; the next one goes on');
      } else if (!isRefusalSaid) {
        isRefusalSaid = true;
        const loss = 'the deliveries of the app cannot be listed, so that missed ones are not asked for again';
        log.warn({ err: error }, `${loss}; what they told of is found by the sweep. This is said once`);
      }
    }
  };
  return () => {
    underWay ??= round().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}

/** Notes what is missed, page by page. @returns whether the list was read down to what is noted already */
async function readList(ports: CatchUpPorts): Promise<boolean> {
  const { db, github, installations, signal, now = Date.now } = ports;
  const isServed = (id: number | null) => installations === null || (id !== null && installations.has(id));
  const arrived = new Set<string>();
  let progress = await readProgress(db);
  for (let read = 0; read < roundLimits.pages && !signal.aborted; read += 1) {
    const page = await github.deliveries.list(progress.page);
    if (page === null) {
      // What this walk has not come to is older than the newest that the next one begins with.
      progress = { ...progress, page: null, newest: null };
      continue;
    }
    const floor = Math.max(progress.since ?? 0, now() - github.deliveries.keptMs);
    const attempts = page.attempts.filter(({ deliveredAt }) => deliveredAt >= floor);
    const isWhole = page.next === null || attempts.length < page.attempts.length;
    const sorted = sortAttempts(attempts, arrived, isServed);
    for (const guid of sorted.arrived) arrived.add(guid);
    const newest = progress.newest ?? page.attempts[0]?.deliveredAt ?? null;
    progress = isWhole ? endWalk(progress, newest) : { since: progress.since, page: page.next, newest };
    await notePage(db, sorted, progress);
    if (isWhole) return true;
  }
  return false;
}

function endWalk({ since }: ListProgress, newest: number | null): ListProgress {
  const reached = newest === null ? since : Math.max(since ?? 0, newest - overlapMs);
  return { since: reached, page: null, newest: null };
}

async function strikeOutWhatCame({ db, github, log, now = Date.now }: CatchUpPorts): Promise<void> {
  const came = await strikeOut(db, now() - github.deliveries.keptMs);
  if (came > 0) log.info({ deliveries: came }, 'caught up: deliveries that were missed have come');
}

async function askForMissed({ db, github, log, signal, now = Date.now }: CatchUpPorts): Promise<void> {
  const givenUp = await takeGivenUp(db, now(), maxAsks);
  if (givenUp.length > 0) {
    const what = `asked for ${maxAsks} times and not come; see the app's page on GitHub for what it was answered`;
    log.warn({ deliveries: givenUp }, what);
  }
  let asked = 0;
  try {
    for (const due of await dueDeliveries(db, now(), maxAsks, roundLimits.asks)) {
      if (signal.aborted) return;
      if (!(await noteAsk(db, due, now() + distanceAfter(due.asks + 1)))) continue;
      const outcome = await github.deliveries.askAgain(due.attempt);
      if (outcome === 'gone') await strikeOutOne(db, due.guid);
      else asked += 1;
    }
  } finally {
    if (asked > 0) log.info({ deliveries: asked }, 'catching up: missed deliveries were asked for again');
  }
}
