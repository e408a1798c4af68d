/** What people asked for: the label that stands, and commands. A request counts by who made it, never by its text alone. */
import { currentPullRequest } from './branch.ts';
import { commentsAmong } from './cause.ts';
import { type Command, commandsOf, wasRefused } from './command.ts';
import type { Facts, IssueFacts, LabelEvent, Person } from './facts.ts';
import type { Memory } from './memory.ts';
import { isUnknown, isWriter } from './person.ts';
import { compareTimes } from './time.ts';

/** A writer's standing word that there shall be a plan. */
export interface Request {
  readonly cause: string;
  readonly by: Person;
  readonly at: string;
  readonly text: string | null;
}

export interface Requests {
  readonly standing: Request | null;
  /**
   * Everybody who asked for the plan in the current pull request, by whatever word: a later word of somebody else changes
   * nothing about who asked. `null` where that cannot be told.
   */
  readonly askers: readonly Person[] | null;
  /** True when a label stands whose setter's permission could not be read: nothing starts, and nothing stops. */
  readonly isUnclear: boolean;
  /** Commands by writers that nothing has answered yet, oldest first. */
  readonly commands: readonly Command[];
  /** The standing label and open commands that count for nothing. */
  readonly refused: readonly Refusal[];
  /** Causes of the commands among `commands` that ask to stop what does not stand. */
  readonly idle: ReadonlySet<string>;
}

export interface Refusal {
  readonly cause: string;
  readonly by: Person;
  readonly reason: 'not_a_writer' | 'label_changed';
  /** The command; `null` for a label. */
  readonly command: Command | null;
}

/** What of a repository's policy says what a request is. */
interface RequestPolicy {
  readonly triggerLabel: string;
}

/** The trigger label; GitHub's default where the configuration is so broken that it does not even tell that. */
export function triggerOf(policy: Facts['policy']): RequestPolicy {
  return { triggerLabel: policy.triggerLabel ?? 'plan' };
}

/** What stands of all that was asked for. Text alone counts for nothing, and neither does a person who may not ask. */
export function readRequests(facts: Facts, memory: Memory, policy: RequestPolicy): Requests {
  const commands = commandsThatCount(facts);
  const event = standingLabelEvent(facts.issue, policy);
  const label = event === null ? null : labelRequest(event);
  const isFit = event !== null && label !== null && (!isChanged(event) || isKnown(facts, memory, label));
  const cancels = commands.filter(({ name, by }) => name === 'cancel' && isWriter(facts, by)).map(requestOf);
  const cancelled = lastOf(cancels);
  const unlabelled = lastOf(facts.issue.labelEvents.filter((each) => isRemoval(each, policy)));
  const asked = commands.filter(({ name }) => name === 'plan').map(requestOf);
  const accepted = [...(isFit ? [label] : []), ...asked.filter((request) => isAfter(request, unlabelled))]
    .filter((request) => isAccepted(facts, memory, request))
    .sort((a, b) => compareTimes(a.at, b.at));
  const open = commands.filter((command) => !isAnswered(command, memory));
  const standing = accepted.findLast((request) => isAfter(request, cancelled)) ?? null;
  return {
    standing,
    askers: askersOf(facts, memory, policy, standing),
    isUnclear: label !== null && !isAccepted(facts, memory, label) && isUnknown(facts, label.by),
    commands: open.filter((command) => isWriter(facts, command.by)),
    refused: refusals(facts, memory, event, open),
    idle: new Set(cancels.filter((cancel) => !stops(facts, cancel, accepted, cancels)).map(({ cause }) => cause)),
  };
}

function commandsThatCount(facts: Facts): readonly Command[] {
  return commandsOf(facts).filter((command) => !wasRefused(command));
}

function askersOf(
  facts: Facts,
  memory: Memory,
  policy: RequestPolicy,
  standing: Request | null,
): readonly Person[] | null {
  const ended = facts.pullRequests.at(-2)?.closedAt ?? null;
  const labels = facts.issue.labelEvents.flatMap((event) => {
    const request = event.kind === 'labeled' && isTrigger(event.label, policy) ? labelRequest(event) : null;
    return request !== null && (!isChanged(event) || isKnown(facts, memory, request)) ? [request] : [];
  });
  const words = commandsThatCount(facts).filter(({ name }) => name === 'plan' || name === 'replan');
  const asked = [...labels, ...words.map(requestOf)].filter((each) =>
    isAfter(each, ended === null ? null : { at: ended }),
  );
  if (standing === null || !areWordsThere(facts, memory)) return null;
  return [standing, ...asked].map(({ by }) => by);
}

/** Whether every comment that a plan on the current branch came of is still there, as it was written. */
function areWordsThere(facts: Facts, { runs }: Memory): boolean {
  const pullRequest = currentPullRequest(facts);
  const own = runs.filter(
    ({ phase, branch, status }) => phase === 'plan' && branch === pullRequest?.branch && status !== 'cancelled',
  );
  const there = [...facts.issue.comments, ...(pullRequest?.comments ?? [])].filter(({ editedAt }) => editedAt === null);
  const ids = new Set(there.map(({ id }) => id));
  return commentsAmong(own.flatMap(({ causes }) => causes)).every((id) => ids.has(id));
}

