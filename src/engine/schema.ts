/**
 * The tables. JSON stands in text columns: `jsonb` refuses U+0000 and lone surrogates, both of which a file that the
 * agent reads may hold. GitHub's ids go past 32 bits; drivers hand `bigint` out as number, bigint or string, so readers
 * pass them through `Number`.
 */
import type { ColumnType, Generated } from 'kysely';

type Id = ColumnType<number | bigint | string, number, number>;
type NullableId = ColumnType<number | bigint | string | null, number | null, number | null>;
type Now = ColumnType<Date, Date | undefined, Date>;
type NullableTime = ColumnType<Date | null, Date | null | undefined, Date | null>;

/** One webhook delivery, by GitHub's GUID: a redelivery keeps it. */
interface DeliveryTable {
  guid: string;
  seq: Generated<number>;
  event: string;
  action: string | null;
  repository: NullableId;
  thread: string | null;
  sender: string | null;
  received_at: Now;
  state: 'stored' | 'processed' | 'ignored' | 'failed';
  reason: string | null;
  /** The payload as JSON; dropped once nothing needs it. */
  body: string | null;
}

interface ThreadTable {
  /** `<repository id>#<issue number>` */
  key: string;
  installation: Id;
  repository: Id;
  owner: string;
  name: string;
  issue: number;
  pull_request: number | null;
  /** Counts the times that something asked for a look. */
  wakes: Generated<number>;
  /** The value of `wakes` that the last complete look had seen. */
  seen_wakes: Generated<number>;
  /** A look that could not be completed will be tried again, for every wake up to this one. */
  retry_wake: Generated<number>;
  woken_at: NullableTime;
  reconciled_at: NullableTime;
  state: Generated<string>;
  /** What GitHub refuses; while it stands only a delivery or a restart asks for another look. */
  problem: string | null;
}

/** A delivery of which GitHub lists no attempt that got through, and which has not come otherwise. */
interface MissedDeliveryTable {
  guid: string;
  /** GitHub's number for an attempt at it, in digits. */
  attempt: string;
  delivered_at: ColumnType<Date, Date, Date>;
  /** How often it was asked for again. */
  asks: Generated<number>;
  due_at: ColumnType<Date, Date, Date>;
}

/** One row: how far GitHub's list of deliveries has been read. */
interface DeliveryListTable {
  since: NullableTime;
  page: string | null;
  newest: NullableTime;
}

export interface RunTable {
  id: string;
  seq: Generated<number>;
  thread: string;
  phase: 'plan' | 'implement';
  branch: string;
  causes: string;
  occasion: string;
  status: 'queued' | 'running' | 'stopping' | 'finished' | 'parked' | 'cancelled' | 'failed';
  head: string | null;
  base: string;
  approval: string | null;
  outcome: string | null;
  is_settled: Generated<boolean>;
  cost: string;
  /** JSON string of the plan as it stood after the last turn. */
  plan: string | null;
  /** The run whose tree it goes on with: its own id, or that of the parked run that it continues. */
  workspace: string;
  /** What has been committed so far, by step. */
  steps: string;
  tasks: string;
  /** JSON of the permissions in force when it entered plan mode; `null` for an implementation. */
  permissions: string | null;
  /** How often a process has taken it up since its last complete turn. */
  attempts: Generated<number>;
  created_at: Now;
  ended_at: NullableTime;
}

/** One complete turn of a thread's conversation. */
interface TurnTable {
  thread: string;
  seq: number;
  run: string;
  messages: string;
  stored_at: Now;
}

/** What a run has used on one day (UTC, `YYYY-MM-DD`). */
interface SpendTable {
  repository: Id;
  day: string;
  run: string;
  cost: string;
}

/** Append-only: the database refuses to change or remove a line. */
interface AuditTable {
  id: Generated<number>;
  at: Now;
  thread: string;
  run: string | null;
  event: string;
  detail: string;
}

export interface Schema {
  delivery: DeliveryTable;
  missed_delivery: MissedDeliveryTable;
  delivery_list: DeliveryListTable;
  thread: ThreadTable;
  run: RunTable;
  turn: TurnTable;
  spend: SpendTable;
  audit: AuditTable;
}
