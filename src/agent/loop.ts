/**
 * The agent's loop: the vendor's tool runner, and around it what a thread needs. Each turn is stored before the next
 * request; a request that broke off is repeated; each reply has one outcome.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { BetaMessage, BetaMessageParam } from '@anthropic-ai/sdk/resources/beta.js';
import type { Compactor } from './compactor.ts';
import type { ConversationLog } from './conversation-log.ts';
import type { HostChannel } from './host-channel.ts';
import { findBrokenCall, type ModelFailure, readModelFailure } from './model-failure.ts';
import type { Patience, RunResult } from './run-protocol.ts';
import { createRunner, type RunnerPorts } from './runner.ts';

const MAX_CUTS = 3;

/** What becomes of the work after a reply. `resume`: the runner sends the unfinished reply back by itself. */
export type AfterReply<End = RunResult> =
  | { readonly kind: 'go_on' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'end'; readonly result: End };

/** How it ends where the model cannot be had. */
type LoopFailure = Extract<RunResult, { readonly kind: 'failed' }>;

/** Runs the calls of the reply that is being handled. */
export type RunCalls = () => Promise<BetaMessageParam | null>;

/** A run's own conversation, or that of one of its helpers. */
export interface LoopPorts<End = RunResult> extends RunnerPorts {
  readonly patience: Patience;
  readonly log: Pick<ConversationLog, 'toSend'>;
  readonly host: Pick<HostChannel, 'audit'>;
  /** Absent where a conversation that grows too long has failed. */
  readonly compactor?: Compactor;
  /** Takes one complete reply: stores the turn, and says how it goes on. */
  readonly handle: (reply: BetaMessage, runCalls: RunCalls) => Promise<AfterReply<End>>;
  /** Counts what a reply that broke off has used all the same: it is paid for. */
  readonly countCut: (usage: BetaMessage['usage']) => void;
  /** Before each request that a summary, or a reply that broke off, has made necessary: what ends the work at its ceiling. */
  readonly whenSpent: () => End | null;
}

type Attempt<End> =
  | { readonly kind: 'ended'; readonly result: End | LoopFailure }
  /** The next request is to be made anew: the conversation is, or is to be, summarized. */
  | { readonly kind: 'again' }
  | { readonly kind: 'broken'; readonly failure: ModelFailure; readonly turns: number };

/** Follows one runner until the run ends or a request breaks off. */
async function follow<End>(ports: LoopPorts<End>): Promise<Attempt<End>> {
  const { compactor, log, signal, countCut } = ports;
  const runner = createRunner(ports, log.toSend());
  let turns = 0;
  for await (const stream of runner) {
    let reply: BetaMessage;
    try {
      reply = await stream.finalMessage();
    } catch (error) {
      if (stream.currentMessage !== undefined) countCut(stream.currentMessage.usage);
      signal.throwIfAborted();
      return { kind: 'broken', failure: readModelFailure(error, ports.model.apiKey), turns };
    }
    const broken = findBrokenCall(reply);
    if (broken !== null) {
      countCut(reply.usage);
      return { kind: 'broken', failure: broken, turns };
    }
    turns += 1;
    compactor?.measure(reply.usage);
    const after = await ports.handle(reply, () => runner.generateToolResponse(signal));
    const isTooLong = reply.stop_reason === 'model_context_window_exceeded';
    if (isTooLong && compactor?.demand()) return { kind: 'again' };
    if (after.kind === 'end') return { kind: 'ended', result: after.result };
    if (after.kind === 'go_on' && compactor?.due()) return { kind: 'again' };
    if (after.kind === 'go_on') runner.setMessagesParams((params) => ({ ...params, messages: log.toSend() }));
  }
  throw new Error('expected the run to end with a reply, got the end of the runner');
}

/** Asks for a summary of these messages, and for nothing else. */
async function summarize<End>(
  ports: LoopPorts<End>,
  compactor: Compactor,
  messages: BetaMessageParam[],
): Promise<Attempt<End>> {
  const goOnWithout = (why: string): Attempt<End> => {
    if (compactor.goOnWithout(why)) return { kind: 'again' };
    const detail = `The conversation cannot be sent as it is, and there is no new summary of it: ${why}`;
    return { kind: 'ended', result: { kind: 'failed', reason: 'context_exceeded', detail } };
  };
  for await (const stream of createRunner(ports, messages, 'for a summary')) {
    let reply: BetaMessage;
    try {
      reply = await stream.finalMessage();
    } catch (error) {
      if (stream.currentMessage !== undefined) ports.countCut(stream.currentMessage.usage);
      ports.signal.throwIfAborted();
      const failure = readModelFailure(error, ports.model.apiKey);
      return failure.kind === 'cut' ? { kind: 'broken', failure, turns: 0 } : goOnWithout(failure.detail);
    }
    return (await compactor.take(reply)) ? { kind: 'again' } : goOnWithout('The model wrote none.');
  }
  throw new Error('expected a summary, got the end of the runner');
}

function nextAttempt<End>(ports: LoopPorts<End>): Promise<Attempt<End>> {
  const { compactor } = ports;
  const due = compactor?.due() ?? null;
  return compactor === undefined || due === null ? follow(ports) : summarize(ports, compactor, due);
}

/**
 * Runs until there is a result. A turn whose stream breaks off is asked for again, three times at the most.
 * What the model refuses as too long is summarized and asked for once more.
 * @throws the signal's reason once it is aborted
 */
export async function runLoop<End>(ports: LoopPorts<End>): Promise<End | LoopFailure> {
  const { compactor, host, patience, signal, whenSpent } = ports;
  let cuts = 0;
  for (;;) {
    signal.throwIfAborted();
    const end = whenSpent();
    if (end !== null) return end;
    const attempt = await nextAttempt(ports);
    if (attempt.kind === 'ended') return attempt.result;
    if (attempt.kind === 'again') {
      cuts = 0;
      continue;
    }
    const { failure, turns } = attempt;
    if (failure.kind === 'failed') {
      if (failure.reason === 'context_exceeded' && compactor?.demand()) continue;
      return failure;
    }
    cuts = turns > 0 ? 1 : cuts + 1;
    host.audit('stream_cut', failure.detail);
    if (cuts > MAX_CUTS) {
      const detail = `The model's answer broke off ${cuts} times: ${failure.detail}`;
      return { kind: 'failed', reason: 'model_error', detail };
    }
    await delay(patience.retryDelayMs * 2 ** (cuts - 1), undefined, { signal });
  }
}
