/** What a run is told of the world outside: data only, quoted into prompts as labelled, untrusted text. */

import type { Task } from '../lifecycle/memory.ts';

export type Trust = 'writer' | 'requester' | 'issue author';

export interface Quoted {
  readonly author: string;
  readonly trust: Trust;
  /** What a reader sees of it. */
  readonly text: string;
  /** How many passages were taken out that a reader does not see; absent for none. */
  readonly hidden?: number;
}

/** Lines that a reviewer wants in place of those that a remark is about. */
export interface Suggestion {
  readonly author: string;
  /** Without their ends; none where the lines are to be deleted. */
  readonly lines: readonly string[];
}

/** One review thread as the reviewer saw it. */
export interface LineRemark {
  /** Node id of the review thread: how the agent names the remark in its answer. */
  readonly thread: string;
  readonly path: string;
  readonly subject: 'line' | 'file';
  readonly side: 'LEFT' | 'RIGHT';
  /** 1-based, inclusive, in the file as the reviewer saw it; `null` for a remark on the whole file. */
  readonly lines: { readonly start: number; readonly end: number } | null;
  /** Those lines as they read in the commit that the comment names; the diff hunk where that commit is gone. */
  readonly quoted: string;
  readonly isOutdated: boolean;
  /** What people say of it; `[suggestion 1]` stands where the first suggestion was. */
  readonly comments: readonly Quoted[];
  /** In the order of the thread; the model names them by their number, from 1. */
  readonly suggestions: readonly Suggestion[];
  /** The lines that the suggestions replace, whole; `null` where there are no suggestions or the lines cannot be told. */
  readonly replaced: readonly string[] | null;
}

export interface Feedback {
  /** Review bodies, oldest first. */
  readonly bodies: readonly Quoted[];
  readonly remarks: readonly LineRemark[];
}

/** An issue as its people wrote it. */
export interface IssueText {
  readonly number: number;
  readonly title: string;
  readonly body: Quoted;
}

/**
 * `kept`: its steps and its tree are there. `loose`: all of it is in the tree, but not every step is within the new plan, so
 * none is kept as one. `lost`: the tree is as the plan's commit left it.
 */
export type ResumedWork = 'kept' | 'loose' | 'lost';

export interface Resumption {
  readonly work: ResumedWork;
  /** The checklist as the work was left; empty unless that is kept. */
  readonly tasks: readonly Task[];
}

/** What became of one question. */
export interface Answer {
  /** Counted from 1. */
  readonly question: number;
  readonly text: string;
  /** What people could choose from, as lettered for them: the first is a. Absent where there was nothing. */
  readonly suggestions?: readonly string[];
  /** What people said to it, oldest first; empty where it is open. */
  readonly answers: readonly Quoted[];
}

/** What was said on an issue before a plan was asked for. */
export interface Discussion {
  /** Oldest first. */
  readonly comments: readonly Quoted[];
  /** What was left out, one phrase a reason, e.g. `3 comments by people without write access`. */
  readonly leftOut: readonly string[];
}

/** A file by which a repository tells agents how it wants to be worked on, as the base commit has it. */
export interface InstructionFile {
  readonly path: string;
  /** Empty where the file is only named. */
  readonly text: string;
  /** The first line, from 1, that is not given whole; absent where all of them are. */
  readonly restFrom?: number;
}

export type RunBrief =
  | {
      readonly kind: 'request';
      /** `null` wherever it stands: somebody without a say has changed the issue since the request. */
      readonly issue: IssueText | null;
      /** Absent where nobody had said anything. */
      readonly discussion?: Discussion;
      /** Text after `/plan`, if any. */
      readonly note: Quoted | null;
      readonly instructions: readonly InstructionFile[];
    }
  | { readonly kind: 'changes_requested'; readonly feedback: Feedback; readonly plan: string }
  | { readonly kind: 'replan'; readonly note: Quoted | null; readonly plan: string | null }
  | {
      readonly kind: 'answered';
      /** One for each question that was asked, in their order. */
      readonly answers: readonly Answer[];
      /** What was said beside, without the number of a question, oldest first. Absent where there was nothing. */
      readonly remarks?: readonly Quoted[];
      /** Whether a writer had the agent go on without the answers that are missing. */
      readonly isContinued: boolean;
    }
  /** A writer's word on the call that waited. */
  | { readonly kind: 'permission'; readonly call: string; readonly isAllowed: boolean; readonly note: Quoted | null }
  /** The run before had reached a ceiling; a writer has it go on. */
  | { readonly kind: 'continued' }
  /** A writer declined the agent's wish to go back to planning. */
  | { readonly kind: 'declined' }
  | {
      readonly kind: 'approved';
      readonly plan: string;
      readonly commit: string;
      readonly approvers: readonly string[];
      readonly feedback: Feedback;
      readonly issue: IssueText | null;
      /** What became of the work of a run that waited for an amendment of the plan; absent where there was none. */
      readonly resumed?: Resumption;
    }
  | { readonly kind: 'code_changes_requested'; readonly plan: string; readonly feedback: Feedback };
