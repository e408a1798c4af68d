/** The vendor's answers: a message whole, the same message as stream events, and errors. */
import { createHash } from 'node:crypto';
import type { CountRequest } from './model-request.ts';
import type { Cue } from './play-script.ts';
import { type Summarized, type SummaryBlock, summarize } from './summary.ts';
import type { Json, Part, Step } from './transcript.ts';

/** The model that every answer names, whichever was asked for. */
export const scriptedModelId = 'scripted';

const charactersPerToken = 4;
const charactersPerDelta = 48;

type ContentBlock =
  | SummaryBlock
  | { readonly type: 'text'; readonly text: string; readonly citations: null }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: Readonly<Record<string, Json>>;
    };

interface Tokens {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly output_tokens: number;
}

interface Usage extends Tokens {
  /** What a summary has used is not in the sums. */
  readonly iterations?: readonly ({ readonly type: 'compaction' } & Tokens)[];
}

export interface AnswerMessage {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly model: typeof scriptedModelId;
  readonly content: readonly ContentBlock[];
  readonly stop_reason: NonNullable<Step['stop_reason']> | null;
  readonly stop_sequence: null;
  readonly stop_details: { readonly type: 'refusal'; readonly category: null; readonly explanation: string } | null;
  readonly container: null;
  readonly context_management: null;
  readonly usage: Usage;
}

export interface StreamEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** The answer of a step. The same request gets the same message, its ids included. */
export function composeAnswer(cue: Cue, request: CountRequest): AnswerMessage {
  const seed = createHash('sha256')
    .update(JSON.stringify([cue.transcript.name, cue.index, request.messages]))
    .digest('hex');
  const callsTool = cue.parts.some((part) => 'tool' in part);
  const stopReason = cue.step.stop_reason ?? (callsTool ? 'tool_use' : 'end_turn');
  return {
    id: `msg_${seed.slice(0, 24)}`,
    type: 'message',
    role: 'assistant',
    model: scriptedModelId,
    content: cue.parts.map((part, index) => composeBlock(part, `toolu_${seed.slice(0, 22)}${index}`)),
    stop_reason: stopReason,
    stop_sequence: null,
    stop_details:
      stopReason === 'refusal' ? { type: 'refusal', category: null, explanation: 'The transcript refuses.' } : null,
    container: null,
    context_management: null,
    usage: estimateUsage(cue, request),
  };
}

/** The answer to a request for a summary: the summary, alone. */
export function composeSummary(request: CountRequest, summarized: Summarized): AnswerMessage {
  const block = summarize(request, summarized);
  const cached = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const used = { input_tokens: countTokens(request), output_tokens: toTokens(block.content.length), ...cached };
  return {
    id: `msg_${block.signature.slice(0, 24)}`,
    type: 'message',
    role: 'assistant',
    model: scriptedModelId,
    content: [block],
    stop_reason: 'compaction',
    stop_sequence: null,
    stop_details: null,
    container: null,
    context_management: null,
    usage: { input_tokens: 0, output_tokens: 0, ...cached, iterations: [{ type: 'compaction', ...used }] },
  };
}

function composeBlock(part: Part, id: string): ContentBlock {
  return 'text' in part
    ? { type: 'text', text: part.text, citations: null }
    : { type: 'tool_use', id, name: part.tool, input: part.input };
}

/** With a `cache_control` everything before the newest message counts as read from the cache, from the second turn on. */
function estimateUsage(cue: Cue, request: CountRequest): Usage {
  if (cue.step.usage !== undefined) {
    return { ...cue.step.usage, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  }
  const total = countTokens(request);
  const output = toTokens(JSON.stringify(cue.parts).length);
  const isCached = JSON.stringify(request).includes('"cache_control":{');
  const newest = request.messages.findLastIndex((message) => message.role === 'assistant');
  const fresh = newest < 0 ? total : toTokens(JSON.stringify(request.messages.slice(newest)).length);
  return {
    input_tokens: isCached ? 0 : total,
    cache_creation_input_tokens: isCached ? fresh : 0,
    cache_read_input_tokens: isCached ? total - fresh : 0,
    output_tokens: output,
  };
}

/** Estimated tokens of what the model would read. */
export function countTokens({ system, tools, messages }: CountRequest): number {
  return toTokens(JSON.stringify([system, tools, messages]).length);
}

function toTokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

/**
 * The events of a streamed answer, in the vendor's order.
 * Source: https://docs.claude.com/en/build-with-claude/streaming#event-types
 */
export function streamEvents(message: AnswerMessage): readonly StreamEvent[] {
  const start = { ...message, content: [], stop_reason: null, stop_details: null };
  return [
    { type: 'message_start', message: { ...start, usage: { ...message.usage, output_tokens: 1 } } },
    { type: 'ping' },
    ...message.content.flatMap(blockEvents),
    {
      type: 'message_delta',
      delta: { stop_reason: message.stop_reason, stop_sequence: null, stop_details: message.stop_details },
      usage: message.usage,
    },
    { type: 'message_stop' },
  ];
}

function blockEvents(block: ContentBlock, index: number): readonly StreamEvent[] {
  const [empty, deltas] = piecesOf(block);
  return [
    { type: 'content_block_start', index, content_block: empty },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

/** A block as it begins, and what fills it; a summary comes in one piece. */
function piecesOf(block: ContentBlock): readonly [object, readonly object[]] {
  switch (block.type) {
    case 'text':
      return [{ ...block, text: '' }, cut(block.text).map((text) => ({ type: 'text_delta', text }))];
    case 'tool_use': {
      const pieces = ['', ...cut(JSON.stringify(block.input))];
      return [{ ...block, input: {} }, pieces.map((json) => ({ type: 'input_json_delta', partial_json: json }))];
    }
    case 'compaction': {
      const { content, encrypted_content } = block;
      return [{ ...block, content: null }, [{ type: 'compaction_delta', content, encrypted_content }]];
    }
  }
}

/** By characters, so that no delta ends inside a surrogate pair. */
function cut(text: string): readonly string[] {
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / charactersPerDelta) }, (_, index) =>
    characters.slice(index * charactersPerDelta, (index + 1) * charactersPerDelta).join(''),
  );
}

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** The vendor's error body. Source: https://docs.claude.com/en/api/errors */
export function composeError(status: number, message: string, requestId: string) {
  return { type: 'error', error: { type: errorTypes[status] ?? 'api_error', message }, request_id: requestId };
}
