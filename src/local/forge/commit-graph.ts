/** Which commits stand before which. Commits never change, so what git has told of their parents is not asked again. */
import { git, tryGit } from './git-repository.ts';
import { readStoredCommit } from './loose-objects.ts';

/** So many commits are looked at here; what goes further back, or through merges, is git's to answer. */
const MAX_DEPTH = 500;
const LEARNED_AT_ONCE = 100;

const graphs = new Map<string, Map<string, readonly string[]>>();

function parentsOf(gitDir: string, commit: string): readonly string[] | null {
  const graph = graphs.get(gitDir) ?? new Map<string, readonly string[]>();
  graphs.set(gitDir, graph);
  const stored = graph.has(commit) ? null : readStoredCommit(gitDir, commit);
  if (stored !== null) graph.set(commit, stored.parents);
  if (!graph.has(commit)) {
    const answer = tryGit(gitDir, ['rev-list', '--parents', `--max-count=${LEARNED_AT_ONCE}`, commit]);
    if (!answer.ok) return null;
    for (const line of answer.stdout.trimEnd().split('\n')) {
      const [id, ...parents] = line.split(' ');
      if (id !== undefined) graph.set(id, parents);
    }
  }
  return graph.get(commit) ?? null;
}

/**
 * A commit and those before it, newest first, down to `end` or to the first of all; `null` where a merge or a missing commit
 * comes between, or the way is too long.
 */
function straightLine(gitDir: string, commit: string, end: string | null): readonly string[] | null {
  const line: string[] = [];
  for (let at: string | undefined = commit; at !== undefined; ) {
    const parents: readonly string[] | null = parentsOf(gitDir, at);
    if (parents === null || line.length === MAX_DEPTH) return null;
    line.push(at);
    if (at === end) return line;
    if (parents.length > 1) return null;
    [at] = parents;
  }
  return line;
}

export function isAncestor(gitDir: string, ancestor: string, descendant: string): boolean {
  const line = straightLine(gitDir, descendant, ancestor);
  return line?.includes(ancestor) ?? tryGit(gitDir, ['merge-base', '--is-ancestor', ancestor, descendant]).ok;
}

/** `null` for histories without a common commit. */
export function mergeBase(gitDir: string, one: string, other: string): string | null {
  const [line, among] = [straightLine(gitDir, one, other), new Set(straightLine(gitDir, other, one))];
  const common = line?.find((commit) => among.has(commit));
  if (common !== undefined) return common;
  const answer = tryGit(gitDir, ['merge-base', one, other]);
  return answer.ok ? answer.stdout.trim() : null;
}

/** Commits of `to` that `from` does not have, oldest first. */
export function commitsBetween(gitDir: string, from: string, to: string): readonly string[] {
  const line = straightLine(gitDir, to, from);
  if (line?.at(-1) === from) return line.slice(0, -1).toReversed();
  const text = git(gitDir, ['rev-list', '--reverse', '--topo-order', `${from}..${to}`]);
  return text.split('\n').filter((each) => each !== '');
}
