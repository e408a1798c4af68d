/**
 * The local forge's state: plain data in the shape of GitHub's own objects. Commits, trees and refs are not here; they
 * live in real bare git repositories under `gitRoot`. Everything that changes it goes through `operations.ts`.
 */

export interface Account {
  readonly id: number;
  readonly login: string;
  readonly type: 'User' | 'Bot' | 'Organization';
  /** Where the account is an app's: the app's id. */
  readonly appId: number | null;
}

export interface ForgeApp {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  /** PEM of the public half: signatures of app tokens are checked against it. */
  readonly publicKey: string;
  /** Where deliveries go; `null`: nowhere, and none is recorded. */
  webhookUrl: string | null;
  readonly webhookSecret: string;
  readonly permissions: Readonly<Record<string, 'read' | 'write'>>;
  readonly events: readonly string[];
  readonly account: Account;
}

export interface Installation {
  readonly id: number;
  readonly appId: number;
  readonly account: Account;
  repositoryIds: number[];
  permissions: Record<string, 'read' | 'write'>;
  suspendedAt: string | null;
  readonly createdAt: string;
}

export interface AccessToken {
  readonly token: string;
  /** The app's installation, or the person whose token it is. */
  readonly bearer:
    | { readonly kind: 'installation'; readonly installationId: number }
    | { readonly kind: 'person'; readonly login: string };
  /** `null`: every repository of the installation. */
  readonly repositoryIds: readonly number[] | null;
  readonly permissions: Readonly<Record<string, 'read' | 'write'>>;
  readonly expiresAt: string;
}

export interface Label {
  readonly id: number;
  readonly nodeId: string;
  name: string;
  color: string;
  description: string | null;
  /** When its name, colour or description last changed. */
  updatedAt: string;
}

export interface Reaction {
  readonly id: number;
  readonly nodeId: string;
  readonly user: Account;
  /** REST's word: `eyes`, `confused`, `+1`, ... */
  readonly content: string;
  readonly createdAt: string;
}

export interface IssueComment {
  readonly id: number;
  readonly nodeId: string;
  /** `null` once the account is deleted. */
  author: Account | null;
  body: string;
  readonly createdAt: string;
  updatedAt: string;
  lastEditedAt: string | null;
  reactions: Reaction[];
}

export type TimelineEvent = {
  readonly id: number;
  readonly nodeId: string;
  readonly actor: Account | null;
  readonly createdAt: string;
} /** `label` is what the label is called now, or was called last. */ & (
  | { readonly kind: 'labeled' | 'unlabeled'; readonly labelId: number; label: string }
  | { readonly kind: 'closed' | 'reopened' | 'locked' | 'unlocked' | 'ready_for_review' | 'converted_to_draft' }
  | { readonly kind: 'merged'; readonly commit: string }
  | { readonly kind: 'base_ref_changed'; readonly from: string; readonly to: string }
  | { readonly kind: 'head_ref_force_pushed'; readonly before: string; readonly after: string }
  | {
      readonly kind: 'review_dismissed';
      readonly reviewId: number;
      readonly message: string;
      readonly previousState: string;
    }
  | { readonly kind: 'review_requested'; readonly reviewer: Account }
  | { readonly kind: 'renamed'; readonly from: string; readonly to: string }
);

/** One state of an edited text. The first of them is the text as it was posted. */
interface ContentEdit {
  readonly id: number;
  /** `null` once the account is deleted. */
  editor: Account | null;
  readonly editedAt: string;
}

/** An issue, or the issue side of a pull request: GitHub numbers both in one sequence. */
export interface Issue {
  readonly id: number;
  readonly nodeId: string;
  readonly number: number;
  title: string;
  body: string | null;
  author: Account | null;
  state: 'open' | 'closed';
  stateReason: 'completed' | 'not_planned' | 'reopened' | null;
  locked: boolean;
  labels: string[];
  assignees: Account[];
  readonly createdAt: string;
  updatedAt: string;
  closedAt: string | null;
  lastEditedAt: string | null;
  /** Of the body, oldest first; empty while it has never been edited. */
  edits: ContentEdit[];
  comments: IssueComment[];
  reactions: Reaction[];
  timeline: TimelineEvent[];
  /** Present exactly when this is a pull request. */
  pullRequest: PullRequest | null;
}

