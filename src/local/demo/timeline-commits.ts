/** What was committed, by whom, and by which approval. */
import { parseReceipt, parseReceiptSection } from '../../github/receipt.ts';
import { takeOutSuggestions } from '../../plan/suggestion.ts';
import { commitsBetween } from '../forge/commit-graph.ts';
import { readCommit, resolveCommit, tryGit } from '../forge/git-repository.ts';
import type { PullRequestIssue } from '../forge/lookup.ts';
import { filesBetween, pullRequestBase } from '../forge/pull-request-diff.ts';
import type { CheckRun, Repository, ReviewThread } from '../forge/state.ts';
import { clip, plain } from './plain-line.ts';
import type { TimelineEntry } from './timeline.ts';

/** The trailers of a commit message's last paragraph, by name. */
export function readTrailers(message: string): ReadonlyMap<string, string> {
  const last = message.trimEnd().split('\n\n').at(-1) ?? '';
  return new Map([...last.matchAll(/^([A-Za-z-]+): (.+)$/gm)].map(([, name = '', value = '']) => [name, value]));
}

export function describeCommits(repository: Repository, pull: PullRequestIssue): readonly TimelineEntry[] {
  const { gitDir } = repository;
  const shas = commitsBetween(gitDir, pullRequestBase(repository, pull), pull.pullRequest.headSha);
  return shas.flatMap((sha) => {
    const { message, author, parents } = readCommit(gitDir, sha);
    const trailers = readTrailers(message);
    const files = filesBetween(gitDir, resolveCommit(gitDir, `${sha}^`) ?? sha, sha);
    const stat = files.map(({ path, additions, deletions }) => `${path} +${additions} −${deletions}`).join(', ');
    const what = `${sha.slice(0, 7)} ${clip(message, 72)} (${stat || 'no change'})`;
    const key = `commit:${sha}`;
    switch (trailers.get('Planwright-Phase')) {
      case undefined:
        return [{ key, topic: 'edit', text: `${what} by ${author.name}${outdating(pull, parents)}` }];
      case 'plan':
        return [{ key, topic: 'plan', text: `${what}${takingOver(repository, pull, sha)}` }];
      default:
        return [...describeReceipt(pull, trailers), { key, topic: 'commit', text: what }];
    }
  });
}

/** The conversations that were on the lines of the commits before, and are not on those of this one. */
function outdating(pull: PullRequestIssue, parents: readonly string[]): string {
  const lost = pull.pullRequest.threads.filter(
    ({ isOutdated, comments }) => isOutdated && parents.includes(comments[0]?.commit ?? ''),
  );
  return lost.length === 0 ? '' : `; now outdated: ${lost.map(placeOf).join(', ')}`;
}

/** The suggestions whose lines stand in this commit as they were written, and did not in the one before. */
function takingOver({ gitDir }: Repository, pull: PullRequestIssue, sha: string): string {
  const textAt = (revision: string, path: string) => {
    const answer = tryGit(gitDir, ['show', `${revision}:${path}`]);
    return answer.ok ? `\n${answer.stdout.replaceAll('\r\n', '\n')}` : '';
  };
  const taken = pull.pullRequest.threads.filter(({ path, comments }) => {
    const blocks = comments.flatMap(({ body }) => takeOutSuggestions(body).blocks);
    const holds = (revision: string) =>
      blocks.some(({ lines }) => lines.length > 0 && textAt(revision, path).includes(`\n${lines.join('\n')}\n`));
    return holds(sha) && !holds(`${sha}^`);
  });
  return taken.length === 0 ? '' : `; as suggested, to the letter: ${taken.map(placeOf).join(', ')}`;
}

/** Where the reviewer saw it. */
export function placeOf({ path, originalStartLine, originalLine }: ReviewThread): string {
  if (originalLine === null) return path;
  return `${path}:${originalStartLine === null ? '' : `${originalStartLine}-`}${originalLine}`;
}

/** What opened the gate, from the trailers; the same on every commit of an implementation. */
function describeReceipt(pull: PullRequestIssue, trailers: ReadonlyMap<string, string>): readonly TimelineEntry[] {
  const approvedBy = trailers.get('Planwright-Approved-By');
  const plan = trailers.get('Planwright-Plan')?.slice(0, 7);
  if (approvedBy === undefined || plan === undefined) return [];
  const text = `plan ${plan} was approved by ${plain(approvedBy)}, as every commit says`;
  return [{ key: `receipt:${pull.number}:${text}`, topic: 'receipt', text }];
}

export function describeCheck(check: CheckRun): readonly TimelineEntry[] {
  const state = check.conclusion ?? check.status;
  const text = `${check.name} on ${check.headSha.slice(0, 7)}: ${state.replaceAll('_', ' ')}, ${clip(check.title ?? '')}`;
  return [{ key: `check:${check.id}:${text}`, topic: 'check', text }, ...describeShownReceipt(check)];
}

/** The signed receipt, which the check shows on every commit from the approved one on. */
function describeShownReceipt({ summary }: CheckRun): readonly TimelineEntry[] {
  const shown = parseReceiptSection(summary ?? '');
  const approval = shown === null ? null : parseReceipt(shown.receipt);
  if (shown === null || approval === null) return [];
  const { reviewers, rule, planBlob, head } = approval;
  const people = reviewers.map(({ login, permission }) => `${login} (${permission})`).join(', ');
  const text =
    `in the check: plan ${planBlob.slice(0, 7)} at ${head.slice(0, 7)}, approved by ${people}, ` +
    `${reviewers.length} of ${rule.required}, signed ${shown.signature.slice(0, 12)}…`;
  return [{ key: `receipt:${shown.signature}`, topic: 'receipt', text }];
}
