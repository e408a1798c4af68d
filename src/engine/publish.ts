/** What the host commits and pushes for a run that has ended. Each looks first: a push may have come before a crash. */
import type { ActContext, GitHub } from '../github/github.ts';
import { holdsCode, mayPlanAnew, pullRequestFrom, recordedBase } from '../lifecycle/branch.ts';
import { reviewsAmong } from '../lifecycle/cause.ts';
import type { CommitTrailers } from '../lifecycle/facts.ts';
import type { Policy } from '../lifecycle/policy.ts';
import { readThread } from '../lifecycle/thread.ts';
import {
  type MessageOf,
  NothingToCommit,
  type RepositoryRef,
  type TokenSource,
  type Workspaces,
} from '../workspace/workspace.ts';
import { blobId } from './blob-id.ts';
import { instructionPaths } from './instructions.ts';
import type { RunRecord } from './run-record.ts';

export interface PublishPorts {
  readonly github: Pick<GitHub, 'withToken' | 'commitMessage'>;
  readonly workspaces: Workspaces;
  /** Why no command may run on this host; `null` where commands can be confined. */
  readonly sandboxFault: () => Promise<string | null>;
}

/**
 * Commits the run's plan on the head it was written for, pushes it, and leaves the new head in the context.
 * @throws {BranchMoved} @throws {PushRefused} @throws {WorkspaceError}
 */
export async function publishPlan(
  ports: PublishPorts,
  run: RunRecord,
  context: ActContext,
): Promise<'done' | 'adopted'> {
  if (run.outcome?.kind !== 'plan_ready' && run.outcome?.kind !== 'amendment') {
    throw new Error(`expected run ${run.id} to hold a plan, got ${run.outcome?.kind ?? 'no outcome'}`);
  }
  const { workspaces, github } = ports;
  const { repository } = context.thread;
  const pushed = findPushed(run, context);
  const parent = run.head ?? run.base;
  const base = baseToPlanOn(run, context);
  const isNew = context.pullRequest === null;
  const commits = [pushed === null ? parent : null, pushed === null ? base : null, isNew ? run.base : null];
  const needed = [...new Set(commits)].filter((commit) => commit !== null);
  if (needed.length > 0) await workspaces.fetch(repository, needed, tokenTo('clone', github, context));
  // What people are told when the pull request is opened.
  if (isNew) {
    context.instructions = await instructionPaths(workspaces, repository, run.base);
    if (policyOf(context).plan.shell) context.missingShell = await ports.sandboxFault();
  }
  if (pushed !== null) {
    context.head = pushed;
    return 'adopted';
  }
  const message = planMessage(github, run, context);
  const plan = {
    parent,
    ...(base === null ? {} : { base }),
    path: policyOf(context).plan.path,
    text: run.outcome.plan,
    message,
  };
  const commit = await commitUnlessSame(workspaces, repository, plan);
  if (commit !== parent) {
    const push = { branch: run.branch, commit, expected: run.head };
    await workspaces.push(repository, push, tokenTo('publish', github, context));
  }
  context.head = commit;
  return 'done';
}

/**
 * The base commit whose tree a plan takes that was written anew: the branch holds an older one, or code. `null` where the
 * branch's own tree goes on, and where that would take a person's changes out.
 */
function baseToPlanOn(run: RunRecord, { facts }: ActContext): string | null {
  const pullRequest = pullRequestFrom(facts, run.branch);
  if (pullRequest === null || run.outcome?.kind === 'amendment') return null;
  if (holdsCode(pullRequest)) return mayPlanAnew(pullRequest) ? run.base : null;
  const { path } = policyOf({ facts }).plan;
  const isPlanAlone = pullRequest.files.every((file) => file.path === path);
  return recordedBase(pullRequest) !== run.base && isPlanAlone ? run.base : null;
}

