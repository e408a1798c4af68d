/**
 * What the host and the child process of a run say to each other over Node's IPC channel.
 * The child holds no GitHub credential and opens no database; the model key comes in `start` and nowhere else.
 */
import type { BetaMessageParam } from '@anthropic-ai/sdk/resources/beta.js';
import type { ScopeEntry } from '../lifecycle/facts.ts';
import type { Cost, Outcome, Phase, Task, Verification } from '../lifecycle/memory.ts';
import type { Budget, Ceiling, Permissions } from '../lifecycle/policy.ts';
import type { InstructionFile, IssueText, LineRemark, RunBrief } from './brief.ts';

/** Of a model, in US dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** How long a run waits for the model, in milliseconds. */
export interface Patience {
  /** For the beginning of an answer, and for the next byte of its stream. 120,000 by default. */
  readonly silentMs: number;
  /** For the next event of a stream that sends nothing but pings. 600,000 by default. */
  readonly pingOnlyMs: number;
  /** The longest wait that a refusal may ask for; a longer one fails the run. 300,000 by default. */
  readonly retryAfterMs: number;
  /** Before the first repetition of a turn that was cut; doubled for each further one. 1,000 by default. */
  readonly retryDelayMs: number;
}

/** How the name of the folder begins that the host gives a run's process for temporary files of its own, as TMPDIR. */
export const temporaryPrefix = 'planwright-run-';

export interface RunSpec {
  readonly run: string;
  readonly phase: Phase;
  /** Absolute path of the checkout; read-only to the operating system in the plan phase. */
  readonly checkout: string;
  /** Absolute path of a folder of the run's own for temporary files. */
  readonly scratch: string;
  readonly planPath: string;
  /** The plan as it stands; `null` where none has been written. */
  readonly plan: string | null;
  readonly issue: number;
  readonly base: string;
  /** What is new since the conversation so far. `null` when a crashed run goes on where it stopped. */
  readonly brief: RunBrief | null;
  /**
   * What the work began with, as GitHub shows it now, where the brief does not say it: the brief of a run that goes on where
   * it stopped, or of the one before the pauses that it goes on after. For what is stated anew after compaction.
   */
  readonly told?: RunBrief;
  /** Present exactly on a revision: the remarks that it answers, also where the conversation says them already. */
  readonly remarks?: readonly LineRemark[];
  /** What was asked for, where neither the brief nor the conversation says it: the conversation is lost. */
  readonly request?: IssueText | null;
  /** The repository's own, where neither the brief nor the conversation holds those of this base. */
  readonly instructions?: readonly InstructionFile[];
  /** The thread's conversation. Its last reply may hold calls that an earlier process of the run began and did not answer. */
  readonly conversation: readonly BetaMessageParam[];
  readonly model: {
    readonly id: string;
    readonly apiKey: string;
    /** `null` for the vendor's own. */
    readonly baseUrl: string | null;
    readonly maxOutputTokens: number;
    /** `null` where it is not known. */
    readonly price: Price | null;
  };
  /** What the run itself may use, and what is left for it of its thread's budget and of its repository's for the day. */
  readonly budget: Budget;
  /** The untouched set; the phase says what of it holds. */
  readonly permissions: Permissions;
  /** Whether a plan run has a shell. */
  readonly planShell: boolean;
  /** What the run has used so far, when it goes on after a crash. */
  readonly spent: Cost;
  /** Commands to run after an implementation: the plan's `verify` and the configuration's `checks`. */
  readonly checks: readonly string[];
  /** Paths that may be changed beside the plan's own; glob patterns of picomatch. */
  readonly scopeAllow: readonly string[];
  readonly scopeMode: 'block' | 'warn';
  /** Hosts that an implementation's commands may reach: those that the repository lists and the operator allows. None by default. */
  readonly hosts?: readonly string[];
  /** Of the forge: the only one that a plan may link to. Absent where there is none. */
  readonly forgeHost?: string;
  /** Why the sandbox of this host cannot be relied on, as its start-up found: then no command is tried. */
  readonly sandboxFault?: string;
  /** Whether the pull request holds code already: then the plan cannot be amended beside it. */
  readonly holdsCode: boolean;
  /** The size in tokens at which the conversation is summarized. 150,000 by default. */
  readonly compactAtTokens?: number;
  /** Where it is absent, the defaults hold. */
  readonly patience?: Partial<Patience>;
}

