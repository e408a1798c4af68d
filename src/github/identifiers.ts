/** Names by which this app finds again what it made: each is a pair of parse and format. */
import { branchName } from '../lifecycle/branch.ts';

/** A thread by numeric ids, so that renaming the repository changes nothing: `1234#42`. */
export function formatThreadKey(thread: {
  readonly repository: { readonly id: number };
  readonly issue: number;
}): string {
  return `${thread.repository.id}#${thread.issue}`;
}

/** @returns `null` for anything that `formatThreadKey` does not write. */
export function parseThreadKey(key: string): { readonly repository: number; readonly issue: number } | null {
  const match = /^([1-9]\d{0,15})#([1-9]\d{0,15})$/.exec(key);
  return match === null ? null : { repository: Number(match[1]), issue: Number(match[2]) };
}

/** A pull request as people name it: `acme/shop#7`. */
export interface Reference {
  readonly owner: string;
  readonly name: string;
  readonly number: number;
}

/** @returns `null` for what is not `OWNER/REPO#NUMBER` */
export function parseReference(text: string): Reference | null {
  const match = /^([\w.-]+)\/([\w.-]+)#([1-9]\d{0,15})$/.exec(text);
  if (match?.[1] === undefined || match[2] === undefined) return null;
  return { owner: match[1], name: match[2], number: Number(match[3]) };
}

/** The issue and the attempt (1 for the first) that a branch of this app is for; `null` for every other branch. */
export function parseBranchName(name: string): { readonly issue: number; readonly attempt: number } | null {
  const match = /^planwright\/issue-(\d+)(?:-(\d+))?$/.exec(name);
  if (match === null) return null;
  const parsed = { issue: Number(match[1]), attempt: Number(match[2] ?? 1) };
  return branchName(parsed.issue, parsed.attempt) === name ? parsed : null;
}

/** What a comment of this app is for. */
export const markerKinds = [
  'status',
  'refusal',
  'reply',
  'questions',
  'answer',
  'hold',
  'revision',
  'lapsed',
  'amendment',
  'pull-request',
] as const;

export interface Marker {
  readonly kind: (typeof markerKinds)[number];
  /** As `formatThreadKey` writes it. */
  readonly thread: string;
  /** The event, comment, review or run that the comment answers; `-` where there is one comment a thread. */
  readonly cause: string;
}

/** A line that a reader does not see. It counts only in what GitHub attributes to this app. */
export function formatMarker(marker: Marker): string {
  return `<!-- planwright:${marker.kind} ${encodeWord(marker.thread)} ${encodeWord(marker.cause)} -->`;
}

/** The marker that ends a text. One elsewhere is somebody's quotation and counts for nothing. */
export function parseMarker(text: string): Marker | null {
  const match = /<!-- planwright:([a-z-]+) (\S+) (\S+) -->$/.exec(text.trimEnd());
  return match === null ? null : readMarker(match[1], match[2], match[3]);
}

/** True for a text that ends with the marker. */
export function bearsMarker(text: string, marker: Marker): boolean {
  return text.trimEnd().endsWith(formatMarker(marker));
}

function readMarker(kind: string | undefined, thread: string | undefined, cause: string | undefined): Marker | null {
  const known = markerKinds.find((each) => each === kind);
  if (known === undefined || thread === undefined || cause === undefined) return null;
  try {
    return { kind: known, thread: decodeURIComponent(thread), cause: decodeURIComponent(cause) };
  } catch {
    return null;
  }
}

/** Letters, digits and percent escapes only where it matters: no blank, no `>` and no `--` can end the comment early. */
function encodeWord(word: string): string {
  return encodeURIComponent(word).replaceAll('-', '%2D');
}
