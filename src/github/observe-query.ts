/** The one query that reads a thread, and the queries that follow its connections to their end. */
import { repositoryConfigPath } from '../config/repository-config.ts';
import type { StatusLabel } from '../lifecycle/state.ts';
import { statusLabels } from '../lifecycle/state.ts';
import { codeOwnersPlaces } from '../plan/code-owners.ts';

/** Every status label once, in the order of the states. */
export const statusLabelNames: readonly StatusLabel[] = [
  ...new Set(Object.values(statusLabels).filter((label) => label !== null)),
];

/** The timeline events that are read of an issue. */
const issueEventTypes = 'LABELED_EVENT, UNLABELED_EVENT, RENAMED_TITLE_EVENT';

/** How many attempts (branches) one query asks for. */
export const attemptsPerQuery = 3;

const fragments = {
  Who: `fragment Who on Actor {
    __typename login
    ... on User { databaseId }
    ... on Bot { databaseId }
    ... on Mannequin { databaseId }
    ... on Organization { databaseId }
  }`,
  CommitParts: `fragment CommitParts on Commit {
    oid messageHeadline message committedDate tree { oid } parents(first: 3) { nodes { oid } }
  }`,
  CommentParts: `fragment CommentParts on IssueComment {
    id fullDatabaseId body createdAt lastEditedAt author { ...Who } reactionGroups { content viewerHasReacted }
  }`,
  IssueEventParts: `fragment IssueEventParts on IssueTimelineItems {
    __typename
    ... on LabeledEvent { id createdAt label { name updatedAt } actor { ...Who } }
    ... on UnlabeledEvent { id createdAt label { name updatedAt } actor { ...Who } }
    ... on RenamedTitleEvent { id createdAt actor { ...Who } }
  }`,
  EditParts: 'fragment EditParts on UserContentEdit { editedAt editor { ...Who } }',
  ReviewParts: `fragment ReviewParts on PullRequestReview {
    id fullDatabaseId state body submittedAt lastEditedAt author { ...Who } commit { oid }
  }`,
  ReviewCommentParts: `fragment ReviewCommentParts on PullRequestReviewComment {
    id fullDatabaseId body createdAt lastEditedAt diffHunk
    author { ...Who } pullRequestReview { fullDatabaseId } originalCommit { oid }
  }`,
  ThreadParts: `fragment ThreadParts on PullRequestReviewThread {
    id path subjectType diffSide line startLine originalLine originalStartLine isOutdated isResolved
    comments(first: 50) { nodes { ...ReviewCommentParts } ...More }
  }`,
  DisturbanceParts: `fragment DisturbanceParts on PullRequestTimelineItems {
    __typename
    ... on HeadRefForcePushedEvent { createdAt }
    ... on BaseRefChangedEvent { createdAt }
    ... on AutomaticBaseChangeSucceededEvent { createdAt }
    ... on ClosedEvent { createdAt }
    ... on ReopenedEvent { createdAt }
    ... on ReviewDismissedEvent { createdAt dismissalMessage actor { ...Who } review { fullDatabaseId } }
  }`,
  SuiteParts: `fragment SuiteParts on CheckSuite {
    id app { databaseId } checkRuns(first: 50, filterBy: { checkType: LATEST }) { nodes { ...CheckParts } ...More }
  }`,
  CheckParts: 'fragment CheckParts on CheckRun { databaseId name status conclusion title summary }',
  ReviewerParts: `fragment ReviewerParts on ReviewRequest { requestedReviewer { __typename ... on User { login } } }`,
  PullRequestParts: `fragment PullRequestParts on PullRequest {
    id fullDatabaseId number url title body state isDraft locked createdAt closedAt
    headRefName headRefOid baseRefName
    author { ...Who } headRepository { databaseId } baseRef { target { oid } }
    commits(first: 30) { nodes { commit { ...CommitParts } } ...More }
    files(first: 100) { nodes { path changeType } ...More }
    reviews(first: 100) { nodes { ...ReviewParts } ...More }
    reviewThreads(first: 50) { nodes { ...ThreadParts } ...More }
    comments(first: 100) { nodes { ...CommentParts } ...More }
    reviewRequests(first: 50) { nodes { ...ReviewerParts } ...More }
    timelineItems(first: 100, itemTypes: $disturbances) { nodes { ...DisturbanceParts } ...More }
    headCommit: commits(last: 1) {
      nodes {
        commit {
          id oid
          checkSuites(first: 5, filterBy: { appId: $app }) { nodes { ...SuiteParts } ...More }
          associatedPullRequests(first: 20) { nodes { ...SharingParts } ...More }
        }
      }
    }
  }`,
  SharingParts: 'fragment SharingParts on PullRequest { number state headRefOid repository { databaseId } }',
  BlobParts: 'fragment BlobParts on GitObject { __typename oid ... on Blob { text isTruncated isBinary } }',
  More: undefined,
} as const;

