/**
 * A small world around one issue: what GitHub and the run store hold, as plain data. People and workers change it by
 * `happen`; the app changes it by `reconcile`, which carries out decisions the way the product does, look first.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Action, CheckState } from '../../src/lifecycle/actions.ts';
import { reviewsAmong } from '../../src/lifecycle/cause.ts';
import { decide } from '../../src/lifecycle/decide.ts';
import type {
  Comment,
  CommitFacts,
  Disturbance,
  Facts,
  IssueEdit,
  Permission,
  Person,
  PullRequestFacts,
  Review,
  ReviewThread,
} from '../../src/lifecycle/facts.ts';
import { type Outcome, type RunMemory, settleRun } from '../../src/lifecycle/memory.ts';
import type { Policy } from '../../src/lifecycle/policy.ts';
import type { ThreadState } from '../../src/lifecycle/state.ts';
import { noOtherCeilings, noRules } from '../no-ceilings.ts';

export const writer: Person = { id: 1, login: 'wanda', kind: 'user', isThisApp: false };
export const reader: Person = { id: 2, login: 'rita', kind: 'user', isThisApp: false };
/** A second writer, who maintains the repository. */
export const maintainer: Person = { id: 5, login: 'otto', kind: 'user', isThisApp: false };
export const bot: Person = { id: 3, login: 'botty', kind: 'bot', isThisApp: false };
export const app: Person = { id: 4, login: 'planwright', kind: 'bot', isThisApp: true };

export const policy: Policy = {
  triggerLabel: 'plan',
  plan: { path: 'plan.md', keep: 'remove', shell: false },
  approval: {
    required: 1,
    users: null,
    teams: null,
    codeOwners: false,
    notByRequester: false,
    stale: 'block',
    allowEmptyPlan: false,
    requireResolvedThreads: true,
  },
  scope: { mode: 'block', allow: [] },
  checks: [],
  hosts: [],
  permissions: noRules,
  budget: { maxTurns: 10, maxTokens: 1000, wallTimeMs: 1000, maxAttempts: 3, ...noOtherCeilings },
};

export interface WorldPullRequest {
  number: number;
  branch: string;
  state: 'open' | 'closed' | 'merged';
  isDraft: boolean;
  createdAt: string;
  closedAt: string | null;
  baseBranch: string;
  head: string;
  planBlob: string;
  commits: CommitFacts[];
  codeFiles: string[];
  reviews: Review[];
  disturbances: Disturbance[];
  requested: string[];
  comments: Comment[];
  checks: Record<string, string>;
}

export interface World {
  tick: number;
  isIssueOpen: boolean;
  isLocked: boolean;
  isArchived: boolean;
  labels: string[];
  labelEvents: {
    id: string;
    kind: 'labeled' | 'unlabeled';
    label: string;
    by: Person;
    at: string;
    labelChangedAt: string | null;
  }[];
  edits: IssueEdit[];
  comments: Comment[];
  isIssueSeen: boolean;
  statusLabel: string | null;
  sticky: string | null;
  marks: string[];
  branches: Record<string, CommitFacts>;
  pullRequests: WorldPullRequest[];
  permissions: Record<number, Permission>;
  runs: RunMemory[];
  policy: Policy;
  changedOnBase: readonly string[] | 'unknown';
  codeOwners: PullRequestFacts['codeOwners'];
  sharedWith: PullRequestFacts['sharedWith'];
  threads: readonly ReviewThread[];
  memberships: Facts['memberships'];
}

export function createWorld(overrides: Partial<World> = {}): World {
  return {
    tick: 0,
    isIssueOpen: true,
    isLocked: false,
    isArchived: false,
    labels: [],
    labelEvents: [],
    edits: [],
    comments: [],
    isIssueSeen: false,
    statusLabel: null,
    sticky: null,
    marks: [],
    branches: {},
    pullRequests: [],
    permissions: { 1: 'write', 2: 'read', 5: 'maintain' },
    runs: [],
    policy,
    changedOnBase: [],
    codeOwners: 'unknown',
    sharedWith: [],
    threads: [],
    memberships: {},
    ...overrides,
  };
}

