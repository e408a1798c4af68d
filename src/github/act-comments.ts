import type { Action, ReactionTarget, ThreadStatus } from '../lifecycle/actions.ts';
import { currentPullRequest } from '../lifecycle/branch.ts';
import { commentCause } from '../lifecycle/cause.ts';
import type { Comment } from '../lifecycle/facts.ts';
import type { LeftOut } from '../plan/left-out.ts';
import { asShown, isLockedError, makeOnce, type Stage } from './act-stage.ts';
import { repeatable } from './client.ts';
import { commandReply } from './command-reply.ts';
import { numbersComment, questionsComment, refusalComment, statusComment } from './comments.ts';
import { budgetReachedComment } from './cost-text.ts';
import { bearsMarker, formatMarker, type Marker } from './identifiers.ts';
import { leftOutOf } from './left-out-of-run.ts';
import { statusOf } from './response-errors.ts';
import type { Held } from './session.ts';

interface Posted {
  readonly id: number;
  readonly body: string;
}

/** Keeps one comment on the issue saying where the thread stands: edited in place, posted where there is none. */
export async function setStatusComment(stage: Stage, status: ThreadStatus): Promise<void> {
  const marker: Marker = { kind: 'status', thread: stage.key, cause: '-' };
  const pullRequest = status.pullRequest ?? openedSince(stage);
  const body = await stage.body(statusComment({ ...status, pullRequest }, stage.rules, unused(stage, status)), marker);
  const existing = findPosted(stage, marker, stage.facts.issue.comments);
  if (existing === null) {
    await post(stage, stage.facts.issue.number, marker, body);
  } else if (asShown(existing.body) !== asShown(body)) {
    await edit(stage, existing.id, marker, body);
  }
}

/** What did not ride along into the implementation that the status is about. */
function unused({ context, facts }: Stage, { state }: ThreadStatus): readonly LeftOut[] {
  const run = context.memory.runs.findLast(({ phase }) => phase === 'implement');
  const pullRequest = currentPullRequest(facts);
  const isAbout = (state === 'implementing' || state === 'implemented') && run?.branch === pullRequest?.branch;
  return isAbout && run !== undefined && pullRequest !== null ? leftOutOf(facts, pullRequest, run) : [];
}

/** A pull request that was opened after the decision is named all the same. */
function openedSince({ context, facts }: Stage): number | null {
  const opened = context.pullRequest?.number ?? null;
  return facts.pullRequests.some(({ number }) => number === opened) ? null : opened;
}

export async function refuse(stage: Stage, action: Extract<Action, { kind: 'refuse' }>): Promise<void> {
  const text = refusalComment(action.login, action.why, stage.rules);
  await say(stage, { kind: 'refusal', thread: stage.key, cause: action.cause }, text, 'issue');
}

/** Answers a command where it was given. */
export async function reply(stage: Stage, action: Extract<Action, { kind: 'reply' }>): Promise<void> {
  const { facts, rules } = stage;
  await replyTo(stage, action.cause, commandReply({ ...action, facts, memory: stage.context.memory, rules }));
}

export async function askForNumbers(stage: Stage, action: Extract<Action, { kind: 'askForNumbers' }>): Promise<void> {
  await replyTo(stage, action.cause, numbersComment(action.login, action.open));
}

async function replyTo(stage: Stage, cause: string, text: string): Promise<void> {
  const pullRequest = currentPullRequest(stage.facts);
  const isOnPullRequest = pullRequest?.comments.some(({ id }) => cause === commentCause(id)) === true;
  const marker: Marker = { kind: 'reply', thread: stage.key, cause };
  await say(stage, marker, text, isOnPullRequest ? 'pull request' : 'issue');
}

export async function askQuestions(stage: Stage, run: string): Promise<void> {
  const text = questionText(stage, run);
  if (text !== null) await say(stage, { kind: 'questions', thread: stage.key, cause: run }, text, 'issue');
}

function questionText({ context, facts, rules }: Stage, id: string): string | null {
  const { memory } = context;
  const run = memory.runs.find((each) => each.id === id);
  if (run?.outcome?.kind !== 'budget_reached') return questionsComment(run?.outcome ?? null, rules);
  const budget = 'problems' in facts.policy ? null : facts.policy.budget;
  return budgetReachedComment(run.outcome, run, { memory, budget, rules });
}

