/** Who mentions an issue: GitHub shows it as a `CrossReferencedEvent`, and derives from it what a pull request closes. */
import { isPullRequest } from '../lookup.ts';
import type { Account, Issue, Repository } from '../state.ts';

export interface Mention {
  readonly source: Issue;
  readonly author: Account | null;
  readonly at: string;
  /** Unique within the source: one mention is counted for each text. */
  readonly key: string;
  /** True where the source is a pull request whose body has a closing keyword before the number. */
  readonly closes: boolean;
}

/** Source: https://docs.github.com/issues/tracking-your-work-with-issues/linking-a-pull-request-to-an-issue */
const CLOSING = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d+)\b/gi;

function mentions(text: string | null, number: number): boolean {
  return [...(text ?? '').matchAll(/(?<![\w&/])#(\d+)\b/g)].some((match) => Number(match[1]) === number);
}

/** Numbers that the pull request's body closes once it is merged into the default branch. */
export function closedNumbers(repository: Repository, issue: Issue): readonly number[] {
  if (!isPullRequest(issue) || issue.pullRequest.baseRef !== repository.defaultBranch) return [];
  return [...new Set([...(issue.body ?? '').matchAll(CLOSING)].map((match) => Number(match[1])))];
}

/** Mentions of the issue in the other issues and pull requests of its repository: one for each source, the earliest. */
export function mentionsOf(repository: Repository, target: Issue): readonly Mention[] {
  return repository.issues
    .filter((source) => source !== target)
    .flatMap((source) => firstMention(repository, source, target));
}

function firstMention(repository: Repository, source: Issue, target: Issue): readonly Mention[] {
  const closes = closedNumbers(repository, source).includes(target.number);
  if (mentions(source.body, target.number)) {
    return [{ source, author: source.author, at: source.createdAt, key: 'body', closes }];
  }
  const comment = source.comments.find((each) => mentions(each.body, target.number));
  if (comment === undefined) return [];
  return [{ source, author: comment.author, at: comment.createdAt, key: String(comment.id), closes }];
}
