/**
 * What the queries must answer. A part that must be there and is not makes the whole answer unreadable; a word that this
 * app does not know passes as it is, and counts for nothing later.
 */
import { z } from 'zod';
import { statusLabelNames } from './observe-query.ts';

/** Ids that may be past 32 bits come as text. */
const longId = z.union([z.number(), z.string().regex(/^\d{1,16}$/)]).transform(Number);

const actorAnswer = z
  .object({ __typename: z.string(), login: z.string(), databaseId: z.number().nullish() })
  .nullable();
export type ActorAnswer = z.infer<typeof actorAnswer>;

const pageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() });

/** A connection's page. A node that is `null` was withheld: that is a partial answer. */
export function pageOf<Node extends z.ZodType>(node: Node) {
  return z.object({ nodes: z.array(node), pageInfo });
}
export interface Page<Node> {
  readonly nodes: readonly Node[];
  readonly pageInfo: z.infer<typeof pageInfo>;
}

const commitAnswer = z.object({
  oid: z.string(),
  messageHeadline: z.string(),
  committedDate: z.string(),
  message: z.string(),
  tree: z.object({ oid: z.string() }),
  parents: z.object({ nodes: z.array(z.object({ oid: z.string() })) }),
});
export type CommitAnswer = z.infer<typeof commitAnswer>;

const reactionGroups = z.array(z.object({ content: z.string(), viewerHasReacted: z.boolean() })).nullable();

const writtenAnswer = z.object({
  id: z.string(),
  fullDatabaseId: longId,
  body: z.string(),
  createdAt: z.string(),
  lastEditedAt: z.string().nullable(),
  author: actorAnswer,
});

export const commentAnswer = writtenAnswer.extend({ reactionGroups });
export type CommentAnswer = z.infer<typeof commentAnswer>;

const eventShape = { id: z.string(), createdAt: z.string(), actor: actorAnswer };
const labelEventShape = { ...eventShape, label: z.object({ name: z.string(), updatedAt: z.string().nullable() }) };
export const issueEventAnswer = z.discriminatedUnion('__typename', [
  z.object({ __typename: z.literal('LabeledEvent'), ...labelEventShape }),
  z.object({ __typename: z.literal('UnlabeledEvent'), ...labelEventShape }),
  z.object({ __typename: z.literal('RenamedTitleEvent'), ...eventShape }),
]);
export type IssueEventAnswer = z.infer<typeof issueEventAnswer>;

export const editAnswer = z.object({ editedAt: z.string(), editor: actorAnswer });

export const reviewAnswer = z.object({
  id: z.string(),
  fullDatabaseId: longId,
  state: z.string(),
  body: z.string(),
  submittedAt: z.string().nullable(),
  lastEditedAt: z.string().nullable(),
  author: actorAnswer,
  commit: z.object({ oid: z.string() }).nullable(),
});
export type ReviewAnswer = z.infer<typeof reviewAnswer>;

export const reviewCommentAnswer = writtenAnswer.extend({
  diffHunk: z.string(),
  pullRequestReview: z.object({ fullDatabaseId: longId }).nullable(),
  originalCommit: z.object({ oid: z.string() }).nullable(),
});
export type ReviewCommentAnswer = z.infer<typeof reviewCommentAnswer>;

const lineNumber = z.number().int().nullable();
export const threadAnswer = z.object({
  id: z.string(),
  path: z.string(),
  subjectType: z.string(),
  diffSide: z.string(),
  line: lineNumber,
  startLine: lineNumber,
  originalLine: lineNumber,
  originalStartLine: lineNumber,
  isOutdated: z.boolean(),
  isResolved: z.boolean(),
  comments: pageOf(reviewCommentAnswer),
});
export type ThreadAnswer = z.infer<typeof threadAnswer>;

export const disturbanceAnswer = z.object({
  __typename: z.string(),
  createdAt: z.string(),
  dismissalMessage: z.string().nullish(),
  actor: actorAnswer.optional(),
  review: z.object({ fullDatabaseId: longId }).nullish(),
});
export type DisturbanceAnswer = z.infer<typeof disturbanceAnswer>;

export const checkAnswer = z.object({
  databaseId: z.number(),
  name: z.string(),
  status: z.string(),
  conclusion: z.string().nullable(),
  title: z.string().nullable(),
  summary: z.string().nullable(),
});

const suiteAnswer = z.object({
  id: z.string(),
  app: z.object({ databaseId: z.number().nullable() }).nullable(),
  checkRuns: pageOf(checkAnswer),
});

/** A pull request that holds the head commit. */
export const sharingAnswer = z.object({
  number: z.number(),
  state: z.string(),
  headRefOid: z.string(),
  repository: z.object({ databaseId: z.number().nullable() }),
});

export const fileAnswer = z.object({ path: z.string(), changeType: z.string() });
export const requestAnswer = z.object({
  requestedReviewer: z.object({ __typename: z.string(), login: z.string().optional() }).nullable(),
});
export const pullRequestCommitAnswer = z.object({ commit: commitAnswer });

