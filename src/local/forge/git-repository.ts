/**
 * Real git for the forge's bare repositories. Calls are synchronous, so that an operation is whole or has not happened,
 * whatever else arrives meanwhile.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readStored, readStoredCommit } from './loose-objects.ts';

export const NO_COMMIT = '0000000000000000000000000000000000000000';

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/** What git may see of its surroundings: no configuration but the repository's own, and an identity for the forge's commits. */
export const GIT_ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_AUTHOR_NAME: 'GitHub',
  GIT_AUTHOR_EMAIL: 'noreply@github.com',
  GIT_COMMITTER_NAME: 'GitHub',
  GIT_COMMITTER_EMAIL: 'noreply@github.com',
  LC_ALL: 'C.UTF-8',
} as const;

export interface GitOptions {
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
}

export type GitAnswer =
  | { readonly ok: true; readonly stdout: string; readonly bytes: Buffer }
  | { readonly ok: false; readonly stdout: string; readonly stderr: string };

/**
 * Runs git where failure is an answer, e.g. to ask whether an object exists. What it says of commits by their ids never
 * changes, and is not asked twice.
 */
export function tryGit(gitDir: string, args: readonly string[], options: GitOptions = {}): GitAnswer {
  const input = options.input ?? '';
  const isAsked = typeof input === 'string' && options.env === undefined && isLasting(args, input);
  const key = isAsked ? [gitDir, input, ...args].join('\0') : null;
  const known = key === null ? undefined : lasting.get(key);
  if (known !== undefined) return known;
  const answer = runGit(gitDir, args, options);
  if (key !== null && isFound(answer) && answer.stdout.length <= MAX_KEPT_CHARACTERS) keep(key, answer);
  return answer;
}

/** What is not there may come: so it is where the last name of those asked for is. */
function isFound(answer: GitAnswer): boolean {
  return answer.ok && !answer.stdout.endsWith(' missing\n');
}

const MAX_KEPT_CHARACTERS = 16_384;
const MAX_KEPT_ANSWERS = 3000;
const lasting = new Map<string, GitAnswer>();

function keep(key: string, answer: GitAnswer): void {
  const [oldest] = lasting.keys();
  if (lasting.size >= MAX_KEPT_ANSWERS && oldest !== undefined) lasting.delete(oldest);
  lasting.set(key, answer);
}

const READERS: ReadonlySet<string> = new Set([
  'cat-file',
  'diff',
  'log',
  'ls-tree',
  'merge-base',
  'merge-tree',
  'rev-list',
  'rev-parse',
]);
/** A full id, or two with dots between them, with what git reads behind it: `^{tree}`, `:path`. */
const BY_ID = /^\^?[0-9a-f]{40}(?:\.{2,3}[0-9a-f]{40})?(?:[\^~:].*)?$/;

/** Whether the question names nothing that moves: commits and trees by their ids alone, and paths behind `--`. */
function isLasting(args: readonly string[], input: string): boolean {
  const command = args.findIndex((arg) => !arg.startsWith('-'));
  if (!READERS.has(args[command] ?? '')) return false;
  const end = args.indexOf('--');
  const named = args.slice(command + 1, end < 0 ? args.length : end).filter((arg) => !arg.startsWith('-'));
  const asked = input === '' ? named : [...named, ...input.trimEnd().split('\n')];
  return asked.some((arg) => BY_ID.test(arg)) && asked.every((arg) => BY_ID.test(arg) || KINDS.has(arg));
}

/** What `cat-file` may be asked for before the object's name. */
const KINDS: ReadonlySet<string> = new Set(['blob', 'commit', 'tree']);

