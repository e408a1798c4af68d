/** What an implementation did, set against its plan. */
import type { ScopeEntry } from '../lifecycle/facts.ts';
import type { ConformanceReport, StepReport, Verification } from '../lifecycle/memory.ts';
import type { PlanStep } from './plan-body.ts';
import { type ActualChange, compareScope } from './scope.ts';

export interface Implementation {
  readonly plan: { readonly files: readonly ScopeEntry[]; readonly steps: readonly Pick<PlanStep, 'title'>[] };
  readonly planPath: string;
  /** What was committed under each step's title, in the order in which it was made. */
  readonly commits: readonly StepReport[];
  /** From the recorded base to the last commit. */
  readonly changes: readonly ActualChange[];
  /** The configuration's `scope.allow`. */
  readonly allow: readonly string[];
  readonly verifications: readonly Verification[];
  /** Why the plan was amended after it was first approved, in the agent's words; oldest first. */
  readonly amendments: readonly string[];
  /** What the configuration's `sandbox.hosts` lists and the operator does not allow. */
  readonly refusedHosts: readonly string[];
  /** One sentence each, in the agent's words. */
  readonly deviations: readonly string[];
}

/**
 * The report: the plan's steps in their order, then commits under a title that is no step of the plan; every path that
 * is planned or changed; the amendments, the deviations that the agent told, then those that the comparison shows.
 */
export function buildConformance(implementation: Implementation): ConformanceReport {
  const { plan, planPath, commits, changes, allow, verifications, amendments, refusedHosts, deviations } =
    implementation;
  const comparison = compareScope(plan.files, changes, allow, planPath);
  return {
    steps: reportSteps(plan.steps, commits),
    files: comparison.table,
    verifications,
    deviations: [
      ...amendments.map((reason) => `The plan was amended: ${reason}`),
      ...deviations,
      ...tellRefusedHosts(refusedHosts),
      ...comparison.outside.map(({ path, change }) => `\`${path}\` is not in the plan's scope (${change}).`),
      ...comparison.untouched.map(({ path, change }) => `\`${path}\` is in the plan (${change}) and was not changed.`),
    ],
  };
}

function tellRefusedHosts(hosts: readonly string[]): readonly string[] {
  if (hosts.length === 0) return [];
  const names = hosts.map((host) => `\`${host}\``).join(', ');
  return [
    `\`sandbox.hosts\` lists what \`PLANWRIGHT_SANDBOX_HOSTS\` of whoever runs this app does not allow; no command could reach ${names}.`,
  ];
}

function reportSteps(steps: readonly Pick<PlanStep, 'title'>[], commits: readonly StepReport[]): readonly StepReport[] {
  const left = new Set(commits);
  const planned = steps.flatMap((step): readonly StepReport[] => {
    const own = [...left].filter((commit) => foldTitle(commit.title) === foldTitle(step.title));
    for (const commit of own) left.delete(commit);
    const made = own.filter((commit) => commit.commit !== null);
    if (made.length === 0) return [{ title: step.title, commit: null, files: [] }];
    return made.map(({ commit, files }) => ({ title: step.title, commit, files }));
  });
  return [...planned, ...[...left].filter((commit) => commit.commit !== null)];
}

/** Titles compare without number, case, marks of Markdown and runs of blanks: the agent writes them from memory. */
function foldTitle(title: string): string {
  return title
    .replace(/^\s*(?:step\s*)?\d+\s*[.):]\s*/i, '')
    .replaceAll(/[`*_]/g, '')
    .replaceAll(/\s+/g, ' ')
    .replace(/[.\s]+$/, '')
    .toLowerCase();
}
