/** What an implementation may change, and what it changed, against what its plan names. */
import picomatch from 'picomatch';
import type { ScopeEntry } from '../lifecycle/facts.ts';

type Change = ScopeEntry['change'];

/** One changed file as git reports it; a move has both of its ends. */
export interface ActualChange {
  readonly path: string;
  readonly change: Change;
  /** For a move, the path it came from. */
  readonly from: string | null;
  /** Git's mode of the new side, e.g. `100644`; `000000` for a deletion. */
  readonly mode: string;
}

export interface ScopeComparison {
  /** Changes that neither the plan nor the allowed patterns cover. */
  readonly outside: readonly { readonly path: string; readonly change: string }[];
  /** Those of `outside` that no mode lets pass: protected paths, symbolic links and nested repositories. */
  readonly forbidden: readonly { readonly path: string; readonly change: string }[];
  /** What the plan names and nobody changed. */
  readonly untouched: readonly ScopeEntry[];
  /** Every path that is planned or changed, in alphabetical order. */
  readonly table: readonly { readonly path: string; readonly planned: string | null; readonly actual: string | null }[];
}

/**
 * Files that steer people's machines, builds or agents rather than the product: only a plan that names them by path may
 * change them, never a pattern. Compared without regard to case and to letters that only look otherwise, as some file
 * systems do.
 */
const protectedPaths: readonly RegExp[] = [
  /^\.github\//,
  /(?:^|\/)codeowners$/,
  /(?:^|\/)\.(?:git|githooks|husky|lefthook)(?:\/|$)/,
  /(?:^|\/)(?:\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)|\.pre-commit-config\.yaml|\.gitmodules)$/,
  /(?:^|\/)(?:agents?(?:\.override)?|claude(?:\.local)?|gemini|qwen)\.md$/,
  /(?:^|\/)\.(?:agents|claude|codex|cursor|gemini|opencode|windsurf|clinerules|roo|kiro|junie|continue)(?:\/|$)/,
  /(?:^|\/)(?:\.cursorrules|\.windsurfrules|\.mcp\.json|opencode\.jsonc?)$/,
];

/** True for `.github/**`, CODEOWNERS, git hooks and their managers, and instruction files of agents. */
export function isProtected(path: string): boolean {
  const folded = path.normalize('NFKC').toLowerCase();
  return protectedPaths.some((pattern) => pattern.test(folded));
}

/** The changes that a planned one stands for. A move is reported as a deletion and a creation where the content differs much. */
const covered: Readonly<Record<Change, readonly Change[]>> = {
  create: ['create', 'modify', 'move'],
  modify: ['modify', 'create'],
  delete: ['delete', 'move'],
  move: ['move', 'create', 'delete'],
};

/**
 * Whether one end of a change is planned or allowed.
 * @param allow glob patterns of picomatch; a pattern matches no protected path, and a leading dot only where it writes one.
 */
export function isInScope(
  path: string,
  change: Change,
  scope: readonly ScopeEntry[],
  allow: readonly string[],
): boolean {
  return isPlanned(path, change, scope) || isAllowed(path, allow);
}

function isPlanned(path: string, change: Change, scope: readonly ScopeEntry[]): boolean {
  return scope.some((entry) => entry.path === path && covered[entry.change].includes(change));
}

/** What a pattern has to be, as *expected X* says it. */
export const quickPatternRule =
  'a glob pattern without "(", with at most 4 wildcards, 3 of them between two "/" and 2 of them "**", and braces of at most 16 combinations';

/**
 * Whether a pattern can be matched without taking minutes: a matcher tries each way to share out a path among the wildcards,
 * and each combination of what braces hold.
 */
export function isQuickPattern(pattern: string): boolean {
  const countOf = (what: RegExp, part = pattern): number => part.match(what)?.length ?? 0;
  const wildcard = /\*+|\+/g;
  // Nested braces have no more combinations than their parts would have side by side.
  const combinations = pattern.split('{').reduce((product, part) => product * (1 + countOf(/,/g, part)), 1);
  return (
    !/\(|\.\./.test(pattern) &&
    countOf(wildcard) <= 4 &&
    countOf(/\*\*/g) <= 2 &&
    pattern.split('/').every((part) => countOf(wildcard, part) <= 3) &&
    (!pattern.includes('{') || combinations <= 16)
  );
}

/** A longer path is allowed by no pattern, only by its name in a plan. */
const maxMatchedCharacters = 300;

function isAllowed(path: string, allow: readonly string[]): boolean {
  return (
    path.length <= maxMatchedCharacters &&
    !isProtected(path) &&
    allow.some((pattern) => picomatch.isMatch(path, pattern, { nonegate: true, windows: false }))
  );
}

/**
 * Compares what was planned with what was changed. Both ends of a move count. A symbolic link and a nested repository
 * are outside of every scope. The plan file is no part of the comparison.
 * @param planPath the thread's plan file.
 */
export function compareScope(
  scope: readonly ScopeEntry[],
  changes: readonly ActualChange[],
  allow: readonly string[],
  planPath: string,
): ScopeComparison {
  const actual = changes.flatMap(endsOf).filter((end) => end.path !== planPath);
  const planned = scope.filter((entry) => entry.path !== planPath);
  const touched = new Set(actual.map((end) => end.path));
  const outside = actual.filter((end) => end.isUnplannable || !isInScope(end.path, end.change, planned, allow));
  return {
    outside: outside.map(tell),
    forbidden: outside.filter((end) => end.isUnplannable || isProtected(end.path)).map(tell),
    untouched: planned.filter((entry) => !touched.has(entry.path)),
    table: tableOf(planned, actual, allow),
  };
}

function tell({ path, text }: ChangeEnd): ScopeComparison['outside'][number] {
  return { path, change: text };
}

interface ChangeEnd {
  readonly path: string;
  readonly change: Change;
  readonly text: string;
  readonly isUnplannable: boolean;
}

/** Source of the modes: https://git-scm.com/docs/git-fast-import#_filemodify */
const modeNotes: Readonly<Record<string, string>> = {
  '100755': ', executable',
  '120000': ', symbolic link',
  '160000': ', nested repository',
};

function endsOf({ path, change, from, mode }: ActualChange): readonly ChangeEnd[] {
  const isUnplannable = mode === '120000' || mode === '160000';
  const note = modeNotes[mode] ?? '';
  if (change !== 'move' || from === null) return [{ path, change, text: `${change}${note}`, isUnplannable }];
  return [
    { path: from, change, text: `move to ${path}`, isUnplannable: false },
    { path, change, text: `move from ${from}${note}`, isUnplannable },
  ];
}

function tableOf(
  scope: readonly ScopeEntry[],
  actual: readonly ChangeEnd[],
  allow: readonly string[],
): ScopeComparison['table'] {
  const paths = new Set([...scope.map((entry) => entry.path), ...actual.map((end) => end.path)]);
  return [...paths].toSorted().map((path) => ({
    path,
    planned: scope.find((entry) => entry.path === path)?.change ?? (isAllowed(path, allow) ? 'allowed' : null),
    actual: textAt(path, actual),
  }));
}

/** One path can be both ends of different moves. */
function textAt(path: string, actual: readonly ChangeEnd[]): string | null {
  const texts = actual.filter((end) => end.path === path).map((end) => end.text);
  return texts.length === 0 ? null : texts.join('; ');
}
