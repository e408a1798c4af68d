/** `npm run audit`: the audit log of one thread, from the first delivery to the last push. */
import { existsSync } from 'node:fs';
import type { Kysely } from 'kysely';
import { parseReference, type Reference } from '../github/identifiers.ts';
import { cleanLine } from '../text/text-out.ts';
import { UnsafeDataFolder } from './data-folder.ts';
import { DataFolderTaken } from './data-lock.ts';
import { openDatabase } from './database.ts';
import type { Schema } from './schema.ts';

export interface AuditOrder {
  /** `OWNER/REPO#NUMBER`, of the issue or of its pull request. */
  readonly thread: string;
  /** One JSON object a line, instead of one line of text. */
  readonly asJson: boolean;
  readonly dataDir: string;
  readonly print: (line: string) => void;
  readonly complain: (line: string) => void;
}

/** @returns the exit code: 0 where the thread is known */
export async function printAudit(order: AuditOrder): Promise<number> {
  const { thread, asJson, dataDir, print, complain } = order;
  const reference = parseReference(thread);
  if (reference === null) {
    complain(`expected OWNER/REPO#NUMBER, got ${JSON.stringify(thread)}; name the issue or the pull request`);
    return 1;
  }
  if (!existsSync(`${dataDir}/database`)) {
    complain(`expected the app's data folder, got ${dataDir}, which holds no database; set DATA_DIR`);
    return 1;
  }
  try {
    const lines = await readLines(dataDir, reference);
    if (lines === null) {
      complain(`expected a thread that the app knows, got ${thread}; its repository may have another name by now`);
      return 1;
    }
    for (const line of lines) print(asJson ? JSON.stringify(line) : formatLine(line));
    return 0;
  } catch (error) {
    const advice = adviceOn(error);
    if (advice === null) throw error;
    complain(advice);
    return 1;
  }
}

interface Line {
  readonly at: Date;
  readonly thread: string;
  readonly run: string | null;
  readonly event: string;
  readonly detail: string;
}

/** In the order in which they were written; `null` where no such thread is known. */
async function readLines(dataDir: string, reference: Reference): Promise<readonly Line[] | null> {
  const { db, close } = await openDatabase(dataDir);
  try {
    const keys = await keysOf(db, reference);
    if (keys.length === 0) return null;
    const columns = ['at', 'thread', 'run', 'event', 'detail'] as const;
    return await db.selectFrom('audit').select(columns).where('thread', 'in', keys).orderBy('id').execute();
  } finally {
    await close();
  }
}

async function keysOf(db: Kysely<Schema>, { owner, name, number }: Reference): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('thread')
    .select('key')
    .where((is) => is(is.fn('lower', ['owner']), '=', owner.toLowerCase()))
    .where((is) => is(is.fn('lower', ['name']), '=', name.toLowerCase()))
    .where((is) => is.or([is('issue', '=', number), is('pull_request', '=', number)]))
    .execute();
  return rows.map(({ key }) => key);
}

function formatLine({ at, run, event, detail }: Line): string {
  const where = run === null ? '' : `[run ${run}] `;
  return `${at.toISOString()} ${event} ${where}${cleanLine(detail, 4000)}`;
}

function adviceOn(error: unknown): string | null {
  if (error instanceof UnsafeDataFolder) return error.message;
  if (!(error instanceof DataFolderTaken)) return null;
  return (
    'expected the data folder to be free, got one that a running app has; stop the app, or read its log, which holds ' +
    'the same lines: jq \'select(.msg == "audit" and .thread == "REPOSITORY_ID#ISSUE")\''
  );
}
