import { APIConnectionError, APIError, BadRequestError, ContentTooLargeError } from '@anthropic-ai/sdk';
import type { FailureReason } from '../lifecycle/memory.ts';

/** What becomes of a turn whose request failed. `detail` is one line and holds no key. */
export type ModelFailure =
  /** The stream broke off or fell silent: nothing of the turn counts, and it may be asked for again. */
  | { readonly kind: 'cut'; readonly detail: string }
  | { readonly kind: 'failed'; readonly reason: FailureReason; readonly detail: string };

const MAX_DETAIL = 300;

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
  if (error instanceof ContentTooLargeError || (error instanceof BadRequestError && /too long/i.test(error.message))) {
    return { kind: 'failed', reason: 'context_exceeded', detail: 'The conversation no longer fits the model.' };
  }
  if (error instanceof APIError && typeof error.status === 'number') {
    const said = tellWithout(apiKey, error.apiMessage ?? error.type ?? 'no reason given');
    return { kind: 'failed', reason: 'model_error', detail: `The model's service answered ${error.status}: ${said}` };
  }
  return { kind: 'cut', detail: tellWithout(apiKey, error instanceof Error ? error.message : String(error)) };
}
