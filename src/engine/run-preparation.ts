/** From a queued run to everything its child needs: live facts, a checkout, the brief. */
import type { Kysely } from 'kysely';
import type { Resumption } from '../agent/brief.ts';
import type { RunSpec } from '../agent/run-protocol.ts';
import type { Environment } from '../config/environment.ts';
import { type GitHub, type ThreadRef, Unreadable } from '../github/github.ts';
import { goesOnAsParked } from '../lifecycle/actions.ts';
import { amendmentReasons } from '../lifecycle/amendment.ts';
import { callAnswered, questionsAnswered } from '../lifecycle/answers.ts';
import { beginningOf } from '../lifecycle/beginning.ts';
import { holdsCode, pullRequestFrom } from '../lifecycle/branch.ts';
import { whyNothingStarts } from '../lifecycle/ceiling.ts';
import type { Facts } from '../lifecycle/facts.ts';
import type { Memory, Question } from '../lifecycle/memory.ts';
import { shortId } from '../lifecycle/phrases.ts';
import { permissionsOf } from '../lifecycle/plan-mode-permissions.ts';
import type { Ceiling, Policy } from '../lifecycle/policy.ts';
import { budgetOf } from '../lifecycle/run-budget.ts';
import { readThread, recheckGate, type Thread } from '../lifecycle/thread.ts';
import { hostOf } from '../plan/foreign-content.ts';
import { type HistoryEntry, type TokenSource, WorkspaceError, type Workspaces } from '../workspace/workspace.ts';
import { blobId } from './blob-id.ts';
import { readRemarks, writeBrief } from './brief.ts';
import { type Conversation, readConversation, readDraft } from './conversation-store.ts';
import type { Implementation } from './implementation.ts';
import { readInstructions } from './instructions.ts';
import type { Logger } from './log.ts';
import { type ReadPrice, withPrice } from './prices.ts';
import { quoteIssue, type RequestInstant } from './quote-request.ts';
import type { ReconcilePorts } from './reconcile.ts';
import { resumeWork } from './resume-work.ts';
import type { RunRecord } from './run-record.ts';
import { readMemory, readRuns } from './run-store.ts';
import { hostsOf, splitHosts } from './sandbox-hosts.ts';
import type { Schema } from './schema.ts';
import { readPlan } from './tree-scope.ts';

export interface PreparationPorts {
  readonly db: Kysely<Schema>;
  readonly github: GitHub;
  readonly workspaces: Workspaces;
  readonly decide: ReconcilePorts['decide'];
  readonly model: Environment['model'];
  readonly readPrice: ReadPrice;
  /** Why no command may run on this host; `null` where commands can be confined. */
  readonly sandboxFault: () => Promise<string | null>;
  /** Hosts that the operator lets commands reach, where the repository lists them. */
  readonly sandboxHosts: readonly string[];
  readonly log: Logger;
}

export interface ReadyRun {
  readonly spec: RunSpec;
  /** The commits that led to what the run reads. */
  readonly history: (path: string | null, limit: number) => Promise<readonly HistoryEntry[]>;
  /** Present exactly on an implementation. */
  readonly implementation: Implementation | null;
  /** What the runs of the repository may use in a day. */
  readonly day: Ceiling;
}

interface Source extends PreparationPorts {
  readonly thread: ThreadRef;
  readonly run: RunRecord;
  /** The run that began the work which this one goes on with. */
  readonly begun: RunRecord;
  readonly facts: Facts;
  /** With the permissions that this run has. */
  readonly policy: Policy;
  readonly memory: Memory;
  readonly request: RequestInstant;
  /** The login of who asked for the plan. */
  readonly requester: string | null;
  readonly asked: readonly Question[];
  /** The call that a writer's word is about. */
  readonly call: string | null;
}

/**
 * Makes the run's trees and tells it what it is about, from facts read after it was taken up. `unwanted`: the next look
 * stops the run, or says what is in its way.
 * @throws {Unreadable} the gate could not be read: nothing may start
 * @throws {Forbidden} @throws {WorkspaceError}
 */