export interface PullRequest {
  readonly id: number;
  readonly nodeId: string;
  draft: boolean;
  readonly headRef: string;
  /** Repository of the head; `null` once a fork is deleted. */
  headRepositoryId: number | null;
  /** The head commit; kept when the branch is deleted. */
  headSha: string;
  baseRef: string;
  merged: boolean;
  mergedAt: string | null;
  mergedBy: Account | null;
  mergeCommit: string | null;
  /** Where the diff starts, fixed at the merge; `null` before: then it is the merge base with the base branch. */
  diffBase: string | null;
  requestedReviewers: Account[];
  reviews: Review[];
  threads: ReviewThread[];
  maintainerCanModify: boolean;
}

export interface Review {
  readonly id: number;
  readonly nodeId: string;
  author: Account | null;
  state: 'PENDING' | 'COMMENTED' | 'APPROVED' | 'CHANGES_REQUESTED' | 'DISMISSED';
  body: string;
  commit: string | null;
  submittedAt: string | null;
  lastEditedAt: string | null;
}

export interface ReviewComment {
  readonly id: number;
  readonly nodeId: string;
  author: Account | null;
  body: string;
  readonly reviewId: number;
  /** Id of the thread's first comment; `null` on that comment itself. */
  readonly inReplyTo: number | null;
  readonly createdAt: string;
  updatedAt: string;
  lastEditedAt: string | null;
  readonly diffHunk: string;
  /** Moves along with the pull request's head for as long as the thread is not outdated. */
  commit: string;
  readonly originalCommit: string;
}

export interface ReviewThread {
  readonly nodeId: string;
  readonly path: string;
  readonly subjectType: 'LINE' | 'FILE';
  readonly side: 'LEFT' | 'RIGHT';
  /** `null` once a later push changed those lines. */
  line: number | null;
  startLine: number | null;
  readonly originalLine: number | null;
  readonly originalStartLine: number | null;
  /** True once the lines it is about, or for a file's thread the file, left the pull request's diff. */
  isOutdated: boolean;
  isResolved: boolean;
  resolvedBy: Account | null;
  comments: ReviewComment[];
}

export interface CheckRun {
  readonly id: number;
  readonly nodeId: string;
  readonly appId: number;
  readonly headSha: string;
  readonly name: string;
  externalId: string;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: string | null;
  startedAt: string | null;
  completedAt: string | null;
  title: string | null;
  summary: string | null;
  text: string | null;
  detailsUrl: string | null;
}

/** Where an issue went: nowhere, or to another repository. */
type GoneIssue =
  | { readonly kind: 'deleted' }
  | { readonly kind: 'transferred'; readonly repositoryId: number; readonly number: number };

export interface Repository {
  readonly id: number;
  readonly nodeId: string;
  owner: Account;
  name: string;
  /** Earlier `owner/name`s, which are answered by a redirect. */
  formerNames: string[];
  private: boolean;
  archived: boolean;
  defaultBranch: string;
  /** False for a repository whose plan has no draft pull requests: asking for one is answered 422. */
  draftsSupported: boolean;
  labels: Label[];
  issues: Issue[];
  /** Issues that are here no more, by number, which is not used again. */
  readonly goneIssues: Map<number, GoneIssue>;
  checkRuns: CheckRun[];
  /** Permission by login; everyone else reads a public repository and nothing of a private one. */
  collaborators: Map<string, 'admin' | 'maintain' | 'write' | 'triage' | 'read'>;
  /** Absolute path of the bare git repository. */
  readonly gitDir: string;
  readonly createdAt: string;
  pushedAt: string;
}

export interface WebhookDelivery {
  readonly id: number;
  readonly guid: string;
  readonly appId: number;
  readonly installationId: number;
  readonly repositoryId: number | null;
  readonly event: string;
  readonly action: string | null;
  readonly payload: unknown;
  readonly deliveredAt: string;
  status: string;
  /** 0 while no answer has come. */
  statusCode: number;
  redelivery: boolean;
}

export interface Team {
  readonly id: number;
  /** The organization. */
  readonly organization: Account;
  readonly slug: string;
  /** By login; `pending` is invited and has not accepted. */
  readonly members: Map<string, 'active' | 'pending'>;
}

export interface ForgeState {
  accounts: Account[];
  teams: Team[];
  apps: ForgeApp[];
  installations: Installation[];
  tokens: AccessToken[];
  repositories: Repository[];
  deliveries: WebhookDelivery[];
}
