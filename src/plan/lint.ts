/** What a plan has to be before people are asked to read it. */
import type { ScopeEntry } from '../lifecycle/facts.ts';
import { isEmptyPlan, type Plan, parsePlan, planSections } from './plan-file.ts';
import { isProtected } from './scope.ts';

export interface LintContext {
  readonly issue: number;
  /** The commit that the run reads. */
  readonly base: string;
  readonly planPath: string;
  /** Whether a file of this path is in the tree of the base commit. */
  readonly exists: (path: string) => boolean;
}

type Rule = (plan: Plan, context: LintContext) => readonly string[];

/** In the order in which the findings are told. */
const rules: readonly Rule[] = [
  lintIdentity,
  lintSections,
  lintScope,
  lintProtectedPaths,
  lintCitations,
  lintCoverage,
  lintVerification,
];

/**
 * Every finding is one line that says what is wrong where, and what to do. A front matter that cannot be read is told
 * alone: the other rules need it.
 */
export function lintPlan(text: string, context: LintContext): readonly string[] {
  if (isEmptyPlan(text)) return ['the plan is empty; write it before you leave plan mode'];
  const parsed = parsePlan(text);
  if ('problems' in parsed) return parsed.problems;
  return rules.flatMap((rule) => rule(parsed.plan, context));
}

function lintIdentity(plan: Plan, context: LintContext): readonly string[] {
  const findings: string[] = [];
  if (plan.issue !== context.issue) {
    findings.push(`front matter, issue: expected ${context.issue}, got ${plan.issue}; write ${context.issue}`);
  }
  if (plan.base !== context.base) {
    findings.push(`front matter, base: expected ${context.base}, got ${plan.base}; write ${context.base}`);
  }
  return findings;
}

function lintSections(plan: Plan): readonly string[] {
  const title =
    plan.title === null || plan.title === '' ? ['title: missing; add a "# <title>" line above the sections'] : [];
  const sections = planSections.flatMap((name) => {
    const found = plan.sections.filter((section) => isNamed(section.heading, name));
    const [first, second] = found;
    if (first === undefined) return [`section "## ${name}": missing; add it`];
    if (second !== undefined) return [`line ${second.line}, section "## ${name}": is there twice; keep one`];
    return first.text === ''
      ? [`line ${first.line}, section "## ${name}": empty; write it, or say why there is nothing`]
      : [];
  });
  const hasStepsSection = plan.sections.some((section) => isNamed(section.heading, 'Steps') && section.text !== '');
  const steps =
    hasStepsSection && plan.steps.length === 0
      ? ['section "## Steps": expected a numbered list, got none; write each step as "1. …"']
      : [];
  return [...title, ...sections, ...steps];
}

function isNamed(heading: string, name: string): boolean {
  return heading.toLowerCase() === name.toLowerCase();
}

function lintScope(plan: Plan, context: LintContext): readonly string[] {
  if (plan.files.length === 0) return ['front matter, files: empty; name every file that the work changes'];
  const existing = plan.files.filter((entry) => context.exists(entry.path));
  const findings = plan.files.flatMap((entry) => lintEntry(entry, context));
  const moves = plan.files.filter((entry) => entry.change === 'move');
  const [sources, targets] = [
    moves.filter((entry) => existing.includes(entry)),
    moves.filter((entry) => !existing.includes(entry)),
  ];
  if (sources.length !== targets.length) {
    findings.push(
      `front matter, files: ${sources.length} old and ${targets.length} new paths are marked move; name each moved file with its old path and its new one`,
    );
  }
  return findings;
}

function lintEntry(entry: ScopeEntry, context: LintContext): string[] {
  const where = `front matter, files, ${entry.path}`;
  if (entry.path === context.planPath) return [`${where}: this is the plan itself; take it out`];
  const exists = context.exists(entry.path);
  if (entry.change === 'create' && exists) return [`${where}: is there already at the base; mark it modify`];
  if ((entry.change === 'modify' || entry.change === 'delete') && !exists) {
    return [`${where}: is not there at the base; correct the path, or mark it create`];
  }
  return [];
}

function lintProtectedPaths(plan: Plan): readonly string[] {
  return plan.files
    .filter((entry) => isProtected(entry.path))
    .map((entry) => {
      const what = /^\.github\/workflows\//i.test(entry.path)
        ? 'is a workflow, which this app may not push; leave it to a person and say so under "## Risks and open questions"'
        : 'is a protected path; take it out unless the issue asks for exactly this, and say so under "## Risks and open questions"';
      return `front matter, files, ${entry.path}: ${what}`;
    });
}

function lintCitations(plan: Plan, context: LintContext): readonly string[] {
  const planned = plan.files.map((entry) => entry.path);
  const told = new Set([context.planPath]);
  return plan.sections.flatMap((section) =>
    section.citations.flatMap(({ path, line }) => {
      if (told.has(path) || isKnown(path, planned) || context.exists(path)) return [];
      told.add(path);
      return [
        `line ${line}, section "## ${section.heading}": \`${path}\` is not there at the base; correct the path, or name it in the front matter as create`,
      ];
    }),
  );
}

/** A planned path, or the end of one: `cache.ts` for `src/cache.ts`. */
function isKnown(path: string, planned: readonly string[]): boolean {
  return planned.some((candidate) => candidate === path || candidate.endsWith(`/${path}`));
}

function lintCoverage(plan: Plan): readonly string[] {
  if (plan.steps.length === 0) return [];
  const planned = plan.files.map((entry) => entry.path);
  const cited = plan.steps.flatMap((step) => step.paths);
  const withoutStep = planned.filter((path) => !cited.some((citation) => isKnown(citation, [path])));
  const withoutFile = plan.steps.filter((step) => !step.paths.some((path) => isKnown(path, planned)));
  return [
    ...withoutStep.map(
      (path) => `front matter, files, ${path}: no step names it; name it in backticks in the step that changes it`,
    ),
    ...withoutFile.map(
      (step) =>
        `line ${step.line}, step "${step.title}": names no file of the front matter; name in backticks what it changes, or merge it into another step`,
    ),
  ];
}

function lintVerification(plan: Plan): readonly string[] {
  if (plan.verify.length > 0) return [];
  const section = plan.sections.find(({ heading }) => isNamed(heading, 'Verification'));
  if (section !== undefined && /^\s*(?:[-*]\s+)?no command\b.*\bbecause\b/im.test(section.text)) return [];
  return [
    'front matter, verify: empty; name the commands that show that the work is done, or write "No command verifies this, because …" under "## Verification"',
  ];
}
