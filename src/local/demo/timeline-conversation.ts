/** Reviews, what they say of lines, the answers, and comments. */
import { parseMarker } from '../../github/identifiers.ts';
import { takeOutSuggestions } from '../../plan/suggestion.ts';
import type { PullRequestIssue } from '../forge/lookup.ts';
import type { Account, IssueComment, Review, ReviewThread } from '../forge/state.ts';
import { clip, plain } from './plain-line.ts';
import type { TimelineEntry } from './timeline.ts';
import { placeOf } from './timeline-commits.ts';

export function loginOf(account: Account | null): string {
  return account?.login ?? 'a deleted account';
}

const verdicts: Readonly<Record<string, string>> = {
  APPROVED: 'approves',
  CHANGES_REQUESTED: 'requests changes',
  COMMENTED: 'comments',
};

interface Remark extends TimelineEntry {
  readonly review: number;
  readonly isAnswer: boolean;
}

export function describeConversation(pull: PullRequestIssue): readonly TimelineEntry[] {
  const { threads, reviews } = pull.pullRequest;
  const remarks = threads.flatMap(describeThread);
  const entries = reviews.flatMap((review) => {
    const own = remarks.filter((remark) => remark.review === review.id);
    return [...describeReview(review, own), ...own.map(({ key, topic, text }) => ({ key, topic, text }))];
  });
  return [...entries, ...threads.flatMap(describeResolution), ...pull.comments.flatMap(describeComment)];
}

function describeThread(thread: ReviewThread): readonly Remark[] {
  const place = placeOf(thread);
  return thread.comments.map((comment) => {
    const isAnswer = comment.inReplyTo !== null;
    return {
      review: comment.reviewId,
      isAnswer,
      key: `remark:${comment.id}`,
      topic: isAnswer ? 'answer' : 'remark',
      text: `${place} ${loginOf(comment.author)}: ${describeWords(comment.body)}`,
    };
  });
}

function describeResolution(thread: ReviewThread): readonly TimelineEntry[] {
  if (!thread.isResolved) return [];
  const text = `${placeOf(thread)} by ${loginOf(thread.resolvedBy)}`;
  return [{ key: `resolved:${thread.nodeId}`, topic: 'resolved', text }];
}

/** A suggested change is named: its lines stand in the revision. */
function describeWords(body: string): string {
  const { text, blocks } = takeOutSuggestions(body);
  const words = clip(plain(text));
  return blocks.length === 0 || words.startsWith('[suggestion') ? words : `${words} [suggests a change]`;
}

/** A reply in a thread is a review of its own on GitHub; the reply says it already. */
function describeReview(review: Review, remarks: readonly Remark[]): readonly TimelineEntry[] {
  const verdict = verdicts[review.state];
  if (verdict === undefined || remarks.some(({ isAnswer }) => isAnswer)) return [];
  const about = review.commit === null ? '' : ` at ${review.commit.slice(0, 7)}`;
  const count = remarks.length === 0 ? '' : `, ${remarks.length} line comment${remarks.length === 1 ? '' : 's'}`;
  const body = review.body === '' ? '' : `: ${clip(review.body)}`;
  return [
    {
      key: `review:${review.id}`,
      topic: 'review',
      text: `${loginOf(review.author)} ${verdict}${about}${count}${body}`,
    },
  ];
}

/** What a revision tells of each remark is a line of its own. */
function describeComment({ id, author, body }: IssueComment): readonly TimelineEntry[] {
  const entry = (part: string, text: string) => ({ key: `comment:${id}${part}`, topic: 'comment', text });
  const words = plain(body);
  const by = loginOf(author);
  if (author?.type !== 'Bot' || parseMarker(body)?.kind !== 'revision') return [entry('', `${by}: ${clip(words)}`)];
  const upToComparison = /^.*?\.\.\.[0-9a-f]{7}/.exec(words)?.[0] ?? clip(words);
  const rows = words.split('\n').filter((line) => line.startsWith('- '));
  return [entry('', `${by}: ${upToComparison}`), ...rows.map((row, index) => entry(`:${index}`, clip(row)))];
}
