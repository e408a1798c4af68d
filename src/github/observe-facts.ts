/** From GitHub's answers to the plain data that is decided from. No call is made here. */
import type {
  Comment,
  CommitFacts,
  Disturbance,
  IssueFacts,
  LabelEvent,
  Person,
  PlanOfRecord,
  PullRequestFacts,
  Review,
  ReviewComment,
  ReviewThread,
} from '../lifecycle/facts.ts';
import { isEmptyPlan, parsePlan } from '../plan/plan-file.ts';
import type { AppKey } from './app-key.ts';
import { Unreadable } from './github.ts';
import { bearsMarker, formatThreadKey, parseMarker } from './identifiers.ts';
import { editsOf } from './observe-edits.ts';
import type {
  ActorAnswer,
  BlobAnswer,
  CommentAnswer,
  CommitAnswer,
  DisturbanceAnswer,
  IssueEventAnswer,
  PullRequestAnswer,
  RepositoryAnswer,
  ReviewAnswer,
  ReviewCommentAnswer,
  ThreadAnswer,
} from './observe-schema.ts';
import { type CommitPlace, readSignedTrailers } from './trailers.ts';

/** Whose answers they are. */
export interface Viewpoint {
  /** Database id of the account that this app acts as. */
  readonly self: number;
  /** This app's id. */
  readonly appId: number;
  readonly repository: number;
  readonly issue: number;
  /** This app's key: a commit is this app's where it bears the key's signature. */
  readonly key: AppKey;
}

/**
 * Anything but a `User` counts as a bot: it is no person who could approve. GraphQL names an app's account without the
 * `[bot]` that REST gives it; it is told by its id.
 */
export function personOf(actor: ActorAnswer | undefined, view: Viewpoint): Person | null {
  if (actor === null || actor === undefined || typeof actor.databaseId !== 'number') return null;
  const isThisApp = actor.databaseId === view.self;
  const kind = actor.__typename === 'User' && !isThisApp && !actor.login.endsWith('[bot]') ? 'user' : 'bot';
  const isBareBot = actor.__typename === 'Bot' && !actor.login.endsWith('[bot]');
  return { id: actor.databaseId, login: isBareBot ? `${actor.login}[bot]` : actor.login, kind, isThisApp };
}

/** What a signature of the commit must cover. A commit of this app has at most two parents; the answer holds three. */
export function placeOf(
  { tree, parents }: CommitAnswer,
  branch: string,
  { repository }: Pick<Viewpoint, 'repository'>,
): CommitPlace {
  return { repository, branch, tree: tree.oid, parents: parents.nodes.map(({ oid }) => oid) };
}

/** A commit of a branch; its trailers only where it bears this app's signature, whoever it names as author. */
export function commitOf(commit: CommitAnswer, branch: string, view: Viewpoint): CommitFacts {
  return {
    sha: commit.oid,
    headline: commit.messageHeadline,
    committedAt: commit.committedDate,
    trailers: readSignedTrailers(commit.message, placeOf(commit, branch, view), view.key),
  };
}

function reactionsOf(groups: CommentAnswer['reactionGroups']): readonly string[] {
  return (groups ?? []).filter((group) => group.viewerHasReacted).map((group) => group.content);
}

function commentOf(comment: CommentAnswer, view: Viewpoint): Comment {
  const author = personOf(comment.author, view);
  const marker = author?.isThisApp === true ? parseMarker(comment.body) : null;
  return {
    id: comment.fullDatabaseId,
    nodeId: comment.id,
    author,
    body: comment.body,
    createdAt: comment.createdAt,
    editedAt: comment.lastEditedAt,
    marker: marker?.thread === threadKey(view) ? `${marker.kind}:${marker.cause}` : null,
    reactionsByThisApp: reactionsOf(comment.reactionGroups),
  };
}

function labelEventsOf(event: IssueEventAnswer, view: Viewpoint): readonly LabelEvent[] {
  if (event.__typename === 'RenamedTitleEvent') return [];
  const { id, label, actor, createdAt } = event;
  const kind = event.__typename === 'LabeledEvent' ? 'labeled' : 'unlabeled';
  return [{ id, kind, label: label.name, by: personOf(actor, view), at: createdAt, labelChangedAt: label.updatedAt }];
}

