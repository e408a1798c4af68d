/** Commands: how they read, and which stand in the comments of a thread. Whether one counts is `request.ts`'s to tell. */
import { commentCause } from './cause.ts';
import type { Comment, Facts, Person } from './facts.ts';
import { currentComments } from './thread-comments.ts';

/** A command by whoever gave it. */
export interface Command {
  readonly cause: string;
  readonly name: 'plan' | 'replan' | 'retry' | 'cancel' | 'continue' | 'allow' | 'deny' | 'status' | 'view_plan';
  /** The rest of the first line and the lines below it; `null` where there is none. */
  readonly text: string | null;
  readonly comment: Comment;
  readonly by: Person;
}

const names: Readonly<Record<string, Command['name']>> = {
  '/plan': 'plan',
  '/replan': 'replan',
  '/retry': 'retry',
  '/cancel': 'cancel',
  '/continue': 'continue',
  '/allow': 'allow',
  '/deny': 'deny',
  '/status': 'status',
  '/view-plan': 'view_plan',
  '/show-plan': 'view_plan',
  '/plan-view': 'view_plan',
};

/** Commands that a text may follow on their line. One word too many on `/cancel` does not keep it from stopping. */
const takeText: ReadonlySet<Command['name']> = new Set(['plan', 'replan', 'cancel', 'deny']);

/** A text as a command, whoever wrote it and whether or not it counts. */
export function readCommand(body: string): { readonly name: Command['name']; readonly text: string | null } | null {
  const match = /^(\/[a-z-]+)(?:[ \t]([^\r\n]*))?(?:\r?\n([\s\S]*))?$/.exec(body.trimEnd());
  const name = match?.[1] === undefined ? undefined : names[match[1]];
  const line = (match?.[2] ?? '').trim();
  if (name === undefined || (line !== '' && !takeText.has(name))) return null;
  const text = [line, match?.[3] ?? ''].join('\n').trim();
  return { name, text: text === '' ? null : text };
}

/** Whether a comment's text is a command, whoever wrote it and whether or not it counts. */
export function isCommandText(body: string): boolean {
  return readCommand(body) !== null;
}

/** A command stands at the very start of an unedited comment by a person. */
function parseCommand(comment: Comment): Command | null {
  const read = readCommand(comment.body);
  if (read === null || comment.editedAt !== null || comment.author === null) return null;
  if (comment.author.kind !== 'user' || comment.author.isThisApp) return null;
  return { cause: commentCause(comment.id), ...read, comment, by: comment.author };
}

/** Every command that stands on the issue or its current pull request, oldest first. */
export function commandsOf(facts: Facts): readonly Command[] {
  return currentComments(facts)
    .map(parseCommand)
    .filter((command) => command !== null);
}

/** Whether this app has refused a command: it counts for nothing, whatever its author may do later. */
export function wasRefused({ comment }: Command): boolean {
  return comment.reactionsByThisApp.includes('CONFUSED');
}
