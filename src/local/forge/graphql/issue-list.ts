/** Lists of issues and pull requests: what they keep and in which order. */
import { isPullRequest, type PullRequestIssue } from '../lookup.ts';
import type { Issue, Repository } from '../state.ts';
import { connection } from './connection.ts';
import { issueSource } from './issue.ts';
import { pullRequestSource, pullRequestState } from './pull-request.ts';
import { type Args, type Info, inputArg, listArg, type Source, textArg } from './source.ts';
import { requireRead, type View } from './view.ts';

function bearsOneOf(issue: Issue, names: readonly string[] | null): boolean {
  if (names === null) return true;
  const wanted = names.map((name) => name.toLowerCase());
  return issue.labels.some((label) => wanted.includes(label.toLowerCase()));
}

function inOrder<Item extends Issue>(issues: readonly Item[], args: Args): readonly Item[] {
  const order = inputArg(args, 'orderBy');
  const keys: Readonly<Record<string, (issue: Issue) => number>> = {
    COMMENTS: (issue) => issue.comments.length,
    UPDATED_AT: (issue) => Date.parse(issue.updatedAt),
  };
  const key = keys[String(order.field)] ?? ((issue: Issue) => issue.number);
  const sorted = issues.toSorted((one, other) => key(one) - key(other) || one.number - other.number);
  return order.direction === 'DESC' ? sorted.toReversed() : sorted;
}

/** Issues that are no pull requests, by `labels` (any of them), `states` and `filterBy`. */
export function issueConnection(
  view: View,
  repository: Repository,
  args: Args,
  info: Info,
  keeps: (issue: Issue) => boolean = () => true,
): Source {
  requireRead(view, repository, 'issue');
  const filter = inputArg(args, 'filterBy');
  const states = listArg(args, 'states') ?? listArg(filter, 'states');
  const since = textArg(filter, 'since');
  const createdBy = textArg(filter, 'createdBy');
  const items = repository.issues.filter(
    (issue) =>
      !isPullRequest(issue) &&
      keeps(issue) &&
      bearsOneOf(issue, listArg(args, 'labels')) &&
      bearsOneOf(issue, listArg(filter, 'labels')) &&
      (states === null || states.includes(issue.state.toUpperCase())) &&
      (since === null || Date.parse(issue.updatedAt) >= Date.parse(since)) &&
      (createdBy === null || issue.author?.login.toLowerCase() === createdBy.toLowerCase()),
  );
  return connection(args, info, {
    items: inOrder(items, args),
    keyOf: (issue) => issue.id,
    present: (issue) => issueSource(view, repository, issue),
  });
}

/** Pull requests by `labels`, `states`, `headRefName` and `baseRefName`, those of forks included. */
export function pullRequestConnection(
  view: View,
  repository: Repository,
  args: Args,
  info: Info,
  keeps: (pull: PullRequestIssue) => boolean = () => true,
): Source {
  requireRead(view, repository, 'pullRequest');
  const states = listArg(args, 'states');
  const head = textArg(args, 'headRefName');
  const base = textArg(args, 'baseRefName');
  const items = repository.issues
    .filter(isPullRequest)
    .filter(
      (pull) =>
        keeps(pull) &&
        bearsOneOf(pull, listArg(args, 'labels')) &&
        (states === null || states.includes(pullRequestState(pull))) &&
        (head === null || pull.pullRequest.headRef === head) &&
        (base === null || pull.pullRequest.baseRef === base),
    );
  return connection(args, info, {
    items: inOrder(items, args),
    keyOf: (pull) => pull.id,
    present: (pull) => pullRequestSource(view, repository, pull),
  });
}
