/** Counts requests per bearer and hour and tells them in GitHub's headers. Nothing is refused: tests do that by a fault. */

const LIMIT = 15_000;
const WINDOW_MS = 60 * 60 * 1000;

export interface RateLimit {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  /** Seconds since the epoch. */
  readonly reset: number;
}

export interface RateLimits {
  count(bearer: string, resource: 'core' | 'graphql'): void;
  read(bearer: string, resource: 'core' | 'graphql'): RateLimit;
}

export function createRateLimits(clock: () => number): RateLimits {
  const windows = new Map<string, { readonly start: number; used: number }>();
  const current = (bearer: string, resource: string) => {
    const key = `${resource} ${bearer}`;
    const open = windows.get(key);
    if (open !== undefined && clock() < open.start + WINDOW_MS) return open;
    const fresh = { start: clock(), used: 0 };
    windows.set(key, fresh);
    return fresh;
  };
  return {
    count(bearer, resource) {
      current(bearer, resource).used += 1;
    },
    read(bearer, resource) {
      const { start, used } = current(bearer, resource);
      const reset = Math.ceil((start + WINDOW_MS) / 1000);
      return { limit: LIMIT, used, remaining: Math.max(LIMIT - used, 0), reset };
    },
  };
}

/** Source: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api */
export function rateLimitHeaders(limit: RateLimit, resource: 'core' | 'graphql'): Readonly<Record<string, string>> {
  return {
    'x-ratelimit-limit': String(limit.limit),
    'x-ratelimit-remaining': String(limit.remaining),
    'x-ratelimit-used': String(limit.used),
    'x-ratelimit-reset': String(limit.reset),
    'x-ratelimit-resource': resource,
  };
}