/** Whether there was a request for a `/cancel` to withdraw: one before it that had neither ended nor been withdrawn. */
function stops(facts: Facts, cancel: Request, asked: readonly Request[], cancels: readonly Request[]): boolean {
  const pullRequest = currentPullRequest(facts);
  const ended = pullRequest === null || pullRequest.state === 'open' ? null : pullRequest.closedAt;
  return asked.some(
    (request) =>
      !isAfter(request, cancel) &&
      isAfter(request, ended === null ? null : { at: ended }) &&
      !cancels.some((earlier) => !isAfter(request, earlier) && isAfter(cancel, earlier)),
  );
}

function refusals(
  facts: Facts,
  memory: Memory,
  event: LabelEvent | null,
  open: readonly Command[],
): readonly Refusal[] {
  const mayNot = (person: Person) => !isWriter(facts, person) && !isUnknown(facts, person);
  const refusedCommands = open
    .filter((command) => mayNot(command.by))
    .map((command): Refusal => ({ cause: command.cause, by: command.by, reason: 'not_a_writer', command }));
  const label = event === null ? null : labelRequest(event);
  if (event === null || label === null || isKnown(facts, memory, label)) return refusedCommands;
  const refused = { cause: label.cause, by: label.by, command: null };
  if (mayNot(label.by)) return [{ ...refused, reason: 'not_a_writer' }, ...refusedCommands];
  const isTold = isWriter(facts, label.by) && isChanged(event) && isChangedSoon(event);
  return [...(isTold ? [{ ...refused, reason: 'label_changed' } as const] : []), ...refusedCommands];
}

/**
 * The event by which the trigger label came to stand on the issue. The label's mere presence is not enough (a label can
 * be renamed), and neither is the event alone (a label can be deleted).
 */
export function standingLabelEvent(issue: IssueFacts, policy: RequestPolicy): LabelEvent | null {
  if (!issue.labels.some((label) => isTrigger(label, policy))) return null;
  const event = issue.labelEvents.findLast(({ label }) => isTrigger(label, policy));
  return event?.kind === 'labeled' ? event : null;
}

/** GitHub's label names differ by more than their case. */
function isTrigger(label: string, policy: RequestPolicy): boolean {
  return label.toLowerCase() === policy.triggerLabel.toLowerCase();
}

function labelRequest(event: LabelEvent): Request | null {
  return event.by === null ? null : { cause: event.id, by: event.by, at: event.at, text: null };
}

/** An event names its label as it is called today: what was set may have been another. */
function isChanged({ at, labelChangedAt }: LabelEvent): boolean {
  return labelChangedAt !== null && compareTimes(labelChangedAt, at) > 0;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Whoever renames a label of long ago asks nobody for a plan: no word on every issue that bears it. */
function isChangedSoon({ at, labelChangedAt }: LabelEvent): boolean {
  return labelChangedAt !== null && compareTimes(labelChangedAt, at) <= dayMs;
}

function requestOf(command: Command): Request {
  return { cause: command.cause, by: command.by, at: command.comment.createdAt, text: command.text };
}

function isRemoval(event: LabelEvent, policy: RequestPolicy): boolean {
  return event.kind === 'unlabeled' && isTrigger(event.label, policy);
}

function lastOf<T extends { readonly at: string }>(items: readonly T[]): T | null {
  return items.toSorted((a, b) => compareTimes(a.at, b.at)).at(-1) ?? null;
}

function isAfter(request: { readonly at: string }, word: { readonly at: string } | null): boolean {
  return word === null || compareTimes(request.at, word.at) > 0;
}

/**
 * Accepted now by live permission, or accepted before: a run answers it, or the open pull request came of it. A command
 * that was not heard then is nobody's that a pull request came of.
 */
function isAccepted(facts: Facts, memory: Memory, request: Request): boolean {
  if (isWriter(facts, request.by)) return true;
  if (request.by.kind !== 'user' || request.by.isThisApp) return false;
  if (memory.runs.some((run) => run.causes.includes(request.cause))) return true;
  const command = commandsOf(facts).find(({ cause }) => cause === request.cause);
  if (command !== undefined && !command.comment.reactionsByThisApp.includes('EYES')) return false;
  const pullRequest = currentPullRequest(facts);
  return pullRequest?.state === 'open' && compareTimes(request.at, pullRequest.createdAt) <= 0;
}

/** Whether something has come of a request, whatever became of that. */
function isKnown(facts: Facts, memory: Memory, request: Request): boolean {
  if (memory.runs.some((run) => run.causes.includes(request.cause))) return true;
  return facts.pullRequests.some(({ createdAt }) => compareTimes(request.at, createdAt) <= 0);
}

function isAnswered(command: Command, memory: Memory): boolean {
  if (command.comment.reactionsByThisApp.length > 0) return true;
  return memory.runs.some((run) => run.causes.includes(command.cause));
}
