/** Tells the apps what changed, in the payload shapes of GitHub's webhooks. */
import { type Actor, actingAccount } from './access.ts';
import type { Forge } from './forge.ts';
import { isPullRequest, type PullRequestIssue } from './lookup.ts';
import { accountShape } from './shapes/account.ts';
import { issueShape } from './shapes/issue.ts';
import { pullRequestShape, simplePullRequestShape } from './shapes/pull-request.ts';
import { repositoryShape } from './shapes/repository.ts';
import type { Issue, Repository } from './state.ts';

type Details = Readonly<Record<string, unknown>>;

export function tell(forge: Forge, actor: Actor, repository: Repository, event: string, details: Details): void {
  forge.webhooks.send(repository, event, {
    ...details,
    repository: repositoryShape(forge, repository),
    sender: accountShape(forge, actingAccount(actor)),
  });
}

/** `issues.ACTION`, or for a pull request `pull_request.ACTION`. */
export function tellAboutIssue(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  issue: Issue,
  action: string,
  details: Details = {},
): void {
  if (isPullRequest(issue)) tellAboutPull(forge, actor, repository, issue, action, details);
  else tell(forge, actor, repository, 'issues', { action, issue: issueShape(forge, repository, issue), ...details });
}

/** `pull_request.ACTION`. */
export function tellAboutPull(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  pull: PullRequestIssue,
  action: string,
  details: Details = {},
): void {
  tell(forge, actor, repository, 'pull_request', {
    action,
    number: pull.number,
    pull_request: pullRequestShape(forge, repository, pull),
    ...details,
  });
}

/** Events about reviews carry the shorter form of the pull request. */
export function tellAboutReview(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  pull: PullRequestIssue,
  event: 'pull_request_review' | 'pull_request_review_comment' | 'pull_request_review_thread',
  details: Details,
): void {
  tell(forge, actor, repository, event, {
    ...details,
    pull_request: simplePullRequestShape(forge, repository, pull),
  });
}
