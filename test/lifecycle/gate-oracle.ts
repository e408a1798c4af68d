/**
 * The approval gate told a second time: slow, obvious, and from what happened in its order instead of from facts. It
 * shares nothing with the gate but the words for permissions.
 */
import type { Permission } from '../../src/lifecycle/facts.ts';

export type Reviewer = 'ada' | 'ben';

export interface GateEvent {
  readonly kind:
    | 'push'
    | 'close'
    | 'reopen'
    | 'retarget'
    | 'hold'
    | 'approve'
    | 'request changes'
    | 'comment'
    | 'dismiss';
  /** Whose review it is; `null` on what happens to the pull request itself. */
  readonly of: Reviewer | null;
}

export interface OracleRule {
  readonly required: number;
  readonly requireResolvedThreads: boolean;
}

export interface OracleVerdict {
  readonly isOpen: boolean;
  /** The reviewers whose approval counts. */
  readonly counted: readonly Reviewer[];
}

const everybody: readonly Reviewer[] = ['ada', 'ben'];

/**
 * Whether the gate is open after a sequence of events on a plan that has just been opened for review. The pull request
 * goes back and forth between two bases; every comment begins a conversation that nobody resolves.
 */
export function judgeSequence(
  events: readonly GateEvent[],
  permissions: Readonly<Record<Reviewer, Permission>>,
  rule: OracleRule,
  isHeldRemembered = false,
): OracleVerdict {
  const counted = everybody.filter(
    (reviewer) =>
      isWriter(permissions[reviewer]) && approvesWhatIsThere(events, reviewer, permissions, rule, isHeldRemembered),
  );
  const isOpen =
    isPullRequestOpen(events) &&
    isOnItsBase(events) &&
    counted.length >= rule.required &&
    !everybody.some(
      (reviewer) => mayObject(permissions[reviewer]) && lastWord(events, reviewer) === 'request changes',
    ) &&
    !everybody.some(
      (reviewer) =>
        rule.requireResolvedThreads &&
        mayObject(permissions[reviewer]) &&
        !counted.includes(reviewer) &&
        hasDone(events, 'comment', reviewer),
    );
  return { isOpen, counted };
}

/** Whether the approval that was held back still stands: nothing was pushed since, and whoever gave it still gives it. */
export function judgeHeld(
  events: readonly GateEvent[],
  permissions: Readonly<Record<Reviewer, Permission>>,
  rule: OracleRule,
): boolean {
  const heldAt = events.findIndex((event) => event.kind === 'hold');
  const then = judgeSequence(events.slice(0, heldAt), permissions, rule);
  const now = judgeSequence(events, permissions, rule, true);
  const isPushed = events.slice(heldAt).some((event) => event.kind === 'push');
  return !isPushed && now.isOpen && then.counted.every((reviewer) => now.counted.includes(reviewer));
}

function isWriter(permission: Permission): boolean {
  return permission === 'admin' || permission === 'maintain' || permission === 'write';
}

/** Of whom it is not known what they may do, it is not known that they may not object. */
function mayObject(permission: Permission): boolean {
  return isWriter(permission) || permission === 'unknown';
}

function isPullRequestOpen(events: readonly GateEvent[]): boolean {
  const last = events.findLast((event) => event.kind === 'close' || event.kind === 'reopen');
  return last === undefined || last.kind === 'reopen';
}

function isOnItsBase(events: readonly GateEvent[]): boolean {
  return events.filter((event) => event.kind === 'retarget').length % 2 === 0;
}

/** The last of a reviewer's verdicts, or its dismissal, which leaves nothing of what they said before. */
function lastWord(events: readonly GateEvent[], reviewer: Reviewer): GateEvent['kind'] | null {
  const words = ['approve', 'request changes', 'dismiss'];
  return events.findLast((event) => event.of === reviewer && words.includes(event.kind))?.kind ?? null;
}

function hasDone(events: readonly GateEvent[], kind: GateEvent['kind'], reviewer: Reviewer): boolean {
  return events.some((event) => event.kind === kind && event.of === reviewer);
}

function approvesWhatIsThere(
  events: readonly GateEvent[],
  reviewer: Reviewer,
  permissions: Readonly<Record<Reviewer, Permission>>,
  rule: OracleRule,
  isHeldRemembered: boolean,
): boolean {
  if (lastWord(events, reviewer) !== 'approve') return false;
  const approvedAt = events.findLastIndex((event) => event.of === reviewer && event.kind === 'approve');
  const since = events.slice(approvedAt + 1);
  if (since.some((event) => ['push', 'close', 'reopen', 'retarget'].includes(event.kind))) return false;
  if (!since.some((event) => event.kind === 'hold')) return true;
  // The hold dismissed it. It is remembered for those whose approval had opened the gate, and for nobody else.
  const heldAt = events.findIndex((event) => event.kind === 'hold');
  return isHeldRemembered && judgeSequence(events.slice(0, heldAt), permissions, rule).counted.includes(reviewer);
}
