import type { Kysely } from 'kysely';
import type { PgBoss } from 'pg-boss';
import { z } from 'zod';
import type { ThreadRef } from '../github/github.ts';
import { type AuditLine, insertLine, logLine } from './audit-log.ts';
import type { Logger } from './log.ts';
import type { Schema } from './schema.ts';
import { wake, wakeKnown } from './threads.ts';

/** Where a delivery leads. */
export type Destination =
  | ({ readonly kind: 'issue' } & ThreadRef)
  | {
      readonly kind: 'pull_request';
      readonly repository: ThreadRef['repository'];
      readonly installation: number;
      readonly pullRequest: number;
    }
  /** Every thread of the installation, or of one of its repositories. */
  | { readonly kind: 'installation'; readonly installation: number }
  | { readonly kind: 'repository'; readonly installation: number; readonly repository: number }
  | { readonly kind: 'ignored'; readonly reason: string };

export interface Delivery {
  /** `X-GitHub-Delivery`; a redelivery has the GUID of the first. */
  readonly guid: string;
  readonly event: string;
  readonly payload: unknown;
  readonly destination: Destination;
}

type Stored = 'woken' | 'ignored' | 'known';

export interface Inbox {
  /** Keeps the delivery and wakes its thread, both or neither. One that is known already changes nothing. */
  store(delivery: Delivery): Promise<Stored>;
}

const described = z
  .object({
    action: z.string().max(100).nullish(),
    repository: z.object({ id: z.number().int() }).nullish(),
    sender: z.object({ login: z.string().max(100), id: z.number().int().optional() }).nullish(),
  })
  .catch({});

/**
 * The inbox over the tables and the queue, which may still be at rest.
 * @param installations whose deliveries wake anything; `null` for everybody's
 */
export function createInbox(
  db: Kysely<Schema>,
  boss: PgBoss,
  log: Logger,
  installations: ReadonlySet<number> | null,
): Inbox {
  return {
    store: async (given) => {
      const delivery = { ...given, destination: withinReach(given.destination, installations) };
      const lines: AuditLine[] = [];
      const stored = await db.transaction().execute((tx) => store(tx, boss, delivery, lines));
      for (const line of lines) logLine(log, line);
      return stored;
    },
  };
}

function withinReach(to: Destination, installations: ReadonlySet<number> | null): Destination {
  if (to.kind === 'ignored' || installations === null || installations.has(to.installation)) return to;
  return { kind: 'ignored', reason: `the installation ${to.installation} is not listed in PLANWRIGHT_INSTALLATIONS` };
}

/** @param lines where the lines that were written of it are added */
async function store(tx: Kysely<Schema>, boss: PgBoss, delivery: Delivery, lines: AuditLine[]): Promise<Stored> {
  if (!(await insert(tx, delivery))) return 'known';
  const woken = await wakeDestination(tx, boss, delivery.destination);
  for (const key of woken) {
    const line = { thread: key, run: null, event: 'delivery', detail: describe(delivery) };
    await insertLine(tx, line);
    lines.push(line);
  }
  const thread = woken.length === 1 ? (woken[0] ?? null) : null;
  await tx
    .updateTable('delivery')
    .set(
      woken.length > 0
        ? { thread, state: thread === null ? 'processed' : 'stored' }
        : { state: 'ignored', body: null, reason: reasonOf(delivery.destination) },
    )
    .where('guid', '=', delivery.guid)
    .execute();
  return woken.length > 0 ? 'woken' : 'ignored';
}

function describe({ guid, event, payload }: Delivery): string {
  const { action, sender } = described.parse(payload);
  const what = action == null ? event : `${event}.${action}`;
  return `${guid} ${what} by ${sender?.login ?? 'nobody'}${sender?.id === undefined ? '' : ` (${sender.id})`}`;
}

async function insert(tx: Kysely<Schema>, { guid, event, payload }: Delivery): Promise<boolean> {
  const { action, repository, sender } = described.parse(payload);
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('delivery')
    .values({
      guid,
      event,
      action: plain(action),
      repository: repository?.id ?? null,
      thread: null,
      sender: plain(sender?.login),
      state: 'stored',
      reason: null,
      body: JSON.stringify(payload),
    })
    .onConflict((known) => known.column('guid').doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** Wakes where a delivery leads and returns the keys of the threads woken. */
async function wakeDestination(tx: Kysely<Schema>, boss: PgBoss, to: Destination): Promise<readonly string[]> {
  if (to.kind === 'ignored') return [];
  if (to.kind === 'issue') return [await wake(tx, boss, to)];
  // A repository that was transferred is in the reach of another installation from then on.
  if (to.kind === 'repository') await moveThreads(tx, to);
  const keys = await keysOf(tx, to);
  for (const key of keys) {
    await wakeKnown(tx, boss, key);
  }
  return keys;
}

async function moveThreads(
  tx: Kysely<Schema>,
  { installation, repository }: Extract<Destination, { kind: 'repository' }>,
): Promise<void> {
  await tx.updateTable('thread').set({ installation }).where('repository', '=', repository).execute();
}

async function keysOf(
  tx: Kysely<Schema>,
  to: Exclude<Destination, { kind: 'ignored' | 'issue' }>,
): Promise<readonly string[]> {
  const threads = tx.selectFrom('thread').select('key').where('installation', '=', to.installation);
  const rows =
    to.kind === 'installation'
      ? await threads.execute()
      : to.kind === 'repository'
        ? await threads.where('repository', '=', to.repository).execute()
        : await threads.where('repository', '=', to.repository.id).where('pull_request', '=', to.pullRequest).execute();
  return rows.map((row) => row.key);
}

function reasonOf(destination: Destination): string {
  return destination.kind === 'ignored' ? destination.reason : 'no thread is concerned';
}

/** A text column refuses U+0000. */
function plain(text: string | null | undefined): string | null {
  return text?.replaceAll('\u0000', '') ?? null;
}
