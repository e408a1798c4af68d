/** What becomes of each word that was heard: a reaction, an answer where one is asked for, and why one was not followed. */
import type { Action } from './actions.ts';
import { mayPlanAnew } from './branch.ts';
import { type Command, commandsOf } from './command.ts';
import type { Person } from './facts.ts';
import { statusOf } from './presentation.ts';
import type { Refusal } from './request.ts';
import type { Step } from './step.ts';
import type { Thread } from './thread.ts';
import { compareTimes } from './time.ts';

/** An answer comes before its reaction, which marks the command as dealt with. */
export function acknowledge(thread: Thread, step: Step): readonly Action[] {
  const { requests, memory, facts } = thread;
  const causes = new Set([
    ...memory.runs.flatMap((run) => run.causes),
    ...step.work.flatMap((action) => (action.kind === 'startRun' ? action.order.causes : [])),
  ]);
  const held = new Set(step.held?.causes);
  const heard = commandsOf(facts).filter(
    (command) => causes.has(command.cause) && command.comment.reactionsByThisApp.length === 0,
  );
  const answered = requests.commands.filter(
    (command) => !causes.has(command.cause) && !held.has(command.cause) && !waits(thread, step, command),
  );
  const isLabelled = requests.standing !== null && facts.issue.reactionsByThisApp.length === 0;
  return [
    ...(isLabelled ? [{ kind: 'react', to: { kind: 'issue' }, reaction: 'eyes' } as const] : []),
    ...answerLabel(thread, step, new Set([...causes, ...held])),
    ...answered.flatMap((command) => answer(thread, step, command)),
    ...[...heard, ...answered].map((command) => reactTo(command, 'eyes')),
    ...requests.refused.flatMap(tell),
  ];
}

/** The label set once more where a pull request is open already: it is answered with where that is. */
function answerLabel(thread: Thread, step: Step, causes: ReadonlySet<string>): readonly Action[] {
  const { pullRequest, requests, facts } = thread;
  const { standing } = requests;
  if (standing === null || pullRequest?.state !== 'open' || causes.has(standing.cause)) return [];
  const isCommand = commandsOf(facts).some(({ cause }) => cause === standing.cause);
  if (isCommand || compareTimes(standing.at, pullRequest.createdAt) <= 0) return [];
  return [{ kind: 'reply', cause: standing.cause, reply: 'plan', status: statusOf(thread, step) }];
}

function answer(thread: Thread, step: Step, { cause, name, by }: Command): readonly Action[] {
  // What a `/cancel` stops, the status comment tells.
  if (name === 'cancel' && !thread.requests.idle.has(cause)) return [];
  const open = thread.pullRequest?.state === 'open' ? thread.pullRequest : null;
  if (name === 'replan' && open !== null && !mayPlanAnew(open)) return [refuse(cause, by, dropsWork)];
  return [{ kind: 'reply', cause, reply: name, status: statusOf(thread, step) }];
}

/** Whether a command is kept for when the run at work has ended, or its result stands on GitHub. */
function waits(thread: Thread, step: Step, { name }: Command): boolean {
  if (name === 'plan') return step.isSettling === true;
  // A thread that waits for people may wait for long: nothing is kept for when it no longer does.
  if (name !== 'replan' || step.state === 'awaiting_answer') return false;
  const isAtWork = ['pending', 'planning', 'implementing'].includes(step.state) || step.close !== undefined;
  const open = thread.pullRequest?.state === 'open' ? thread.pullRequest : null;
  return isAtWork || (open !== null && mayPlanAnew(open) && step.state !== 'abandoned');
}

/** A label is told of once for each setting, `/plan` once for each person: nobody has this app write on and on. */
function tell({ cause, by, reason, command }: Refusal): readonly Action[] {
  if (command === null) return [refuse(cause, by, reason === 'label_changed' ? labelChanged : mayNotAsk)];
  const told = command.name === 'plan' ? [refuse(`asker:${by.id}`, by, mayNotAsk)] : [];
  return [...told, reactTo(command, 'confused')];
}

const dropsWork =
  'A new plan would take commits of people out of the pull request. Close it and set the label again to start anew.';
const mayNotAsk = 'Only people with write access to this repository can ask for a plan.';
const labelChanged = 'The label was changed after it was set: set it again.';

function reactTo({ comment }: Command, reaction: 'eyes' | 'confused'): Action {
  return { kind: 'react', to: { kind: 'comment', nodeId: comment.nodeId, id: comment.id }, reaction };
}

function refuse(cause: string, by: Person, why: string): Action {
  return { kind: 'refuse', cause, login: by.login, why };
}
