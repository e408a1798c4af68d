/** What people's words make of a run that waits for them. Nothing but such a word has it go on. */
import type { Action } from './actions.ts';
import { type Hearing, hearAnswers, isAfterQuestions } from './answers.ts';
import { mayPlanAnew } from './branch.ts';
import { commentCause, reviewCause, reviewsAmong } from './cause.ts';
import type { Command } from './command.ts';
import type { Question, RunMemory } from './memory.ts';
import { loginOf } from './person.ts';
import { nameAll } from './phrases.ts';
import { planAnew } from './rest-step.ts';
import { orderLike, ownPullRequest, type Step, start } from './step.ts';
import type { Thread } from './thread.ts';
import { allComments } from './thread-comments.ts';

/** The run goes on once every question has an answer, or a writer has it go on without. */
export function awaitAnswers(thread: Thread, run: RunMemory, questions: readonly Question[]): Step {
  const hearing = hearAnswers(thread.facts, run.id, questions);
  if (hearing === null) return { state: 'awaiting_answer', work: [ask(run)] };
  const word = continueCommand(thread, run);
  const isAnswered = hearing.open.length === 0 && hearing.comments.length > 0;
  if (!isAnswered && word === null) {
    const note = progressNote(hearing, questions.length);
    const work = [ask(run), ...askForNumbers(thread, hearing)];
    return { state: 'awaiting_answer', work, ...(note === null ? {} : { note }) };
  }
  const comments = hearing.comments.map(({ id }) => id);
  const words = [...comments.map(commentCause), ...(word === null ? [] : [word.cause])];
  return start(thread, {
    ...orderLike(run),
    causes: [...new Set([...reviewCauses(run), ...words])],
    occasion: { kind: 'answer', comments, isContinued: word !== null },
  });
}

/** The agent wants to plan again: a writer accepts by `/replan`, where that is possible, and declines by `/continue`. */
export function awaitPlanMode(thread: Thread, run: RunMemory): Step {
  const pullRequest = ownPullRequest(thread, run);
  const mayReplan = pullRequest !== null && mayPlanAnew(pullRequest);
  const declined = continueCommand(thread, run);
  const accepted = mayReplan ? (thread.requests.commands.find(({ name }) => name === 'replan') ?? null) : null;
  const [word] = thread.requests.commands.filter((command) => command === declined || command === accepted);
  if (word === undefined) return { state: 'awaiting_answer', work: [ask(run)] };
  if (word === declined || pullRequest === null) {
    return start(thread, { ...orderLike(run), causes: [word.cause], occasion: { kind: 'declined' } });
  }
  return planAnew(thread, pullRequest, run.base, word);
}

/** A call waits for a writer's word, given since it was asked about. Of two that contradict each other, the one that denies counts. */
export function awaitPermission(thread: Thread, run: RunMemory): Step {
  const { requests, facts } = thread;
  const words = requests.commands.filter(
    (each) => (each.name === 'allow' || each.name === 'deny') && isAfterQuestions(facts, run.id, each),
  );
  const word = words.find(({ name }) => name === 'deny') ?? words[0];
  if (word === undefined) return { state: 'awaiting_answer', work: [ask(run)], note: callWaits };
  return start(thread, {
    ...orderLike(run),
    causes: [...reviewCauses(run), ...words.map(({ cause }) => cause)],
    occasion: { kind: 'permission', isAllowed: word.name === 'allow', text: word.text },
  });
}

const callWaits =
  'What waits is one call of the agent. A person with write access allows or denies it, as the comment on it says; no other reply counts.';

/** A ceiling is reached, and the work is kept: a writer has it go on. */
export function awaitBudget(thread: Thread, run: RunMemory): Step {
  const word = continueCommand(thread, run);
  if (word === null) return { state: 'awaiting_answer', work: [ask(run)], note: atCeiling };
  return start(thread, {
    ...orderLike(run),
    causes: [...reviewCauses(run), word.cause],
    occasion: { kind: 'continued' },
  });
}

const atCeiling = 'The work has reached a ceiling. Nothing is lost: how it goes on is said in a comment of its own.';

function ask(run: RunMemory): Action {
  return { kind: 'askQuestions', run: run.id };
}

/** A run that answers reviews still does when it goes on. */
function reviewCauses(run: RunMemory): readonly string[] {
  return reviewsAmong(run.causes).map(reviewCause);
}

function continueCommand(thread: Thread, run: RunMemory): Command | null {
  const { requests, facts } = thread;
  return requests.commands.find((each) => each.name === 'continue' && isAfterQuestions(facts, run.id, each)) ?? null;
}

/** Once for each comment that names no question. */
function askForNumbers({ facts }: Thread, { unbound, open }: Hearing): readonly Action[] {
  const told = new Set(allComments(facts).map(({ marker }) => marker));
  return unbound
    .filter(({ id }) => !told.has(`reply:${commentCause(id)}`))
    .map(({ id, author }) => ({ kind: 'askForNumbers', cause: commentCause(id), login: loginOf(author), open }));
}

/** Which questions are open, once one of them is not. */
function progressNote({ open }: Hearing, asked: number): string | null {
  if (open.length === asked) return null;
  const which = open.length === 1 ? 'Question' : 'Questions';
  return `${which} ${nameAll(open.map(String))} ${open.length === 1 ? 'is' : 'are'} still open; the others have their answers.`;
}
