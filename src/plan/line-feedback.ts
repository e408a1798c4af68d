/** What reviewers wrote, as they saw it: bodies of reviews and whole threads on lines and files. */
import type { Feedback, LineRemark, Quoted, Suggestion } from '../agent/brief.ts';
import type { Person, Review, ReviewComment, ReviewThread } from '../lifecycle/facts.ts';
import { visibleWords } from '../text/visible-words.ts';
import { parseHunk } from './diff-hunk.ts';
import { whyUnheard } from './left-out.ts';
import { takeOutSuggestions } from './suggestion.ts';

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

/** A quotation ends after so many lines or characters; a notice says how much was left out. */
const maxQuotedLines = 120;
const maxQuotedCharacters = 20_000;
/** What the words of all reviewers may take together; each has its share of it, and never less than `minShare`. */
const maxFeedbackCharacters = 300_000;
const minShare = 2_000;

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
 * The feedback of some reviews. Text by people who may not speak, and text that was changed after its review was submitted,
 * is left out (`countLeftOut` counts it); a thread of nothing else is left out as a whole.
 * @throws {UnreadableText}
 */
export function formatFeedback(source: FeedbackSource): Feedback {
  const reviews = source.reviews
    .filter((review) => source.reviewIds.includes(review.id) && review.body.trim() !== '')
    .toSorted((a, b) => (a.submittedAt ?? '').localeCompare(b.submittedAt ?? '') || a.id - b.id);
  const threads = source.threads.filter((thread) => isPartOf(thread, source.reviewIds));
  const texts = reviews.length + threads.reduce((sum, { comments }) => sum + comments.length, 0);
  const share = Math.max(minShare, Math.floor(maxFeedbackCharacters / Math.max(1, texts)));
  const rowsAt = rememberRows(source);
  return {
    bodies: reviews
      .flatMap((review) => quote(review, source))
      .map(asSeen)
      .map((quoted) => shorten(quoted, share)),
    remarks: threads.flatMap((thread) => formatRemark(thread, source, rowsAt, share)),
  };
}

/** True for a thread in which one of the reviews says something. */
function isPartOf(thread: ReviewThread, reviewIds: readonly number[]): boolean {
  return thread.comments.some((comment) => comment.reviewId !== null && reviewIds.includes(comment.reviewId));
}

/** The Markdown of those who are heard, still to be read as it is seen. */
function quote(text: Review | ReviewComment, source: FeedbackSource): readonly Quoted[] {
  const { author, body } = text;
  if (author === null || author.isThisApp || whyUnheard(text, source) !== null) return [];
  return [{ author: author.login, trust: 'writer', text: body }];
}

function asSeen(quoted: Quoted): Quoted {
  return { ...quoted, ...visibleWords(quoted.author, quoted.text) };
}

function shorten(quoted: Quoted, share: number): Quoted {
  const more = quoted.text.length - share;
  return more > 0
    ? { ...quoted, text: `${quoted.text.slice(0, share)}\n[${more} more characters, not shown]` }
    : quoted;
}

type RowsAt = (commit: string, path: string) => readonly string[] | null;

/** Many remarks are on one file, which may be long: it is taken apart once. */
function rememberRows({ fileAt }: FeedbackSource): RowsAt {
  const known = new Map<string, readonly string[] | null>();
  return (commit, path) => {
    const key = `${commit}:${path}`;
    const rows = known.get(key) ?? fileAt(commit, path)?.split(/\r?\n/) ?? null;
    known.set(key, rows);
    return rows;
  };
}

