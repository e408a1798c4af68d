/** The part of the repository's configuration that decides. Parsed and defaulted by `config/repository-config.ts`. */
export interface Policy {
  /** The label whose setting by a writer starts a thread. */
  readonly triggerLabel: string;
  /** The plan file of this thread, relative to the repository's root. */
  readonly planPath: string;
  readonly approval: {
    /** How many approvals open the gate. At least 1. */
    readonly required: number;
    /** Logins whose approval counts; `null` for every writer. */
    readonly users: readonly string[] | null;
    /** True when the person who asked for the plan may not approve it. */
    readonly notByRequester: boolean;
    /** What happens when files of the scope changed on the base since the plan was written. */
    readonly stale: 'warn' | 'block' | 'replan';
    readonly allowEmptyPlan: boolean;
  };
  readonly budget: {
    /** Runs in a row that may end without a result a person can act on before the thread waits for `/retry`. */
    readonly maxAttempts: number;
  };
}
