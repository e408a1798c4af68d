import { z } from 'zod';
import { currentPullRequest, holdsCode } from '../lifecycle/branch.ts';
import { type Command, commandsOf, wasRefused } from '../lifecycle/command.ts';
import type { Facts, LabelEvent, Permission, Person, PullRequestFacts } from '../lifecycle/facts.ts';
import { mayWrite } from '../lifecycle/person.ts';
import { standingLabelEvent, triggerOf } from '../lifecycle/request.ts';
import { commentsBefore, lateEdits } from '../lifecycle/request-text.ts';
import { standingVerdicts } from '../lifecycle/standing-verdict.ts';
import { statusLabels } from '../lifecycle/state.ts';
import { commentsSince } from '../lifecycle/thread-comments.ts';
import { compareTimes } from '../lifecycle/time.ts';
import { beforeDeadline } from './deadline.ts';
import type { Held } from './session.ts';
import { mapPool } from './task-pool.ts';

/** What is known before anybody is asked about people. */
type BareFacts = Omit<Facts, 'permissions' | 'memberships'>;

/**
 * The people whose permission the decision depends on, each once: who set the standing label, who gave commands, who
 * answered questions, and whose reviews of the last pull request still wait or stand. Bots and this app are not among
 * them: whatever they may do on the repository, here they may nothing.
 */
function peopleWhoDecide(facts: BareFacts): readonly Person[] {
  return uniquePeople([labelEventToJudge(facts)?.by ?? null, ...peopleBesideLabel(facts)]);
}

function peopleBesideLabel(facts: BareFacts): readonly (Person | null)[] {
  if ('problems' in facts.policy) return planAskers(facts);
  const pullRequest = currentPullRequest({ ...facts, permissions: {}, memberships: {} });
  return [
    // First, so that no crowd of others uses up the time that the gate's own people need.
    ...(pullRequest?.state === 'open' ? reviewersOf(pullRequest, facts.policy) : []),
    ...commandsOf({ ...facts, permissions: {}, memberships: {} })
      .filter((command) => !wasRefused(command))
      // What was reacted to has been answered; a `/cancel` or `/plan` keeps its meaning.
      .filter(({ name, comment }) => name === 'cancel' || name === 'plan' || comment.reactionsByThisApp.length === 0)
      .map(({ by }) => by),
    ...answerersOf({ ...facts, permissions: {}, memberships: {} }),
    ...peopleOfText(facts),
  ];
}

function planAskers(facts: BareFacts): readonly Person[] {
  return planCommands(facts).map(({ by }) => by);
}

function planCommands(facts: BareFacts): readonly Command[] {
  return commandsOf({ ...facts, permissions: {}, memberships: {} }).filter(
    (command) => command.name === 'plan' && !wasRefused(command),
  );
}

/** Most people who are asked for because of the issue's text: who edited it, and who commented on it. */
const maxPeopleOfText = 30;

/**
 * The people whose say decides what of the issue's text may be used: who edited it after a request that may stand, and,
 * before there is a pull request, who commented before. The newest of either count; of the others nothing is known.
 */
function peopleOfText(facts: BareFacts): readonly Person[] {
  const event = standingLabelEvent(facts.issue, triggerOf(facts.policy));
  const times = [...(event === null ? [] : [event.at]), ...planCommands(facts).map(({ comment }) => comment.createdAt)];
  const [first, last] = [times.toSorted(compareTimes)[0], times.toSorted(compareTimes).at(-1)];
  if (first === undefined || last === undefined) return [];
  const editors = lateEdits(facts.issue, { at: first }).map(({ by }) => by);
  return [...newestPeople(editors), ...newestPeople(isTextWanted(facts, last) ? commentersOf(facts, last) : [])];
}

/** A run may still be told what the issue says: no pull request has come of the request. */
function isTextWanted(facts: BareFacts, at: string): boolean {
  const pullRequest = currentPullRequest({ ...facts, permissions: {}, memberships: {} });
  if (pullRequest === null) return facts.issue.state === 'open';
  return pullRequest.closedAt !== null && compareTimes(at, pullRequest.closedAt) > 0;
}

function commentersOf({ issue }: BareFacts, at: string): readonly (Person | null)[] {
  return commentsBefore(issue, { at })
    .map(({ author }) => author)
    .filter((author) => author?.id !== issue.author?.id);
}

function newestPeople(people: readonly (Person | null)[]): readonly Person[] {
  return uniquePeople(people.toReversed()).slice(0, maxPeopleOfText);
}

function uniquePeople(people: readonly (Person | null)[]): readonly Person[] {
  const unique = new Map<number, Person>();
  for (const person of people) {
    if (person !== null && person.kind === 'user' && !person.isThisApp) unique.set(person.id, person);
  }
  return [...unique.values()];
}

/** The event by which the label came to stand; `null` for none, and once the open pull request has come of it. */
function labelEventToJudge(facts: BareFacts): LabelEvent | null {
  const event = standingLabelEvent(facts.issue, triggerOf(facts.policy));
  if (event === null) return null;
  const pullRequest = currentPullRequest({ ...facts, permissions: {}, memberships: {} });
  const isSettled = pullRequest?.state === 'open' && compareTimes(event.at, pullRequest.createdAt) <= 0;
  return isSettled ? null : event;
}

/**
 * Who wrote after the last questions, while the thread is shown to wait for them: where somebody has taken the label off,
 * this look sets it again, and the next one asks. The issue's author may answer with whatever permission.
 */
