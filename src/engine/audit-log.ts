/**
 * The audit log: who said what, what came of it, and what was done on GitHub, so that a push can be followed back to the
 * delivery that led to it. What this stops:
 * 1. A line that is changed or removed: the database refuses it.
 * 2. A line that only the database has: each is in the log of the process as well, with the same thread and event.
 * 3. Secrets, and texts of people, in a log that more people read than the repository: lines hold ids, names, commits and
 *    words of the app, at most 4,000 characters of them, and nothing in the form of a token.
 */
import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { ThreadRef } from '../github/github.ts';
import { formatThreadKey } from '../github/identifiers.ts';
import type { MintNote } from '../github/minting.ts';
import { type Logger, maskSecrets } from './log.ts';
import type { Schema } from './schema.ts';

export interface AuditLine {
  readonly thread: string;
  readonly run: string | null;
  readonly event: string;
  readonly detail: string;
}

export interface AuditPorts {
  readonly db: Kysely<Schema>;
  readonly log: Logger;
}

/** Adds a line. */
export async function audit({ db, log }: AuditPorts, line: AuditLine): Promise<void> {
  await insertLine(db, line);
  logLine(log, line);
}

/** For a transaction: whoever ends it tells the log afterwards. */
export async function insertLine(db: Kysely<Schema>, line: AuditLine): Promise<void> {
  await db.insertInto('audit').values(fit(line)).execute();
}

/** A logger may have thread and run in all of its lines already. */
export function logLine(log: Logger, line: AuditLine): void {
  const bound = new Set(Object.keys(log.bindings()));
  log.info(Object.fromEntries(Object.entries(fit(line)).filter(([name]) => !bound.has(name))), 'audit');
}

/**
 * Adds a line that the thread does not have: `thread`, at all; `change`, as its newest of that event.
 * @returns whether it was added
 */
export async function auditNews(ports: AuditPorts, line: AuditLine, once: 'thread' | 'change'): Promise<boolean> {
  const { thread, event, detail } = fit(line);
  const said = ports.db.selectFrom('audit').select('detail').where('thread', '=', thread).where('event', '=', event);
  const found =
    once === 'thread'
      ? await said.where('detail', '=', detail).limit(1).executeTakeFirst()
      : await said.orderBy('id', 'desc').limit(1).executeTakeFirst();
  if (found?.detail === detail) return false;
  await audit(ports, line);
  return true;
}

/**
 * Writes down what kind of secret was taken out of a text for a thread, once for each `rest` of a text: every look composes
 * the same ones again. Whoever tells it need not wait: what it gives never rejects.
 */
export function auditWithheld(
  ports: AuditPorts,
): (thread: ThreadRef, kinds: readonly string[], rest: string) => Promise<void> {
  const { log } = ports;
  let written: Promise<void> = Promise.resolve();
  const write = async (thread: ThreadRef, kinds: readonly string[], rest: string): Promise<void> => {
    const detail = `${kinds.join(', ')}, in a text whose rest is ${createHash('sha256').update(rest).digest('hex')}`;
    const line = { thread: formatThreadKey(thread), run: null, event: 'secret_withheld', detail };
    if (await auditNews(ports, line, 'thread'))
      log.warn({ thread: line.thread, kinds }, 'a secret was taken out of a text');
  };
  return (thread, kinds, rest) => {
    written = written
      .then(() => write(thread, kinds, rest))
      .catch((error: unknown) => log.error({ err: error }, 'a line of the audit log is missing'));
    return written;
  };
}

/** Writes down what each token may do, and until when. */
export function auditMint(ports: AuditPorts): (note: MintNote) => Promise<void> {
  return ({ thread, installation, repository, use, permissions, expiresAt }) => {
    const where = repository === null ? `every repository of installation ${installation}` : `repository ${repository}`;
    const may = Object.entries(permissions).map(([name, access]) => `${name}: ${access}`);
    const detail = `to ${use} on ${where}: ${may.join(', ')}; until ${new Date(expiresAt).toISOString()}`;
    return audit(ports, { thread: thread ?? `installation ${installation}`, run: null, event: 'token_minted', detail });
  };
}

/** PostgreSQL takes no U+0000. */
function fit(line: AuditLine): AuditLine {
  const detail = maskSecrets(line.detail.replaceAll('\u0000', '').slice(0, 4000), []);
  return { ...line, event: line.event.replaceAll('\u0000', '').slice(0, 100), detail };
}