const pageInfo = 'pageInfo { hasNextPage endCursor }';

/** The fragments that a text uses, and those that they use, once each. */
function withFragments(text: string): string {
  const used = new Map<string, string>();
  const collect = (part: string): void => {
    for (const [, name] of part.matchAll(/\.\.\.(\w+)/g)) {
      const fragment = Object.entries(fragments).find(([each]) => each === name)?.[1];
      if (name === undefined || fragment === undefined || used.has(name)) continue;
      used.set(name, fragment);
      collect(fragment);
    }
  };
  collect(text);
  return [text, ...used.values()].join('\n').replaceAll('...More', pageInfo);
}

/** `1`, `2`, `3`: the attempts of one query, by their place in it. */
const slots = Array.from({ length: attemptsPerQuery }, (_, index) => index + 1);

const attemptFields = slots
  .map(
    (slot) => `
    branch${slot}: ref(qualifiedName: $ref${slot}) {
      name
      target {
        __typename
        ... on Commit { ...CommitParts plan: file(path: $plan) { object { ...BlobParts } } ownPlan: file(path: $ownPlan) { object { ...BlobParts } } }
      }
    }
    pullRequests${slot}: pullRequests(first: 3, headRefName: $head${slot}, orderBy: { field: CREATED_AT, direction: ASC }) {
      nodes { ...PullRequestParts } ...More
    }`,
  )
  .join('');

const attemptVariables = slots.map((slot) => `$ref${slot}: String!, $head${slot}: String!`).join(', ');

/** Everything of a thread up to the first page of each list. Variables: see `variablesOf` and `ask`. */
export const threadQuery = withFragments(`query Thread(
  $owner: String!, $name: String!, $issue: Int!, $app: Int!, $plan: String!, $ownPlan: String!, $planAtHead: String!,
  ${attemptVariables}, $disturbances: [PullRequestTimelineItemsItemType!]
) {
  viewer { databaseId login }
  repository(owner: $owner, name: $name) {
    id databaseId name isArchived owner { login }
    defaultBranchRef { name target { oid } }
    config: object(expression: "HEAD:${repositoryConfigPath}") { ...BlobParts }
    planAtHead: object(expression: $planAtHead) { __typename oid }
    ${statusLabelNames.map((name, index) => `label${index}: label(name: ${JSON.stringify(name)}) { id name }`).join('\n    ')}
    issue(number: $issue) {
      id fullDatabaseId number url title body state locked createdAt lastEditedAt includesCreatedEdit
      author { ...Who } reactionGroups { content viewerHasReacted }
      labels(first: 100) { nodes { name } ...More }
      comments(first: 100) { nodes { ...CommentParts } ...More }
      timelineItems(first: 100, itemTypes: [${issueEventTypes}]) { nodes { ...IssueEventParts } ...More }
      userContentEdits(first: 100) { nodes { ...EditParts } ...More }
    }
    ${attemptFields}
  }
}`);

/** Later attempts of a thread that has used up those of the first query. */
export const attemptsQuery = withFragments(`query Attempts(
  $owner: String!, $name: String!, $app: Int!, $plan: String!, $ownPlan: String!, ${attemptVariables},
  $disturbances: [PullRequestTimelineItemsItemType!]
) {
  repository(owner: $owner, name: $name) { ${attemptFields} }
}`);

/** The timeline events that are read of a pull request. */
export const disturbanceTypes = [
  'HEAD_REF_FORCE_PUSHED_EVENT',
  'BASE_REF_CHANGED_EVENT',
  'AUTOMATIC_BASE_CHANGE_SUCCEEDED_EVENT',
  'CLOSED_EVENT',
  'REOPENED_EVENT',
  'REVIEW_DISMISSED_EVENT',
] as const;

