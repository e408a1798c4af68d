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
  readonly budget: {
    readonly maxTurns: number;
    /** Input and output together, cache reads included. */
    readonly maxTokens: number;
    readonly wallTimeMs: number;
    /** Runs in a row that may end without a result a person can act on before the thread waits for `/retry`. */
    readonly maxAttempts: number;
  };
  readonly model: { readonly id: string; readonly maxOutputTokens: number };
}