export async function prepareRun(
  ports: PreparationPorts,
  thread: ThreadRef,
  run: RunRecord,
  facts: Facts,
): Promise<ReadyRun | 'unwanted'> {
  const memory = await withPrice(await readMemory(ports.db, run.thread), facts, ports.readPrice);
  const { policy } = facts;
  if ('problems' in policy) return 'unwanted';
  const { actions } = ports.decide(facts, memory);
  if (actions.some((action) => action.kind === 'stopRun' && action.run === run.id)) return 'unwanted';
  if (run.cost.turns === 0 && whyNothingStarts(memory, policy) !== null) return 'unwanted';
  const read = readThread(facts, memory, policy);
  requireApproval(read, run);
  const request = read.requests.standing;
  const runs = await readRuns(ports.db, run.thread);
  const permissions = permissionsOf(run, runs, policy.permissions);
  const waited = { asked: questionsAnswered(memory.runs, run), call: callAnswered(memory.runs, run) };
  const asker = { request, requester: request?.by.login ?? null };
  const held = { policy: { ...policy, permissions }, memory, ...asker, ...waited };
  const source = { ...ports, thread, run, begun: beginningOf(runs, run), facts, ...held };
  const commits = [
    run.base,
    ...(run.head === null ? [] : [run.head]),
    ...(run.approval === null ? [] : [run.approval.head]),
  ];
  await ports.workspaces.fetch(thread.repository, [...new Set(commits)], cloneToken(source));
  return run.phase === 'plan' ? preparePlan(source) : prepareImplementation(source);
}

/** Whatever an implementation has pushed before, its approval must stand now, beyond doubt. */
function requireApproval(thread: Thread, run: RunRecord): void {
  const pullRequest = pullRequestFrom(thread.facts, run.branch);
  if (run.phase !== 'implement') return;
  if (pullRequest === null || run.approval === null) {
    throw new Unreadable('expected the pull request of an approved plan, got none');
  }
  const approval = recheckGate(thread, pullRequest, run.approval);
  if (!approval.current) throw new Unreadable(`expected the plan's approval to stand, got: ${approval.why}`);
}

async function preparePlan(source: Source): Promise<ReadyRun> {
  const { workspaces, thread, run } = source;
  const checkout = await workspaces.readOnlyCheckout(thread.repository, run.base, run.workspace);
  const conversation = await readConversation(source.db, run);
  const plan = await draftOf(source);
  return {
    spec: await writeSpec(source, { checkout: checkout.path, plan, conversation, resumed: null }),
    history: historyOf(source, run.base),
    implementation: null,
    day: source.policy.budget.day,
  };
}

/** The draft that the conversation knows, where it goes on; else the plan of record, which a person may have edited. */
async function draftOf(source: Source): Promise<string | null> {
  const { db, run } = source;
  const goesOn = run.head === null || goesOnAsParked(run.occasion);
  return run.plan ?? (goesOn ? await readDraft(db, run) : null) ?? (await recordedPlan(source));
}

/** Where an implementation has taken the plan file out, the plan that it went by: planning anew does not begin with nothing. */
async function recordedPlan(source: Source): Promise<string | null> {
  const pullRequest = pullRequestFrom(source.facts, source.run.branch);
  if (pullRequest === null || pullRequest.planOfRecord !== null) return pullRequest?.planOfRecord?.text ?? null;
  const approval = pullRequest.commits.findLast(({ trailers }) => trailers?.phase === 'implement')?.trailers?.receipt;
  if (approval === undefined || approval === null) return null;
  const text = await fileReader(source)(approval.head, source.policy.plan.path);
  return text !== null && blobId(text, approval.head) === approval.planBlob ? text : null;
}

async function prepareImplementation(source: Source): Promise<ReadyRun> {
  const { workspaces, run, policy, db, log } = source;
  const { repository, issue } = source.thread;
  const approved = run.approval?.head ?? run.base;
  const start = run.head ?? approved;
  const plan = await readApprovedPlan(source, approved);
  const conversation = await readConversation(db, run);
  const work = { github: namingRequester(source), workspaces, repository, run, policy, plan };
  const resumed = conversation.hasOwnTurns ? null : await resumeWork({ ...work, db, log }, start);
  const checkout = await workspaces.writableCheckout(repository, start, run.workspace);
  return {
    spec: await writeSpec(source, { checkout: checkout.path, plan, conversation, resumed }),
    history: historyOf(source, start),
    implementation: { ...work, checkout, issue, holdsCode: hasCode(source), ...(await readBeside(source)) },
    day: policy.budget.day,
  };
}

/** The bytes that were approved, and no others. @throws {WorkspaceError} */
async function readApprovedPlan({ workspaces, thread, run, policy }: Source, commit: string): Promise<string> {
  const { path } = policy.plan;
  const text = await workspaces.readFile(thread.repository, commit, path);
  if (text !== null && blobId(text, commit) === run.approval?.planBlob) return text;
  const got = text === null ? 'no such file' : 'another file';
  throw new WorkspaceError(
    `expected the approved plan at ${path} of ${shortId(commit)}, got ${got}; was plan.path changed, or a file put there on the base?`,
  );
}

/** Every commit says who asked for the plan. */
function namingRequester({ github, requester }: Source): Pick<GitHub, 'commitMessage'> {
  return {
    commitMessage: (place, message) => github.commitMessage(place, { ...message, requester }),
  };
}

