/**
 * What GitHub says about one thread, read in one go. Plain data: no method, no date object, no client.
 * Ids are GitHub's numeric database ids unless the name says `nodeId`; times are GitHub's ISO 8601 strings (UTC), never
 * the host's clock.
 */
import type { Approval } from './memory.ts';
import type { Policy } from './policy.ts';

/**
 * A person's live permission on the repository, as `GET /repos/{owner}/{repo}/collaborators/{username}/permission`
 * reports it. `unknown` stands for every answer that could not be read; it grants nothing.
 * Source: https://docs.github.com/rest/collaborators/collaborators#get-repository-permissions-for-a-user
 */
export type Permission = 'admin' | 'maintain' | 'write' | 'triage' | 'read' | 'none' | 'unknown';

/** An account. A deleted account is `null` wherever a person may stand. */
export interface Person {
  readonly id: number;
  readonly login: string;
  readonly kind: 'user' | 'bot';
  /** True for the account this app acts as. */
  readonly isThisApp: boolean;
}

interface RepositoryFacts {
  readonly id: number;
  readonly nodeId: string;
  readonly owner: string;
  readonly name: string;
  readonly isArchived: boolean;
  /** `null` for a repository without a commit. */
  readonly defaultBranch: { readonly name: string; readonly head: string } | null;
  /** The labels of the repository that this app uses for a thread's status, by name. */
  readonly statusLabels: Readonly<Record<string, { readonly nodeId: string }>>;
}

/** One `labeled` or `unlabeled` event of the issue, any label, oldest first. */
export interface LabelEvent {
  /** The event's node id: unique, stable, and what a run names as its cause. */
  readonly id: string;
  readonly kind: 'labeled' | 'unlabeled';
  readonly label: string;
  readonly by: Person | null;
  readonly at: string;
  /** When the label itself was last renamed or changed in another way; `null` where that cannot be told. */
  readonly labelChangedAt: string | null;
}

export interface Comment {
  readonly id: number;
  readonly nodeId: string;
  readonly author: Person | null;
  readonly body: string;
  /** The lines of the body that people see, where an answer may be looked for and these are not all. */
  readonly seen?: string;
  readonly createdAt: string;
  /** When the body was last changed after it was posted; `null` where it never was. */
  readonly editedAt: string | null;
  /** What this app has already put on the comment, e.g. `EYES`. */
  readonly reactionsByThisApp: readonly string[];
  /** What a comment of this app is about, e.g. `questions:<run>`; `null` on every other comment. */
  readonly marker: string | null;
}

/** One change of the issue's title or body after it was opened. */
export interface IssueEdit {
  readonly what: 'title' | 'body';
  readonly by: Person | null;
  readonly at: string;
}

export interface IssueFacts {
  readonly id: number;
  readonly nodeId: string;
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly body: string;
  readonly author: Person | null;
  readonly state: 'open' | 'closed';
  readonly isLocked: boolean;
  readonly labels: readonly string[];
  readonly labelEvents: readonly LabelEvent[];
  /** Oldest first. */
  readonly edits: readonly IssueEdit[];
  readonly comments: readonly Comment[];
  readonly reactionsByThisApp: readonly string[];
}

/** The trailers of section 2 of the design, from a commit that bears this app's signature. */
export interface CommitTrailers {
  readonly phase: 'plan' | 'implement';
  readonly run: string;
  readonly base: string;
  readonly plan: string | null;
  readonly reviews: readonly number[];
  readonly approvedBy: readonly { readonly login: string; readonly commit: string }[];
  /** The receipt of the approval that an implementation went by; `null` on a plan. */
  readonly receipt: Approval | null;
}

export interface CommitFacts {
  readonly sha: string;
  readonly headline: string;
  /** The date that the commit bears: the clock of whoever made it. */
  readonly committedAt: string;
  /**
   * `null` on every commit but this app's: its signature covers tree, parents and message, so that neither an e-mail
   * address nor a copied message makes a commit this app's.
   */
  readonly trailers: CommitTrailers | null;
}

/** A branch whose name this app would use for the issue, with or without a pull request. */
export interface BranchFacts {
  readonly name: string;
  readonly head: CommitFacts;
}

/** `state` holds GitHub's own word; a word that this app does not know counts for nothing. */
export interface Review {
  readonly id: number;
  readonly nodeId: string;
  readonly author: Person | null;
  readonly state: string;
  /** The commit the review names; `null` once that commit is gone. */
  readonly commit: string | null;
  readonly body: string;
  readonly submittedAt: string | null;
  /** When the body was last changed; `null` where it never was. */
  readonly editedAt: string | null;
  /** For a DISMISSED review: whether this app dismissed it, to keep a plan's approval from counting for code. */
  readonly isHeldByThisApp: boolean;
}