/** A copy that nothing reaches that happens to the world: what is not copied is only ever replaced. */
export function copyWorld(world: World): World {
  return {
    ...world,
    marks: [...world.marks],
    branches: { ...world.branches },
    pullRequests: world.pullRequests.map((own) => ({ ...own, checks: { ...own.checks } })),
  };
}

export function now(world: World): string {
  return new Date(Date.UTC(2026, 0, 1) + world.tick * 1000).toISOString();
}

export function openPullRequest(world: World): WorldPullRequest | undefined {
  return world.pullRequests.find((pullRequest) => pullRequest.state === 'open');
}

export function factsOf(world: World): Facts {
  return {
    repository: {
      id: 9,
      nodeId: 'R_9',
      owner: 'octo',
      name: 'repo',
      isArchived: world.isArchived,
      defaultBranch: { name: 'main', head: 'base0' },
      statusLabels: {},
    },
    policy: world.policy,
    issue: {
      id: 42,
      nodeId: 'I_42',
      number: 7,
      url: 'https://github.test/octo/repo/issues/7',
      title: 'A title',
      body: 'A body',
      author: reader,
      state: world.isIssueOpen ? 'open' : 'closed',
      isLocked: world.isLocked,
      labels: [...world.labels, ...(world.statusLabel === null ? [] : [world.statusLabel])],
      labelEvents: world.labelEvents,
      edits: world.edits,
      comments: world.comments,
      reactionsByThisApp: world.isIssueSeen ? ['EYES'] : [],
    },
    branches: Object.entries(world.branches).map(([name, head]) => ({ name, head })),
    pullRequests: world.pullRequests.map((pullRequest) => pullRequestFacts(world, pullRequest)),
    permissions: world.permissions,
    memberships: world.memberships,
    app: { version: '0.1.0' },
  };
}

function pullRequestFacts(world: World, own: WorldPullRequest): Facts['pullRequests'][number] {
  const scope = [{ path: 'src/a.ts', change: 'modify' }] as const;
  return {
    id: 1000 + own.number,
    nodeId: `PR_${own.number}`,
    number: own.number,
    url: `https://github.test/octo/repo/pull/${own.number}`,
    title: 'A title',
    body: '',
    state: own.state,
    isDraft: own.isDraft,
    isLocked: world.isLocked,
    createdAt: own.createdAt,
    closedAt: own.closedAt,
    branch: own.branch,
    head: own.head,
    baseBranch: own.baseBranch,
    commits: own.commits,
    files: [{ path: 'plan.md', change: 'ADDED' }, ...own.codeFiles.map((path) => ({ path, change: 'MODIFIED' }))],
    planOfRecord: { blob: own.planBlob, text: 'plan', scope, isEmpty: false },
    changedOnBase: world.changedOnBase,
    codeOwners: world.codeOwners,
    sharedWith: world.sharedWith,
    reviews: own.reviews,
    threads: world.threads,
    comments: own.comments,
    requestedReviewers: own.requested,
    checks: [],
    disturbances: own.disturbances,
  };
}

/** What one pass of the app did; `state` is the last decision's. */
export interface Pass {
  readonly state: ThreadState;
  readonly effects: readonly Action[];
}

/**
 * Decides and acts until nothing changes any more. With `crashAfter`, the process dies after that many actions of the
 * first decision and starts again.
 */
export function reconcile(world: World, crashAfter: number | null = null): Pass {
  const effects: Action[] = [];
  for (let round = 0; round < 8; round += 1) {
    let isAtRest = true;
    const decision = decide(factsOf(world), { runs: world.runs });
    const limit = round === 0 && crashAfter !== null ? crashAfter : decision.actions.length;
    for (const action of decision.actions.slice(0, limit)) {
      const before = copyWorld(world);
      apply(world, action);
      if (isDeepStrictEqual(world, before)) continue;
      effects.push(action);
      isAtRest = false;
    }
    const isCut = limit < decision.actions.length;
    if (!isCut && isAtRest) return { state: decision.state, effects };
  }
  throw new Error('expected the thread to come to rest, got a decision that changes its mind without end');
}

