/** What the host does with git. Every git directory is the host's; an agent's tree is read as files, never as a repository. */

/** A tree that no tool may write: no write bit, and no tool is ever given a writable view of it. */
export interface ReadOnlyCheckout {
  readonly access: 'read-only';
  readonly path: string;
  readonly commit: string;
}

export interface WritableCheckout {
  readonly access: 'writable';
  readonly path: string;
  readonly commit: string;
}

export interface RepositoryRef {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
}

/** Lends a token to one git operation; called when the operation needs the network, not before. */
export type TokenSource = <T>(operation: (token: string) => Promise<T>) => Promise<T>;

export interface FileChange {
  readonly path: string;
  readonly change: 'create' | 'modify' | 'delete' | 'move';
  /** For a move, where it came from. */
  readonly from: string | null;
  /** Git's mode of the new side, e.g. `100644`; `000000` for a deletion. */
  readonly mode: string;
}

/** Thrown by `push` when the branch is not where it was expected: nothing was changed. */
export class BranchMoved extends Error {
  override readonly name = 'BranchMoved';
}

/** Thrown by `push` when the remote refuses for good: `reason` is the remote's own line, free of tokens. */
export class PushRefused extends Error {
  override readonly name = 'PushRefused';
  readonly reason: string;
  constructor(reason: string) {
    super(`push refused: ${reason}`);
    this.reason = reason;
  }
}

/** Thrown for everything else that git or the disk reports; the message is free of tokens. */
export class WorkspaceError extends Error {
  override readonly name: string = 'WorkspaceError';
}

/** Thrown by `commitStep` when the tree holds what may not be committed: nothing was committed, the tree is as it was. */
export class PatchRefused extends WorkspaceError {
  override readonly name = 'PatchRefused';
  /** One line each, beginning with the path it is about; fit to be shown to the run. */
  readonly reasons: readonly string[];
  constructor(reasons: readonly string[]) {
    super(`the change cannot be committed: ${reasons.join('; ')}`);
    this.reasons = reasons;
  }
}

/** Thrown by `commitPlan` when the parent already holds the plan byte for byte. */
export class NothingToCommit extends WorkspaceError {
  override readonly name = 'NothingToCommit';
}

/** What a commit holds and stands on, before it has a message. */
export interface CommitContent {
  /** Git's id of its tree. */
  readonly tree: string;
  readonly parents: readonly string[];
}

/** A commit's message, which may name or sign what the commit holds. */
export type MessageOf = (content: CommitContent) => string;

/** The work of one run that another goes on with. */
export interface CarriedWork {
  readonly from: string;
  /** The commit that `from` began with. */
  readonly base: string;
  readonly to: string;
  /** The commit that `to` begins with; a descendant of `base`. */
  readonly onto: string;
  /** The message of the commit that stands for one of `from`'s; `null` to carry the tree over without any commit. */
  readonly message: ((commit: string) => MessageOf) | null;
}

/** How a run's tree stands against what was committed. */
export interface TreeInspection {
  /** Against the commit that the run began with. */
  readonly changes: readonly FileChange[];
  /** Against the run's last commit, or the one that it began with. */
  readonly uncommitted: readonly FileChange[];
  /** Why the tree cannot be committed as it is, one line each, beginning with the path. */
  readonly faults: readonly string[];
}

/** One commit of a history. What others wrote is as they wrote it. */
export interface HistoryEntry {
  readonly commit: string;
  /** The author's day, e.g. `2026-01-31`. */
  readonly date: string;
  readonly author: string;
  readonly subject: string;
}

/** A file that was found by its name. */
export interface NamedFile {
  readonly path: string;
  /** `null` where it is too large, or too much was read before it. */
  readonly text: string | null;
}

