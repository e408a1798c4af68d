/** Which question each comment answers. An answer is what a person with a say has written since, and has not edited. */
import { readAnswerText } from './answer-text.ts';
import { type Command, readCommand } from './command.ts';
import type { Comment, Facts, IssueFacts, Person } from './facts.ts';
import type { Question, RunMemory } from './memory.ts';
import { isWriter } from './person.ts';
import { commentsSince, compareComments } from './thread-comments.ts';

/** What one comment says to a question, or beside all of them. */
export interface Said {
  readonly comment: Comment;
  readonly text: string;
}

export interface Answers {
  /** For each question in its order what was said to it, oldest first. */
  readonly given: readonly (readonly Said[])[];
  /** What was said under no number, oldest first. */
  readonly remarks: readonly Said[];
}

/** Binds comments, oldest first, to the questions that they name. Whether they count is for the caller to tell. */
export function bindAnswers(comments: readonly Comment[], questions: readonly Question[]): Answers {
  const given: Said[][] = questions.map(() => []);
  const remarks: Said[] = [];
  for (const comment of comments) {
    const { answers, remark } = readAnswerText(answerTextOf(comment), questions);
    for (const [number, text] of answers) given[number - 1]?.push({ comment, text });
    if (remark !== '') remarks.push({ comment, text: remark });
  }
  return { given, remarks };
}

/**
 * A command is no answer, and neither is one that went wrong; what stands below `/continue` is like any other comment. What
 * nobody sees says nothing.
 */
function answerTextOf({ body, seen = body }: Comment): string {
  const command = readCommand(seen);
  if (command !== null) return command.name === 'continue' ? (command.text ?? '') : '';
  return /^\/[a-z-]+(?:\s|$)/.test(seen) ? '' : seen;
}

/** What has come of a run's questions. */
export interface Hearing extends Answers {
  /** Numbers of the questions without an answer, counted from 1. */
  readonly open: readonly number[];
  /** Every comment that says something, oldest first. */
  readonly comments: readonly Comment[];
  /** Those of them that answer no question, for want of a number. */
  readonly unbound: readonly Comment[];
}

/** @returns `null` while the questions do not stand on the issue */
export function hearAnswers(facts: Facts, run: string, questions: readonly Question[]): Hearing | null {
  const asked = questionsOf(facts, run);
  if (asked === null) return null;
  const heard = commentsSince(facts, asked).filter((comment) => hasSay(facts, comment));
  const { given, remarks } = bindAnswers(heard, questions);
  const bound = new Set(given.flat().map(({ comment }) => comment.id));
  const beside = new Set(remarks.map(({ comment }) => comment.id));
  return {
    given,
    remarks,
    open: given.flatMap((said, index) => (said.length === 0 ? [index + 1] : [])),
    comments: heard.filter(({ id }) => bound.has(id) || beside.has(id)),
    unbound: heard.filter(({ id }) => beside.has(id) && !bound.has(id)),
  };
}

function hasSay(facts: Facts, { author, editedAt }: Comment): boolean {
  return editedAt === null && (isWriter(facts, author) || isIssueAuthor(facts.issue, author));
}

function isIssueAuthor({ author }: IssueFacts, person: Person | null): boolean {
  return person?.kind === 'user' && !person.isThisApp && person.id === author?.id;
}

/** This app's comment with a run's questions, or with its wish; `null` before it stands there. */
function questionsOf({ issue }: Facts, run: string): Comment | null {
  return issue.comments.find(({ marker }) => marker === `questions:${run}`) ?? null;
}

/** Whether a command came after the run had asked: one before it was not about that. */
export function isAfterQuestions(facts: Facts, run: string, { comment }: Command): boolean {
  const asked = questionsOf(facts, run);
  return asked !== null && compareComments(comment, asked) > 0;
}

interface Later {
  readonly id: string;
  readonly branch: string;
}

/** The questions that a run answers: those of the parked run before it. Empty where that did not ask. */
export function questionsAnswered(runs: readonly RunMemory[], run: Later): readonly Question[] {
  const outcome = parkedBefore(runs, run)?.outcome;
  return outcome?.kind === 'question' ? outcome.questions : [];
}

/** The call that a writer's word is about: that of the parked run before it. `null` where that left none to a writer. */
export function callAnswered(runs: readonly RunMemory[], run: Later): string | null {
  const outcome = parkedBefore(runs, run)?.outcome;
  return outcome?.kind === 'permission_asked' ? outcome.call : null;
}

function parkedBefore(runs: readonly RunMemory[], { id, branch }: Later): RunMemory | null {
  const at = runs.findIndex((run) => run.id === id);
  const earlier = at === -1 ? runs : runs.slice(0, at);
  return earlier.findLast((run) => run.branch === branch && run.status === 'parked') ?? null;
}
