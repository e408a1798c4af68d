import { z } from 'zod';
import { standingVerdicts } from '../lifecycle/approval-gate.ts';
import { currentPullRequest, holdsCode } from '../lifecycle/branch.ts';
import type { Comment, Facts, Permission, Person, PullRequestFacts } from '../lifecycle/facts.ts';
import { commandsOf, compareTimes } from '../lifecycle/request.ts';
import type { Held } from './session.ts';
import { mapPool } from './task-pool.ts';

/**
 * The people whose permission the decision depends on, each once: who set the standing label, who gave commands, who
 * answered questions, and whose reviews of the last pull request still wait or stand. Bots and this app are not among
 * them: whatever they may do on the repository, here they may nothing.
 */
export function peopleWhoDecide(facts: Omit<Facts, 'permissions'>): readonly Person[] {
  if ('problems' in facts.policy) return [];
  const pullRequest = currentPullRequest({ ...facts, permissions: {} });
  const people = [
    ...labelActors(facts, facts.policy.triggerLabel, pullRequest),
    ...commandsOf({ ...facts, permissions: {} })
      // What was reacted to has been answered; a `/cancel` or `/plan` keeps its meaning.
      .filter(({ name, comment }) => name === 'cancel' || name === 'plan' || comment.reactionsByThisApp.length === 0)
      .map(({ by }) => by),
    ...answerersOf(facts.issue.comments, facts.issue.author),
    ...(pullRequest?.state === 'open' ? reviewersOf(pullRequest) : []),
  ];
  const unique = new Map<number, Person>();
  for (const person of people) {
    if (person !== null && person.kind === 'user' && !person.isThisApp) unique.set(person.id, person);
  }
  return [...unique.values()];
}

/** Who set the label that stands; nobody once the open pull request has come of it. */
function labelActors(
  facts: Omit<Facts, 'permissions'>,
  triggerLabel: string,
  pullRequest: PullRequestFacts | null,
): readonly (Person | null)[] {
  const isTrigger = (label: string) => label.toLowerCase() === triggerLabel.toLowerCase();
  const event = facts.issue.labelEvents.findLast(({ label }) => isTrigger(label));
  if (!facts.issue.labels.some(isTrigger) || event?.kind !== 'labeled') return [];
  const isSettled = pullRequest?.state === 'open' && compareTimes(event.at, pullRequest.createdAt) <= 0;
  return isSettled ? [] : [event.by];
}

/** Who wrote after the last questions. The issue's author may answer with whatever permission. */
function answerersOf(comments: readonly Comment[], author: Person | null): readonly (Person | null)[] {
  const asked = comments.findLastIndex(({ marker }) => marker?.startsWith('questions:') === true);
  if (asked === -1) return [];
  return comments
    .slice(asked + 1)
    .filter((comment) => !comment.isEdited && comment.author?.id !== author?.id)
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

/** Live permissions by id. Whatever goes wrong for a person leaves that person `unknown`. */
export async function observePermissions(
  held: Held,
  repository: { readonly owner: string; readonly name: string },
  people: readonly Person[],
): Promise<Readonly<Record<number, Permission>>> {
  const entries = await mapPool(people, async (person): Promise<[number, Permission]> => {
    try {
      const { data } = await held.client.rest.repos.getCollaboratorPermissionLevel({
        owner: repository.owner,
        repo: repository.name,
        username: person.login,
      });
      return [person.id, readPermissionOf(data, person)];
    } catch {
      return [person.id, 'unknown'];
    }
  });
  return Object.fromEntries(entries);
}

const accountAnswer = z.object({ user: z.object({ id: z.number() }).nullable() });

/** An answer about another account, whose login has passed to someone else, says nothing of this person. */
function readPermissionOf(answer: unknown, person: Person): Permission {
  const account = accountAnswer.safeParse(answer);
  return account.success && account.data.user?.id === person.id ? readPermission(answer) : 'unknown';
}
