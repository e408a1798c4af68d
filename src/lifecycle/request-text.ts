/**
 * What the issue said when a plan was asked for: only that may reach the model. Its title and body are read as they stand
 * now, so they are what stood then unless somebody without a say has changed them since.
 */

import { isCommandText } from './command.ts';
import type { Comment, Facts, IssueEdit, IssueFacts } from './facts.ts';
import { isUnknown, isWriter } from './person.ts';
import { count } from './phrases.ts';
import { compareTimes } from './time.ts';

/** Most comments of an issue that go with a request, and most characters of all of them together. */
const maxComments = 30;
const maxCommentCharacters = 60_000;

/** The instant of a request. */
interface Instant {
  readonly at: string;
}

/**
 * The first change of title or body at or after the request by anyone who is not a writer: their text is not what the
 * writer asked for. Without a known instant every such change counts.
 */
export function foreignEdit(facts: Facts, request: Instant | null): IssueEdit | null {
  const foreign = facts.issue.edits.filter((edit) => isLate(edit.at, request) && !isWriter(facts, edit.by));
  return foreign.find((edit) => !isUnknown(facts, edit.by)) ?? foreign[0] ?? null;
}

/** Changes of title or body that came at or after an instant. */
export function lateEdits(issue: IssueFacts, request: Instant): readonly IssueEdit[] {
  return issue.edits.filter((edit) => isLate(edit.at, request));
}

function isLate(at: string, request: Instant | null): boolean {
  return request === null || compareTimes(at, request.at) >= 0;
}

/** What was said on an issue before the request. */
export interface Discussion {
  /** By writers and by the issue's author, oldest first. */
  readonly used: readonly Comment[];
  /** How many others there are, and why each was left out. */
  readonly leftOut: {
    readonly byOthers: number;
    readonly unread: number;
    readonly changed: number;
    readonly forLength: number;
  };
}

/** The comments that go with a request; commands and what bots say are none. */
export function readDiscussion(facts: Facts, request: Instant | null): Discussion {
  const said = request === null ? [] : commentsBefore(facts.issue, request);
  const isHeard = ({ author }: Comment) => isWriter(facts, author) || isIssueAuthor(facts.issue, author);
  const heard = said.filter(isHeard);
  const fit = heard.filter(({ editedAt }) => editedAt === null || !isLate(editedAt, request));
  const used = newestWithin(fit);
  const unread = said.filter((comment) => !isHeard(comment) && isUnknown(facts, comment.author)).length;
  return {
    used,
    leftOut: {
      byOthers: said.length - heard.length - unread,
      unread,
      changed: heard.length - fit.length,
      forLength: fit.length - used.length,
    },
  };
}

/** What people said on the issue before an instant, oldest first. */
export function commentsBefore(issue: IssueFacts, request: Instant): readonly Comment[] {
  return issue.comments.filter(
    ({ author, body, createdAt }) =>
      (author === null || (author.kind === 'user' && !author.isThisApp)) &&
      !isLate(createdAt, request) &&
      !isCommandText(body),
  );
}

function isIssueAuthor(issue: IssueFacts, person: Comment['author']): boolean {
  return person !== null && person.id === issue.author?.id;
}

function newestWithin(comments: readonly Comment[]): readonly Comment[] {
  let room = maxCommentCharacters;
  const newest = comments.slice(-maxComments).toReversed();
  const tooLong = newest.findIndex(({ body }) => {
    room -= body.length;
    return room < 0;
  });
  return newest.slice(0, tooLong === -1 ? newest.length : tooLong).toReversed();
}

/** What was left out of a discussion, one phrase a reason. */
export function describeLeftOut(leftOut: Discussion['leftOut']): readonly string[] {
  const phrases = [
    [leftOut.byOthers, 'by people without write access'],
    [leftOut.unread, 'by people whose permission was not read'],
    [leftOut.changed, 'that changed after the plan was asked for'],
    [leftOut.forLength, 'that came first and would have been too much'],
  ] as const;
  return phrases.flatMap(([number, what]) => (number === 0 ? [] : [`${count(number, 'comment')} ${what}`]));
}
