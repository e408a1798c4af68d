/** What the engine asks of GitHub. `observe` is the only way in, `act` the only way out. */
import type { Action } from '../lifecycle/actions.ts';
import type { Facts } from '../lifecycle/facts.ts';
import type { Memory } from '../lifecycle/memory.ts';
import type { FailedDeliveries } from './failed-deliveries.ts';
import type { CommitMessage } from './trailers.ts';

/** A thread by GitHub's own ids; owner and name are what they were when last seen and may have changed. */
export interface ThreadRef {
  readonly installation: number;
  readonly repository: { readonly id: number; readonly owner: string; readonly name: string };
  readonly issue: number;
}

/** The answer was missing, partial or not understood. Nothing may be decided from it. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** GitHub refuses for good: the permission is not granted, the installation is suspended, the repository is archived or gone. */
export class Forbidden extends Error {
  override readonly name: string = 'Forbidden';
  /** What is missing, e.g. `pull_requests: write`; `null` where GitHub does not say. */
  readonly permission: string | null;
  constructor(message: string, permission: string | null, options?: ErrorOptions) {
    super(message, options);
    this.permission = permission;
  }
}

/** The issue is gone for good, though its repository is within reach: deleted, transferred, or made a discussion. */
export class Gone extends Forbidden {
  override readonly name = 'Gone';
}

/** A text was not sent, as it holds what looks like a secret. The message says what kind, and where; never the secret. */
export class Withheld extends Forbidden {
  override readonly name = 'Withheld';
}

/** Carried out by the engine: they need the run queue or a workspace. Everything else is `act`'s. */
export type EngineAction = Extract<
  Action,
  { kind: 'startRun' | 'stopRun' | 'settleRun' | 'publishPlan' | 'publishImplementation' }
>;
export type GitHubAction = Exclude<Action, EngineAction>;

/** What a sequence of actions knows; earlier actions fill in what later ones need. */
export interface ActContext {
  readonly thread: ThreadRef;
  readonly facts: Facts;
  readonly memory: Memory;
  /** The thread's pull request, once it exists. */
  pullRequest: { readonly number: number; readonly nodeId: string } | null;
  /** The head of its branch, once there is one. */
  head: string | null;
  /** Files of the base by which the plan that is published was to go; absent where none was published now. */
  instructions?: readonly string[];
  /** Reviews that were dismissed. */
  dismissed?: readonly number[];
  /** Why the run that wrote the plan had no shell, where the configuration gives it one. */
  missingShell?: string | null;
}

export interface GitHub {
  /** The app's own account. */
  self(): Promise<{ readonly id: number; readonly login: string; readonly slug: string; readonly appId: number }>;
  /**
   * Everything `decide` needs, live, in one query paged to its end, with the permissions of the people it depends on.
   * @throws {Unreadable} @throws {Forbidden} @throws {Gone}
   */
  observe(thread: ThreadRef): Promise<Facts>;
  /** @throws {Forbidden} and the transport's errors, after its retries. */
  act(action: GitHubAction, context: ActContext): Promise<void>;
  /** Says once on the pull request that its issue is gone. @throws {Forbidden} */
  tellGone(thread: ThreadRef, pullRequest: number): Promise<void>;
  /** Threads to look at that no webhook told of: open issues with `triggerLabel`, of every repository of every installation. */
  candidates(): Promise<readonly ThreadRef[]>;
  /** The app's own deliveries as GitHub has them. */
  readonly deliveries: FailedDeliveries;
  /**
   * The message of a commit of this app: its trailers, and its signature over what the commit holds and stands on, so that
   * `observe` finds it again as this app's on the branch that it was made for.
   */
  commitMessage(
    place: { readonly repository: { readonly id: number }; readonly branch: string },
    message: CommitMessage,
  ): (content: { readonly tree: string; readonly parents: readonly string[] }) => string;
  /**
   * Does `work` with a fresh token for one repository, which is revoked afterwards: `clone` reads contents, `publish` writes
   * them. Never stored.
   */
  withToken<T>(thread: ThreadRef, use: 'clone' | 'publish', work: (token: string) => Promise<T>): Promise<T>;
  /** Revokes every token that is kept; takes two seconds at the most, whatever GitHub answers. */
  close(): Promise<void>;
}
