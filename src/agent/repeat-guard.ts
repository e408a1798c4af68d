/** Ends a run that goes in circles. */
export interface RepeatGuard {
  /** Counts a turn's calls before they run. Answers why the run must end, or `null`. */
  refuse(calls: readonly { readonly name: string; readonly input: unknown }[]): string | null;
  /** Tells how a call went that was meant to change something. */
  changed(call: { readonly name: string; readonly input: unknown }, hasWorked: boolean): void;
  /** What was looked at so far is summarized: to look again is no repetition. */
  forgetLooks(): void;
}

const MAX_SAME_CALLS = 5;
const MAX_FAILED_CHANGES = 20;

/** The same value for the same content, whatever the order of its keys. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, canonical(item)]));
}

/**
 * The same call, by name and input, may be made five times in a run. Once a change has worked, what only looks may be
 * repeated, as its answer may be another; changes themselves stay counted. Twenty different changes may fail.
 */
export function createRepeatGuard(isChange: (name: string) => boolean): RepeatGuard {
  const looks = new Map<string, number>();
  const changes = new Map<string, number>();
  const failed = new Set<string>();
  const keyOf = (call: { readonly name: string; readonly input: unknown }) =>
    JSON.stringify([call.name, canonical(call.input)]);
  return {
    refuse: (calls) => {
      for (const call of calls) {
        const counts = isChange(call.name) ? changes : looks;
        const count = (counts.get(keyOf(call)) ?? 0) + 1;
        counts.set(keyOf(call), count);
        if (count > MAX_SAME_CALLS) {
          return `The same call of ${call.name.slice(0, 60)} was made more than ${MAX_SAME_CALLS} times.`;
        }
      }
      return failed.size > MAX_FAILED_CHANGES
        ? `More than ${MAX_FAILED_CHANGES} changes were refused or failed.`
        : null;
    },
    changed: (call, hasWorked) => {
      if (hasWorked) looks.clear();
      else failed.add(keyOf(call));
    },
    forgetLooks: () => looks.clear(),
  };
}
