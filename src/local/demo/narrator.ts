/** Tells the timeline while it grows, and watches for the ways in which it can stop growing. */

import type { Screen } from '../../screen.ts';
import type { Issue, TimelineEvent } from '../forge/state.ts';
import type { ModelUsage } from '../model/server.ts';
import { AppFailure } from './app-process.ts';
import { clip } from './plain-line.ts';
import type { Stage } from './stage.ts';
import { createTimeline, type TimelineEntry } from './timeline.ts';
import { WaitFailure } from './waiting.ts';

/** Labels that the app sets when a run has ended. */
const endLabels = new Set(['plan: review', 'plan: question', 'plan: done', 'plan: failed']);

/**
 * Returns what a wait calls before each look: it prints what is new, moves the live line, and
 * @throws {AppFailure} once the app has ended.
 * @param usage what the model has answered so far; `null` where the model is not the demo's own.
 */
export function createNarrator(stage: Stage, screen: Screen, usage: (() => ModelUsage) | null): (what: string) => void {
  const news = createTimeline(stage.repository, stage.issue.number);
  let told: ModelUsage = { answers: 0, inputTokens: 0, outputTokens: 0 };
  const effort = (entry: TimelineEntry): string => {
    if (usage === null || entry.topic !== 'run' || !endLabels.has(entry.text)) return '';
    const before = told;
    told = usage();
    return ` (${formatUsage(told, before)})`;
  };
  return (what) => {
    for (const entry of news()) screen.event(entry.topic, `${entry.text}${effort(entry)}`);
    const turns = usage === null ? '' : `, ${usage().answers} model turns so far`;
    screen.progress(`waiting for ${what}${turns}`);
    const end = stage.app.ended();
    if (end !== null) throw new AppFailure(`expected ${what}, but the app ended ${end}`, stage.app.log);
  };
}

/** The app words the reason a moment before or after it sets the label. */
const reasonDelayMs = 1000;

/**
 * For where nobody is there to try again: returns a function that does nothing until a run has failed, and then
 * @throws {WaitFailure} with the app's own words.
 * @param clock milliseconds.
 */
export function createFailureWatch(
  issue: Pick<Issue, 'labels' | 'comments'>,
  clock: () => number = () => performance.now(),
): (what: string) => void {
  let since: number | null = null;
  return (what) => {
    if (!issue.labels.includes('plan: failed')) return;
    since ??= clock();
    if (clock() - since < reasonDelayMs) return;
    throw new WaitFailure(`expected ${what}, but the run failed: ${describeFailure(issue)}`);
  };
}

/** Turns and tokens since an earlier count, and what they cost: a scripted model is free. */
export function formatUsage(now: ModelUsage, before?: ModelUsage): string {
  const turns = now.answers - (before?.answers ?? 0);
  const input = now.inputTokens - (before?.inputTokens ?? 0);
  const output = now.outputTokens - (before?.outputTokens ?? 0);
  const tokens = `${formatCount(input)} tokens in, ${formatCount(output)} out`;
  return `${turns} model turn${turns === 1 ? '' : 's'}, ${tokens}, $0.00`;
}

function formatCount(count: number): string {
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(1)}k`;
}

/** What the app says on the issue. */
function describeFailure(issue: Pick<Issue, 'comments'>): string {
  const last = issue.comments.findLast((comment) => comment.author?.type === 'Bot');
  return last === undefined ? 'it says nothing on the issue' : clip(last.body.replaceAll('\n', ' '), 400);
}

/** How often the app has set the label on the issue. */
export function countLabelings(issue: Issue, label: string): number {
  const isLabeling = (event: TimelineEvent) => event.kind === 'labeled' && event.label === label;
  return issue.timeline.filter(isLabeling).length;
}
