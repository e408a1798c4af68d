import { type Actor, actingAccount } from '../access.ts';
import { tellAboutIssue } from '../events.ts';
import { type Forge, now } from '../forge.ts';
import { isPullRequest, type PullRequestIssue } from '../lookup.ts';
import type { Repository } from '../state.ts';
import { record } from '../timeline.ts';
import { settleClosed } from './issues.ts';

/** The words that close an issue when they stand before its number in what reaches the default branch. */
const CLOSING = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d+)/gi;

/** Marks it merged and closes what its body says it closes. */
export function settleMerged(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  pull: PullRequestIssue,
  commit: string,
  diffBase: string,
): void {
  const at = now(forge);
  Object.assign(pull.pullRequest, {
    merged: true,
    mergedAt: at,
    mergedBy: actingAccount(actor),
    mergeCommit: commit,
    diffBase,
  });
  pull.state = 'closed';
  pull.closedAt = at;
  record(forge, actor, pull, { kind: 'merged', commit });
  record(forge, actor, pull, { kind: 'closed' });
  tellAboutIssue(forge, actor, repository, pull, 'closed');
  if (pull.pullRequest.baseRef !== repository.defaultBranch) return;
  for (const [, number] of (pull.body ?? '').matchAll(CLOSING)) {
    const issue = repository.issues.find((each) => each.number === Number(number));
    if (issue?.state === 'open' && !isPullRequest(issue)) settleClosed(forge, actor, repository, issue);
  }
}
