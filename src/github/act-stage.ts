/** What every action works with: the facts, what this sequence has made since they were read, and the way to write. */
import { currentPullRequest } from '../lifecycle/branch.ts';
import type { Facts, PullRequestFacts } from '../lifecycle/facts.ts';
import type { OutGate } from '../text/out-gate.ts';
import { cleanLine, maxTitleCharacters, type OutRules } from '../text/text-out.ts';
import type { AppKey } from './app-key.ts';
import type { ClientLog } from './client.ts';
import { markedBody, withheldNote } from './comments.ts';
import type { ActContext, ThreadRef } from './github.ts';
import { formatThreadKey, type Marker } from './identifiers.ts';
import { isUnclear, statusOf } from './response-errors.ts';
import type { Held, Session } from './session.ts';

/** A check run that this sequence has set; `text` is what is compared with what is wanted. */
export interface KnownCheck {
  readonly id: number;
  readonly status: string;
  readonly conclusion: string | null;
  readonly text: string;
}

/** What the facts cannot know because it was made after they were read. */
interface Made {
  /** Comments by marker. */
  readonly comments: Map<string, { readonly id: number; readonly body: string }>;
  /** Check runs by commit and name. */
  readonly checks: Map<string, KnownCheck>;
  /** Everything that is done once, by what it is. */
  readonly done: Set<string>;
  /** The issue's labels; `null` while they are as the facts say. */
  labels: readonly string[] | null;
  /** Ids of status labels that were made. */
  readonly labelIds: Map<string, string>;
  pullRequestText: { readonly title: string; readonly body: string } | null;
}

export interface Stage {
  readonly context: ActContext;
  readonly facts: Facts;
  readonly made: Made;
  readonly log: ClientLog;
  /** The repository as REST names it. */
  readonly repository: { readonly owner: string; readonly repo: string };
  /** The thread's key, for markers and checks. */
  readonly key: string;
  readonly rules: OutRules;
  /** Signs with the app's key. */
  readonly sign: AppKey['sign'];
  /** The account and the app that this app acts as. */
  readonly self: () => Promise<{ readonly id: number; readonly appId: number }>;
  /** A title as it may go out: without secrets, and still no longer than GitHub takes. */
  line(text: string): Promise<string>;
  /** A text as it may go out, and what it says at its end of what it had to leave out: empty where it is as it was. */
  out(text: string): Promise<{ readonly text: string; readonly note: string }>;
  /** A whole body as it may go out, with its marker. What is compared with what GitHub shows is this, and nothing before. */
  body(text: string, marker: Marker): Promise<string>;
  /** One write, in its turn. */
  write<T>(what: string, work: (held: Held) => Promise<T>, use?: 'act' | 'settle'): Promise<T>;
}

/** Gives each sequence of actions one `Made`, for as long as its context lives. */
export function createStages(options: {
  readonly session: Session;
  readonly log: ClientLog;
  readonly self: Stage['self'];
  readonly sign: Stage['sign'];
  readonly gate: OutGate;
  /** Told of every text, each time; `rest` is what is left of it. */
  readonly onWithheld: (thread: ThreadRef, kinds: readonly string[], rest: string) => void;
}): (context: ActContext) => Stage {
  const sequences = new WeakMap<ActContext, Made>();
  return (context) => {
    const made = sequences.get(context) ?? nothingMade();
    sequences.set(context, made);
    const { owner, name } = context.facts.repository;
    const out = async (given: string) => {
      const { text, withheld } = await options.gate.withhold(given);
      if (withheld.length === 0) return { text, note: '' };
      options.onWithheld(context.thread, withheld, text);
      return { text, note: withheldNote(withheld) };
    };
    return {
      context,
      facts: context.facts,
      made,
      log: options.log,
      repository: { owner, repo: name },
      key: formatThreadKey(context.thread),
      rules: { ownIssue: context.facts.issue.number },
      self: options.self,
      sign: options.sign,
      out,
      line: async (given) => {
        const { text, note } = await out(given);
        return note === '' ? text : cleanLine(text, maxTitleCharacters);
      },
      body: async (given, marker) => {
        const { text, note } = await out(given);
        return markedBody(text, marker, note);
      },
      write: (what, work, use) => options.session.write(context.thread, what, work, use),
    };
  };
}

function nothingMade(): Made {
  return {
    comments: new Map(),
    checks: new Map(),
    done: new Set(),
    labels: null,
    labelIds: new Map(),
    pullRequestText: null,
  };
}

/** The pull request of the sequence as the facts show it; `null` where it was opened since. */
export function factsOfPullRequest(stage: Stage): PullRequestFacts | null {
  const current = currentPullRequest(stage.facts);
  const { pullRequest } = stage.context;
  if (pullRequest === null) return current?.state === 'open' ? current : null;
  return stage.facts.pullRequests.find(({ number }) => number === pullRequest.number) ?? null;
}

/** The thread's open pull request, whether the facts know it or it was opened since. */
export function openPullRequestOf(stage: Stage): { readonly number: number; readonly nodeId: string } | null {
  return stage.context.pullRequest ?? factsOfPullRequest(stage);
}

/** The commit of a run's plan, once it stands on the pull request's branch; `null` where the run changed nothing. */
export function commitOfRun(stage: Stage, run: string): string | null {
  const known = factsOfPullRequest(stage)?.commits.findLast(({ trailers }) => trailers?.run === run)?.sha;
  if (known !== undefined) return known;
  const from = stage.context.memory.runs.find(({ id }) => id === run)?.head ?? null;
  return stage.context.head === from ? null : stage.context.head;
}

/** A text as it is compared: GitHub gives back what was posted with other line breaks, and without blanks at its end. */
export function asShown(text: string): string {
  return text.replaceAll('\r\n', '\n').trimEnd();
}

/**
 * Makes a thing that must not be made twice. After a failure that leaves open whether it was made, it is looked for by
 * its marker or natural key, and made again only where it is not there.
 */
export async function makeOnce<T>(make: () => Promise<T>, find: () => Promise<T | null>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (!isUnclear(error)) throw error;
  }
  return (await find()) ?? make();
}

/** True where GitHub refuses because the conversation is locked. The thread goes on; its labels and checks still show it. */
export function isLockedError(error: unknown): boolean {
  return statusOf(error) === 403 && error instanceof Error && /\block/i.test(error.message);
}
