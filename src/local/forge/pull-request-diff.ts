/** What a pull request changes, from its repository's git: the diff from the merge base to the head, as GitHub shows it. */
import { mergeBase } from './commit-graph.ts';
import { branchHead, git, tryGit } from './git-repository.ts';
import type { PullRequestIssue } from './lookup.ts';
import type { Repository } from './state.ts';

export interface ChangedFile {
  readonly path: string;
  readonly previousPath: string | null;
  readonly status: 'added' | 'removed' | 'modified' | 'renamed' | 'copied' | 'changed';
  readonly additions: number;
  readonly deletions: number;
  /** The blob at the head, or before a removal. */
  readonly blob: string;
}

const STATUSES: Readonly<Record<string, ChangedFile['status']>> = {
  A: 'added',
  D: 'removed',
  M: 'modified',
  R: 'renamed',
  C: 'copied',
  T: 'changed',
};

/** The commit the diff starts from: the merge base with the base branch, fixed at the merge. */
export function pullRequestBase(repository: Repository, pull: PullRequestIssue): string {
  const { baseRef, headSha, diffBase } = pull.pullRequest;
  if (diffBase !== null) return diffBase;
  const tip = branchHead(repository.gitDir, baseRef);
  return (tip === null ? null : mergeBase(repository.gitDir, tip, headSha)) ?? headSha;
}

/** Files between two commits, by path. */
export function filesBetween(gitDir: string, from: string, to: string): readonly ChangedFile[] {
  const fields = git(gitDir, ['diff', '--raw', '--numstat', '--no-abbrev', '-M', '-z', from, to]).split('\0');
  // The entries of --raw begin with a colon; those of --numstat follow.
  const files: Omit<ChangedFile, 'additions' | 'deletions'>[] = [];
  let index = 0;
  while (fields[index]?.startsWith(':') === true) {
    const [, , before = '', after = '', letter = 'M'] = (fields[index] ?? '').split(' ');
    const renamed = letter.startsWith('R') || letter.startsWith('C');
    const previousPath = renamed ? (fields[index + 1] ?? null) : null;
    const path = fields[index + (renamed ? 2 : 1)] ?? '';
    const status = STATUSES[letter.charAt(0)] ?? 'changed';
    files.push({ path, previousPath, status, blob: status === 'removed' ? before : after });
    index += renamed ? 3 : 2;
  }
  const counts = readCounts(fields.slice(index));
  return files.map((file) => ({ ...file, ...(counts.get(file.path) ?? { additions: 0, deletions: 0 }) }));
}

function readCounts(
  fields: readonly string[],
): ReadonlyMap<string, { readonly additions: number; readonly deletions: number }> {
  const counts = new Map<string, { additions: number; deletions: number }>();
  for (let index = 0; index + 1 < fields.length; index += 1) {
    const [added = '0', deleted = '0', path = ''] = (fields[index] ?? '').split('\t');
    if (path === '') index += 2;
    const count = { additions: Number.parseInt(added, 10) || 0, deletions: Number.parseInt(deleted, 10) || 0 };
    counts.set(path === '' ? (fields[index] ?? '') : path, count);
  }
  return counts;
}

export function changedFiles(repository: Repository, pull: PullRequestIssue): readonly ChangedFile[] {
  return filesBetween(repository.gitDir, pullRequestBase(repository, pull), pull.pullRequest.headSha);
}

/** True where a merge of head and base has no conflict. */
export function mergesCleanly(repository: Repository, pull: PullRequestIssue): boolean {
  const base = branchHead(repository.gitDir, pull.pullRequest.baseRef);
  if (base === null) return false;
  if (pullRequestBase(repository, pull) === base) return true;
  return tryGit(repository.gitDir, ['merge-tree', '--write-tree', base, pull.pullRequest.headSha]).ok;
}

export interface DiffLine {
  readonly kind: 'context' | 'added' | 'removed';
  readonly text: string;
  /** 1-based line in the old file, and in the new one. */
  readonly left: number | null;
  readonly right: number | null;
}

export interface Hunk {
  readonly header: string;
  readonly lines: readonly DiffLine[];
}

/** The hunks of one file's diff, with three lines of context. */
export function fileHunks(gitDir: string, from: string, to: string, path: string, context = 3): readonly Hunk[] {
  const text = git(gitDir, ['diff', `-U${context}`, '--no-renames', '--no-color', from, to, '--', path]);
  const hunks: { header: string; lines: DiffLine[] }[] = [];
  let left = 0;
  let right = 0;
  for (const row of text.split('\n')) {
    const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(row);
    if (header !== null) {
      left = Number(header[1]);
      right = Number(header[2]);
      hunks.push({ header: row, lines: [] });
      continue;
    }
    const line = readLine(row, left, right);
    const hunk = hunks.at(-1);
    if (line === null || hunk === undefined) continue;
    hunk.lines.push(line);
    if (line.left !== null) left += 1;
    if (line.right !== null) right += 1;
  }
  return hunks;
}

function readLine(row: string, left: number, right: number): DiffLine | null {
  const text = row.slice(1);
  if (row.startsWith('+')) return { kind: 'added', text, left: null, right };
  if (row.startsWith('-')) return { kind: 'removed', text, left, right: null };
  if (row.startsWith(' ')) return { kind: 'context', text, left, right };
  return null;
}

/** The hunk that shows the line; `null` where the line is not in the diff and so takes no comment. */
export function hunkOfLine(hunks: readonly Hunk[], side: 'LEFT' | 'RIGHT', line: number): Hunk | null {
  const key = side === 'LEFT' ? 'left' : 'right';
  return hunks.find((hunk) => hunk.lines.some((each) => each[key] === line)) ?? null;
}

/** The hunk's text down to the commented line, as `diff_hunk` has it. */
export function hunkText(hunk: Hunk, side: 'LEFT' | 'RIGHT', line: number): string {
  const key = side === 'LEFT' ? 'left' : 'right';
  const end = hunk.lines.findIndex((each) => each[key] === line) + 1;
  const marks = { context: ' ', added: '+', removed: '-' } as const;
  return [hunk.header, ...hunk.lines.slice(0, end).map((each) => marks[each.kind] + each.text)].join('\n');
}

/** Where a line of `from` stands in `to`; `null` where a change took or touched it. */
export function followLine(gitDir: string, from: string, to: string, path: string, line: number): number | null {
  let shift = 0;
  for (const hunk of fileHunks(gitDir, from, to, path, 0)) {
    const removed = hunk.lines.filter((each) => each.kind === 'removed');
    const added = hunk.lines.length - removed.length;
    const first = removed[0]?.left ?? hunkStart(hunk) + 1;
    if (first > line) break;
    if (line < first + removed.length) return null;
    shift += added - removed.length;
  }
  return line + shift;
}

/** For an insertion git names the line before it. */
function hunkStart(hunk: Hunk): number {
  return Number(/^@@ -(\d+)/.exec(hunk.header)?.[1] ?? 0);
}