function answerersOf(facts: Facts): readonly (Person | null)[] {
  const asked = facts.issue.comments.findLast(({ marker }) => marker?.startsWith('questions:') === true);
  const isWaiting = facts.issue.labels.includes(statusLabels.awaiting_answer);
  if (asked === undefined || !isWaiting) return [];
  return commentsSince(facts, asked)
    .filter(({ editedAt, author }) => editedAt === null && author?.id !== facts.issue.author?.id)
    .map(({ author }) => author);
}

/**
 * The people whose reviews of an open pull request still wait or stand, and those whose open conversations may keep the
 * gate shut.
 */
export function reviewersOf(pullRequest: PullRequestFacts, policy: Facts['policy']): readonly Person[] {
  const answered = new Set(pullRequest.commits.flatMap(({ trailers }) => trailers?.reviews ?? []));
  const isHeld = !holdsCode(pullRequest);
  const waiting = pullRequest.reviews.filter(({ state, id }) => state !== 'DISMISSED' && !answered.has(id));
  const open = new Set(waiting.map(({ id }) => id));
  const mayHold = !('problems' in policy) && policy.approval.requireResolvedThreads;
  return uniquePeople([
    ...standingVerdicts(pullRequest).map(({ person }) => person),
    ...waiting.map(({ author }) => author),
    ...pullRequest.reviews.filter((review) => isHeld && review.isHeldByThisApp).map(({ author }) => author),
    ...pullRequest.threads
      .flatMap(({ comments }) => comments)
      .filter(({ reviewId }) => reviewId !== null && open.has(reviewId))
      .map(({ author }) => author),
    ...pullRequest.threads
      .filter(({ isResolved }) => mayHold && !isResolved)
      .map(({ comments }) => comments[0]?.author ?? null),
  ]);
}

const permissions = ['admin', 'maintain', 'write', 'triage', 'read', 'none'] as const;
const permissionAnswer = z.object({ permission: z.string(), role_name: z.string().optional() });

/**
 * `permission` knows only admin, write, read and none; `role_name` tells maintain from write and triage from read. The
 * name of a role of an organisation's own says nothing, and `permission` then holds what it amounts to.
 * Source: https://docs.github.com/rest/collaborators/collaborators#get-repository-permissions-for-a-user
 */
export function readPermission(answer: unknown): Permission {
  const parsed = permissionAnswer.safeParse(answer);
  if (!parsed.success) return 'unknown';
  const granted = permissions.find((each) => each === parsed.data.permission);
  const role = parsed.data.role_name;
  if (granted === 'write' && role === 'maintain') return 'maintain';
  if (granted === 'read' && role === 'triage') return 'triage';
  return granted ?? 'unknown';
}

export interface PermissionLook {
  readonly held: Held;
  readonly facts: BareFacts;
  readonly recent: RecentWriters;
  /** How long the answers may take in all. */
  readonly timeoutMs: number;
}

/**
 * Permissions by id, live but for one: that a writer set the label is not asked again for a minute. Whatever goes wrong
 * for a person leaves that person `unknown`.
 */
export async function observePermissions(look: PermissionLook): Promise<Facts['permissions']> {
  const { facts, recent } = look;
  const event = labelEventToJudge(facts);
  const known = event === null ? null : recent.get(event.id);
  const people = known === null ? peopleWhoDecide(facts) : uniquePeople(peopleBesideLabel(facts));
  const live: Readonly<Record<number, Permission>> = Object.fromEntries(await askPermissions(look, people));
  const by = event?.by ?? null;
  if (event === null || by === null) return live;
  if (known === null) recent.keep(event.id, live[by.id] ?? 'unknown');
  return known === null ? live : { [by.id]: known, ...live };
}

async function askPermissions(
  { held, facts, timeoutMs }: PermissionLook,
  people: readonly Person[],
): Promise<ReadonlyMap<number, Permission>> {
  const { owner, name } = facts.repository;
  const found = new Map(people.map(({ id }): [number, Permission] => [id, 'unknown']));
  const ask = async (person: Person, signal: AbortSignal): Promise<void> => {
    const given = { owner, repo: name, username: person.login, request: { signal } };
    const { data } = await held.client.rest.repos.getCollaboratorPermissionLevel(given);
    found.set(person.id, readPermissionOf(data, person));
  };
  await beforeDeadline(timeoutMs, (signal) =>
    mapPool(people, (person) => ask(person, signal).catch(() => undefined)),
  ).catch(() => undefined);
  return new Map(found);
}

/** Label events that were a writer's when last looked at. */
export interface RecentWriters {
  get(event: string): Permission | null;
  /** Keeps what lets a person write, and nothing else. */
  keep(event: string, permission: Permission): void;
}

const recentMs = 60_000;

/** @param now milliseconds since the epoch */
export function createRecentWriters(now: () => number): RecentWriters {
  const kept = new Map<string, { readonly permission: Permission; readonly until: number }>();
  return {
    get: (event) => {
      const found = kept.get(event);
      if (found !== undefined && found.until > now()) return found.permission;
      kept.delete(event);
      return null;
    },
    keep: (event, permission) => {
      for (const [each, { until }] of kept) if (until <= now()) kept.delete(each);
      if (mayWrite(permission)) kept.set(event, { permission, until: now() + recentMs });
    },
  };
}

const accountAnswer = z.object({ user: z.object({ id: z.number() }).nullable() });

/** An answer about another account, whose login has passed to someone else, says nothing of this person. */
export function readPermissionOf(answer: unknown, person: { readonly id: number }): Permission {
  const account = accountAnswer.safeParse(answer);
  return account.success && account.data.user?.id === person.id ? readPermission(answer) : 'unknown';
}
