/** Reads what Octokit throws: by its fields, never by its class, so that one copy of a package more does no harm. */
import { z } from 'zod';
import { Forbidden, Unreadable } from './github.ts';

const responseError = z.object({
  status: z.number(),
  message: z.string(),
  response: z
    .object({
      headers: z.record(z.string(), z.union([z.string(), z.number()]).optional()),
      data: z.unknown(),
    })
    .optional(),
});

/** The HTTP status; 500 also stands for a connection that broke. `null` for what is no answer of GitHub. */
export function statusOf(error: unknown): number | null {
  const parsed = responseError.safeParse(error);
  return parsed.success ? parsed.data.status : null;
}

/** True where GitHub may have done what was asked all the same: a broken connection, a time-out, any 5xx. */
export function isUnclear(error: unknown): boolean {
  return (statusOf(error) ?? 0) >= 500;
}

/** The same of a GraphQL mutation, which may also have been done in part. */
export function isUnclearMutation(error: unknown): boolean {
  return isUnclear(error) || error instanceof Unreadable;
}

/** True where what GitHub says of a 422 holds `pattern`, in its message or in one of its errors. */
export function isUnprocessable(error: unknown, pattern: RegExp): boolean {
  const parsed = responseError.safeParse(error);
  if (!parsed.success || parsed.data.status !== 422) return false;
  return pattern.test(parsed.data.message) || pattern.test(JSON.stringify(parsed.data.response?.data ?? ''));
}

/**
 * The refusal behind an error; `null` where it is none, e.g. a rate limit, which the client has waited for already.
 * Source: https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api
 */
export function forbiddenFrom(error: unknown, what: string): Forbidden | null {
  if (error instanceof Forbidden) return error;
  const parsed = responseError.safeParse(error);
  if (!parsed.success) return null;
  const { status, message, response } = parsed.data;
  const options = { cause: error };
  if (status === 404 || status === 410) {
    return new Forbidden(`expected to ${what}, got ${status}: it is gone or out of the app's reach`, null, options);
  }
  if (status === 451) return new Forbidden(`expected to ${what}, got 451: GitHub has blocked it`, null, options);
  if (status !== 403 || isRateLimit(message, response?.headers ?? {})) return null;
  return new Forbidden(`expected to ${what}, got 403: ${firstLine(message)}`, acceptedPermission(response), options);
}

function isRateLimit(message: string, headers: Readonly<Record<string, string | number | undefined>>): boolean {
  return (
    /rate limit|abuse/i.test(message) ||
    String(headers['x-ratelimit-remaining'] ?? '') === '0' ||
    headers['retry-after'] !== undefined
  );
}

/** GitHub names what a call needs in a header, e.g. `issues=write; pull_requests=write`. */
function acceptedPermission(response: z.infer<typeof responseError>['response']): string | null {
  const header = response?.headers['x-accepted-github-permissions'];
  return typeof header === 'string' && header !== '' ? header.replaceAll('=', ': ') : null;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