/** Says a thing once: under its marker, on the issue or on the pull request. */
export async function say(stage: Stage, marker: Marker, text: string, on: 'issue' | 'pull request'): Promise<void> {
  const pullRequest = currentPullRequest(stage.facts);
  const said = findPosted(stage, marker, [...stage.facts.issue.comments, ...(pullRequest?.comments ?? [])]);
  if (said !== null) return;
  const number = on === 'pull request' && pullRequest !== null ? pullRequest.number : stage.facts.issue.number;
  await post(stage, number, marker, await stage.body(text, marker));
}

/** The comment of this app that bears the marker. Somebody else's copy of it counts for nothing. */
function findPosted(stage: Stage, marker: Marker, comments: readonly Comment[]): Posted | null {
  const made = stage.made.comments.get(formatMarker(marker));
  if (made !== undefined) return made;
  return (
    comments.find(
      (comment) => comment.author?.isThisApp === true && comment.marker === `${marker.kind}:${marker.cause}`,
    ) ?? null
  );
}

async function post(stage: Stage, issue: number, marker: Marker, body: string): Promise<void> {
  const pullRequest = currentPullRequest(stage.facts);
  const isLocked = issue === pullRequest?.number ? pullRequest.isLocked : stage.facts.issue.isLocked;
  if (isLocked) return;
  try {
    const posted = await stage.write('post a comment', (held) => postOnce(stage, held, issue, marker, body));
    stage.made.comments.set(formatMarker(marker), posted);
  } catch (error) {
    if (!isLockedRefusal(error)) throw error;
    stage.log.warn({ issue }, 'the conversation is locked: nothing was posted');
  }
}

function postOnce(stage: Stage, held: Held, issue: number, marker: Marker, body: string): Promise<Posted> {
  const target = { ...stage.repository, issue_number: issue };
  return makeOnce<Posted>(
    async () => {
      const { data } = await held.client.rest.issues.createComment({ ...target, body });
      return { id: data.id, body };
    },
    async () => {
      const self = await stage.self();
      const comments = await held.client.paginate(held.client.rest.issues.listComments, { ...target, per_page: 100 });
      const found = comments.find(({ user, body: text }) => user?.id === self.id && bearsMarker(text ?? '', marker));
      return found === undefined ? null : { id: found.id, body: found.body ?? '' };
    },
  );
}

async function edit(stage: Stage, id: number, marker: Marker, body: string): Promise<void> {
  const isGone = await stage.write('edit the status comment', async (held) => {
    try {
      await held.client.rest.issues.updateComment({ ...stage.repository, comment_id: id, body });
      return false;
    } catch (error) {
      // Somebody deleted it: a new one takes its place.
      if (statusOf(error) === 404) return true;
      if (isLockedError(error)) return false;
      throw error;
    }
  });
  stage.made.comments.delete(formatMarker(marker));
  if (isGone) await post(stage, stage.facts.issue.number, marker, body);
  else stage.made.comments.set(formatMarker(marker), { id, body });
}

function isLockedRefusal(error: unknown): boolean {
  return isLockedError(error) || (error instanceof Error && isLockedError(error.cause));
}

/** Reacting twice is reacting once, so an unclear answer may be asked for again. */
export async function react(stage: Stage, to: ReactionTarget, reaction: 'eyes' | 'confused'): Promise<void> {
  const name = `react ${to.kind === 'issue' ? 'issue' : to.nodeId} ${reaction}`;
  if (stage.made.done.has(name) || hasReacted(stage, to, reaction.toUpperCase())) return;
  const request = repeatable;
  await stage.write('add a reaction', async ({ client }) => {
    try {
      await (to.kind === 'issue'
        ? client.rest.reactions.createForIssue({
            ...stage.repository,
            issue_number: stage.facts.issue.number,
            content: reaction,
            request,
          })
        : client.rest.reactions.createForIssueComment({
            ...stage.repository,
            comment_id: to.id,
            content: reaction,
            request,
          }));
    } catch (error) {
      // A deleted comment or a locked conversation takes no reaction, and needs none.
      if (!isLockedError(error) && !(to.kind === 'comment' && statusOf(error) === 404)) throw error;
    }
  });
  stage.made.done.add(name);
}

function hasReacted(stage: Stage, to: ReactionTarget, content: string): boolean {
  if (to.kind === 'issue') return stage.facts.issue.reactionsByThisApp.includes(content);
  const comments = [
    ...stage.facts.issue.comments,
    ...stage.facts.pullRequests.flatMap((pullRequest) => pullRequest.comments),
  ];
  return comments.some(({ id, reactionsByThisApp }) => id === to.id && reactionsByThisApp.includes(content));
}