/** What stands against committing a tree, one item each; both are empty where nothing does. Fit to be shown to people. */
export interface Rejection {
  /** Changes outside of the plan's scope, e.g. "`src/a.ts` (create)". */
  readonly outside: readonly string[];
  /** What no commit may hold, beginning with the path. */
  readonly faults: readonly string[];
}

/** The run's tree as the host reads it. */
export interface TreeReport extends Rejection {
  /** Everything that differs from the commit that the run began with. */
  readonly changes: readonly {
    readonly path: string;
    readonly change: ScopeEntry['change'];
    /** For a move, where it came from. */
    readonly from: string | null;
  }[];
}

export type HostMessage =
  | { readonly kind: 'start'; readonly spec: RunSpec }
  /**
   * The message with this `seq` is durable; for `step_done`, the step is committed. `dayLeft`: what the run may use in all
   * of what is left to its repository for the day now.
   */
  | { readonly kind: 'stored'; readonly seq: number; readonly dayLeft?: Ceiling }
  /** The step of `step_done` with this `seq` was not committed. */
  | ({ readonly kind: 'rejected'; readonly seq: number } & Rejection)
  /** The answer to `read_tree` with this `seq`. */
  | ({ readonly kind: 'tree'; readonly seq: number } & TreeReport)
  /** The answer to `history` with this `seq`: one line a commit. */
  | { readonly kind: 'history'; readonly seq: number; readonly text: string }
  /** Stop at once: make no further model request, end all processes. */
  | { readonly kind: 'stop' };

/** What is to be appended to the conversation. */
export interface Said {
  readonly messages: readonly BetaMessageParam[];
  /** The plan as it stands. */
  readonly plan: string | null;
  readonly spent: Cost;
}

/** Lines of the audit log that are a run's to tell; what the host does, it tells by itself. */
export const runEvents = [
  'call_allowed',
  'call_asked',
  'call_denied',
  'call_failed',
  'call_refused',
  'helper_failed',
  'no_sandbox',
  'not_summarized',
  'stream_cut',
] as const;

export type RunEvent = (typeof runEvents)[number];

export type ChildMessage =
  /** A complete turn, or the rest of one. The child goes on only after `stored`. */
  | ({ readonly kind: 'turn'; readonly seq: number } & Said)
  /** The first part of a turn whose calls change something. They run only after `stored`; until then nothing has changed. */
  | ({ readonly kind: 'reply'; readonly seq: number } & Said)
  /** A step of the implementation is done: the host commits the tree under this title before it answers `stored`. */
  | { readonly kind: 'step_done'; readonly seq: number; readonly title: string }
  /** Asks how the tree stands against what it began with: the git directory is the host's. */
  | { readonly kind: 'read_tree'; readonly seq: number }
  /** Asks for the commits that changed a path, or all: the git directory is the host's. */
  | { readonly kind: 'history'; readonly seq: number; readonly path: string | null; readonly limit: number }
  | { readonly kind: 'tasks'; readonly tasks: readonly Task[] }
  /** What has been used within a turn that is not complete yet. */
  | { readonly kind: 'spent'; readonly spent: Cost }
  /** A line for the log: a call that was refused, a retry. Holds no secret and no file content. */
  | { readonly kind: 'audit'; readonly event: RunEvent; readonly detail: string }
  /** The last message. To work that is done the host adds what it alone knows: commits and files. */
  | { readonly kind: 'ended'; readonly seq: number; readonly result: RunResult; readonly spent: Cost };

export type RunResult =
  | Exclude<Outcome, { kind: 'work_ready' }>
  | {
      readonly kind: 'work_done';
      readonly deviations: readonly string[];
      readonly verifications: readonly Verification[];
    };
