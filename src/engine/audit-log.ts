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
  const detail = line.detail.replaceAll('\u0000', '').slice(0, 4000);
  await db
    .insertInto('audit')
    .values({ ...line, event: line.event.replaceAll('\u0000', ''), detail })
    .execute();
}