/** The issue, with all pages of its lists in it already. */
export function issueOf(issue: RepositoryAnswer['issue'], view: Viewpoint): IssueFacts {
  return {
    id: issue.fullDatabaseId,
    nodeId: issue.id,
    number: issue.number,
    url: issue.url,
    title: issue.title,
    body: issue.body,
    author: personOf(issue.author, view),
    state: issue.state === 'OPEN' ? 'open' : 'closed',
    isLocked: issue.locked,
    labels: issue.labels.nodes.map((label) => label.name),
    labelEvents: issue.timelineItems.nodes.flatMap((event) => labelEventsOf(event, view)),
    edits: editsOf(issue, (actor) => personOf(actor, view)),
    comments: issue.comments.nodes.map((comment) => commentOf(comment, view)),
    reactionsByThisApp: reactionsOf(issue.reactionGroups),
  };
}

/** True for a pull request that this app opened from a branch of the same repository. */
export function isOurs(pullRequest: PullRequestAnswer, view: Viewpoint): boolean {
  return (
    personOf(pullRequest.author, view)?.isThisApp === true && pullRequest.headRepository?.databaseId === view.repository
  );
}

function reviewOf(review: ReviewAnswer, dismissals: readonly DisturbanceAnswer[], view: Viewpoint): Review {
  const hold = { kind: 'hold', thread: threadKey(view), cause: String(review.fullDatabaseId) } as const;
  const dismissal = dismissals.findLast((event) => event.review?.fullDatabaseId === review.fullDatabaseId);
  const isOurDismissal = personOf(dismissal?.actor, view)?.isThisApp === true;
  return {
    id: review.fullDatabaseId,
    nodeId: review.id,
    author: personOf(review.author, view),
    state: review.state,
    commit: review.commit?.oid ?? null,
    body: review.body,
    submittedAt: review.submittedAt,
    editedAt: review.lastEditedAt,
    isHeldByThisApp: isOurDismissal && bearsMarker(dismissal?.dismissalMessage ?? '', hold),
  };
}

function threadKey(view: Viewpoint): string {
  return formatThreadKey({ repository: { id: view.repository }, issue: view.issue });
}

function reviewCommentOf(comment: ReviewCommentAnswer, view: Viewpoint): ReviewComment {
  return {
    id: comment.fullDatabaseId,
    nodeId: comment.id,
    author: personOf(comment.author, view),
    reviewId: comment.pullRequestReview?.fullDatabaseId ?? null,
    body: comment.body,
    createdAt: comment.createdAt,
    editedAt: comment.lastEditedAt,
    originalCommit: comment.originalCommit?.oid ?? null,
    diffHunk: comment.diffHunk,
  };
}

function threadOf(thread: ThreadAnswer, view: Viewpoint): ReviewThread {
  const subject = thread.subjectType === 'FILE' ? 'file' : 'line';
  const hasLine = subject === 'line' && !thread.isOutdated;
  return {
    nodeId: thread.id,
    path: thread.path,
    subject,
    side: thread.diffSide === 'LEFT' ? 'LEFT' : 'RIGHT',
    line: hasLine ? thread.line : null,
    startLine: hasLine ? thread.startLine : null,
    originalLine: thread.originalLine,
    originalStartLine: thread.originalStartLine,
    isOutdated: thread.isOutdated,
    isResolved: thread.isResolved,
    comments: thread.comments.nodes.map((comment) => reviewCommentOf(comment, view)),
  };
}

const disturbanceKinds: Readonly<Record<string, Disturbance['kind']>> = {
  HeadRefForcePushedEvent: 'force_pushed',
  BaseRefChangedEvent: 'base_changed',
  AutomaticBaseChangeSucceededEvent: 'base_changed',
  ClosedEvent: 'closed',
  ReopenedEvent: 'reopened',
};

function disturbanceOf(event: DisturbanceAnswer): Disturbance | null {
  const kind = disturbanceKinds[event.__typename];
  return kind === undefined ? null : { kind, at: event.createdAt };
}