/** Carries out the first actions of one decision: the process dies after them. */
export function reconcileUntil(world: World, count: number): void {
  const { actions } = decide(factsOf(world), { runs: world.runs });
  for (const action of actions.slice(0, count)) apply(world, action);
}

/** Carries out one action, looking first. */
function apply(world: World, action: Action): void {
  const own = openPullRequest(world);
  switch (action.kind) {
    case 'react':
      if (action.to.kind === 'issue') world.isIssueSeen = true;
      else mark(world, `react:${action.to.id}`);
      world.comments = world.comments.map((comment) =>
        action.to.kind === 'comment' && comment.id === action.to.id
          ? { ...comment, reactionsByThisApp: [action.reaction.toUpperCase()] }
          : comment,
      );
      return;
    case 'setStatusLabel':
      world.statusLabel = action.label;
      return;
    case 'setStatusComment':
      world.sticky = JSON.stringify(action.status);
      return;
    case 'refuse':
      mark(world, `refused:${action.cause}`);
      return;
    case 'reply':
      mark(world, `reply:${action.cause}`);
      return;
    case 'askQuestions':
      if (world.comments.some((comment) => comment.marker === `questions:${action.run}`)) return;
      addComment(world, app, 'Questions', `questions:${action.run}`);
      return;
    case 'askForNumbers':
      mark(world, `numbers:${action.cause}`);
      return;
    case 'startRun':
      world.runs = [
        ...world.runs,
        {
          id: `run${world.runs.length + 1}`,
          phase: action.order.phase,
          branch: action.order.branch,
          causes: action.order.causes,
          status: 'queued',
          head: action.order.head,
          base: action.order.base,
          approval: action.order.approval,
          outcome: null,
          isSettled: false,
          cost: { turns: 0, inputTokens: 0, outputTokens: 0, dollars: 0, elapsedMs: 0 },
        },
      ];
      return;
    case 'stopRun':
      changeRun(world, action.run, { status: 'stopping' });
      return;
    case 'settleRun':
      world.runs = world.runs.map((run) => (run.id === action.run ? settleRun(run, action.as) : run));
      return;
    case 'publishPlan':
      publishPlan(world, action.run);
      return;
    case 'openPullRequest':
      if (own === undefined) addPullRequest(world, action.branch);
      return;
    case 'requestReviewers':
      if (own !== undefined) own.requested = [...action.logins];
      return;
    case 'setCheck':
      if (own !== undefined) own.checks[action.check.name] = `${shownState(action.check)}@${own.head}`;
      return;
    case 'answerReviews':
      return;
    case 'tellRevision':
      say(own, `revision:${action.run}`);
      return;
    case 'tellLapsed':
      say(own, `lapsed:${action.cause}`);
      return;
    case 'tellAmendment':
      say(own, `amendment:${action.run}`);
      return;
    case 'holdApprovals':
      for (const id of action.reviews) hold(own, id);
      return;
    case 'publishImplementation':
      publishCode(world, action.run);
      return;
    case 'setPullRequestText':
      return;
    case 'markReady':
      if (own !== undefined) own.isDraft = false;
      return;
  }
}

/** An approval that a shared head keeps from being shown is not `opened`. */
function shownState(check: CheckState): string {
  return check.name === 'planwright/plan' && check.state === 'opened' && !check.verdict.isOpen ? 'hidden' : check.state;
}

/** A comment on the pull request, once for its marker. */
function say(own: WorldPullRequest | undefined, marker: string): void {
  if (own === undefined || own.comments.some((comment) => comment.marker === marker)) return;
  const id = 900 + own.comments.length;
  const base = { id, nodeId: `IC_${id}`, author: app, body: '', createdAt: '2026-01-01T00:00:00Z', editedAt: null };
  own.comments = [...own.comments, { ...base, reactionsByThisApp: [], marker }];
}

function mark(world: World, text: string): void {
  if (!world.marks.includes(text)) world.marks.push(text);
}

function changeRun(world: World, id: string, change: Partial<RunMemory>): void {
  world.runs = world.runs.map((run) => (run.id === id ? { ...run, ...change } : run));
}