/** A connection that may be longer than the first page: what holds it, its field and what is read of each node. */
const connections = {
  issueLabels: { on: 'Issue', field: 'labels(first: 100, after: $after)', node: 'name' },
  issueComments: { on: 'Issue', field: 'comments(first: 100, after: $after)', node: '...CommentParts' },
  issueEvents: {
    on: 'Issue',
    field: `timelineItems(first: 100, after: $after, itemTypes: [${issueEventTypes}])`,
    node: '...IssueEventParts',
  },
  issueEdits: { on: 'Issue', field: 'userContentEdits(first: 100, after: $after)', node: '...EditParts' },
  commits: { on: 'PullRequest', field: 'commits(first: 100, after: $after)', node: 'commit { ...CommitParts }' },
  files: { on: 'PullRequest', field: 'files(first: 100, after: $after)', node: 'path changeType' },
  reviews: { on: 'PullRequest', field: 'reviews(first: 100, after: $after)', node: '...ReviewParts' },
  reviewThreads: { on: 'PullRequest', field: 'reviewThreads(first: 50, after: $after)', node: '...ThreadParts' },
  comments: { on: 'PullRequest', field: 'comments(first: 100, after: $after)', node: '...CommentParts' },
  reviewRequests: { on: 'PullRequest', field: 'reviewRequests(first: 50, after: $after)', node: '...ReviewerParts' },
  disturbances: {
    on: 'PullRequest',
    field: `timelineItems(first: 100, after: $after, itemTypes: [${disturbanceTypes.join(', ')}])`,
    node: '...DisturbanceParts',
  },
  threadComments: {
    on: 'PullRequestReviewThread',
    field: 'comments(first: 100, after: $after)',
    node: '...ReviewCommentParts',
  },
  sharing: {
    on: 'Commit',
    field: 'associatedPullRequests(first: 100, after: $after)',
    node: '...SharingParts',
  },
  checkRuns: {
    on: 'CheckSuite',
    field: 'checkRuns(first: 100, after: $after, filterBy: { checkType: LATEST })',
    node: '...CheckParts',
  },
} as const;

export type ConnectionName = keyof typeof connections;

/** The query for one further page; its answer holds `node.page`. Variables: `id`, `after`. */
export function pageQuery(name: ConnectionName): string {
  const { on, field, node } = connections[name];
  return withFragments(`query Page($id: ID!, $after: String!) {
  node(id: $id) { __typename ... on ${on} { page: ${field} { nodes { ${node} } ...More } } }
}`);
}

/** The code owners of a commit, wherever GitHub looks for them, in its order. Variables: `owner`, `name`, `commit`. */
export const codeOwnersQuery = withFragments(`query CodeOwners($owner: String!, $name: String!, $commit: GitObjectID!) {
  repository(owner: $owner, name: $name) {
    databaseId
    object(oid: $commit) {
      __typename
      ... on Commit {
        ${codeOwnersPlaces.map((place, index) => `place${index}: file(path: "${place}") { mode object { ...BlobParts } }`).join('\n        ')}
      }
    }
  }
}`);

/** One pull request by its number, with the first page of each list. */
export const pullRequestQuery = withFragments(`query PullRequest(
  $owner: String!, $name: String!, $number: Int!, $app: Int!, $disturbances: [PullRequestTimelineItemsItemType!]
) {
  viewer { databaseId login }
  repository(owner: $owner, name: $name) {
    databaseId
    config: object(expression: "HEAD:${repositoryConfigPath}") { ...BlobParts }
    pullRequest(number: $number) { ...PullRequestParts }
  }
}`);

/** One further page of the pull requests from a branch name; its answer holds `repository.page`. */
export const pullRequestsPageQuery = withFragments(`query PullRequests(
  $owner: String!, $name: String!, $head: String!, $after: String!, $app: Int!,
  $disturbances: [PullRequestTimelineItemsItemType!]
) {
  repository(owner: $owner, name: $name) {
    page: pullRequests(first: 10, after: $after, headRefName: $head, orderBy: { field: CREATED_AT, direction: ASC }) {
      nodes { ...PullRequestParts } ...More
    }
  }
}`);
