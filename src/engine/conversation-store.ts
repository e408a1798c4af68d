/** The turns of a thread's conversation, each stored whole, and the plan as it stood after them. */
import type { BetaMessageParam } from '@anthropic-ai/sdk/resources/beta.js';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Said } from '../agent/run-protocol.ts';
import { rememberedRuns } from '../lifecycle/remembered.ts';
import { parseJson, type RunRecord } from './run-record.ts';
import { readRuns } from './run-store.ts';
import type { Schema } from './schema.ts';
import { changeRunWithCost } from './spending.ts';

export interface Turn extends Said {
  /** `false` for a reply whose calls are about to run. */
  readonly isComplete: boolean;
}

/**
 * Appends to the thread's conversation; all of it or nothing. `false` where the run was stopped. A complete turn is
 * progress: the times that the run was taken up in vain are counted anew.
 */
export function storeTurn(db: Kysely<Schema>, run: { id: string; thread: string }, turn: Turn): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const plan = turn.plan === null ? null : JSON.stringify(turn.plan);
    const set = { plan, ...(turn.isComplete ? { attempts: 0 } : {}) };
    if (!(await changeRunWithCost(tx, run.id, { from: ['running'], told: turn.spent, set }))) return false;
    const last = sql<number>`(select coalesce(max(seq), 0) from turn where thread = ${run.thread})`;
    await tx
      .insertInto('turn')
      .values({
        thread: run.thread,
        seq: sql<number>`${last} + 1`,
        run: run.id,
        messages: JSON.stringify(turn.messages),
      })
      .execute();
    return true;
  });
}

export interface Conversation {
  readonly messages: readonly BetaMessageParam[];
  /** Whether turns of the run itself are among them. */
  readonly hasOwnTurns: boolean;
}

/** The conversation that the run continues: every turn of the runs on its branch, but for a history that was refused. */
export async function readConversation(db: Kysely<Schema>, run: RunRecord): Promise<Conversation> {
  const runs = rememberedRuns(await readRuns(db, run.thread), run.branch);
  const rows = await db
    .selectFrom('turn')
    .select(['messages', 'run'])
    .where('thread', '=', run.thread)
    .where(
      'run',
      'in',
      runs.map(({ id }) => id),
    )
    .orderBy('seq')
    .execute();
  return {
    messages: rows.flatMap((row) => parseJson(messagesSchema, row.messages)),
    hasOwnTurns: rows.some((row) => row.run === run.id),
  };
}

/** Messages are the model API's own; only their frame is checked. */
export const messagesSchema = z.array(
  z.custom<BetaMessageParam>(
    (message) => z.object({ role: z.enum(['user', 'assistant']), content: z.unknown() }).safeParse(message).success,
  ),
);

/** The plan as the last run on the branch left it, published or not; of runs whose history was refused nothing is taken. */
export async function readDraft(db: Kysely<Schema>, run: RunRecord): Promise<string | null> {
  const runs = rememberedRuns(await readRuns(db, run.thread), run.branch);
  return runs.findLast(({ plan }) => plan !== null)?.plan ?? null;
}
