/** What a plan has to be before people are asked to read it. */
import { lintForeign } from './foreign-content.ts';
import { lintCitations } from './lint-citations.ts';
import { isKnown, type LintContext, type LintRule } from './lint-context.ts';
import { lintProtectedPaths, lintScope, lintSize } from './lint-scope.ts';
import { lintVerification } from './lint-verification.ts';
import { isEmptyPlan, type Plan, parsePlan, planSections } from './plan-file.ts';

/** In the order in which the findings are told. */
const rules: readonly LintRule[] = [
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
  const foreign = lintForeign(text, context.forgeHost ?? null);
  return [...lintSize(parsed.plan, text), ...foreign, ...rules.flatMap((rule) => rule(parsed.plan, context))];
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

function lintCoverage(plan: Plan): readonly string[] {
  if (plan.steps.length === 0) return [];
  const planned = plan.files.map((entry) => entry.path);
  const cited = plan.steps.flatMap((step) => step.paths);
  const withoutStep = planned.filter((path) => !cited.some((citation) => isKnown(citation, [path])));
  const withoutFile = plan.steps.filter((step) => !step.paths.some((path) => isKnown(path, planned)));
  const texts = Map.groupBy(plan.steps, ({ text }) => text.replaceAll(/\s+/g, ' '));
  const twice = [...texts.values()].flatMap(([, ...again]) => again);
  return [
    ...twice.map((step) => `line ${step.line}, step "${step.title}": is there twice; keep one`),
    ...withoutStep.map(
      (path) => `front matter, files, ${path}: no step names it; name it in backticks in the step that changes it`,
    ),
    ...withoutFile.map(
      (step) =>
        `line ${step.line}, step "${step.title}": names no file of the front matter; name in backticks what it changes, or merge it into another step`,
    ),
  ];
}
