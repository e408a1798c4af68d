/** What reviewers wrote, as they saw it: bodies of reviews and whole threads on lines and files. */
import type { Feedback, LineRemark, Quoted } from '../agent/brief.ts';
import type { Person, Review, ReviewComment, ReviewThread } from '../lifecycle/facts.ts';
import { parseHunk } from './diff-hunk.ts';

/** A file to fetch before the feedback can be written. */
export interface NeededFile {
  readonly commit: string;
  readonly path: string;
}

export interface FeedbackSource {
  readonly reviews: readonly Review[];
  readonly threads: readonly ReviewThread[];
  /** The reviews to answer. A thread belongs to them as soon as one of its comments does. */
  readonly reviewIds: readonly number[];
  /** Whose text may reach the model. Asked for people only; a deleted account never may. */
  readonly maySpeak: (person: Person) => boolean;
  /** The text of a file of `neededFiles`; `null` where there is none. */
  readonly fileAt: (commit: string, path: string) => string | null;
}

/** A quotation ends after so many lines; a notice says how many were left out. */
const maxQuotedLines = 120;

/** The files from which `formatFeedback` quotes, each once. */
export function neededFiles(threads: readonly ReviewThread[], reviewIds: readonly number[]): readonly NeededFile[] {
  const needed = new Map<string, NeededFile>();
  for (const thread of threads) {
    const commit = thread.comments[0]?.originalCommit ?? null;
    if (commit === null || thread.subject === 'file' || thread.side === 'LEFT') continue;
    if (!isPartOf(thread, reviewIds)) continue;
    needed.set(`${commit}:${thread.path}`, { commit, path: thread.path });
  }
  return [...needed.values()];
}

/**
 * The feedback of some reviews. Text by people who may not speak is left out; `leftOut` counts such comments and
 * bodies, the app's own replies not included. A thread in which nobody may speak is left out as a whole.
 */
export function formatFeedback(source: FeedbackSource): { readonly feedback: Feedback; readonly leftOut: number } {
  const reviews = source.reviews
    .filter((review) => source.reviewIds.includes(review.id) && review.body.trim() !== '')
    .toSorted((a, b) => (a.submittedAt ?? '').localeCompare(b.submittedAt ?? '') || a.id - b.id);
  const threads = source.threads.filter((thread) => isPartOf(thread, source.reviewIds));
  const texts = [...reviews, ...threads.flatMap((thread) => thread.comments)];
  return {
    feedback: {
      bodies: reviews.flatMap((review) => quote(review, source)),
      remarks: threads.flatMap((thread) => formatRemark(thread, source)),
    },
    leftOut: texts.filter((text) => text.author?.isThisApp !== true && quote(text, source).length === 0).length,
  };
}

function isPartOf(thread: ReviewThread, reviewIds: readonly number[]): boolean {
  return thread.comments.some((comment) => comment.reviewId !== null && reviewIds.includes(comment.reviewId));
}

function quote(text: Review | ReviewComment, { maySpeak }: FeedbackSource): readonly Quoted[] {
  const { author, body } = text;
  if (author === null || author.isThisApp || !maySpeak(author)) return [];
  return [{ author: author.login, trust: 'writer', text: body }];
}

function formatRemark(thread: ReviewThread, source: FeedbackSource): readonly LineRemark[] {
  const comments = thread.comments.flatMap((comment) => quote(comment, source));
  if (comments.length === 0) return [];
  const lines = linesOf(thread);
  return [
    {
      thread: thread.nodeId,
      path: thread.path,
      subject: thread.subject,
      side: thread.side,
      lines,
      quoted: lines === null ? '' : capLines(quoteLines(thread, lines, source)),
      isOutdated: thread.isOutdated,
      comments,
    },
  ];
}

type Lines = NonNullable<LineRemark['lines']>;

/**
 * The range in the file as the reviewer saw it. GitHub moves `line` along with later commits and drops it when it
 * cannot; the `original` fields stay what they were.
 * Source: https://docs.github.com/rest/pulls/comments#get-a-review-comment-for-a-pull-request
 */
function linesOf(thread: ReviewThread): Lines | null {
  if (thread.subject === 'file') return null;
  const end = thread.originalLine ?? thread.line;
  if (end === null) return null;
  const start = thread.originalLine === null ? thread.startLine : thread.originalStartLine;
  // A range that begins on the other side of the diff counts its beginning in the other file.
  return { start: start === null || start > end ? end : start, end };
}

/** The old side of a diff is quoted from the hunk, which names its lines; the new side from the commit that was reviewed. */
function quoteLines(thread: ReviewThread, lines: Lines, source: FeedbackSource): string {
  const first = thread.comments[0];
  if (first === undefined) return '';
  if (thread.side === 'RIGHT' && first.originalCommit !== null) {
    const rows = source.fileAt(first.originalCommit, thread.path)?.split(/\r?\n/);
    if (rows !== undefined && rows.length >= lines.end) return rows.slice(lines.start - 1, lines.end).join('\n');
  }
  const rows = parseHunk(first.diffHunk).filter((row) => {
    const line = thread.side === 'LEFT' ? row.old : row.new;
    return line !== null && line >= lines.start && line <= lines.end;
  });
  const isWhole = rows.length === lines.end - lines.start + 1;
  return isWhole ? rows.map((row) => row.text).join('\n') : first.diffHunk;
}

function capLines(text: string): string {
  const rows = text.split('\n');
  const more = rows.length - maxQuotedLines;
  return more > 0 ? [...rows.slice(0, maxQuotedLines), `[${more} more lines, see the file]`].join('\n') : text;
}
