/**
 * Which deliveries wake which thread. A delivery says only "look again": nothing in it decides anything, so what is not
 * listed here loses nothing but speed.
 */
import type { Probot } from 'probot';
import { z } from 'zod';
import type { Destination, Inbox } from './engine/inbox.ts';
import type { ThreadRef } from './github/github.ts';
import { parseBranchName } from './github/identifiers.ts';
import { statusLabels } from './lifecycle/state.ts';

const id = z.number().int().positive();
const word = z.string().max(100);
const repository = z.object({ id, name: word, owner: z.object({ login: word }) });
const sender = z.object({ id, login: word, type: word });
const base = z.object({ installation: z.object({ id }), repository, sender });
const issuePayload = base.extend({ issue: z.object({ number: id, pull_request: z.unknown().optional() }) });
const pullRequestPayload = base.extend({
  pull_request: z.object({
    number: id,
    head: z.object({ ref: z.string().max(1000), repo: z.object({ id }).nullable() }),
    base: z.object({ repo: z.object({ id }) }),
  }),
});
const authorship = z.object({
  action: z.string(),
  sender,
  label: z.object({ name: z.string() }).optional(),
  changes: z.object({ base: z.unknown().optional() }).optional(),
});
const installationPayload = z.object({ installation: z.object({ id }) });

type Rule = (payload: unknown) => Destination;

/** The events and actions that wake a thread. Source: https://docs.github.com/webhooks/webhook-events-and-payloads */
const rules: Readonly<Record<string, { readonly actions: readonly string[]; readonly rule: Rule }>> = {
  issues: {
    actions: [
      'opened',
      'edited',
      'labeled',
      'unlabeled',
      'closed',
      'reopened',
      'locked',
      'unlocked',
      'deleted',
      'transferred',
    ],
    rule: fromPeople(issueOf, ['unlabeled', 'closed', 'reopened', 'locked', 'deleted', 'transferred']),
  },
  issue_comment: { actions: ['created'], rule: fromPeople(issueOf) },
  pull_request: {
    actions: [
      'opened',
      'closed',
      'reopened',
      'edited',
      'synchronize',
      'ready_for_review',
      'converted_to_draft',
      'locked',
      'unlocked',
    ],
    rule: fromPeople(pullRequestOf, ['closed', 'reopened', 'edited', 'converted_to_draft']),
  },
  pull_request_review: { actions: ['submitted', 'dismissed'], rule: fromPeople(pullRequestOf) },
  pull_request_review_comment: { actions: ['created'], rule: fromPeople(pullRequestOf) },
  pull_request_review_thread: { actions: ['resolved', 'unresolved'], rule: fromPeople(pullRequestOf) },
  installation: { actions: ['deleted', 'suspend', 'unsuspend', 'new_permissions_accepted'], rule: installationOf },
  installation_repositories: { actions: ['added', 'removed'], rule: installationOf },
  repository: { actions: ['archived', 'unarchived', 'deleted', 'renamed', 'transferred'], rule: repositoryOf },
};

/** Where a delivery leads, or why it leads to none. Never throws, whatever the payload. */
export function destinationOf(event: string, payload: unknown): Destination {
  const action = z.object({ action: z.string() }).safeParse(payload).data?.action ?? null;
  const entry = Object.hasOwn(rules, event) ? rules[event] : undefined;
  if (entry === undefined) return ignored('the event is not listened to');
  if (action === null || !entry.actions.includes(action)) return ignored('the action is not listened to');
  return entry.rule(payload);
}

/**
 * What a bot does, this app included, wakes nothing: an app that listens to itself never comes to rest. Only `botActions`
 * are heard: they can stop work, and this app never does them.
 */
function fromPeople(rule: Rule, botActions: readonly string[] = []): Rule {
  return (payload) => {
    const { data } = authorship.safeParse(payload);
    if (data === undefined) return ignored('the payload names no sender');
    if (data.sender.type === 'User') return rule(payload);
    const isStop = botActions.includes(data.action) && !isOwnWay(data);
    return isStop ? rule(payload) : ignored('the sender is not a person');
  };
}

const ownLabels: ReadonlySet<unknown> = new Set(Object.values(statusLabels));

/** The two of these actions that this app has a way of its own with: its status labels, and its pull request's text. */
function isOwnWay({ action, label, changes }: z.infer<typeof authorship>): boolean {
  if (action === 'unlabeled') return ownLabels.has(label?.name);
  return action === 'edited' && changes?.base === undefined;
}

function issueOf(payload: unknown): Destination {
  const { data } = issuePayload.safeParse(payload);
  if (data === undefined) return ignored('the payload is not understood');
  const where = placeOf(data);
  return data.issue.pull_request === undefined
    ? { kind: 'issue', ...where, issue: data.issue.number }
    : { kind: 'pull_request', ...where, pullRequest: data.issue.number };
}

function pullRequestOf(payload: unknown): Destination {
  const { data } = pullRequestPayload.safeParse(payload);
  if (data === undefined) return ignored('the payload is not understood');
  const { head, base: target } = data.pull_request;
  if (head.repo?.id !== target.repo.id) return ignored('the pull request comes from a fork');
  const branch = parseBranchName(head.ref);
  return branch === null
    ? ignored('the branch is not of this app')
    : { kind: 'issue', ...placeOf(data), issue: branch.issue };
}

function installationOf(payload: unknown): Destination {
  const { data } = installationPayload.safeParse(payload);
  return data === undefined
    ? ignored('the payload is not understood')
    : { kind: 'installation', installation: data.installation.id };
}

function repositoryOf(payload: unknown): Destination {
  const { data } = base.safeParse(payload);
  return data === undefined
    ? ignored('the payload is not understood')
    : { kind: 'repository', installation: data.installation.id, repository: data.repository.id };
}

function placeOf(data: z.infer<typeof base>): { installation: number; repository: ThreadRef['repository'] } {
  const { id: repositoryId, name, owner } = data.repository;
  return { installation: data.installation.id, repository: { id: repositoryId, owner: owner.login, name } };
}

function ignored(reason: string): Destination {
  return { kind: 'ignored', reason };
}

/** GitHub hangs up after 10 s and Probot answers 2xx after 9, stored or not; an answer before that must be the truth. */
const storeTimeoutMs = 7500;

/**
 * The Probot application: every delivery whose signature holds is stored, then answered. Nothing else happens in it.
 * A delivery that cannot be stored is answered with an error, so that GitHub lists it as failed and can send it again.
 */
export function createApp(inbox: Inbox): (probot: Probot) => void {
  return (probot) => {
    probot.onAny(async ({ id: guid, name, payload }) => {
      const stored = inbox.store({ guid, event: name, payload, destination: destinationOf(name, payload) });
      try {
        await withTimeout(stored, storeTimeoutMs);
      } catch (error) {
        probot.log.error({ err: error, delivery: guid, event: name }, 'delivery not stored');
        throw new Error('expected the delivery to be stored, got a failure; send it again');
      }
    });
  };
}

async function withTimeout(work: Promise<unknown>, timeoutMs: number): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`expected an answer within ${timeoutMs} ms, got none`)), timeoutMs);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
