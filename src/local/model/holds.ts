/** Named places at which an answer waits for the test or the demo. */
export interface Holds {
  /** Waits at the place until it is released or the signal fires. A place that was released lets everyone pass. */
  wait(name: string, signal: AbortSignal): Promise<void>;
  /** Resolves once an answer has come to the place. */
  held(name: string): Promise<void>;
  release(name: string): void;
}

/** Places come into being as they are named. */
export function createHolds(): Holds {
  const places = new Map<string, { reached: PromiseWithResolvers<void>; opened: PromiseWithResolvers<void> }>();
  const place = (name: string) => {
    const known = places.get(name) ?? { reached: Promise.withResolvers<void>(), opened: Promise.withResolvers<void>() };
    places.set(name, known);
    return known;
  };
  return {
    async wait(name, signal) {
      const { reached, opened } = place(name);
      reached.resolve();
      const aborted = Promise.withResolvers<void>();
      const onAbort = () => aborted.resolve();
      signal.addEventListener('abort', onAbort, { once: true });
      if (!signal.aborted) await Promise.race([opened.promise, aborted.promise]);
      signal.removeEventListener('abort', onAbort);
    },
    held: (name) => place(name).reached.promise,
    release: (name) => place(name).opened.resolve(),
  };
}
