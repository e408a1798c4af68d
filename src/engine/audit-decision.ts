/** Every word that was followed or not, with its reason, as lines of the audit log. */
import type { Kysely } from 'kysely';
import type { Action, Decision, RunOrder } from '../lifecycle/actions.ts';
import type { GateVerdict } from '../lifecycle/approval-gate.ts';
import type { Facts } from '../lifecycle/facts.ts';
import type { Memory } from '../lifecycle/memory.ts';
import { permissionOf } from '../lifecycle/person.ts';
import { readRequests, triggerOf } from '../lifecycle/request.ts';
import { auditNews } from './audit-log.ts';
import type { Logger } from './log.ts';
import type { Schema } from './schema.ts';

/** What is known of a thread when it is decided on. */
export interface Decided {
  readonly facts: Facts;
  readonly memory: Memory;
  readonly decision: Decision;
}

interface Line {
  readonly event: string;
  readonly detail: string;
  /** `thread`: told once a thread; `change`: told again when it has come to say something else. */
  readonly once: 'thread' | 'change';
}

/** Writes down what the thread's log does not say yet: a decision comes again at every look. */
export async function auditDecision(db: Kysely<Schema>, thread: string, decided: Decided, log: Logger): Promise<void> {
  for (const { event, detail, once } of auditLines(decided)) {
    const isNew = await auditNews(db, { thread, run: null, event, detail }, once);
    if (isNew) log.info({ event, detail }, 'decided on a word');
  }
}

/** The lines that a decision is worth. Pure. */
export function auditLines(decided: Decided): readonly Line[] {
  return decided.decision.actions.flatMap((action) => lineOf(decided, action) ?? []);
}

function lineOf(decided: Decided, action: Action): Line | null {
  if (action.kind === 'startRun') return { ...startLine(decided, action.order), once: 'thread' };
  if (action.kind === 'refuse') {
    const detail = `${action.cause} by ${action.login}: ${action.why}`;
    return { event: 'request_refused', detail, once: 'thread' };
  }
  if (action.kind === 'react' && action.reaction === 'confused' && action.to.kind === 'comment') {
    const detail = `comment:${action.to.id}: its author has no write access`;
    return { event: 'command_refused', detail, once: 'thread' };
  }
  if (action.kind !== 'setCheck' || action.check.name !== 'planwright/plan') return null;
  return { event: 'gate_read', detail: describeVerdict(action.check.verdict), once: 'change' };
}

function startLine({ facts, memory }: Decided, order: RunOrder): { readonly event: string; readonly detail: string } {
  const what = `${order.phase} on ${order.branch} for ${order.causes.join(', ')}`;
  if (order.approval !== null) {
    const { reviewers, head } = order.approval;
    const by = reviewers.map(({ login, permission, review }) => `${login} (${permission}, review ${review})`);
    return { event: 'approval_accepted', detail: `${what}: approved at ${head} by ${by.join(', ')}` };
  }
  const { standing } = readRequests(facts, memory, triggerOf(facts.policy));
  const by = standing === null ? 'nobody known' : `${standing.by.login} (${permissionOf(facts, standing.by)})`;
  return { event: 'request_accepted', detail: `${what}: asked for by ${by}` };
}

function describeVerdict({ isOpen, counted, ignored, missing }: GateVerdict): string {
  return [
    isOpen ? 'open' : 'shut',
    ...counted.map(({ review, login, permission }) => `counts: review ${review} by ${login} (${permission})`),
    ...ignored.map(({ review, login, reason }) => `does not count: review ${review} by ${login}: ${reason}`),
    ...missing.map((why) => `missing: ${why}`),
  ].join('; ');
}