/** A revision may end with the plan as it was: then its parent is the commit that holds it. */
async function commitUnlessSame(
  workspaces: Workspaces,
  repository: RepositoryRef,
  plan: Parameters<Workspaces['commitPlan']>[1],
): Promise<string> {
  try {
    return await workspaces.commitPlan(repository, plan);
  } catch (error) {
    if (error instanceof NothingToCommit) return plan.parent;
    throw error;
  }
}

/**
 * Pushes the run's commits and leaves the new head in the context. The gate has been read from the same facts.
 * @throws {BranchMoved} @throws {PushRefused} @throws {WorkspaceError}
 */
export async function publishImplementation(
  ports: PublishPorts,
  run: RunRecord,
  context: ActContext,
): Promise<'done' | 'adopted'> {
  if (run.outcome?.kind !== 'work_ready' || run.approval === null) {
    throw new Error(`expected run ${run.id} to hold approved work, got ${run.outcome?.kind ?? 'no outcome'}`);
  }
  const { commit } = run.outcome;
  const pushed = findPushed(run, context) ?? (context.head === commit ? commit : null);
  if (pushed !== null) {
    context.head = pushed;
    return 'adopted';
  }
  const expected = run.head ?? run.approval.head;
  const push = { branch: run.branch, commit, expected };
  await ports.workspaces.push(context.thread.repository, push, tokenTo('publish', ports.github, context));
  context.head = commit;
  return 'done';
}

function tokenTo(
  use: 'clone' | 'publish',
  github: Pick<GitHub, 'withToken'>,
  { thread }: Pick<ActContext, 'thread'>,
): TokenSource {
  return (work) => github.withToken(thread, use, work);
}

/** The head of the run's branch, where a commit of the run already stands on it. */
function findPushed(run: RunRecord, context: ActContext): string | null {
  const isOwn = (commit: { readonly trailers: CommitTrailers | null }) => commit.trailers?.run === run.id;
  const pullRequest = pullRequestFrom(context.facts, run.branch);
  if (pullRequest?.commits.some(isOwn)) return pullRequest.head;
  const branch = context.facts.branches.find((candidate) => candidate.name === run.branch);
  return branch !== undefined && isOwn(branch.head) ? branch.head.sha : null;
}

/** The policy of a thread that something is published for: `decide` publishes nothing under a broken one. */
function policyOf(context: Pick<ActContext, 'facts'>): Policy {
  const { policy } = context.facts;
  if ('problems' in policy) {
    throw new Error('expected a readable configuration before anything is published, got problems in it');
  }
  return policy;
}

function planMessage(github: PublishPorts['github'], run: RunRecord, context: ActContext): MessageOf {
  const { thread, facts, memory } = context;
  const { outcome } = run;
  const text = outcome?.kind === 'plan_ready' || outcome?.kind === 'amendment' ? outcome.plan : '';
  const trailers: CommitTrailers = {
    phase: 'plan',
    run: run.id,
    base: run.base,
    plan: blobId(text, run.base),
    reviews: reviewsAmong(run.causes),
    approvedBy: [],
    receipt: null,
  };
  const revise = outcome?.kind === 'amendment' ? 'Amend the plan for' : 'Revise the plan for';
  const verb = run.head === null ? 'Plan' : revise;
  const requester = readThread(facts, memory, policyOf(context)).requests.standing?.by.login ?? null;
  const place = { repository: thread.repository, branch: run.branch };
  return github.commitMessage(place, { subject: `${verb} issue ${thread.issue}`, requester, trailers });
}

/** The trailers of an implementation's commits. */
export function implementTrailers(run: RunRecord): CommitTrailers {
  return {
    phase: 'implement',
    run: run.id,
    base: run.base,
    plan: run.approval?.planBlob ?? null,
    reviews: reviewsAmong(run.causes),
    approvedBy: (run.approval?.reviewers ?? []).map(({ login }) => ({ login, commit: run.approval?.head ?? run.base })),
    receipt: run.approval,
  };
}
