/**
 * What a decision asks for. Each action is idempotent: whoever carries it out looks before it acts, and doing it twice
 * changes nothing. They are carried out in the order given; `head` in a later action means the pull request's head
 * after the earlier ones.
 */
import type { GateVerdict } from './approval-gate.ts';
import type { UsedCeilings } from './budget.ts';
import type { Command } from './command.ts';
import type { Approval, ConformanceReport, Cost, FailureReason, FeedbackAnswer, Phase, Task } from './memory.ts';
import type { StatusLabel, ThreadState } from './state.ts';

/** Where a reaction goes: the issue itself, or one of its comments or its pull request's comments. */
export type ReactionTarget =
  | { readonly kind: 'issue' }
  | { readonly kind: 'comment'; readonly nodeId: string; readonly id: number };

/** What started or continues the agent's work: the ids of it are the run's causes. */
export type Occasion =
  | { readonly kind: 'request'; readonly text: string | null }
  | { readonly kind: 'reviews'; readonly reviews: readonly number[] }
  | { readonly kind: 'replan'; readonly text: string | null }
  /** `isContinued`: a writer had the agent go on (`/continue`), though questions may be open. */
  | { readonly kind: 'answer'; readonly comments: readonly number[]; readonly isContinued: boolean }
  /** A writer allowed or denied the call that waited, with these words. */
  | { readonly kind: 'permission'; readonly isAllowed: boolean; readonly text: string | null }
  /** A writer had the agent go on after it had reached a ceiling. */
  | { readonly kind: 'continued' }
  /** `resumes`: the run that waited for an amendment of its plan, and whose work goes on; `null` for a new beginning. */
  | { readonly kind: 'approval'; readonly reviews: readonly number[]; readonly resumes: string | null }
  /** A writer declined the agent's wish to go back to planning. */
  | { readonly kind: 'declined' }
  | { readonly kind: 'code_reviews'; readonly reviews: readonly number[] };

/** Whether a run takes up the tree and the conversation of the parked run before it, as they are. */
export function goesOnAsParked(occasion: Occasion): boolean {
  return goesOn[occasion.kind];
}

const goesOn: Readonly<Record<Occasion['kind'], boolean>> = {
  request: false,
  reviews: false,
  replan: false,
  answer: true,
  permission: true,
  continued: true,
  approval: false,
  declined: true,
  code_reviews: false,
};

/** An order for one run. The engine gives it an id and keeps it as `RunMemory`. */
export interface RunOrder {
  readonly phase: Phase;
  readonly branch: string;
  readonly causes: readonly string[];
  readonly occasion: Occasion;
  readonly head: string | null;
  readonly base: string;
  readonly approval: Approval | null;
}

/** What the sticky comment on the issue says. Worded in `github/comments.ts`. */
export interface ThreadStatus {
  readonly state: ThreadState;
  readonly pullRequest: number | null;
  readonly isPullRequestOpen: boolean;
  readonly failure: { readonly reason: FailureReason; readonly detail: string } | null;
  /** What stands in the way of a run, one sentence each: configuration, an archived or empty repository. */
  readonly obstacles: readonly string[];
  /** Why work was given up, where it was: one sentence. */
  readonly note: string | null;
  readonly previousPullRequest: number | null;
  readonly cost: Cost;
  /** Present where a ceiling is set of which something is told. */
  readonly ceilings?: UsedCeilings;
}

export type CheckState =
  | {
      readonly name: 'planwright/plan';
      /** `lost`: there is code, and the approval that it came of is not borne out. */
      readonly state: 'writing' | 'waiting' | 'opened' | 'lost';
      readonly verdict: GateVerdict;
    }
  | {
      readonly name: 'planwright/code';
      readonly state: 'no_code' | 'building' | 'waiting' | 'approved';
      readonly approvers: readonly string[];
      /** How far the implementation is that is under way; absent where it has not said so. */
      readonly tasks?: readonly Task[];
    };

export type Action =
  | { readonly kind: 'react'; readonly to: ReactionTarget; readonly reaction: 'eyes' | 'confused' }
  | { readonly kind: 'setStatusLabel'; readonly label: StatusLabel | null }
  | { readonly kind: 'setStatusComment'; readonly status: ThreadStatus }
  /** Tells once, under a marker of `cause`, why a trigger or a command by this person started nothing. */
  | { readonly kind: 'refuse'; readonly cause: string; readonly login: string; readonly why: string }
  /** Answers a command, or the label set once more, under a marker of `cause`: with what is the case now. */
  | { readonly kind: 'reply'; readonly cause: string; readonly reply: Command['name']; readonly status: ThreadStatus }
  | { readonly kind: 'askQuestions'; readonly run: string }
  /** Tells once, under a marker of `cause`, that a comment names none of the questions, and which are still open. */
  | { readonly kind: 'askForNumbers'; readonly cause: string; readonly login: string; readonly open: readonly number[] }
  | { readonly kind: 'startRun'; readonly order: RunOrder }
  | { readonly kind: 'stopRun'; readonly run: string; readonly why: string }
  /** Commits the run's plan to its branch, at `head` or as a new branch, by compare-and-swap. */
  | { readonly kind: 'publishPlan'; readonly run: string }
  /** Opens the thread's pull request from `branch`, as a draft where drafts exist. */
  | { readonly kind: 'openPullRequest'; readonly branch: string; readonly previousPullRequest: number | null }
  | { readonly kind: 'requestReviewers'; readonly logins: readonly string[] }
  | { readonly kind: 'setCheck'; readonly check: CheckState }
  | { readonly kind: 'answerReviews'; readonly run: string; readonly answers: readonly FeedbackAnswer[] }
  /** Says once, in one comment, what the run's revision changed for which remark since the commit `from`. */
  | {
      readonly kind: 'tellRevision';
      readonly run: string;
      readonly from: string;
      readonly answers: readonly FeedbackAnswer[];
    }
  /** Says once, under a marker of `cause`, which approvals no longer count and why, and asks for a new look. */
  | {
      readonly kind: 'tellLapsed';
      readonly cause: string;
      readonly lapsed: readonly { readonly login: string; readonly why: string }[];
    }
  /** Says once what the run wants changed in the plan, and why: the amendment waits for approval. */
  | { readonly kind: 'tellAmendment'; readonly run: string; readonly from: string }
  /** Dismisses the plan's approvals before code lands, with a message that says why. */
  | { readonly kind: 'holdApprovals'; readonly reviews: readonly number[] }
  /** Pushes the run's commits to its branch by compare-and-swap from `approval.head`. */
  | { readonly kind: 'publishImplementation'; readonly run: string }
  | { readonly kind: 'setPullRequestText'; readonly run: string; readonly report: ConformanceReport }
  | { readonly kind: 'markReady' }
  /**
   * The run's outcome needs no more work: `published` comes last, once all that belongs to it stands on GitHub;
   * `withdrawn` cancels the run and `superseded` fails it, unpublished. The conversation is kept.
   */
  | { readonly kind: 'settleRun'; readonly run: string; readonly as: 'published' | 'withdrawn' | 'superseded' };

export interface Decision {
  readonly state: ThreadState;
  readonly actions: readonly Action[];
}
