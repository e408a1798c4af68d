/** The host's half of an implementation: its commits, one a step, and what is reported of it. */
import type { RunResult } from '../agent/run-protocol.ts';
import type { GitHub } from '../github/github.ts';
import type { ScopeEntry } from '../lifecycle/facts.ts';
import type { Outcome, StepReport } from '../lifecycle/memory.ts';
import type { Policy } from '../lifecycle/policy.ts';
import { buildConformance } from '../plan/conformance.ts';
import { parsePlan } from '../plan/plan-file.ts';
import { compareScope } from '../plan/scope.ts';
import {
  type FileChange,
  type MessageOf,
  PatchRefused,
  type RepositoryRef,
  type Workspaces,
  type WritableCheckout,
} from '../workspace/workspace.ts';
import { implementTrailers } from './publish.ts';
import type { RunRecord } from './run-record.ts';

export interface Implementation {
  readonly github: Pick<GitHub, 'commitMessage'>;
  readonly workspaces: Workspaces;
  readonly repository: RepositoryRef;
  readonly run: RunRecord;
  readonly checkout: WritableCheckout;
  readonly policy: Policy;
  /** The approved plan's text. */
  readonly plan: string;
  readonly issue: number;
}

/** Commits what the tree holds under the step's title; `null` in `commit` where nothing changed. @throws {PatchRefused} */
export async function commitStep(work: Implementation, title: string): Promise<StepReport> {
  const { workspaces, repository, run, checkout } = work;
  const before = (await workspaces.lastCommit(repository, run.workspace)) ?? checkout.commit;
  const message = messageOf(work, subjectOf(title));
  const commit = await workspaces.commitStep(repository, checkout, { run: run.workspace, message, remove: [] });
  if (commit === null) return { title, commit, files: [] };
  const changes = await workspaces.changes(repository, before, commit);
  return { title, commit, files: changes.map((change) => change.path) };
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
  const message = messageOf(work, `Finish the work on issue ${work.issue}`);
  const remove = policy.plan.keep === 'keep' ? [] : [policy.plan.path];
  await workspaces.commitStep(repository, checkout, { run: run.workspace, message, remove });
  const last = (await workspaces.lastCommit(repository, run.workspace)) ?? checkout.commit;
  const own = await workspaces.changes(repository, checkout.commit, last);
  if (own.every((change) => change.path === policy.plan.path)) {
    return { kind: 'failed', reason: 'no_changes', detail: 'The implementation changed no file.' };
  }
  const plan = readPlan(work.plan);
  const passing = await passingChanges(work, steps, last, plan.files);
  const list = tellOutside(work, plan.files, own) ?? tellOutside(work, plan.files, passing);
  if (list !== null) {
    return { kind: 'failed', reason: 'out_of_scope', detail: `These changes are not in the plan's scope: ${list}.` };
  }
  const changes = await workspaces.changes(repository, run.approval?.head ?? checkout.commit, last);
  const report = buildConformance({
    plan,
    planPath: policy.plan.path,
    commits: steps,
    changes,
    allow: policy.scope.allow,
    verifications: done.verifications,
    deviations: done.deviations,
  });
  return { kind: 'work_ready', commit: await archive(work, last), report };
}

/** What stops the push, by path; `null` where nothing does. */
function tellOutside({ policy }: Implementation, files: readonly ScopeEntry[], changes: readonly FileChange[]) {
  const { outside, forbidden } = compareScope(files, changes, policy.scope.allow, policy.plan.path);
  const stopping = policy.scope.mode === 'block' ? outside : forbidden;
  return stopping.length === 0 ? null : stopping.map(({ path, change }) => `\`${path}\` (${change})`).join(', ');
}

/**
 * What the commits between change at paths that the plan does not name, undone later or not: every commit is pushed.
 * A planned file may be deleted by one step and made anew by another.
 */
async function passingChanges(
  { workspaces, repository, checkout }: Implementation,
  steps: readonly StepReport[],
  last: string,
  files: readonly ScopeEntry[],
): Promise<readonly FileChange[]> {
  const planned = new Set(files.map(({ path }) => path));
  const changes: FileChange[] = [];
  let before = checkout.commit;
  for (const commit of [...steps.map((step) => step.commit), last]) {
    if (commit === null || commit === before) continue;
    changes.push(...(await workspaces.changes(repository, before, commit)));
    before = commit;
  }
  return changes.filter(({ path, from }) => !planned.has(path) || (from !== null && !planned.has(from)));
}

/** With `plan.keep: archive` the plan moves to a place of its own, where the next plan is not in its way. */
async function archive(work: Implementation, last: string): Promise<string> {
  const { workspaces, repository, policy, plan, issue } = work;
  if (policy.plan.keep !== 'archive') return last;
  const message = messageOf(work, `Keep the plan of issue ${issue}`);
  return workspaces.commitPlan(repository, { parent: last, path: archivePath(issue), text: plan, message });
}

function messageOf({ github, repository, run }: Implementation, subject: string): MessageOf {
  return github.commitMessage(repository, { subject, trailers: implementTrailers(run) });
}

/** Where the plan of an issue is kept with `plan.keep: archive`. */
export function archivePath(issue: number): string {
  return `docs/plans/issue-${issue}.md`;
}

/** A plan that cannot be read names nothing: everything is outside of its scope. */
export function readPlan(
  text: string,
): Pick<Extract<ReturnType<typeof parsePlan>, { plan: unknown }>['plan'], 'files' | 'steps' | 'verify'> {
  const parsed = parsePlan(text);
  return 'plan' in parsed ? parsed.plan : { files: [], steps: [], verify: [] };
}

/** A step's title as a commit's subject: one line, at most 72 characters, that closes no issue and mentions nobody. */
function subjectOf(title: string): string {
  const line = title
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .replaceAll(/[@#]/g, '')
    .trim();
  const subject = line === '' ? 'Work on the plan' : line;
  return subject.length <= 72 ? subject : `${subject.slice(0, 71)}…`;
}
