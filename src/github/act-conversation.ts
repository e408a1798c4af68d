/** What is said on the pull request about the plan's versions, once each: under a marker of the run or of the reviews. */
import type { Action } from '../lifecycle/actions.ts';
import { say } from './act-comments.ts';
import { factsOfPullRequest, type Stage } from './act-stage.ts';
import { amendmentComment, lapsedComment, revisionComment } from './comments.ts';

/** The commit of the run, once it stands on the pull request's branch; `null` where the run changed nothing. */
export function commitOfRun(stage: Stage, run: string): string | null {
  const known = factsOfPullRequest(stage)?.commits.findLast(({ trailers }) => trailers?.run === run)?.sha;
  if (known !== undefined) return known;
  const from = stage.context.memory.runs.find(({ id }) => id === run)?.head ?? null;
  return stage.context.head === from ? null : stage.context.head;
}

export async function tellRevision(stage: Stage, action: Extract<Action, { kind: 'tellRevision' }>): Promise<void> {
  const { run, from, answers } = action;
  const comparison = comparisonUrl(stage, from, commitOfRun(stage, run));
  const text = revisionComment({ answers, comparison }, stage.rules);
  await say(stage, { kind: 'revision', thread: stage.key, cause: run }, text, 'pull request');
}

export async function tellLapsed(
  stage: Stage,
  { cause, lapsed }: Extract<Action, { kind: 'tellLapsed' }>,
): Promise<void> {
  const text = lapsedComment(lapsed, stage.context.head, stage.rules);
  await say(stage, { kind: 'lapsed', thread: stage.key, cause }, text, 'pull request');
}

/** Says nothing for a run that wants no change of the plan. */
export async function tellAmendment(
  stage: Stage,
  { run, from }: Extract<Action, { kind: 'tellAmendment' }>,
): Promise<void> {
  const outcome = stage.context.memory.runs.find(({ id }) => id === run)?.outcome;
  if (outcome?.kind !== 'amendment') return;
  const text = amendmentComment(outcome.reason, comparisonUrl(stage, from, commitOfRun(stage, run)), stage.rules);
  await say(stage, { kind: 'amendment', thread: stage.key, cause: run }, text, 'pull request');
}

/** Where GitHub shows what changed between two commits; `null` where nothing did. */
function comparisonUrl({ facts }: Stage, from: string, to: string | null): string | null {
  if (to === null || to === from) return null;
  return `${facts.issue.url.replace(/\/issues\/\d+$/, '')}/compare/${from}...${to}`;
}
