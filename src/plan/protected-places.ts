/** What of a tree no command of an implementation may touch, worked out before the first one runs. */
import type { ScopeEntry } from '../lifecycle/facts.ts';
import { isProtected } from './scope.ts';

/** What is not there, and would steer people's machines, builds or agents if it were. */
export const wellKnownPlaces: readonly string[] = [
  '.github',
  'CODEOWNERS',
  'docs/CODEOWNERS',
  '.githooks',
  '.husky',
  '.lefthook',
  'lefthook.yml',
  'lefthook.yaml',
  '.lefthook.yml',
  'lefthook-local.yml',
  '.pre-commit-config.yaml',
  '.gitmodules',
  'AGENTS.md',
  'AGENTS.override.md',
  'AGENT.md',
  'CLAUDE.md',
  'CLAUDE.local.md',
  'GEMINI.md',
  'QWEN.md',
  '.agents',
  '.claude',
  '.codex',
  '.cursor',
  '.gemini',
  '.opencode',
  '.windsurf',
  '.clinerules',
  '.roo',
  '.kiro',
  '.junie',
  '.continue',
  '.cursorrules',
  '.windsurfrules',
  '.mcp.json',
  'opencode.json',
  'opencode.jsonc',
];

/** Each is a mount of every command: the outermost are held, and what lies deeper than these is refused at the commit. */
const MAX_HELD = 120;

/**
 * Files and folders that are to be held: what is protected in the tree at any depth, and what is well known at its root
 * where it is not there; but nothing that the plan names, or that holds what the plan names. Outermost first.
 * @param tree paths of the files, from the root.
 */
export function protectedPlaces(tree: readonly string[], scope: readonly ScopeEntry[]): readonly string[] {
  const planned = scope.map(({ path }) => path);
  const isFree = (place: string) => !planned.some((path) => path === place || path.startsWith(`${place}/`));
  const found = new Set<string>();
  for (const path of tree) {
    if (!mayBeProtected.test(path) || !isProtected(path)) continue;
    const place = ancestors(path).find((at) => holdsNothingElse(at) && isFree(at));
    if (place !== undefined) found.add(place);
  }
  const tops = new Set(tree.map(topOf));
  const isThere = (place: string) => (place.includes('/') ? tree.includes(place) : tops.has(place));
  const absent = wellKnownPlaces.filter((place) => !isThere(place) && isFree(place) && canBeMade(place, tops));
  const deep = [...found].toSorted((one, other) => depthOf(one) - depthOf(other));
  return [...absent, ...deep].slice(0, MAX_HELD);
}

// Every name that `isProtected` knows holds one of these letters' runs; most of a large tree does not.
const mayBeProtected =
  /[^\x20-\x7e]|git|owners|husky|lefthook|pre-commit|agent|claude|gemini|qwen|codex|cursor|opencode|windsurf|clinerules|roo|kiro|junie|continue|mcp/i;

/** From the outermost to the path itself. */
function ancestors(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function holdsNothingElse(place: string): boolean {
  return isProtected(place) || isProtected(`${place}/_`);
}

function topOf(path: string): string {
  const end = path.indexOf('/');
  return end === -1 ? path : path.slice(0, end);
}

/** A folder is not made for a name that nobody looks for where the folder is not. */
function canBeMade(place: string, tops: ReadonlySet<string>): boolean {
  return !place.includes('/') || tops.has(topOf(place));
}

function depthOf(path: string): number {
  return path.split('/').length;
}