/** The plan file at a commit; `null` where there is no text file, or where GitHub gives only a part of it. */
export function planOf(blob: BlobAnswer): PlanOfRecord | null {
  if (blob === null || blob.__typename !== 'Blob' || typeof blob.text !== 'string') return null;
  if (blob.isTruncated !== false || blob.isBinary === true) return null;
  const parsed = parsePlan(blob.text);
  return {
    blob: blob.oid,
    text: blob.text,
    scope: 'plan' in parsed ? parsed.plan.files : null,
    isEmpty: isEmptyPlan(blob.text),
  };
}

function checksOf(pullRequest: PullRequestAnswer, view: Viewpoint): PullRequestFacts['checks'] {
  const [head] = pullRequest.headCommit.nodes;
  if (head !== undefined && head.commit.oid !== pullRequest.headRefOid) {
    throw new Unreadable('expected the checks of the head, got those of another commit; a push came between');
  }
  return (head?.commit.checkSuites.nodes ?? [])
    .filter((suite) => suite.app?.databaseId === view.appId)
    .flatMap((suite) => suite.checkRuns.nodes)
    .map(({ databaseId, ...check }) => ({ id: databaseId, ...check }))
    .toSorted((a, b) => a.id - b.id);
}

/** Other open pull requests of the repository that have the same head, whatever their branch. */
function sharedWithOf(pullRequest: PullRequestAnswer, view: Viewpoint): PullRequestFacts['sharedWith'] {
  const associated = pullRequest.headCommit.nodes[0]?.commit.associatedPullRequests ?? null;
  if (pullRequest.state !== 'OPEN' || associated === null || associated.pageInfo.hasNextPage) return 'unknown';
  return associated.nodes
    .filter(
      ({ number, state, headRefOid, repository }) =>
        number !== pullRequest.number &&
        state === 'OPEN' &&
        headRefOid === pullRequest.headRefOid &&
        repository.databaseId === view.repository,
    )
    .map(({ number }) => number)
    .toSorted((a, b) => a - b);
}

/** A pull request without what other calls add: `changedOnBase` and `codeOwners` are `unknown`. */
export function pullRequestOf(
  pullRequest: PullRequestAnswer,
  planOfRecord: PlanOfRecord | null,
  view: Viewpoint,
): PullRequestFacts {
  const events = pullRequest.timelineItems.nodes;
  const dismissals = events.filter((event) => event.__typename === 'ReviewDismissedEvent');
  return {
    id: pullRequest.fullDatabaseId,
    nodeId: pullRequest.id,
    number: pullRequest.number,
    url: pullRequest.url,
    title: pullRequest.title,
    body: pullRequest.body,
    state: pullRequest.state === 'OPEN' ? 'open' : pullRequest.state === 'MERGED' ? 'merged' : 'closed',
    isDraft: pullRequest.isDraft,
    isLocked: pullRequest.locked,
    createdAt: pullRequest.createdAt,
    closedAt: pullRequest.closedAt,
    branch: pullRequest.headRefName,
    head: pullRequest.headRefOid,
    baseBranch: pullRequest.baseRefName,
    commits: pullRequest.commits.nodes.map(({ commit }) => commitOf(commit, pullRequest.headRefName, view)),
    files: pullRequest.files.nodes.map(({ path, changeType }) => ({ path, change: changeType })),
    planOfRecord,
    changedOnBase: 'unknown',
    codeOwners: 'unknown',
    sharedWith: sharedWithOf(pullRequest, view),
    reviews: pullRequest.reviews.nodes.map((review) => reviewOf(review, dismissals, view)),
    threads: pullRequest.reviewThreads.nodes.map((thread) => threadOf(thread, view)),
    comments: pullRequest.comments.nodes.map((comment) => commentOf(comment, view)),
    requestedReviewers: pullRequest.reviewRequests.nodes
      .map(({ requestedReviewer }) => requestedReviewer?.login)
      .filter((login) => login !== undefined),
    checks: checksOf(pullRequest, view),
    disturbances: events.map(disturbanceOf).filter((event) => event !== null),
  };
}
