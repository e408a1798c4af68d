/** What the app reports on its pull request of the work that it did: what was planned against what was done. */
import type { PullRequestIssue } from '../forge/lookup.ts';
import type { Issue } from '../forge/state.ts';
import { clip, plain } from './plain-line.ts';
import type { TimelineEntry } from './timeline.ts';

export function describeReport(pull: PullRequestIssue): readonly TimelineEntry[] {
  const rows = (section: string) => linesOf(pull.body ?? '', section);
  return [
    ...rows('Steps').map((line) => ['step', shortenStep(plain(line))] as const),
    ...rows('Planned and actual changes').flatMap(describeRow),
    ...rows('Verification').map((line) => ['verification', line.replace(/^- /, '')] as const),
    ...rows('Deviations').map((line) => ['deviations', line.replace(/^- /, '')] as const),
  ].map(([topic, line]) => ({ key: `${topic}:${pull.number}:${line}`, topic, text: clip(plain(line), 110) }));
}

/** The lines of a section of Markdown that say something. */
function linesOf(body: string, section: string): readonly string[] {
  const found = body.split(/^## /m).find((each) => each.startsWith(`${section}\n`)) ?? '';
  const [, ...lines] = found.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '' && !line.startsWith('<!--'));
}

/** The commit and its files say more than the end of a long title. */
function shortenStep(line: string): string {
  const match = /^(.+?)( \([^()]*\))$/.exec(line);
  return match?.[1] === undefined || match[2] === undefined ? line : `${clip(match[1], 70)}${match[2]}`;
}

function describeRow(line: string): readonly (readonly [string, string])[] {
  const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
  const [, path, planned, actual, rating] = cells;
  if (path === undefined || rating === undefined || path === 'file' || path.startsWith('---')) return [];
  return [['change', `${path} planned: ${planned}, done: ${actual}; ${rating}`]];
}

/** Why a run failed, as the app says it on the issue. */
export function describeFailure(issue: Issue): readonly TimelineEntry[] {
  if (!issue.labels.includes('plan: failed')) return [];
  return issue.comments
    .filter((comment) => comment.author?.type === 'Bot')
    .flatMap((comment) => {
      const [first = '', detail] = comment.body.split('\n').filter((line) => line !== '');
      const reason = detail?.startsWith('> ') ? ` ${clip(detail.slice(2))}` : '';
      const text = `${clip(plain(first))}${reason}`;
      return [{ key: `failure:${comment.id}:${text}`, topic: 'failure', text }];
    });
}