export interface ReviewComment {
  readonly id: number;
  readonly nodeId: string;
  readonly author: Person | null;
  readonly reviewId: number | null;
  readonly body: string;
  readonly createdAt: string;
  /** When the body was last changed; `null` where it never was. */
  readonly editedAt: string | null;
  readonly originalCommit: string | null;
  readonly diffHunk: string;
}

export interface ReviewThread {
  readonly nodeId: string;
  readonly path: string;
  readonly subject: 'line' | 'file';
  readonly side: 'LEFT' | 'RIGHT';
  /** 1-based; `null` when the thread is outdated or is about the whole file. */
  readonly line: number | null;
  readonly startLine: number | null;
  readonly originalLine: number | null;
  readonly originalStartLine: number | null;
  readonly isOutdated: boolean;
  readonly isResolved: boolean;
  readonly comments: readonly ReviewComment[];
}

/** A check run of this app on the pull request's head. */
export interface CheckFacts {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly conclusion: string | null;
  readonly title: string | null;
  readonly summary: string | null;
}

/** One path the plan names, from its front matter. */
export interface ScopeEntry {
  readonly path: string;
  readonly change: 'create' | 'modify' | 'delete' | 'move';
}

/** The plan file at the pull request's head. */
export interface PlanOfRecord {
  /** Git blob id. */
  readonly blob: string;
  readonly text: string;
  /** The front matter's files; `null` when the front matter cannot be read. */
  readonly scope: readonly ScopeEntry[] | null;
  /** True for the placeholder that stands where the agent wrote no plan. */
  readonly isEmpty: boolean;
}

/** A change to the pull request after which an earlier approval no longer counts. */
export interface Disturbance {
  readonly kind: 'force_pushed' | 'base_changed' | 'closed' | 'reopened';
  readonly at: string;
}

/** Who owns a planned path by the base branch's CODEOWNERS, as written there: `@octocat`, `@acme/core` or an e-mail address. */
export interface PathOwners {
  readonly path: string;
  /** Empty where no rule, or a rule without owners, matches the path. */
  readonly owners: readonly string[];
}

/** A pull request that this app opened for the issue, from a branch of the same repository. */
export interface PullRequestFacts {
  readonly id: number;
  readonly nodeId: string;
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly body: string;
  readonly state: 'open' | 'closed' | 'merged';
  readonly isDraft: boolean;
  readonly isLocked: boolean;
  readonly createdAt: string;
  readonly closedAt: string | null;
  readonly branch: string;
  readonly head: string;
  readonly baseBranch: string;
  /** Oldest first. */
  readonly commits: readonly CommitFacts[];
  readonly files: readonly { readonly path: string; readonly change: string }[];
  readonly planOfRecord: PlanOfRecord | null;
  /** Paths of the scope that changed on the base branch since the recorded base; `unknown` when that cannot be told. */
  readonly changedOnBase: readonly string[] | 'unknown';
  /**
   * The owners of each path of the scope; `none` where the base branch has no CODEOWNERS, `unknown` where it could not be
   * read or `approval.code_owners` is not set.
   */
  readonly codeOwners: readonly PathOwners[] | 'none' | 'unknown';
  /** Numbers of other open pull requests with the same head commit; `unknown` where that could not be read. */
  readonly sharedWith: readonly number[] | 'unknown';
  readonly reviews: readonly Review[];
  readonly threads: readonly ReviewThread[];
  readonly comments: readonly Comment[];
  readonly requestedReviewers: readonly string[];
  readonly checks: readonly CheckFacts[];
  readonly disturbances: readonly Disturbance[];
}

/** Whether a person is an active member of a team, as far as this app can see. */
export type Membership = 'member' | 'not_member' | 'unknown';

export interface Facts {
  /** The app that read them. */
  readonly app: { readonly version: string };
  readonly repository: RepositoryFacts;
  /**
   * The repository's configuration at the default branch, or what is wrong with it, with the trigger label where it tells
   * that all the same.
   */
  readonly policy: Policy | { readonly problems: readonly string[]; readonly triggerLabel?: string };
  readonly issue: IssueFacts;
  readonly branches: readonly BranchFacts[];
  /** Oldest attempt first; the last one is the thread's own. */
  readonly pullRequests: readonly PullRequestFacts[];
  /** By `Person.id`. A person who is not in it has permission `unknown`. */
  readonly permissions: Readonly<Record<number, Permission>>;
  /**
   * By `Person.id`, then by team in lower case, e.g. `acme/core`: of the teams that `approval.teams` and the owners of
   * planned paths name. What is not in it is `unknown`.
   */
  readonly memberships: Readonly<Record<number, Readonly<Record<string, Membership>>>>;
}
