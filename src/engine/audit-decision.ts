/** Every word that was followed or not, with its reason, as lines of the audit log. */
import type { ActContext } from '../github/github.ts';
import type { Action, Decision, RunOrder } from '../lifecycle/actions.ts';
import type { GateVerdict } from '../lifecycle/approval-gate.ts';
import type { Facts, Review } from '../lifecycle/facts.ts';
import type { Memory } from '../lifecycle/memory.ts';
import { loginOf, permissionOf } from '../lifecycle/person.ts';
import { readRequests, triggerOf } from '../lifecycle/request.ts';
import { type AuditPorts, auditNews } from './audit-log.ts';

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
export async function auditDecision(ports: AuditPorts, thread: string, decided: Decided): Promise<void> {
  for (const { event, detail, once } of auditLines(decided)) {
    await auditNews(ports, { thread, run: null, event, detail }, once);
  }
}

/** The lines that a decision, and what it was decided on, are worth. Pure. */
export function auditLines(decided: Decided): readonly Line[] {
  const decisions = decided.decision.actions.flatMap((action) => lineOf(decided, action) ?? []);
  return [...decisions, ...dismissals(decided.facts, ({ isHeldByThisApp }) => isHeldByThisApp)];
}

/** Writes down at once what GitHub has done; a process that dies before that leaves it to the next look. */
export async function auditDismissed(ports: AuditPorts, thread: string, context: ActContext): Promise<void> {
  const { dismissed = [], facts } = context;
  for (const { event, detail, once } of dismissals(facts, ({ id }) => dismissed.includes(id))) {
    await auditNews(ports, { thread, run: null, event, detail }, once);
  }
}

function dismissals({ pullRequests }: Facts, isDismissed: (review: Review) => boolean): readonly Line[] {
  return pullRequests.flatMap(({ number, reviews }) =>
    reviews.filter(isDismissed).map(({ id, author, commit }) => {
      const detail = `review ${id} by ${loginOf(author)} of ${commit ?? 'no commit'} on #${number}, by this app`;
      return { event: 'approval_dismissed', detail, once: 'thread' };
    }),
  );
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
    const { reviewers, head, planBlob } = order.approval;
    const by = reviewers.map(({ login, permission, review }) => `${login} (${permission}, review ${review})`);
    return {
      event: 'approval_accepted',
      detail: `${what}: approved at ${head}, plan ${planBlob}, by ${by.join(', ')}`,
    };
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
