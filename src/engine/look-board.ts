import type { Facts } from '../lifecycle/facts.ts';

/** How looks of this process have ended, for a run that waits to be looked at before it begins. */
export interface LookBoard {
  /** Everything that asked for a look up to `wake` has had it, with these facts; `null` where it was refused or failed. */
  publish(thread: string, wake: number, facts: Facts | null): void;
  /** Begins to watch a thread; call it before the look is asked for. */
  watch(thread: string): LookWatch;
}

interface LookWatch extends Disposable {
  /** The facts of the first look that covers `wake`; `null` where it did not go through, or none ended within `timeoutMs`. */
  after(wake: number, timeoutMs: number): Promise<Facts | null>;
}

interface Seen {
  readonly wake: number;
  readonly facts: Facts | null;
}

export function createLookBoard(): LookBoard {
  const watches = new Map<string, Set<(seen: Seen) => void>>();
  return {
    publish: (thread, wake, facts) => {
      for (const tell of watches.get(thread) ?? []) tell({ wake, facts });
    },
    watch: (thread) => {
      const all = watches.get(thread) ?? new Set();
      watches.set(thread, all);
      let seen: Seen | null = null;
      let wanted: { readonly wake: number; readonly resolve: (facts: Facts | null) => void } | null = null;
      const settle = () => {
        if (seen !== null && wanted !== null && seen.wake >= wanted.wake) wanted.resolve(seen.facts);
      };
      const tell = (next: Seen) => {
        seen = next;
        settle();
      };
      all.add(tell);
      return {
        after: async (wake, timeoutMs) => {
          const { promise, resolve } = Promise.withResolvers<Facts | null>();
          wanted = { wake, resolve };
          settle();
          const timer = setTimeout(() => resolve(null), timeoutMs);
          const facts = await promise;
          clearTimeout(timer);
          return facts;
        },
        [Symbol.dispose]: () => {
          all.delete(tell);
          if (all.size === 0) watches.delete(thread);
        },
      };
    },
  };
}
