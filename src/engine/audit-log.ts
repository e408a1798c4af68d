import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';

export interface AuditLine {
  readonly thread: string;
  readonly run: string | null;
  readonly event: string;
  readonly detail: string;
}

/** Adds a line; the database keeps it from being changed or removed. A detail beyond 4,000 characters is cut. */
export async function audit(db: Kysely<Schema>, line: AuditLine): Promise<void> {
  await db.insertInto('audit').values(fit(line)).execute();
}

/**
 * Adds a line that the thread does not have: `thread`, at all; `change`, as its newest of that event.
 * @returns whether it was added
 */
export async function auditNews(db: Kysely<Schema>, line: AuditLine, once: 'thread' | 'change'): Promise<boolean> {
  const { thread, event, detail, run } = fit(line);
  const said = db.selectFrom('audit').select('detail').where('thread', '=', thread).where('event', '=', event);
  const found =
    once === 'thread'
      ? await said.where('detail', '=', detail).limit(1).executeTakeFirst()
      : await said.orderBy('id', 'desc').limit(1).executeTakeFirst();
  if (found?.detail === detail) return false;
  await audit(db, { thread, run, event, detail });
  return true;
}

/** PostgreSQL takes no U+0000. */
function fit(line: AuditLine): AuditLine {
  const detail = line.detail.replaceAll('\u0000', '').slice(0, 4000);
  return { ...line, event: line.event.replaceAll('\u0000', ''), detail };
}
