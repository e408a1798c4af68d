import type { Kysely } from 'kysely';
import type { GitHub } from '../github/github.ts';
import type { Schema } from './schema.ts';
import { newestDelivery } from './thread-deliveries.ts';

/** Something happened, or much time passed, since the look read what it decided from: nothing may be pushed by it. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/** How old what was read may be when something is pushed by it, in milliseconds: room for a GitHub that answers slowly. */
const maxAgeMs = 120_000;

/** A look at a thread, as far as it decides what still counts. */
export interface LookStart {
  readonly thread: string;
  /** The newest delivery of the thread before anything was read. A sweep's wake is no delivery: it says nothing new. */
  readonly newest: number;
  /** When everything had been read, by `now`, in milliseconds. */
  readonly readAt: number;
  readonly now: () => number;
}

/**
 * The same GitHub, which gives the token for a push only as long as what the look has read still counts: setting approvals
 * aside, fetching and waiting for other pushes take time, in which an approval may be taken back.
 * @throws {Overtaken} from `withToken`
 */
export function whileFresh(github: GitHub, db: Kysely<Schema>, look: LookStart): GitHub {
  return {
    ...github,
    withToken: (thread, use, work) =>
      github.withToken(thread, use, async (token) => {
        if (use === 'publish') await assertFresh(db, look);
        return work(token);
      }),
  };
}

async function assertFresh(db: Kysely<Schema>, { thread, newest, readAt, now }: LookStart): Promise<void> {
  const age = Math.round(now() - readAt);
  if (age > maxAgeMs) throw new Overtaken(`expected facts of at most ${maxAgeMs} ms before a push, got ${age} ms`);
  if ((await newestDelivery(db, thread)) > newest) {
    throw new Overtaken('expected nothing new before a push, got another word on the thread');
  }
}