export const pullRequestAnswer = z.object({
  id: z.string(),
  fullDatabaseId: longId,
  number: z.number(),
  url: z.string(),
  title: z.string(),
  body: z.string(),
  state: z.enum(['OPEN', 'CLOSED', 'MERGED']),
  isDraft: z.boolean(),
  locked: z.boolean(),
  createdAt: z.string(),
  closedAt: z.string().nullable(),
  headRefName: z.string(),
  headRefOid: z.string(),
  baseRefName: z.string(),
  author: actorAnswer,
  headRepository: z.object({ databaseId: z.number().nullable() }).nullable(),
  baseRef: z.object({ target: z.object({ oid: z.string() }).nullable() }).nullable(),
  commits: pageOf(pullRequestCommitAnswer),
  files: pageOf(fileAnswer),
  reviews: pageOf(reviewAnswer),
  reviewThreads: pageOf(threadAnswer),
  comments: pageOf(commentAnswer),
  reviewRequests: pageOf(requestAnswer),
  timelineItems: pageOf(disturbanceAnswer),
  headCommit: z.object({
    nodes: z.array(
      z.object({
        commit: z.object({
          id: z.string(),
          oid: z.string(),
          checkSuites: pageOf(suiteAnswer),
          associatedPullRequests: pageOf(sharingAnswer).nullable(),
        }),
      }),
    ),
  }),
});
export type PullRequestAnswer = z.infer<typeof pullRequestAnswer>;

const blobAnswer = z
  .object({
    __typename: z.string(),
    oid: z.string(),
    text: z.string().nullish(),
    isTruncated: z.boolean().optional(),
    isBinary: z.boolean().nullish(),
  })
  .nullable();
export type BlobAnswer = z.infer<typeof blobAnswer>;

const entryAnswer = z.object({ object: blobAnswer }).nullable();

const fileEntryAnswer = z.object({ mode: z.number(), object: blobAnswer }).nullable();
export type FileEntryAnswer = z.infer<typeof fileEntryAnswer>;

/** The files of `codeOwnersQuery`, each under its alias. */
export const codeOwnersAnswer = z.object({
  repository: z.object({
    databaseId: z.number(),
    object: z.object({
      __typename: z.literal('Commit'),
      place0: fileEntryAnswer,
      place1: fileEntryAnswer,
      place2: fileEntryAnswer,
    }),
  }),
});
const branchAnswer = z
  .object({
    name: z.string(),
    target: commitAnswer.extend({ __typename: z.literal('Commit'), plan: entryAnswer, ownPlan: entryAnswer }),
  })
  .nullable();
export type BranchAnswer = z.infer<typeof branchAnswer>;

/** The fields of `attempts` in a query, by the attempt's place in it. */
const attemptShape = {
  branch1: branchAnswer,
  branch2: branchAnswer,
  branch3: branchAnswer,
  pullRequests1: pageOf(pullRequestAnswer),
  pullRequests2: pageOf(pullRequestAnswer),
  pullRequests3: pageOf(pullRequestAnswer),
};

export const attemptsAnswer = z.object({ repository: z.object(attemptShape) });
export type AttemptsAnswer = z.infer<typeof attemptsAnswer>['repository'];

const labelAnswer = z.object({ id: z.string(), name: z.string() }).nullable();

/** The repository's status labels, each under its alias of the query. */
export const statusLabelsAnswer = z.object({
  repository: z.object(Object.fromEntries(statusLabelNames.map((_, index) => [`label${index}`, labelAnswer]))),
});

export const threadQueryAnswer = z.object({
  viewer: z.object({ databaseId: z.number(), login: z.string() }),
  repository: z.object({
    id: z.string(),
    databaseId: z.number(),
    name: z.string(),
    isArchived: z.boolean(),
    owner: z.object({ login: z.string() }),
    defaultBranchRef: z.object({ name: z.string(), target: z.object({ oid: z.string() }) }).nullable(),
    config: blobAnswer,
    planAtHead: z.object({ __typename: z.string(), oid: z.string() }).nullable(),
    issue: z.object({
      id: z.string(),
      fullDatabaseId: longId,
      number: z.number(),
      url: z.string(),
      title: z.string(),
      body: z.string(),
      state: z.enum(['OPEN', 'CLOSED']),
      locked: z.boolean(),
      createdAt: z.string(),
      lastEditedAt: z.string().nullable(),
      includesCreatedEdit: z.boolean(),
      author: actorAnswer,
      reactionGroups,
      labels: pageOf(z.object({ name: z.string() })),
      comments: pageOf(commentAnswer),
      timelineItems: pageOf(issueEventAnswer),
      userContentEdits: pageOf(editAnswer).nullable(),
    }),
    ...attemptShape,
  }),
});
export type RepositoryAnswer = z.infer<typeof threadQueryAnswer>['repository'];
