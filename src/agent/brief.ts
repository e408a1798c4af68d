/** What a run is told of the world outside: data only, quoted into prompts as labelled, untrusted text. */

export type Trust = 'writer' | 'requester' | 'issue author';

export interface Quoted {
  readonly author: string;
  readonly trust: Trust;
  readonly text: string;
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
  readonly comments: readonly Quoted[];
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

export type RunBrief =
  | {
      readonly kind: 'request';
      readonly issue: IssueText;
      /** Text after `/plan`, if any. */
      readonly note: Quoted | null;
      readonly instructions: readonly { readonly path: string; readonly text: string }[];
    }
  | { readonly kind: 'changes_requested'; readonly feedback: Feedback; readonly plan: string }
  | { readonly kind: 'replan'; readonly note: Quoted | null; readonly plan: string | null }
  | { readonly kind: 'answered'; readonly answers: readonly Quoted[] }
  /** A writer declined the agent's wish to go back to planning. */
  | { readonly kind: 'declined' }
  | {
      readonly kind: 'approved';
      readonly plan: string;
      readonly commit: string;
      readonly approvers: readonly string[];
      readonly feedback: Feedback;
      readonly issue: IssueText;
    }
  | { readonly kind: 'code_changes_requested'; readonly plan: string; readonly feedback: Feedback };
