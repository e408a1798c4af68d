/** The files of a plan's front matter against the base, against each other, and against what people can review. */
import type { ScopeEntry } from '../lifecycle/facts.ts';
import { type LintContext, nearestPath } from './lint-context.ts';
import type { Plan } from './plan-file.ts';
import { isProtected } from './scope.ts';

/** A plan can name any number of files that are not there. */
const mostSuggestions = 20;

export function lintScope(plan: Plan, context: LintContext): readonly string[] {
  if (plan.files.length === 0) return ['front matter, files: empty; name every file that the work changes'];
  const findings = plan.files.flatMap((entry, index) => lintEntry(entry, context, index < mostSuggestions));
  return [...findings, ...lintMoves(plan, context), ...lintNames(plan, context)];
}

function lintEntry(entry: ScopeEntry, context: LintContext, isSuggested: boolean): string[] {
  const where = `front matter, files, ${entry.path}`;
  if (entry.path === context.planPath) return [`${where}: this is the plan itself; take it out`];
  const exists = context.exists(entry.path);
  if (entry.change === 'create' && exists) return [`${where}: is there already at the base; mark it modify`];
  if ((entry.change === 'modify' || entry.change === 'delete') && !exists) {
    const near = isSuggested ? nearestPath(entry.path, context) : null;
    const advice = near === null ? 'correct the path' : `did you mean ${near}? Correct the path`;
    return [`${where}: is not there at the base; ${advice}, or mark it create`];
  }
  return [];
}

function lintMoves(plan: Plan, context: LintContext): readonly string[] {
  const moves = plan.files.filter((entry) => entry.change === 'move');
  const sources = moves.filter((entry) => context.exists(entry.path)).length;
  const targets = moves.length - sources;
  if (sources === targets) return [];
  return [
    `front matter, files: ${sources} old and ${targets} new paths are marked move; name each moved file with its old path and its new one`,
  ];
}

/** A new file needs a place of its own: no file where a folder is wanted, and no name that differs by its case alone. */
function lintNames(plan: Plan, context: LintContext): readonly string[] {
  const gone = new Set(plan.files.filter(({ change }) => change === 'delete' || change === 'move').map(pathOf));
  const stays = (path: string) => context.exists(path) && !gone.has(path);
  const planned = new Set(plan.files.filter(({ change }) => change !== 'delete').map(pathOf));
  const spellings = Map.groupBy(planned, (path) => path.toLowerCase());
  return plan.files.flatMap(({ path, change }) => {
    if (change === 'delete' || change === 'modify' || context.exists(path)) return [];
    const where = `front matter, files, ${path}`;
    const file = foldersOf(path).find((folder) => stays(folder) || (planned.has(folder) && !context.exists(folder)));
    if (file !== undefined) return [`${where}: would be beneath ${file}, which is a file; name it otherwise`];
    if (context.namesIn(path).length > 0) return [`${where}: is a folder at the base; name a file in it`];
    const twin = spellings.get(path.toLowerCase())?.find((other) => other !== path && !gone.has(other));
    const namesake = twin ?? sameButCase(path, context, stays);
    return namesake === null
      ? []
      : [`${where}: differs from ${namesake} by upper and lower case alone; use the same path, or name it otherwise`];
  });
}

function pathOf({ path }: ScopeEntry): string {
  return path;
}

function foldersOf(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** The file of the base that some file systems take for this one. */
function sameButCase(path: string, context: LintContext, stays: (path: string) => boolean): string | null {
  let at = '';
  for (const part of path.split('/')) {
    const names = context.namesIn(at).map((name) => name.replace(/\/$/, ''));
    const name = names.includes(part) ? part : names.find((each) => each.toLowerCase() === part.toLowerCase());
    if (name === undefined) return null;
    at = at === '' ? name : `${at}/${name}`;
  }
  return stays(at) ? at : null;
}

export function lintProtectedPaths(plan: Plan): readonly string[] {
  return plan.files
    .filter((entry) => isProtected(entry.path))
    .map((entry) => {
      const what = /^\.github\/workflows\//i.test(entry.path)
        ? 'is a workflow, which this app may not push; leave it to a person and say so under "## Risks and open questions"'
        : 'is a protected path; take it out unless the issue asks for exactly this, and say so under "## Risks and open questions"';
      return `front matter, files, ${entry.path}: ${what}`;
    });
}

/** What one person can be expected to review with care. */
const mostFiles = 60;
const mostSteps = 40;
const mostLines = 1500;

export function lintSize(plan: Plan, text: string): readonly string[] {
  const sizes = [
    ['front matter, files', plan.files.length, mostFiles, 'files'],
    ['section "## Steps"', plan.steps.length, mostSteps, 'steps'],
    ['the plan', text.trimEnd().split('\n').length, mostLines, 'lines'],
  ] as const;
  return sizes.flatMap(([where, got, most, what]) =>
    got <= most
      ? []
      : [
          `${where}: ${got} ${what}, more than the ${most} that can be reviewed with care; plan a first part that stands on its own, and name the rest under "## Risks and open questions"`,
        ],
  );
}
