/** Finds things in the state by the names and ids that requests carry. Names are compared as GitHub does: without case. */
import type { Forge } from './forge.ts';
import { ForgeError, notFound } from './forge-error.ts';
import type { Account, Issue, PullRequest, Repository, Review, ReviewThread, Team } from './state.ts';

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

export function findAccount(forge: Forge, login: string): Account | null {
  return forge.state.accounts.find((account) => same(account.login, login)) ?? null;
}

export function findTeam(forge: Forge, organization: string, slug: string): Team | null {
  const isIt = (team: Team): boolean => same(team.organization.login, organization) && same(team.slug, slug);
  return forge.state.teams.find(isIt) ?? null;
}

/** The account that a commit's address belongs to: `ID+LOGIN@users.noreply.…`. */
export function findAccountByEmail(forge: Forge, email: string): Account | null {
  const match = /^(\d+)\+(.+)@users\.noreply\./.exec(email);
  if (match === null) return null;
  return forge.state.accounts.find((account) => account.id === Number(match[1])) ?? null;
}

export function fullName(repository: Repository): string {
  return `${repository.owner.login}/${repository.name}`;
}

export function findRepository(forge: Forge, owner: string, name: string): Repository | null {
  const wanted = `${owner}/${name}`;
  return forge.state.repositories.find((repository) => same(fullName(repository), wanted)) ?? null;
}

/** The repository that once had this name and has another one now. */
export function findRenamedRepository(forge: Forge, owner: string, name: string): Repository | null {
  const wanted = `${owner}/${name}`;
  const had = (repository: Repository): boolean => repository.formerNames.some((former) => same(former, wanted));
  return forge.state.repositories.find(had) ?? null;
}

export function findRepositoryById(forge: Forge, id: number): Repository | null {
  return forge.state.repositories.find((repository) => repository.id === id) ?? null;
}

/** @throws {ForgeError} 404; 410 for a deleted one */
export function getIssue(repository: Repository, number: number): Issue {
  const issue = repository.issues.find((each) => each.number === number);
  const isDeleted = repository.goneIssues.get(number)?.kind === 'deleted';
  if (isDeleted) throw new ForgeError(410, 'This issue was deleted');
  if (issue === undefined) throw notFound();
  return issue;
}

/** An issue that is a pull request. */
export type PullRequestIssue = Issue & { readonly pullRequest: PullRequest };

export function isPullRequest(issue: Issue): issue is PullRequestIssue {
  return issue.pullRequest !== null;
}

/** @throws {ForgeError} 404 */
export function getPullRequest(repository: Repository, number: number): PullRequestIssue {
  const issue = getIssue(repository, number);
  if (!isPullRequest(issue)) throw notFound();
  return issue;
}

/** @throws {ForgeError} 404 */
export function getReview(pull: PullRequestIssue, id: number): Review {
  const review = pull.pullRequest.reviews.find((each) => each.id === id);
  if (review === undefined) throw notFound();
  return review;
}

export function findThread(pull: PullRequestIssue, nodeId: string): ReviewThread | null {
  return pull.pullRequest.threads.find((thread) => thread.nodeId === nodeId) ?? null;
}

/** The comment's issue, with the comment. */
export function findComment(repository: Repository, id: number) {
  for (const issue of repository.issues) {
    const comment = issue.comments.find((each) => each.id === id);
    if (comment !== undefined) return { issue, comment };
  }
  return null;
}
