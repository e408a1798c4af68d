/** What is said on the pull request about the plan's versions, once each: under a marker of the run or of the reviews. */
import type { Action } from '../lifecycle/actions.ts';
import type { PullRequestFacts, ReviewThread } from '../lifecycle/facts.ts';
import { reviewersToLookAgain } from '../lifecycle/lapsed.ts';
import type { FeedbackAnswer, RunMemory } from '../lifecycle/memory.ts';
import { compareLines, type LineChange, type LineRange, touches } from '../plan/line-changes.ts';
import { linesAsReviewed } from '../plan/line-feedback.ts';
import { say } from './act-comments.ts';
import { commitOfRun, factsOfPullRequest, type Stage } from './act-stage.ts';
import { amendmentComment } from './comments.ts';
import { leftOutOf } from './left-out-of-run.ts';
import { lapsedComment, revisionComment, type ToldRemark } from './review-texts.ts';

type Order<Kind extends Action['kind']> = Extract<Action, { kind: Kind }>;

export async function tellRevision(stage: Stage, { run: id, from, answers }: Order<'tellRevision'>): Promise<void> {
  const pullRequest = factsOfPullRequest(stage);
  const run = runOf(stage, id);
  if (pullRequest === null) return;
  const { facts } = stage;
  const commit = commitOfRun(stage, id);
  const told = {
    commit,
    comparison: comparisonUrl(stage, from, commit),
    remarks: answers.flatMap((answer) => toldRemark(pullRequest, answer)),
    beside: commit === null ? null : besideRemarks(stage, pullRequest, { run, from, answers }),
    asked: 'problems' in facts.policy ? [] : reviewersToLookAgain(facts, facts.policy, pullRequest, id),
    leftOut: run === null ? [] : leftOutOf(facts, pullRequest, run),
  };
  const text = revisionComment(told, stage.rules);
  await say(stage, { kind: 'revision', thread: stage.key, cause: id }, text, 'pull request');
}

function runOf({ context }: Stage, id: string): RunMemory | null {
  return context.memory.runs.find((run) => run.id === id) ?? null;
}

function toldRemark({ threads, url }: PullRequestFacts, answer: FeedbackAnswer): readonly ToldRemark[] {
  const thread = threads.find(({ nodeId }) => nodeId === answer.thread);
  const first = thread?.comments[0];
  if (thread === undefined || first === undefined) return [];
  return [{ path: thread.path, lines: linesAsReviewed(thread), url: `${url}#discussion_r${first.id}`, answer }];
}

/** Lines of the new plan that changed where no remark stands; `null` where the plan before can no longer be read. */
function besideRemarks(
  { facts }: Stage,
  pullRequest: PullRequestFacts,
  given: { readonly run: RunMemory | null; readonly from: string; readonly answers: readonly FeedbackAnswer[] },
): readonly string[] | null {
  const { run, from, answers } = given;
  const before = pullRequest.head === from ? pullRequest.planOfRecord?.text : undefined;
  if (before === undefined || run?.outcome?.kind !== 'plan_ready' || 'problems' in facts.policy) return null;
  const { path } = facts.policy.plan;
  const changed = new Set(answers.flatMap((answer) => (answer.changed ? [answer.thread] : [])));
  const ranges = pullRequest.threads
    .filter((thread) => changed.has(thread.nodeId) && thread.path === path && thread.side === 'RIGHT')
    .flatMap((thread) => rangeAt(thread, from));
  return compareLines(before, run.outcome.plan)
    .filter((change) => !ranges.some((range) => touches(change, range)))
    .map(placeOf);
}

/** Where a thread stands in the plan at a commit, which is the head that the facts show. */
function rangeAt(thread: ReviewThread, commit: string): readonly LineRange[] {
  const isOfCommit = thread.comments[0]?.originalCommit === commit;
  const end = isOfCommit ? thread.originalLine : thread.line;
  const start = isOfCommit ? thread.originalStartLine : thread.startLine;
  return end === null ? [] : [{ start: Math.min(start ?? end, end), end }];
}

function placeOf({ after, added, removed }: LineChange): string {
  if (added === 0) return `${removed} ${removed === 1 ? 'line' : 'lines'} taken out after line ${after}`;
  return added === 1 ? `line ${after + 1}` : `lines ${after + 1}-${after + added}`;
}

export async function tellLapsed(stage: Stage, { cause, lapsed }: Order<'tellLapsed'>): Promise<void> {
  const text = lapsedComment(lapsed, stage.context.head, stage.rules);
  await say(stage, { kind: 'lapsed', thread: stage.key, cause }, text, 'pull request');
}

/** Says nothing for a run that wants no change of the plan. */
export async function tellAmendment(stage: Stage, { run, from }: Order<'tellAmendment'>): Promise<void> {
  const outcome = runOf(stage, run)?.outcome;
  if (outcome?.kind !== 'amendment') return;
  const text = amendmentComment(outcome.reason, comparisonUrl(stage, from, commitOfRun(stage, run)), stage.rules);
  await say(stage, { kind: 'amendment', thread: stage.key, cause: run }, text, 'pull request');
}

/** Where GitHub shows what changed between two commits; `null` where nothing did. */
function comparisonUrl({ facts }: Stage, from: string, to: string | null): string | null {
  if (to === null || to === from) return null;
  return `${facts.issue.url.replace(/\/issues\/\d+$/, '')}/compare/${from}...${to}`;
}
