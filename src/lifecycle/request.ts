/** What people asked for: the label that stands, and commands. A request counts by who made it, never by its text alone. */
import { currentPullRequest } from './branch.ts';
import { commentCause } from './cause.ts';
import type { Comment, Facts, IssueFacts, LabelEvent, Person } from './facts.ts';
import type { Memory } from './memory.ts';
import { isUnknown, isWriter } from './person.ts';
import type { Policy } from './policy.ts';
import { compareTimes } from './time.ts';

export interface Command {
  readonly cause: string;
  readonly name: 'plan' | 'replan' | 'retry' | 'cancel' | 'continue' | 'status' | 'view_plan';
  /** The rest of the first line and the lines below it; `null` where there is none. */
  readonly text: string | null;
  readonly comment: Comment;
  readonly by: Person;
}

/** A writer's standing word that there shall be a plan. */
interface Request {
  readonly cause: string;
  readonly by: Person;
  readonly at: string;
  readonly text: string | null;
}

export interface Requests {
  readonly standing: Request | null;
  /** True when a label stands whose setter's permission could not be read: nothing starts, and nothing stops. */
  readonly isUnclear: boolean;
  /** Commands by writers that nothing has answered yet, oldest first. */
  readonly commands: readonly Command[];
  /** The standing label and open commands by people who may not ask. */
  readonly refused: readonly { readonly cause: string; readonly by: Person; readonly comment: Comment | null }[];
}

const names: Readonly<Record<string, Command['name']>> = {
  '/plan': 'plan',
  '/replan': 'replan',
  '/retry': 'retry',
  '/cancel': 'cancel',
  '/continue': 'continue',
  '/status': 'status',
  '/view-plan': 'view_plan',
  '/show-plan': 'view_plan',
  '/plan-view': 'view_plan',
};

/** A command stands alone at the very start of an unedited comment by a person. */
function parseCommand(comment: Comment): Command | null {
  const match = /^(\/[a-z-]+)(?:[ \t]([^\r\n]*))?(?:\r?\n([\s\S]*))?$/.exec(comment.body.trimEnd());
  const name = match?.[1] === undefined ? undefined : names[match[1]];
  if (name === undefined || comment.editedAt !== null || comment.author === null) return null;
  if (comment.author.kind !== 'user' || comment.author.isThisApp) return null;
  const text = [match?.[2] ?? '', match?.[3] ?? ''].join('\n').trim();
  return { cause: commentCause(comment.id), name, text: text === '' ? null : text, comment, by: comment.author };
}

/** Every command that stands on the issue or its current pull request, oldest first. */
export function commandsOf(facts: Facts): readonly Command[] {
  const comments = [...facts.issue.comments, ...(currentPullRequest(facts)?.comments ?? [])];
  return comments
    .map(parseCommand)
    .filter((command) => command !== null)
    .sort((a, b) => compareTimes(a.comment.createdAt, b.comment.createdAt) || a.comment.id - b.comment.id);
}

/** What stands of all that was asked for. Text alone counts for nothing, and neither does a person who may not ask. */
export function readRequests(facts: Facts, memory: Memory, policy: Policy): Requests {
  const commands = commandsOf(facts);
  const label = standingLabel(facts, policy);
  const cancelled = lastOf(
    commands.filter((command) => command.name === 'cancel' && isWriter(facts, command.by)).map(requestOf),
  );
  const unlabelled = lastOf(facts.issue.labelEvents.filter((event) => isRemoval(event, policy)));
  const asked = commands.filter((command) => command.name === 'plan').map(requestOf);
  const accepted = [
    ...(label === null ? [] : [label]).filter((request) => isAfter(request, cancelled)),
    ...asked.filter((request) => isAfter(request, cancelled) && isAfter(request, unlabelled)),
  ]
    .filter((request) => isAccepted(facts, memory, request))
    .sort((a, b) => compareTimes(a.at, b.at));
  const open = commands.filter((command) => !isAnswered(command, memory));
  return {
    standing: accepted.at(-1) ?? null,
    isUnclear: label !== null && !isAccepted(facts, memory, label) && isUnknown(facts, label.by),
    commands: open.filter((command) => isWriter(facts, command.by)),
    refused: refusals(facts, memory, label, open),
  };
}

function refusals(facts: Facts, memory: Memory, label: Request | null, open: readonly Command[]): Requests['refused'] {
  const mayNot = (person: Person) => !isWriter(facts, person) && !isUnknown(facts, person);
  const refusedLabel =
    label !== null && !isAccepted(facts, memory, label) && mayNot(label.by)
      ? [{ cause: label.cause, by: label.by, comment: null }]
      : [];
  const refusedCommands = open
    .filter((command) => mayNot(command.by))
    .map(({ cause, by, comment }) => ({ cause, by, comment }));
  return [...refusedLabel, ...refusedCommands];
}

/**
 * The event by which the trigger label came to stand on the issue. The label's mere presence is not enough (a label can
 * be renamed), and neither is the event alone (a label can be deleted).
 */
export function standingLabelEvent(issue: IssueFacts, policy: Policy): LabelEvent | null {
  if (!issue.labels.some((label) => isTrigger(label, policy))) return null;
  const event = issue.labelEvents.findLast(({ label }) => isTrigger(label, policy));
  return event?.kind === 'labeled' ? event : null;
}

/** GitHub's label names differ by more than their case. */
function isTrigger(label: string, policy: Policy): boolean {
  return label.toLowerCase() === policy.triggerLabel.toLowerCase();
}

function standingLabel(facts: Facts, policy: Policy): Request | null {
  const event = standingLabelEvent(facts.issue, policy);
  return event === null || event.by === null ? null : { cause: event.id, by: event.by, at: event.at, text: null };
}

function requestOf(command: Command): Request {
  return { cause: command.cause, by: command.by, at: command.comment.createdAt, text: command.text };
}

function isRemoval(event: LabelEvent, policy: Policy): boolean {
  return event.kind === 'unlabeled' && isTrigger(event.label, policy);
}

function lastOf<T extends { readonly at: string }>(items: readonly T[]): T | null {
  return items.toSorted((a, b) => compareTimes(a.at, b.at)).at(-1) ?? null;
}

function isAfter(request: Request, word: { readonly at: string } | null): boolean {
  return word === null || compareTimes(request.at, word.at) > 0;
}

/** Accepted now by live permission, or accepted before: a run answers it, or the open pull request came of it. */
function isAccepted(facts: Facts, memory: Memory, request: Request): boolean {
  if (isWriter(facts, request.by)) return true;
  if (request.by.kind !== 'user' || request.by.isThisApp) return false;
  if (memory.runs.some((run) => run.causes.includes(request.cause))) return true;
  const pullRequest = currentPullRequest(facts);
  return pullRequest?.state === 'open' && compareTimes(request.at, pullRequest.createdAt) <= 0;
}

function isAnswered(command: Command, memory: Memory): boolean {
  if (command.comment.reactionsByThisApp.length > 0) return true;
  return memory.runs.some((run) => run.causes.includes(command.cause));
}