function commitOf(run: RunMemory): CommitFacts {
  const reviews = reviewsAmong(run.causes);
  const approvedBy = run.approval?.reviewers.map(({ login }) => ({ login, commit: run.approval?.head ?? '' })) ?? [];
  return {
    sha: `sha-${run.id}`,
    headline: run.phase,
    committedAt: '2026-01-01T00:00:00Z',
    trailers: {
      phase: run.phase,
      run: run.id,
      base: run.base,
      plan: run.approval?.planBlob ?? `blob-${run.id}`,
      reviews,
      approvedBy,
      receipt: run.approval,
    },
  };
}

function publishPlan(world: World, id: string): void {
  const run = world.runs.find((candidate) => candidate.id === id);
  if (run === undefined) return;
  // An implementation that amends the plan publishes a plan, by no approval.
  const commit = commitOf({ ...run, phase: 'plan', approval: null });
  const own = world.pullRequests.find((pullRequest) => pullRequest.branch === run.branch);
  if (world.branches[run.branch]?.sha !== commit.sha) {
    world.branches[run.branch] = commit;
    if (own !== undefined) {
      Object.assign(own, {
        head: commit.sha,
        planBlob: `blob-${id}`,
        commits: [...own.commits, commit],
        codeFiles: [],
      });
    }
  }
}

function addPullRequest(world: World, branch: string): void {
  const head = world.branches[branch];
  if (head === undefined) return;
  world.pullRequests.push({
    number: 8 + world.pullRequests.length,
    branch,
    state: 'open',
    isDraft: true,
    createdAt: now(world),
    closedAt: null,
    baseBranch: 'main',
    head: head.sha,
    planBlob: `blob-${head.trailers?.run}`,
    commits: [head],
    codeFiles: [],
    reviews: [],
    disturbances: [],
    requested: [],
    comments: [],
    checks: {},
  });
}

function hold(own: WorldPullRequest | undefined, id: number): void {
  if (own === undefined) return;
  own.reviews = own.reviews.map((review) =>
    review.id === id ? { ...review, state: 'DISMISSED', isHeldByThisApp: true } : review,
  );
}

function publishCode(world: World, id: string): void {
  const run = world.runs.find((candidate) => candidate.id === id);
  const own = openPullRequest(world);
  if (run === undefined || own === undefined) return;
  const commit = commitOf(run);
  if (own.head !== commit.sha) {
    world.branches[run.branch] = commit;
    Object.assign(own, { head: commit.sha, commits: [...own.commits, commit], codeFiles: ['src/a.ts'] });
  }
}

export function addComment(world: World, author: Person, body: string, marker: string | null = null): void {
  const id = 500 + world.comments.length;
  const createdAt = now(world);
  world.comments = [
    ...world.comments,
    { id, nodeId: `IC_${id}`, author, body, createdAt, editedAt: null, reactionsByThisApp: [], marker },
  ];
}

export function setLabel(world: World, by: Person, kind: 'labeled' | 'unlabeled', label = 'plan'): void {
  const isSet = world.labels.includes(label);
  if (isSet === (kind === 'labeled')) return;
  world.labels = kind === 'labeled' ? [...world.labels, label] : world.labels.filter((name) => name !== label);
  const id = `LE_${world.labelEvents.length + 1}`;
  world.labelEvents = [...world.labelEvents, { id, kind, label, by, at: now(world), labelChangedAt: null }];
}

export function addReview(
  world: World,
  author: Person | null,
  state: string,
  change: Partial<Review> = {},
): Review | null {
  const own = openPullRequest(world);
  if (own === undefined) return null;
  const id = 100 + world.pullRequests.reduce((sum, pullRequest) => sum + pullRequest.reviews.length, 0);
  const review: Review = {
    id,
    nodeId: `PRR_${id}`,
    author,
    state,
    commit: own.head,
    body: '',
    submittedAt: now(world),
    editedAt: null,
    isHeldByThisApp: false,
    ...change,
  };
  own.reviews = [...own.reviews, review];
  own.requested = own.requested.filter((login) => login !== author?.login);
  return review;
}

