import { APIConnectionError, APIError, BadRequestError, ContentTooLargeError } from '@anthropic-ai/sdk';
import type { BetaMessage } from '@anthropic-ai/sdk/resources/beta.js';
import type { FailureReason } from '../lifecycle/memory.ts';

/** What becomes of a turn whose request failed. `detail` is one line and holds no key. */
export type ModelFailure =
  /** The stream broke off or fell silent: nothing of the turn counts, and it may be asked for again. */
  | { readonly kind: 'cut'; readonly detail: string }
  | { readonly kind: 'failed'; readonly reason: FailureReason; readonly detail: string };

const MAX_DETAIL = 300;
/** The vendor has no code for it: `prompt is too long: …`, or, with the room for the answer, `… exceed context limit: …`. */
const tooLong = /too long|exceed context limit/i;

/** What came from outside, as one short line without the key: a service, or a proxy before it, may send back what it got. */
export function tellWithout(apiKey: string, text: string): string {
  const hidden = apiKey === '' ? text : text.replaceAll(apiKey, '…');
  return hidden.replace(/\s+/g, ' ').trim().slice(0, MAX_DETAIL);
}

/**
 * Reads an error of the vendor's client, which has by then repeated what it repeats itself: connection errors, 408, 409,
 * 429 and 5xx. An error within a stream has no status and is repeated by nobody else.
 */
export function readModelFailure(error: unknown, apiKey: string): ModelFailure {
  if (error instanceof APIConnectionError) {
    return { kind: 'failed', reason: 'model_error', detail: 'The model could not be reached.' };
  }
  if (error instanceof ContentTooLargeError || (error instanceof BadRequestError && tooLong.test(error.message))) {
    return { kind: 'failed', reason: 'context_exceeded', detail: 'The conversation no longer fits the model.' };
  }
  if (error instanceof BadRequestError && error.errorCode?.startsWith('compaction_')) {
    // Another model, or another key: the run after this one begins anew, without the summary.
    return {
      kind: 'failed',
      reason: 'context_exceeded',
      detail: 'The model no longer takes the summary of the conversation.',
    };
  }
  if (error instanceof APIError && typeof error.status === 'number') {
    const said = tellWithout(apiKey, error.apiMessage ?? error.type ?? 'no reason given');
    return { kind: 'failed', reason: 'model_error', detail: `The model's service answered ${error.status}: ${said}` };
  }
  const said = error instanceof Error ? error.message : String(error);
  // The client's own words would quote what the model was writing.
  return { kind: 'cut', detail: /\bJSON\b/.test(said) ? notJson : tellWithout(apiKey, said) };
}

const notJson = 'a part of the answer was not JSON';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * `null` where the calls of a reply may run. The vendor's client completes an input that breaks off, as one does whose
 * stream lost a part, and keeps beside it the text that it got. Of two calls under one id nobody could tell which was
 * answered, or allowed.
 */
export function findBrokenCall({ content, stop_reason }: BetaMessage): ModelFailure | null {
  if (stop_reason !== 'tool_use') return null;
  const isBroken = content.some((block) => {
    const text: unknown = Object.getOwnPropertyDescriptor(block, '__json_buf')?.value;
    return block.type === 'tool_use' && typeof text === 'string' && text !== '' && !isJson(text);
  });
  if (isBroken) return { kind: 'cut', detail: notJson };
  const ids = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
  return new Set(ids).size < ids.length ? { kind: 'cut', detail: 'two calls of the answer had the same id' } : null;
}
