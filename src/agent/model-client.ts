import Anthropic from '@anthropic-ai/sdk';
import type { Patience, RunSpec } from './run-protocol.ts';
import { watchStream } from './watch-stream.ts';

const MAX_RETRIES = 5;

/** How long a run waits for the model where its specification says nothing. */
export const defaultPatience: Patience = {
  silentMs: 120_000,
  pingOnlyMs: 600_000,
  retryAfterMs: 300_000,
  retryDelayMs: 1_000,
};

/** How long the service asks to wait, in milliseconds; `null` where it does not say. */
function retryAfter(headers: Headers): number | null {
  const precise = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (!Number.isNaN(precise)) return precise;
  const value = headers.get('retry-after');
  if (value === null) return null;
  const seconds = Number.parseFloat(value);
  return Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000;
}

/** A limit that says no time is a cap on spending; one that lasts for hours is no reason to hold a process. */
function isWorthWaiting(response: Response, patience: Patience): boolean {
  const wait = retryAfter(response.headers);
  if (wait === null) return response.status !== 429;
  return wait <= patience.retryAfterMs;
}

/** The vendor's client asks this header before it retries. */
function withoutRetry(response: Response): Response {
  const headers = new Headers(response.headers);
  headers.set('x-should-retry', 'false');
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

/**
 * The vendor's client with everything said, so that no environment variable can redirect it. It repeats what failed before a
 * stream began, waits for a limit only as long as `patience` allows, and ends a stream that falls silent.
 */
export function createModelClient(model: RunSpec['model'], patience: Patience): Anthropic {
  return new Anthropic({
    apiKey: model.apiKey,
    authToken: null,
    webhookKey: null,
    baseURL: model.baseUrl ?? 'https://api.anthropic.com',
    maxRetries: MAX_RETRIES,
    timeout: patience.silentMs,
    logLevel: 'off',
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (!response.ok) return isWorthWaiting(response, patience) ? response : withoutRetry(response);
      // Whatever it says that it is: every request asks for a stream, and what a proxy sends instead breaks off.
      return watchStream(response, patience);
    },
  });
}
