/** Follows connections to their end. A page that does not come, or comes in pieces, makes the whole answer unreadable. */
import { z } from 'zod';
import { Unreadable } from './github.ts';
import { type ConnectionName, disturbanceTypes, pageQuery, pullRequestsPageQuery } from './observe-query.ts';
import {
  checkAnswer,
  commentAnswer,
  disturbanceAnswer,
  editAnswer,
  fileAnswer,
  issueEventAnswer,
  type Page,
  type PullRequestAnswer,
  pageOf,
  pullRequestAnswer,
  pullRequestCommitAnswer,
  type RepositoryAnswer,
  requestAnswer,
  reviewAnswer,
  reviewCommentAnswer,
  sharingAnswer,
  type ThreadAnswer,
  threadAnswer,
} from './observe-schema.ts';
import type { Held } from './session.ts';

/** Far above what GitHub holds of anything here (it keeps at most 2,500 comments an issue): an answer without end is none. */
const maxPages = 500;

/** @throws {Unreadable} where the answer is not of the form that `schema` says */
export function readAnswer<Schema extends z.ZodType>(schema: Schema, answer: unknown, what: string): z.output<Schema> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined ? '' : ` (${issue.path.join('.')}: ${issue.message})`;
  throw new Unreadable(`expected ${what} in full, got an answer without it${where}`, { cause: parsed.error });
}

/** Every node of a connection, its first page included. */
async function toEnd<Schema extends z.ZodType>(
  first: Page<z.output<Schema>>,
  next: (after: string) => Promise<Page<z.output<Schema>>>,
): Promise<Page<z.output<Schema>>> {
  const nodes = [...first.nodes];
  let { pageInfo } = first;
  for (let page = 1; pageInfo.hasNextPage; page += 1) {
    if (pageInfo.endCursor === null || page > maxPages) {
      throw new Unreadable('expected a list with an end, got one without; look again later');
    }
    const following = await next(pageInfo.endCursor);
    nodes.push(...following.nodes);
    pageInfo = following.pageInfo;
  }
  return { nodes, pageInfo };
}

export interface Pager {
  /** The issue's labels, events, edits and comments. */
  issue(issue: RepositoryAnswer['issue']): Promise<RepositoryAnswer['issue']>;
  pullRequests(branch: string, first: Page<PullRequestAnswer>): Promise<Page<PullRequestAnswer>>;
  /** Everything of one pull request. */
  pullRequest(pullRequest: PullRequestAnswer): Promise<PullRequestAnswer>;
}

/** @param variables `owner`, `name` and `app`, as the first query had them */
export function createPager(
  held: Held,
  variables: { readonly owner: string; readonly name: string; readonly app: number },
): Pager {
  const follow = <Schema extends z.ZodType>(
    name: ConnectionName,
    id: string,
    schema: Schema,
    first: Page<z.output<Schema>>,
  ): Promise<z.output<ReturnType<typeof pageOf<Schema>>>> => {
    const answer = z.object({ node: z.object({ page: pageOf(schema) }) });
    return toEnd<Schema>(first, async (after) => {
      const page = await held.query(pageQuery(name), { id, after });
      return readAnswer(answer, page, `a further page of ${name}`).node.page;
    }).then((page) => ({ nodes: [...page.nodes], pageInfo: page.pageInfo }));
  };
  const completeThread = async (thread: ThreadAnswer): Promise<ThreadAnswer> => ({
    ...thread,
    comments: await follow('threadComments', thread.id, reviewCommentAnswer, thread.comments),
  });
  return {
    issue: async (issue) => ({
      ...issue,
      labels: await follow('issueLabels', issue.id, z.object({ name: z.string() }), issue.labels),
      comments: await follow('issueComments', issue.id, commentAnswer, issue.comments),
      timelineItems: await follow('issueEvents', issue.id, issueEventAnswer, issue.timelineItems),
      userContentEdits:
        issue.userContentEdits && (await follow('issueEdits', issue.id, editAnswer, issue.userContentEdits)),
    }),
    pullRequests: (branch, first) =>
      toEnd<typeof pullRequestAnswer>(first, async (after) => {
        const given = { ...variables, head: branch, after, disturbances: disturbanceTypes };
        const page = await held.query(pullRequestsPageQuery, given);
        const answer = z.object({ repository: z.object({ page: pageOf(pullRequestAnswer) }) });
        return readAnswer(answer, page, 'a further page of pull requests').repository.page;
      }),
    pullRequest: async (pullRequest) => {
      const { id } = pullRequest;
      const threads = await follow('reviewThreads', id, threadAnswer, pullRequest.reviewThreads);
      return {
        ...pullRequest,
        commits: await follow('commits', id, pullRequestCommitAnswer, pullRequest.commits),
        files: await follow('files', id, fileAnswer, pullRequest.files),
        reviews: await follow('reviews', id, reviewAnswer, pullRequest.reviews),
        reviewThreads: { ...threads, nodes: await Promise.all(threads.nodes.map(completeThread)) },
        comments: await follow('comments', id, commentAnswer, pullRequest.comments),
        reviewRequests: await follow('reviewRequests', id, requestAnswer, pullRequest.reviewRequests),
        timelineItems: await follow('disturbances', id, disturbanceAnswer, pullRequest.timelineItems),
        headCommit: {
          nodes: await Promise.all(pullRequest.headCommit.nodes.map((head) => completeHead(head, follow))),
        },
      };
    },
  };
}

type Head = PullRequestAnswer['headCommit']['nodes'][number];
type Follow = <Schema extends z.ZodType>(
  name: ConnectionName,
  id: string,
  schema: Schema,
  first: Page<z.output<Schema>>,
) => Promise<z.output<ReturnType<typeof pageOf<Schema>>>>;

/** One app has one suite a commit; more than a page of them cannot be this app's alone. */
async function completeHead(head: Head, follow: Follow): Promise<Head> {
  const { id, checkSuites, associatedPullRequests } = head.commit;
  if (checkSuites.pageInfo.hasNextPage) throw new Unreadable('expected the check suites of one app, got those of many');
  const suites = await Promise.all(
    checkSuites.nodes.map(async (suite) => ({
      ...suite,
      checkRuns: await follow('checkRuns', suite.id, checkAnswer, suite.checkRuns),
    })),
  );
  return {
    commit: {
      ...head.commit,
      checkSuites: { ...checkSuites, nodes: suites },
      associatedPullRequests:
        associatedPullRequests && (await follow('sharing', id, sharingAnswer, associatedPullRequests)),
    },
  };
}
