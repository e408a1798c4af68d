/** What was asked for, as it stood when it was asked for. */
import type { Discussion, IssueText, Quoted, Trust } from '../agent/brief.ts';
import type { Comment, Facts, Person } from '../lifecycle/facts.ts';
import { isWriter, loginOf } from '../lifecycle/person.ts';
import { describeLeftOut, foreignEdit, readDiscussion } from '../lifecycle/request-text.ts';

/** The instant of the request that a run goes by; `null` where it cannot be told. */
export type RequestInstant = { readonly at: string } | null;

/** What the issue asks for; `null` where somebody without a say has changed that since it was asked for. */
export function quoteIssue(facts: Facts, request: RequestInstant): IssueText | null {
  if (foreignEdit(facts, request) !== null) return null;
  const { number, title, body, author } = facts.issue;
  return { number, title, body: { author: loginOf(author), trust: trustOf(facts, author), text: body } };
}

/** What writers and the issue's author had said before; `null` where nobody had said anything. */
export function quoteDiscussion(facts: Facts, request: RequestInstant): Discussion | null {
  const { used, leftOut } = readDiscussion(facts, request);
  const phrases = describeLeftOut(leftOut);
  return used.length === 0 && phrases.length === 0 ? null : { comments: quoteComments(facts, used), leftOut: phrases };
}

function quoteComments(facts: Facts, comments: readonly Comment[]): readonly Quoted[] {
  return comments.map(({ author, body }) => ({ author: loginOf(author), trust: trustOf(facts, author), text: body }));
}

function trustOf(facts: Facts, person: Person | null): Trust {
  return isWriter(facts, person) ? 'writer' : 'issue author';
}
