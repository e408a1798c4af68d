/** What was asked for, as it stood when it was asked for. */
import type { Discussion, IssueText, Quoted, Trust } from '../agent/brief.ts';
import type { Comment, Facts, Person } from '../lifecycle/facts.ts';
import { isWriter, loginOf } from '../lifecycle/person.ts';
import { describeLeftOut, foreignEdit, readDiscussion } from '../lifecycle/request-text.ts';
import { countHiddenRuns, visibleText } from '../text/hidden-characters.ts';
import { visibleWords } from '../text/visible-words.ts';

/** The instant of the request that a run goes by; `null` where it cannot be told. */
export type RequestInstant = { readonly at: string } | null;

/**
 * What the issue asks for; `null` where somebody without a say has changed that since it was asked for.
 * @throws {UnreadableText}
 */
export function quoteIssue(facts: Facts, request: RequestInstant): IssueText | null {
  if (foreignEdit(facts, request) !== null) return null;
  const { number, title, body, author } = facts.issue;
  const quoted = { trust: trustOf(facts, author), ...quote(author, body) };
  const hidden = countHiddenRuns(title) + (quoted.hidden ?? 0);
  return { number, title: visibleText(title), body: hidden === 0 ? quoted : { ...quoted, hidden } };
}

/** What writers and the issue's author had said before; `null` where nobody had said anything. @throws {UnreadableText} */
export function quoteDiscussion(facts: Facts, request: RequestInstant): Discussion | null {
  const { used, leftOut } = readDiscussion(facts, request);
  const phrases = describeLeftOut(leftOut);
  return used.length === 0 && phrases.length === 0 ? null : { comments: quoteComments(facts, used), leftOut: phrases };
}

function quoteComments(facts: Facts, comments: readonly Comment[]): readonly Quoted[] {
  return comments.map(({ author, body }) => ({ trust: trustOf(facts, author), ...quote(author, body) }));
}

/** What a person sees of somebody's words. @throws {UnreadableText} */
export function quote(author: Person | null, markdown: string): Omit<Quoted, 'trust'> {
  const login = loginOf(author);
  return { author: login, ...visibleWords(login, markdown) };
}

function trustOf(facts: Facts, person: Person | null): Trust {
  return isWriter(facts, person) ? 'writer' : 'issue author';
}