function hasCode({ facts, run }: Source): boolean {
  const pullRequest = pullRequestFrom(facts, run.branch);
  return pullRequest !== null && holdsCode(pullRequest);
}

/** What the report of an implementation tells beside its own work. */
async function readBeside(source: Source): Promise<Pick<Implementation, 'earlier' | 'amendments' | 'refusedHosts'>> {
  const { db, run, policy, sandboxHosts } = source;
  const runs = await readRuns(db, run.thread);
  const rounds = runs.filter(
    ({ outcome, isSettled, approval, branch }) =>
      outcome?.kind === 'work_ready' && isSettled && branch === run.branch && approval?.head === run.approval?.head,
  );
  return {
    earlier: rounds.flatMap(({ steps }) => steps),
    amendments: amendmentReasons(runs, run.branch),
    refusedHosts: splitHosts(policy.hosts, sandboxHosts).refused,
  };
}

interface SpecParts {
  readonly checkout: string;
  readonly plan: string | null;
  readonly conversation: Conversation;
  readonly resumed: Resumption | null;
}

async function writeSpec(source: Source, parts: SpecParts): Promise<RunSpec> {
  const { run, policy, thread, workspaces, model } = source;
  const sandboxFault = run.phase === 'implement' || policy.plan.shell ? await source.sandboxFault() : null;
  const forgeHost = hostOf(source.facts.issue.url);
  const verify = run.phase === 'implement' && parts.plan !== null ? readPlan(parts.plan).verify : [];
  return {
    run: run.id,
    phase: run.phase,
    checkout: parts.checkout,
    scratch: await workspaces.scratch(run.workspace),
    planPath: policy.plan.path,
    plan: parts.plan,
    issue: thread.issue,
    base: run.base,
    ...(await tellRun(source, parts)),
    conversation: parts.conversation.messages,
    model: { ...model, price: await source.readPrice() },
    budget: budgetOf(policy, source.memory, run),
    permissions: policy.permissions,
    planShell: policy.plan.shell,
    spent: run.cost,
    checks: run.phase === 'implement' ? [...new Set([...verify, ...policy.checks])] : [],
    scopeAllow: policy.scope.allow,
    scopeMode: policy.scope.mode,
    ...(forgeHost === null ? {} : { forgeHost }),
    ...(await hostsOf(source, { thread, run, policy, allowed: source.sandboxHosts })),
    ...(sandboxFault === null ? {} : { sandboxFault }),
    holdsCode: hasCode(source),
  };
}

type Told = Pick<RunSpec, 'brief' | 'told' | 'request' | 'instructions' | 'remarks'>;

/** What the run is told, by what its conversation says already. */
async function tellRun(source: Source, { plan, conversation, resumed }: SpecParts): Promise<Told> {
  const { run, begun, facts, policy, request, asked, call, thread, workspaces } = source;
  const instructions = () => readInstructions(workspaces, thread.repository, run.base);
  const about = { run, facts, policy, request, asked, call, instructions, plan, resumed, fileAt: fileReader(source) };
  const brief = conversation.hasOwnTurns ? null : await writeBrief(about);
  const beginning = conversation.hasOwnTurns || begun.id !== run.id ? await writeBrief({ ...about, run: begun }) : null;
  const remarks = await readRemarks(about);
  const isLost = conversation.messages.length === 0 && !['request', 'approval'].includes(run.occasion.kind);
  return {
    brief,
    ...(beginning === null ? {} : { told: beginning }),
    ...(isLost ? { request: quoteIssue(facts, request) } : {}),
    ...(lacksInstructions(run, conversation) ? { instructions: await instructions() } : {}),
    ...(remarks === null ? {} : { remarks }),
  };
}

/** The brief of a request holds them; a plan that is written anew may be for another base. */
function lacksInstructions({ occasion }: RunRecord, { messages, hasOwnTurns }: Conversation): boolean {
  if (hasOwnTurns || occasion.kind === 'request') return false;
  return messages.length === 0 || occasion.kind === 'replan';
}

/** A commit that a comment names may be gone: then there is nothing to quote from it. */
function fileReader(source: Source): (commit: string, path: string) => Promise<string | null> {
  const { workspaces, thread } = source;
  return async (commit, path) => {
    try {
      await workspaces.fetch(thread.repository, [commit], cloneToken(source));
      return await workspaces.readFile(thread.repository, commit, path);
    } catch (error) {
      if (error instanceof WorkspaceError) return null;
      throw error;
    }
  };
}

function historyOf({ workspaces, thread }: Source, commit: string): ReadyRun['history'] {
  return (path, limit) => workspaces.history(thread.repository, commit, path, limit);
}

function cloneToken({ github, thread }: Source): TokenSource {
  return (work) => github.withToken(thread, 'clone', work);
}
