/**
 * The agent's loop: the vendor's tool runner, and around it what a thread needs. Each turn is stored before the next
 * request; a request that broke off is repeated; each reply has one outcome.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type Anthropic from '@anthropic-ai/sdk';
import type { BetaToolRunner } from '@anthropic-ai/sdk/lib/tools/BetaToolRunner';
import type { BetaMessage, BetaMessageParam } from '@anthropic-ai/sdk/resources/beta.js';
import type { ConversationLog } from './conversation-log.ts';
import type { HostChannel } from './host-channel.ts';
import { type ModelFailure, readModelFailure } from './model-failure.ts';
import type { Patience, RunResult, RunSpec } from './run-protocol.ts';
import type { ToolDefinition } from './tools/definition.ts';
import { toRunnable } from './tools/offer.ts';
import type { TurnOrder } from './tools/turn-order.ts';

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
export interface LoopPorts<End = RunResult> {
  readonly client: Anthropic;
  readonly model: RunSpec['model'];
  /** The same bytes for all work of its kind. */
  readonly system: string;
  readonly patience: Patience;
  readonly tools: readonly ToolDefinition[];
  readonly order: TurnOrder;
  readonly log: Pick<ConversationLog, 'toSend'>;
  readonly host: Pick<HostChannel, 'audit'>;
  readonly signal: AbortSignal;
  /** Takes one complete reply: stores the turn, and says how it goes on. */
  readonly handle: (reply: BetaMessage, runCalls: RunCalls) => Promise<AfterReply<End>>;
}

type Attempt<End> =
  | { readonly kind: 'ended'; readonly result: End }
  | { readonly kind: 'broken'; readonly failure: ModelFailure; readonly turns: number };

/**
 * Two cache points: the system prompt, for what it and the tools before it are in every other run of the phase, and the
 * last block, for what this conversation has said so far.
 * Source: https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
function createRunner<End>({ client, model, system, tools, order, log, signal }: LoopPorts<End>): BetaToolRunner<true> {
  return client.beta.messages.toolRunner(
    {
      model: model.id,
      max_tokens: model.maxOutputTokens,
      system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }],
      tools: tools.map((tool) => toRunnable(tool, order, signal)),
      messages: log.toSend(),
      cache_control: { type: 'ephemeral' },
      stream: true,
      thread: false,
    },
    { signal },
  );
}

/** Follows one runner until the run ends or a request breaks off. */
async function follow<End>(ports: LoopPorts<End>): Promise<Attempt<End>> {
  const { log, signal } = ports;
  const runner = createRunner(ports);
  let turns = 0;
  for await (const stream of runner) {
    let reply: BetaMessage;
    try {
      reply = await stream.finalMessage();
    } catch (error) {
      signal.throwIfAborted();
      return { kind: 'broken', failure: readModelFailure(error, ports.model.apiKey), turns };
    }
    turns += 1;
    const after = await ports.handle(reply, () => runner.generateToolResponse(signal));
    if (after.kind === 'end') return { kind: 'ended', result: after.result };
    if (after.kind === 'go_on') runner.setMessagesParams((params) => ({ ...params, messages: log.toSend() }));
  }
  throw new Error('expected the run to end with a reply, got the end of the runner');
}

/**
 * Runs until there is a result. A turn whose stream breaks off is asked for again, three times at the most.
 * @throws the signal's reason once it is aborted
 */
export async function runLoop<End>(ports: LoopPorts<End>): Promise<End | LoopFailure> {
  const { host, patience, signal } = ports;
  let cuts = 0;
  for (;;) {
    signal.throwIfAborted();
    const attempt = await follow(ports);
    if (attempt.kind === 'ended') return attempt.result;
    const { failure, turns } = attempt;
    if (failure.kind === 'failed') return failure;
    cuts = turns > 0 ? 1 : cuts + 1;
    host.audit('stream_cut', failure.detail);
    if (cuts > MAX_CUTS) {
      const detail = `The model's answer broke off ${cuts} times: ${failure.detail}`;
      return { kind: 'failed', reason: 'model_error', detail };
    }
    await delay(patience.retryDelayMs * 2 ** (cuts - 1), undefined, { signal });
  }
}