/** An open conversation on a line of the plan, with a comment of each author in their order. */
export function openThread(world: World, line: number, ...authors: readonly (Person | null)[]): ReviewThread {
  const id = 700 + world.threads.length * 10;
  const createdAt = now(world);
  const thread: ReviewThread = {
    nodeId: `PRRT_${id}`,
    path: 'plan.md',
    subject: 'line',
    side: 'RIGHT',
    line,
    startLine: null,
    originalLine: line,
    originalStartLine: null,
    isOutdated: false,
    isResolved: false,
    comments: authors.map((author, at) => ({
      id: id + at,
      nodeId: `PRRC_${id + at}`,
      author,
      reviewId: null,
      body: 'Why?',
      createdAt,
      editedAt: null,
      originalCommit: null,
      diffHunk: '',
    })),
  };
  world.threads = [...world.threads, thread];
  return thread;
}

export function dismissLatest(world: World): void {
  const own = openPullRequest(world);
  const latest = own?.reviews.findLast((review) => review.state === 'APPROVED' || review.state === 'CHANGES_REQUESTED');
  if (own === undefined || latest === undefined) return;
  own.reviews = own.reviews.map((review) => (review.id === latest.id ? { ...review, state: 'DISMISSED' } : review));
}

export function pushByPerson(world: World, path = 'plan.md'): void {
  const own = openPullRequest(world);
  if (own === undefined) return;
  const commit: CommitFacts = { sha: `human-${world.tick}`, headline: 'edit', committedAt: now(world), trailers: null };
  Object.assign(own, { head: commit.sha, planBlob: `blob-human-${world.tick}`, commits: [...own.commits, commit] });
  if (path !== 'plan.md') own.codeFiles = [...own.codeFiles, path];
  world.branches[own.branch] = commit;
}

export function endPullRequest(world: World, state: 'closed' | 'merged'): void {
  const own = openPullRequest(world);
  if (own === undefined) return;
  Object.assign(own, {
    state,
    closedAt: now(world),
    disturbances: [...own.disturbances, { kind: 'closed', at: now(world) }],
  });
}

export function reopenPullRequest(world: World): void {
  const own = world.pullRequests.at(-1);
  if (own?.state !== 'closed') return;
  Object.assign(own, {
    state: 'open',
    closedAt: null,
    disturbances: [...own.disturbances, { kind: 'reopened', at: now(world) }],
  });
}

/** The worker: takes the queued run, ends the one at work, or has stopped the one told to. */
export function work(world: World, step: 'claim' | 'finish' | 'fail' | 'ask' | 'amend'): void {
  const run = world.runs.at(-1);
  if (run === undefined || !['queued', 'running', 'stopping'].includes(run.status)) return;
  if (run.status === 'stopping') {
    changeRun(world, run.id, { status: 'cancelled', isSettled: true });
    return;
  }
  if (step === 'claim') {
    changeRun(world, run.id, { status: 'running' });
    return;
  }
  const outcome = outcomeOf(run, step);
  const status = step === 'fail' ? 'failed' : run.phase === 'implement' && step !== 'amend' ? 'finished' : 'parked';
  changeRun(world, run.id, { status, outcome, isSettled: step === 'fail' });
}

function outcomeOf(run: RunMemory, step: 'finish' | 'fail' | 'ask' | 'amend'): Outcome {
  if (step === 'fail') return { kind: 'failed', reason: 'model_error', detail: 'the model answered 529' };
  if (step === 'ask' && run.phase === 'plan') {
    return { kind: 'question', questions: [{ text: 'Which?', suggestions: [] }] };
  }
  if (step === 'amend' && run.phase === 'implement') {
    return { kind: 'amendment', plan: 'amended', reason: 'src/b.ts must change too.', findings: [] };
  }
  if (run.phase === 'plan') return { kind: 'plan_ready', plan: 'plan', findings: [], answers: [] };
  return {
    kind: 'work_ready',
    commit: `sha-${run.id}`,
    report: { steps: [], files: [], verifications: [], deviations: [] },
  };
}
