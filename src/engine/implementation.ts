/** The host's half of an implementation: its commits, one a step, and what is reported of it. */
import type { Rejection, RunResult, TreeReport } from '../agent/run-protocol.ts';
import type { GitHub } from '../github/github.ts';
import type { Outcome, StepReport } from '../lifecycle/memory.ts';
import { buildConformance } from '../plan/conformance.ts';
import { inertLine } from '../text/text-out.ts';
import {
  type FileChange,
  type MessageOf,
  PatchRefused,
  type RepositoryRef,
  type TreeInspection,
  type Workspaces,
  type WritableCheckout,
} from '../workspace/workspace.ts';
import { implementTrailers } from './publish.ts';
import type { RunRecord } from './run-record.ts';
import { changesOfPlan, outsideOf, outsideOfCommit, readPlan, type ScopeRules } from './tree-scope.ts';

export interface Implementation extends ScopeRules {
  readonly github: Pick<GitHub, 'commitMessage'>;
  readonly workspaces: Workspaces;
  readonly repository: RepositoryRef;
  readonly run: RunRecord;
  readonly checkout: WritableCheckout;
  readonly issue: number;
  /** Steps that earlier rounds under the same approval have pushed. */
  readonly earlier: readonly StepReport[];
  /** Why the plan was amended, if it was; oldest first. */
  readonly amendments: readonly string[];
  /** Hosts that the repository lists and the operator does not allow. */
  readonly refusedHosts: readonly string[];
  /** Whether the pull request held code when the run began. */
  readonly holdsCode: boolean;
}

/** How the tree stands against the plan and against what a commit may hold. Changes nothing. */
export async function readTree(work: Implementation): Promise<TreeReport> {
  const { workspaces, repository, run, checkout } = work;
  return reportOn(work, await workspaces.inspect(repository, checkout, run.workspace));
}

function reportOn(work: Implementation, { changes, uncommitted, faults }: TreeInspection): TreeReport {
  const outside = [...outsideOf(work, changes), ...againstCommit(work, uncommitted)];
  return { outside: [...new Set(outside)], faults, changes };
}

function againstCommit(work: Implementation, uncommitted: readonly FileChange[]): readonly string[] {
  return [...outsideOfCommit(work, uncommitted), ...changesOfPlan(work, uncommitted)];
}

/** What stands against committing a step. */
export class StepRejected extends Error {
  override readonly name = 'StepRejected';
  readonly rejection: Rejection;
  constructor(rejection: Rejection) {
    super(`the step cannot be kept: ${[...rejection.outside, ...rejection.faults].join('; ')}`);
    this.rejection = rejection;
  }
}

/** Commits what the tree holds under the step's title; `null` in `commit` where nothing changed. @throws {StepRejected} */
export async function commitStep(work: Implementation, title: string): Promise<StepReport> {
  const { workspaces, repository, run, checkout } = work;
  let files: readonly string[] = [];
  const judge = ({ uncommitted, faults }: TreeInspection): void => {
    const outside = againstCommit(work, uncommitted);
    if (outside.length + faults.length > 0) throw new StepRejected({ outside, faults });
    files = uncommitted.map(({ path }) => path);
  };
  const step = { run: run.workspace, message: stepMessage(work, title), remove: [], judge };
  const commit = await workspaces.commitStep(repository, checkout, step);
  return { title, commit, files };
}

/** The last commit and the report; or why there is nothing that may be pushed. */
export async function finish(
  work: Implementation,
  steps: readonly StepReport[],
  done: Extract<RunResult, { kind: 'work_done' }>,
): Promise<Outcome> {
  try {
    return await finishCommits(work, steps, done);
  } catch (error) {
    if (error instanceof StepRejected) return outOfScope(error.rejection.outside);
    if (!(error instanceof PatchRefused)) throw error;
    return { kind: 'failed', reason: 'patch_refused', detail: error.reasons.join('\n') };
  }
}