function runGit(gitDir: string, args: readonly string[], options: GitOptions): GitAnswer {
  const result = spawnSync('git', ['--git-dir', gitDir, ...args], {
    input: options.input ?? '',
    env: { ...GIT_ENVIRONMENT, ...options.env },
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  if (result.error !== undefined) throw result.error;
  const stdout = result.stdout.toString();
  if (result.status === 0) return { ok: true, stdout, bytes: result.stdout };
  return { ok: false, stdout, stderr: result.stderr.toString() };
}

/** Runs git where it must succeed. Returns its output as text, unchanged. */
export function git(gitDir: string, args: readonly string[], options: GitOptions = {}): string {
  const answer = tryGit(gitDir, args, options);
  if (answer.ok) return answer.stdout;
  throw new Error(`expected git ${args[0]} to succeed in ${gitDir}, got: ${answer.stderr.trim()}`);
}

/** The commit that a revision names; `null` where there is none. */
export function resolveCommit(gitDir: string, revision: string): string | null {
  if (readStored(gitDir, revision)?.type === 'commit') return revision;
  if (PLAIN_REF.test(revision)) {
    const at = readRef(gitDir, revision);
    if (at === null || readStored(gitDir, at)?.type === 'commit') return at;
  }
  const answer = tryGit(gitDir, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]);
  return answer.ok ? answer.stdout.trim() : null;
}

export function branchHead(gitDir: string, branch: string): string | null {
  return readRef(gitDir, `refs/heads/${branch}`);
}

/** What a ref of this full name points at; `null` where there is none. Read where git keeps it: refs are asked for often. */
export function readRef(gitDir: string, ref: string): string | null {
  const kept = PLAIN_REF.test(ref) ? readKept(join(gitDir, ref)) : null;
  if (kept !== null && /^[0-9a-f]{40}$/.test(kept)) return kept;
  const isNowhere = kept === null && PLAIN_REF.test(ref) && !existsSync(join(gitDir, 'packed-refs'));
  return isNowhere ? null : (listRefs(gitDir, ref).get(ref) ?? null);
}

/** No part of it is a parent folder or a file of git's own. */
const PLAIN_REF = /^refs(?:\/[A-Za-z0-9_][\w-]*)+$/;

function readKept(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return null;
  }
}

/** Every ref with the object it points at. */
export function listRefs(gitDir: string, prefix = 'refs/'): ReadonlyMap<string, string> {
  const lines = git(gitDir, ['for-each-ref', '--format=%(objectname) %(refname)', prefix]).split('\n');
  const refs = new Map<string, string>();
  for (const line of lines.filter((each) => each !== '')) refs.set(line.slice(41), line.slice(0, 40));
  return refs;
}

export interface GitIdentity {
  readonly name: string;
  readonly email: string;
  /** ISO 8601, with the time zone it was written in. */
  readonly date: string;
}

export interface Commit {
  readonly sha: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: GitIdentity;
  readonly committer: GitIdentity;
  readonly message: string;
}

const COMMIT_FORMAT = '%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B';

export function readCommit(gitDir: string, sha: string): Commit {
  const stored = readStoredCommit(gitDir, sha);
  const [author, committer] = [parseIdentity(stored?.author ?? ''), parseIdentity(stored?.committer ?? '')];
  if (stored === null || author === null || committer === null) return askForCommit(gitDir, sha);
  const { tree, parents, message } = stored;
  return { sha, tree, parents, author, committer, message: message.trimEnd() };
}

const IDENTITY = /^([^<>]*[^<> ]) <([^<>]*)> (\d{1,11}) ([+-])(\d\d)(\d\d)$/;

/** Of a line in a commit; `null` where it is not plain. */
function parseIdentity(line: string): GitIdentity | null {
  const [, name = '', email = '', seconds = '', sign = '', hours = '', minutes = ''] = IDENTITY.exec(line) ?? [];
  if (name === '') return null;
  const offsetSeconds = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60 : 60);
  const local = new Date((Number(seconds) + offsetSeconds) * 1000).toISOString().slice(0, 19);
  return { name, email, date: `${local}${sign}${hours}:${minutes}` };
}

function askForCommit(gitDir: string, sha: string): Commit {
  const fields = git(gitDir, ['log', '-1', `--format=${COMMIT_FORMAT}`, sha]).split('\0');
  const field = (index: number): string => fields[index] ?? '';
  // Some versions of git say it shorter.
  const date = (index: number): string => field(index).replace(/Z$/, '+00:00');
  return {
    sha: field(0),
    tree: field(1),
    parents: field(2) === '' ? [] : field(2).split(' '),
    author: { name: field(3), email: field(4), date: date(5) },
    committer: { name: field(6), email: field(7), date: date(8) },
    message: field(9).trimEnd(),
  };
}