export interface Workspaces {
  /** Brings the commits into the mirror; asks the network only for those that are missing. */
  fetch(repository: RepositoryRef, commits: readonly string[], token: TokenSource): Promise<void>;
  readOnlyCheckout(repository: RepositoryRef, commit: string, run: string): Promise<ReadOnlyCheckout>;
  /** A new tree of the commit, or of the run's last snapshot where it has one. */
  writableCheckout(repository: RepositoryRef, commit: string, run: string): Promise<WritableCheckout>;
  /** A folder for a run's temporary files, made if missing. */
  scratch(run: string): Promise<string>;
  /** The file's text at a commit; `null` where there is none, or where it is not text. */
  readFile(repository: RepositoryRef, commit: string, path: string): Promise<string | null>;
  /**
   * The text files of these names in all folders of a commit's tree, outermost first; at most 1,000 of them. Links are not
   * followed, and packages that the repository has taken over are not looked into.
   */
  filesNamed(repository: RepositoryRef, commit: string, names: readonly string[]): Promise<readonly NamedFile[]>;
  /** At most `limit` commits up to one, newest first; with a path those that changed it. */
  history(
    repository: RepositoryRef,
    commit: string,
    path: string | null,
    limit: number,
  ): Promise<readonly HistoryEntry[]>;
  /**
   * Commits the plan file alone on top of `parent`, without a tree on disk. Returns the commit; the same input gives the
   * same tree. With `base`, a commit of the base branch, it takes that commit's tree instead of
   * `parent`'s, and merges it where `parent` does not descend from it. With `from` the plan moves from there: what it holds
   * there is not refused.
   * @throws {NothingToCommit} @throws {PatchRefused} on a secret or hidden characters that the plan did not hold before
   */
  commitPlan(
    repository: RepositoryRef,
    plan: {
      readonly parent: string;
      readonly base?: string;
      readonly path: string;
      readonly text: string;
      readonly from?: { readonly commit: string; readonly path: string };
      readonly message: MessageOf;
    },
  ): Promise<string>;
  /** Keeps the tree as the run's snapshot, without a commit on the branch: what a restart goes on from. */
  snapshot(repository: RepositoryRef, checkout: WritableCheckout, run: string): Promise<void>;
  /**
   * Commits what changed in the tree since the run's last commit; `null` where nothing did. The paths in `remove` leave the
   * commit and the tree. `judge` is shown the very tree that would be committed, with the paths in `remove`: where it throws,
   * nothing is committed.
   * @throws {PatchRefused}
   */
  commitStep(
    repository: RepositoryRef,
    checkout: WritableCheckout,
    step: {
      readonly run: string;
      readonly message: MessageOf;
      readonly remove: readonly string[];
      readonly judge?: (tree: TreeInspection) => void;
    },
  ): Promise<string | null>;
  /** Looks at the tree as the next commit would find it. Changes nothing. */
  inspect(repository: RepositoryRef, checkout: WritableCheckout, run: string): Promise<TreeInspection>;
  /**
   * Gives the run `to` the work of the run `from`, as if it had been done on `onto`: a commit for each of its commits, with
   * messages of their own, and its tree as it was last kept. What `to` had is dropped; what `from` has stays. Returns the
   * new commits by the old ones; `null`, and nothing has changed, where `from` has nothing or does not fit onto `onto`.
   */
  carryOver(repository: RepositoryRef, work: CarriedWork): Promise<ReadonlyMap<string, string> | null>;
  /** The run's last commit; `null` before its first. */
  lastCommit(repository: RepositoryRef, run: string): Promise<string | null>;
  changes(repository: RepositoryRef, from: string, to: string): Promise<readonly FileChange[]>;
  /**
   * Pushes one commit to one branch, only if the branch is at `expected` (`null`: does not exist). Never forces.
   * @throws {BranchMoved} @throws {PushRefused} @throws {WorkspaceError}
   */
  push(
    repository: RepositoryRef,
    push: { readonly branch: string; readonly commit: string; readonly expected: string | null },
    token: TokenSource,
  ): Promise<void>;
  /** Removes the run's trees and temporary files. */
  remove(run: string): Promise<void>;
  /** Removes what belongs to no run in `keep`. */
  sweep(keep: ReadonlySet<string>): Promise<void>;
}
