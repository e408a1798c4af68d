import { z } from 'zod';
import { currentPullRequest, holdsCode } from '../lifecycle/branch.ts';
import type { Comment, Facts, LabelEvent, Permission, Person, PullRequestFacts } from '../lifecycle/facts.ts';
import { mayWrite } from '../lifecycle/person.ts';
import { commandsOf, standingLabelEvent } from '../lifecycle/request.ts';
import { standingVerdicts } from '../lifecycle/standing-verdict.ts';
import { compareTimes } from '../lifecycle/time.ts';
import type { Held } from './session.ts';
import { mapPool } from './task-pool.ts';

/**
 * The people whose permission the decision depends on, each once: who set the standing label, who gave commands, who
 * answered questions, and whose reviews of the last pull request still wait or stand. Bots and this app are not among
 * them: whatever they may do on the repository, here they may nothing.
 */
function peopleWhoDecide(facts: Omit<Facts, 'permissions'>): readonly Person[] {
  if ('problems' in facts.policy) return [];
  return uniquePeople([labelEventToJudge(facts)?.by ?? null, ...peopleBesideLabel(facts)]);
}

function peopleBesideLabel(facts: Omit<Facts, 'permissions'>): readonly (Person | null)[] {
  const pullRequest = currentPullRequest({ ...facts, permissions: {} });
  return [
    ...commandsOf({ ...facts, permissions: {} })
      // What was reacted to has been answered; a `/cancel` or `/plan` keeps its meaning.
      .filter(({ name, comment }) => name === 'cancel' || name === 'plan' || comment.reactionsByThisApp.length === 0)
      .map(({ by }) => by),
    ...answerersOf(facts.issue.comments, facts.issue.author),
    ...(pullRequest?.state === 'open' ? reviewersOf(pullRequest) : []),
  ];
}

function uniquePeople(people: readonly (Person | null)[]): readonly Person[] {
  const unique = new Map<number, Person>();
  for (const person of people) {
    if (person !== null && person.kind === 'user' && !person.isThisApp) unique.set(person.id, person);
  }
  return [...unique.values()];
}

/** The event by which the label came to stand; `null` for none, and once the open pull request has come of it. */
function labelEventToJudge(facts: Omit<Facts, 'permissions'>): LabelEvent | null {
  if ('problems' in facts.policy) return null;
  const event = standingLabelEvent(facts.issue, facts.policy);
  if (event === null) return null;
  const pullRequest = currentPullRequest({ ...facts, permissions: {} });
  const isSettled = pullRequest?.state === 'open' && compareTimes(event.at, pullRequest.createdAt) <= 0;
  return isSettled ? null : event;
}

/** Who wrote after the last questions. The issue's author may answer with whatever permission. */
function answerersOf(comments: readonly Comment[], author: Person | null): readonly (Person | null)[] {
  const asked = comments.findLastIndex(({ marker }) => marker?.startsWith('questions:') === true);
  if (asked === -1) return [];
  return comments
    .slice(asked + 1)
    .filter((comment) => comment.editedAt === null && comment.author?.id !== author?.id)
    .map((comment) => comment.author);
}

function reviewersOf(pullRequest: PullRequestFacts): readonly (Person | null)[] {
  const answered = new Set(pullRequest.commits.flatMap(({ trailers }) => trailers?.reviews ?? []));
  const isHeld = !holdsCode(pullRequest);
  const waiting = pullRequest.reviews.filter(({ state, id }) => state !== 'DISMISSED' && !answered.has(id));
  const open = new Set(waiting.map(({ id }) => id));
  return [
    ...standingVerdicts(pullRequest).map(({ person }) => person),
    ...waiting.map(({ author }) => author),
    ...pullRequest.reviews.filter((review) => isHeld && review.isHeldByThisApp).map(({ author }) => author),
    ...pullRequest.threads
      .flatMap(({ comments }) => comments)
      .filter(({ reviewId }) => reviewId !== null && open.has(reviewId))
      .map(({ author }) => author),
  ];
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
  readonly facts: Omit<Facts, 'permissions'>;
  readonly recent: RecentWriters;
}

/**
 * Permissions by id, live but for one: that a writer set the label is not asked again for a minute. Whatever goes wrong
 * for a person leaves that person `unknown`.
 */
export async function observePermissions({ held, facts, recent }: PermissionLook): Promise<Facts['permissions']> {
  const event = labelEventToJudge(facts);
  const known = event === null ? null : recent.get(event.id);
  const people =
    known === null || 'problems' in facts.policy ? peopleWhoDecide(facts) : uniquePeople(peopleBesideLabel(facts));
  const { owner, name } = facts.repository;
  const entries = await mapPool(people, async (person): Promise<[number, Permission]> => {
    try {
      const given = { owner, repo: name, username: person.login };
      const { data } = await held.client.rest.repos.getCollaboratorPermissionLevel(given);
      return [person.id, readPermissionOf(data, person)];
    } catch {
      return [person.id, 'unknown'];
    }
  });
  const live: Readonly<Record<number, Permission>> = Object.fromEntries(entries);
  const by = event?.by ?? null;
  if (event === null || by === null) return live;
  if (known === null) recent.keep(event.id, live[by.id] ?? 'unknown');
  return known === null ? live : { [by.id]: known, ...live };
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
function readPermissionOf(answer: unknown, person: Person): Permission {
  const account = accountAnswer.safeParse(answer);
  return account.success && account.data.user?.id === person.id ? readPermission(answer) : 'unknown';
}