async function finishCommits(
  work: Implementation,
  steps: readonly StepReport[],
  done: Extract<RunResult, { kind: 'work_done' }>,
): Promise<Outcome> {
  const { workspaces, repository, run, checkout, policy } = work;
  const judge = (tree: TreeInspection): void => {
    const { outside } = reportOn(work, tree);
    if (outside.length > 0) throw new StepRejected({ outside, faults: [] });
  };
  const message = messageOf(work, `Finish the work on issue ${work.issue}`);
  const remove = policy.plan.keep === 'keep' ? [] : [policy.plan.path];
  await workspaces.commitStep(repository, checkout, { run: run.workspace, message, remove, judge });
  const last = (await workspaces.lastCommit(repository, run.workspace)) ?? checkout.commit;
  const changes = changesOnce(work);
  const own = await changes(checkout.commit, last);
  if (own.every((change) => change.path === policy.plan.path)) {
    return { kind: 'failed', reason: 'no_changes', detail: 'The implementation changed no file.' };
  }
  // Once more of the commits themselves: nothing that a process has written meanwhile is pushed.
  const outside = [...outsideOf(work, own), ...(await outsideOnTheWay(work, steps, last, changes))];
  if (outside.length > 0) return outOfScope(outside);
  const report = buildConformance({
    plan: readPlan(work.plan),
    planPath: policy.plan.path,
    commits: [...work.earlier, ...steps],
    changes: await changes(run.approval?.head ?? checkout.commit, last),
    allow: policy.scope.allow,
    verifications: done.verifications,
    amendments: work.amendments,
    refusedHosts: work.refusedHosts,
    deviations: done.deviations,
  });
  return { kind: 'work_ready', commit: await archive(work, last), report };
}

type Changes = (from: string, to: string) => Promise<readonly FileChange[]>;

/** What differs between two commits; each pair is asked for once. */
function changesOnce({ workspaces, repository }: Implementation): Changes {
  const asked = new Map<string, ReturnType<Changes>>();
  return (from, to) => {
    const key = `${from} ${to}`;
    const changes = asked.get(key) ?? workspaces.changes(repository, from, to);
    asked.set(key, changes);
    return changes;
  };
}

function outOfScope(outside: readonly string[]): Outcome {
  const list = [...new Set(outside)].join(', ');
  return { kind: 'failed', reason: 'out_of_scope', detail: `These changes are not in the plan's scope: ${list}.` };
}

async function outsideOnTheWay(
  work: Implementation,
  steps: readonly StepReport[],
  last: string,
  changes: Changes,
): Promise<readonly string[]> {
  const outside: string[] = [];
  let before = work.checkout.commit;
  for (const commit of [...steps.map((step) => step.commit), last]) {
    if (commit === null || commit === before) continue;
    outside.push(...outsideOfCommit(work, await changes(before, commit)));
    before = commit;
  }
  return outside;
}

/** With `plan.keep: archive` the plan moves to a place of its own, where the next plan is not in its way. */
async function archive(work: Implementation, last: string): Promise<string> {
  const { workspaces, repository, checkout, policy, plan, issue } = work;
  if (policy.plan.keep !== 'archive') return last;
  const from = { commit: checkout.commit, path: policy.plan.path };
  const message = messageOf(work, `Keep the plan of issue ${issue}`);
  return workspaces.commitPlan(repository, { parent: last, path: archivePath(issue), text: plan, from, message });
}

/** The message of a step's commit. */
export function stepMessage(work: Pick<Implementation, 'github' | 'repository' | 'run'>, title: string): MessageOf {
  return messageOf(work, subjectOf(title));
}

function messageOf(
  { github, repository, run }: Pick<Implementation, 'github' | 'repository' | 'run'>,
  subject: string,
): MessageOf {
  return github.commitMessage({ repository, branch: run.branch }, { subject, trailers: implementTrailers(run) });
}

/** Where the plan of an issue is kept with `plan.keep: archive`. */
export function archivePath(issue: number): string {
  return `docs/plans/issue-${issue}.md`;
}

/** A step's title as a commit's subject: one line of at most 72 characters that closes no issue and mentions nobody. */
function subjectOf(title: string): string {
  return inertLine(title, 72) || 'Work on the plan';
}