function formatRemark(
  thread: ReviewThread,
  source: FeedbackSource,
  rowsAt: RowsAt,
  share: number,
): readonly LineRemark[] {
  const words = thread.comments.flatMap((comment) => quote(comment, source));
  if (words.length === 0) return [];
  const lines = linesAsReviewed(thread);
  const seen = lines === null ? null : seenLines(thread, lines, rowsAt);
  const { comments, suggestions } = separate(words, lines !== null && thread.side === 'RIGHT');
  const hunk = thread.subject === 'file' ? '' : (thread.comments[0]?.diffHunk ?? '');
  return [
    {
      thread: thread.nodeId,
      path: thread.path,
      subject: thread.subject,
      side: thread.side,
      lines,
      quoted: cap(seen?.join('\n') ?? hunk),
      isOutdated: thread.isOutdated,
      comments: comments.map((quoted) => shorten(quoted, share)),
      suggestions,
      replaced: suggestions.length === 0 ? null : seen,
    },
  ];
}

/** What people say, and the lines that they suggest, numbered through the thread. */
function separate(
  words: readonly Quoted[],
  maySuggest: boolean,
): { readonly comments: readonly Quoted[]; readonly suggestions: readonly Suggestion[] } {
  if (!maySuggest) return { comments: words.map(asSeen), suggestions: [] };
  const suggestions: Suggestion[] = [];
  const comments = words.map((quoted) => {
    const first = suggestions.length + 1;
    const { text, blocks } = takeOutSuggestions(quoted.text, first);
    const seen = asSeen({ ...quoted, text });
    // One that stands where nobody sees it, as in a tag that is left open, suggests nothing.
    const isSeen = blocks.every((_, index) => occursAsOften(`[suggestion ${first + index}]`, text, seen.text));
    if (!isSeen) return asSeen(quoted);
    for (const { lines } of blocks) suggestions.push({ author: quoted.author, lines });
    return seen;
  });
  return { comments, suggestions };
}

function occursAsOften(mark: string, text: string, seen: string): boolean {
  return text.split(mark).length === seen.split(mark).length;
}

type Lines = NonNullable<LineRemark['lines']>;

/**
 * The range in the file as the reviewer saw it, 1-based and inclusive; `null` for a whole file, and where it cannot be
 * told. GitHub moves `line` along with later commits and drops it when it cannot; the `original` fields stay what they
 * were.
 * Source: https://docs.github.com/rest/pulls/comments#get-a-review-comment-for-a-pull-request
 */
export function linesAsReviewed(thread: ReviewThread): Lines | null {
  if (thread.subject === 'file') return null;
  const end = thread.originalLine ?? thread.line;
  if (end === null) return null;
  const start = thread.originalLine === null ? thread.startLine : thread.originalStartLine;
  // A range that begins on the other side of the diff counts its beginning in the other file.
  return { start: start === null || start > end ? end : start, end };
}

/**
 * The lines themselves: the old side of a diff from the hunk, which names its lines; the new side from the commit that was
 * reviewed. `null` where neither holds them.
 */
function seenLines(thread: ReviewThread, lines: Lines, rowsAt: RowsAt): readonly string[] | null {
  const first = thread.comments[0];
  if (first === undefined) return null;
  if (thread.side === 'RIGHT' && first.originalCommit !== null) {
    const rows = rowsAt(first.originalCommit, thread.path);
    if (rows !== null && rows.length >= lines.end) return rows.slice(lines.start - 1, lines.end);
  }
  const rows = parseHunk(first.diffHunk).filter((row) => {
    const line = thread.side === 'LEFT' ? row.old : row.new;
    return line !== null && line >= lines.start && line <= lines.end;
  });
  return rows.length === lines.end - lines.start + 1 ? rows.map((row) => row.text) : null;
}

function cap(text: string): string {
  const rows = text.split('\n');
  const more = rows.length - maxQuotedLines;
  const kept = more > 0 ? [...rows.slice(0, maxQuotedLines), `[${more} more lines, see the file]`].join('\n') : text;
  return kept.length <= maxQuotedCharacters
    ? kept
    : `${kept.slice(0, maxQuotedCharacters)}\n[cut after ${maxQuotedCharacters} characters, see the file]`;
}
