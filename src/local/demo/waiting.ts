/** Waiting for something to stand on the forge, and giving up for a reason that a person can read. */
import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 60;

/** What did not come, and why it is no longer waited for. */
export class WaitFailure extends Error {
  override readonly name = 'WaitFailure';
}

export type Wait = <T>(what: string, find: () => T | null) => Promise<T>;

export interface WaitOptions {
  /** Called before each look; what it throws ends the wait. */
  readonly watch: (what: string) => void;
  readonly signal: AbortSignal;
  /** Milliseconds; `null` waits for as long as it takes. */
  readonly timeoutMs: number | null;
}

/**
 * Makes a function that looks until `find` gives something; `what` names it in words: "the pull request". It throws a
 * `WaitFailure` after the time-out, what `watch` throws, and an AbortError once the signal fires.
 */
export function createWait(options: WaitOptions): Wait {
  return (what, find) => waitFor(what, find, options);
}

async function waitFor<T>(what: string, find: () => T | null, options: WaitOptions): Promise<T> {
  const deadline = options.timeoutMs === null ? Number.POSITIVE_INFINITY : Date.now() + options.timeoutMs;
  while (true) {
    options.signal.throwIfAborted();
    options.watch(what);
    const found = find();
    if (found !== null) return found;
    if (Date.now() > deadline) {
      throw new WaitFailure(`expected ${what} within ${(options.timeoutMs ?? 0) / 1000} s, got nothing`);
    }
    await sleep(pollMs, undefined, { signal: options.signal });
  }
}
