/** Names by which this app finds again what it made: each is a pair of parse and format. */
import { branchName } from '../lifecycle/branch.ts';
import type { CommitTrailers } from '../lifecycle/facts.ts';

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

/** The trailers of a commit message, one a line, in a fixed order; to stand as the message's last paragraph. */
export function formatTrailers(trailers: CommitTrailers): string {
  return [
    `Planwright-Phase: ${trailers.phase}`,
    `Planwright-Run: ${trailers.run}`,
    `Planwright-Base: ${trailers.base}`,
    ...(trailers.plan === null ? [] : [`Planwright-Plan: ${trailers.plan}`]),
    ...(trailers.reviews.length === 0 ? [] : [`Planwright-Review: ${trailers.reviews.join(', ')}`]),
    ...trailers.approvedBy.map(({ login, commit }) => `Planwright-Approved-By: ${login} at ${commit}`),
  ].join('\n');
}

/**
 * The trailers in the last paragraph of a commit message.
 * @returns `null` unless phase, run and base are there once each, and every trailer can be read.
 */
export function parseTrailers(message: string): CommitTrailers | null {
  const lines = (
    message
      .trimEnd()
      .split(/\n{2,}/)
      .at(-1) ?? ''
  ).split('\n');
  const values = new Map<string, string[]>();
  for (const line of lines) {
    const match = /^Planwright-([A-Za-z-]+): (.*)$/.exec(line.trimEnd());
    if (match?.[1] === undefined || match[2] === undefined) continue;
    values.set(match[1], [...(values.get(match[1]) ?? []), match[2]]);
  }
  return readTrailers(values);
}

function readTrailers(values: ReadonlyMap<string, readonly string[]>): CommitTrailers | null {
  const phase = only(values.get('Phase'));
  const run = only(values.get('Run'));
  const base = only(values.get('Base'));
  const plans = values.get('Plan') ?? [];
  const reviews = (values.get('Review') ?? []).flatMap((value) => value.split(/,\s*/)).map(readId);
  const approvedBy = (values.get('Approved-By') ?? []).map(readApprover);
  if ((phase !== 'plan' && phase !== 'implement') || run === null || base === null) return null;
  if (!isCommit(base) || plans.length > 1 || plans.some((plan) => !isCommit(plan))) return null;
  if (reviews.includes(null) || approvedBy.includes(null)) return null;
  return {
    phase,
    run,
    base,
    plan: plans[0] ?? null,
    reviews: reviews.filter((review) => review !== null),
    approvedBy: approvedBy.filter((approver) => approver !== null),
    receipt: null,
  };
}

function only(values: readonly string[] | undefined): string | null {
  const [value] = values ?? [];
  return values?.length === 1 && value !== undefined && value !== '' ? value : null;
}

function readId(value: string): number | null {
  return /^[1-9]\d{0,15}$/.test(value) ? Number(value) : null;
}

function readApprover(value: string): { login: string; commit: string } | null {
  const match = /^(\S+) at (\S+)$/.exec(value);
  if (match?.[1] === undefined || match[2] === undefined || !isCommit(match[2])) return null;
  return { login: match[1], commit: match[2] };
}

/** A whole object id, SHA-1 or SHA-256. */
function isCommit(value: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value);
}
