/**
 * What the repository has decided about its threads: `.github/planwright.yml` on the default branch, parsed and defaulted
 * by `config/repository-config.ts`.
 */
export interface Policy {
  /** The label whose setting by a writer starts a thread. */
  readonly triggerLabel: string;
  readonly plan: {
    /** The plan file of this thread, relative to the repository's root. */
    readonly path: string;
    /** What becomes of the plan file in an implementation's last commit. */
    readonly keep: 'remove' | 'keep' | 'archive';
    /** Whether a plan run has a shell: over a checkout that is read-only to the kernel, without network. */
    readonly shell: boolean;
  };
  readonly approval: {
    /** How many approvals open the gate. At least 1. */
    readonly required: number;
    /** Logins whose approval counts; `null` where none are named. With neither users nor teams, every writer's counts. */
    readonly users: readonly string[] | null;
    /** Teams whose members' approval counts, as `organization/team-slug`; `null` where none are named. */
    readonly teams: readonly string[] | null;
    /** True when every planned path that has owners (CODEOWNERS) needs the approval of one of them. */
    readonly codeOwners: boolean;
    /** True when those who asked for the plan may not approve it. */
    readonly notByRequester: boolean;
    /** What happens when files of the scope changed on the base since the plan was written. */
    readonly stale: 'warn' | 'block' | 'replan';
    readonly allowEmptyPlan: boolean;
    /** True when open conversations of other reviewers than those who approve keep the gate shut. */
    readonly requireResolvedThreads: boolean;
  };
  readonly scope: {
    readonly mode: 'block' | 'warn';
    /** Glob patterns (picomatch) of paths that may change beside the plan's own. */
    readonly allow: readonly string[];
  };
  /** Commands to run after every implementation, beside the plan's own. */
  readonly checks: readonly string[];
  readonly permissions: Permissions;
  /** Hosts that commands of an implementation may reach, where the operator allows them too. */
  readonly hosts: readonly string[];
  readonly budget: Budget & {
    /** Runs in a row that may end without a result a person can act on before the thread waits for `/retry`. */
    readonly maxAttempts: number;
  };
}

/**
 * Which calls of tools are carried out, by rules in the form `Tool` or `Tool(pattern)`: `deny` wins over `ask`, and `ask`
 * over `allow`. Read by `agent/permissions.ts`.
 */
export interface Permissions {
  /** What becomes of a call that changes something and that no rule names: `auto` carries it out, `ask` asks a writer. */
  readonly mode: 'auto' | 'ask';
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

/** What one run may use; with what a thread's runs together may use, and those of the repository in a day (UTC). */
export interface Budget extends RunCeiling {
  readonly thread: Ceiling;
  readonly day: Ceiling;
}

/** Whose ceiling it is: that of one run, of a thread's runs together, or of the repository's in a day (UTC). */
export type BudgetLevel = 'run' | 'thread' | 'day';

/** A ceiling of one run: it always has one, but for its price. */
export interface RunCeiling extends Ceiling {
  readonly maxTurns: number;
  readonly maxTokens: number;
  readonly wallTimeMs: number;
}

/** A ceiling; `null` where there is none. */
export interface Ceiling {
  readonly maxTurns: number | null;
  /** Input and output together, cache reads included. */
  readonly maxTokens: number | null;
  /** US dollars. Where it is set, nothing runs on a model whose price is not known. */
  readonly maxDollars: number | null;
  /** Time at work, in milliseconds. */
  readonly wallTimeMs: number | null;
}
