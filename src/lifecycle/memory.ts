/** What we remember about a thread: its runs. Everything else is read from GitHub. */
import type { BudgetLevel, Policy, RunCeiling } from './policy.ts';

export type Phase = 'plan' | 'implement';

/** What an approval authorises. */
export type ApprovedCeiling = Pick<RunCeiling, 'maxTurns' | 'maxTokens' | 'maxDollars'>;

/** Why a gate opened: what the receipt records, word for word. */
export interface Approval {
  readonly repository: { readonly id: number; readonly owner: string; readonly name: string };
  readonly pullRequest: number;
  readonly head: string;
  readonly planBlob: string;
  readonly base: string;
  readonly reviewers: readonly {
    readonly id: number;
    readonly login: string;
    readonly permission: string;
    readonly review: number;
  }[];
  /** The rule that they fulfilled. */
  readonly rule: Policy['approval'];
  /** What one run of the implementation may use at most, as it stood then; absent on a receipt of an older version. */
  readonly ceiling?: ApprovedCeiling;
  /** The version of this app that read the gate. */
  readonly version: string;
}

/** One verification command that ran after an implementation, or the reason why it did not. */
export interface Verification {
  readonly command: string;
  readonly result: 'passed' | 'failed' | 'not_run';
  /** One line: exit code, or why it did not run. */
  readonly detail: string;
}

/** One step of the plan with what was done for it. `commit` is null where nothing changed. */
export interface StepReport {
  readonly title: string;
  readonly commit: string | null;
  readonly files: readonly string[];
}

export interface ConformanceReport {
  readonly steps: readonly StepReport[];
  /** Every path the plan names or the implementation changed. */
  readonly files: readonly {
    readonly path: string;
    readonly planned: string | null;
    readonly actual: string | null;
  }[];
  readonly verifications: readonly Verification[];
  /** One sentence each, in the agent's words. */
  readonly deviations: readonly string[];
}

export type FailureReason =
  | 'no_plan'
  | 'plan_cut_off'
  | 'no_changes'
  | 'out_of_scope'
  | 'refusal'
  | 'context_exceeded'
  | 'input_too_large'
  | 'input_unreadable'
  | 'repeated_calls'
  | 'model_error'
  | 'unknown_stop'
  | 'superseded'
  | 'patch_refused'
  | 'push_refused'
  | 'workspace'
  | 'crashed'
  | 'permission';

/** How one remark of a review was answered: a line for the review thread it stands in. */
export interface FeedbackAnswer {
  /** Node id of the review thread. */
  readonly thread: string;
  readonly changed: boolean;
  readonly text: string;
}

/** What the agent asks of people. */
export interface Question {
  readonly text: string;
  /** Answers to choose from; people see them lettered, from a. */
  readonly suggestions: readonly string[];
}

export type Outcome =
  | {
      readonly kind: 'plan_ready';
      readonly plan: string;
      /** What the plan lint still says after the model has had its chances. */
      readonly findings: readonly string[];
      readonly answers: readonly FeedbackAnswer[];
    }
  | {
      readonly kind: 'question';
      readonly questions: readonly Question[];
    }
  | { readonly kind: 'work_ready'; readonly commit: string; readonly report: ConformanceReport }
  | { readonly kind: 'plan_mode_asked'; readonly reason: string }
  | {
      /** A call that a rule, or the mode, leaves to a writer: it waits unanswered. */
      readonly kind: 'permission_asked';
      /** Id of the call. */
      readonly call: string;
      readonly tool: string;
      /** What it would do, in one line: the command, or the path. */
      readonly what: string;
      /** The rule that asks, e.g. `Bash(git push:*)`; `null` where the mode does. */
      readonly rule: string | null;
    }
  | {
      /** A ceiling is reached: the work is kept. */
      readonly kind: 'budget_reached';
      readonly level: BudgetLevel;
      readonly detail: string;
    }
  | {
      /** A change of the plan that the implementation needs: it waits for approval, and its work is kept. */
      readonly kind: 'amendment';
      readonly plan: string;
      readonly reason: string;
      readonly findings: readonly string[];
    }
  | { readonly kind: 'failed'; readonly reason: FailureReason; readonly detail: string };

export interface Cost {
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; `null` where the model has no known price. */
  readonly dollars: number | null;
  /** Time at work, in milliseconds. */
  readonly elapsedMs: number;
}

/** Progress of one item of the checklist, in the order of the plan's steps. */
export interface Task {
  readonly title: string;
  readonly status: 'pending' | 'in_progress' | 'done';
}

export interface RunMemory {
  readonly id: string;
  readonly phase: Phase;
  /** The branch it works for. */
  readonly branch: string;
  /** Ids of the events, comments and reviews it answers. Each is answered by one run. */
  readonly causes: readonly string[];
  readonly status: 'queued' | 'running' | 'stopping' | 'finished' | 'parked' | 'cancelled' | 'failed';
  /** The pull request's head when the run was ordered; `null` before there is one. */
  readonly head: string | null;
  /** The commit of the base branch that it reads. */
  readonly base: string;
  /** Present exactly on an implementation. */
  readonly approval: Approval | null;
  readonly outcome: Outcome | null;
  /** True once the outcome and all that belongs to it stand on GitHub, or were given up for good. */
  readonly isSettled: boolean;
  readonly cost: Cost;
  /** The checklist as it was told last; absent where none was. */
  readonly tasks?: readonly Task[];
}

export interface Memory {
  /** Oldest first. */
  readonly runs: readonly RunMemory[];
  /** What all runs of the repository have used since midnight UTC; absent where there were none. */
  readonly spentToday?: Cost;
  /** True where a ceiling in dollars is set, and what the model costs is not known. */
  readonly isPriceUnknown?: boolean;
}

/** Whether an implementation goes on with code that stands on the pull request already, under the approval that it came of. */
export function isRoundOnCode(run: RunMemory): boolean {
  return run.approval !== null && run.head !== run.approval.head;
}

/** The run once `settleRun` has been carried out on it. */
export function settleRun(run: RunMemory, as: 'published' | 'withdrawn' | 'superseded'): RunMemory {
  if (as === 'published') return { ...run, isSettled: true };
  if (as === 'withdrawn') return { ...run, isSettled: true, status: 'cancelled' };
  const detail = 'The plan file changed while the run was at work.';
  return { ...run, isSettled: true, status: 'failed', outcome: { kind: 'failed', reason: 'superseded', detail } };
}
