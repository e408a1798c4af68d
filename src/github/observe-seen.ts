/**
 * What people see of the comments that may answer a run's questions. It stops an answer that stands where no reader sees it
 * from ending the wait: what is heard, and what the run is told, are the same words.
 */
import { setImmediate as letOthersWork } from 'node:timers/promises';
import type { Comment, Facts } from '../lifecycle/facts.ts';
import { loginOf } from '../lifecycle/person.ts';
import { compareComments } from '../lifecycle/thread-comments.ts';
import { UnreadableText, visibleLines } from '../text/visible-words.ts';

type Observed = Pick<Facts, 'issue' | 'pullRequests'>;

/** Bodies whose lines are remembered: a look at a thread reads the same ones as the look before. */
const mostRemembered = 500;

export type SeeComments = <T extends Observed>(facts: T) => Promise<T>;

/** @returns the facts, with `seen` on each comment of a person since the first questions that does not show all of its lines */
export function createSeeComments(): SeeComments {
  const remembered = new Map<string, string>();
  const read = async (comment: Comment): Promise<string> => {
    const { body } = comment;
    const known = remembered.get(body);
    if (known === undefined) await letOthersWork();
    const seen = known ?? seenOf(comment);
    remembered.delete(body);
    remembered.set(body, seen);
    const [oldest] = remembered.keys();
    if (remembered.size > mostRemembered && oldest !== undefined) remembered.delete(oldest);
    return seen;
  };
  const see = async (comments: readonly Comment[], asked: Comment): Promise<readonly Comment[]> => {
    const all: Comment[] = [];
    for (const comment of comments) {
      const seen = isHeard(comment, asked) ? await read(comment) : comment.body;
      all.push(seen === comment.body ? comment : { ...comment, seen });
    }
    return all;
  };
  return async (facts) => {
    const asked = facts.issue.comments.find(({ marker }) => marker?.startsWith('questions:') === true);
    if (asked === undefined) return facts;
    const issue = { ...facts.issue, comments: await see(facts.issue.comments, asked) };
    const pullRequests: Facts['pullRequests'][number][] = [];
    for (const pullRequest of facts.pullRequests) {
      pullRequests.push({ ...pullRequest, comments: await see(pullRequest.comments, asked) });
    }
    return { ...facts, issue, pullRequests };
  };
}

function isHeard(comment: Comment, asked: Comment): boolean {
  const { author, editedAt } = comment;
  const isPerson = author?.kind === 'user' && !author.isThisApp;
  return isPerson && editedAt === null && compareComments(comment, asked) > 0;
}

/** Of a comment that cannot be read as people see it, no word is an answer. */
function seenOf({ author, body }: Comment): string {
  try {
    return visibleLines(loginOf(author), body).text;
  } catch (error) {
    if (error instanceof UnreadableText) return '';
    throw error;
  }
}
