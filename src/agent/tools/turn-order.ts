import { CallRefused } from './definition.ts';

/**
 * The order of the calls of one turn. The vendor's runner starts them all at once; here reads run side by side, and
 * whatever changes something runs alone, in the order in which the model wrote the calls. A call that ends the turn
 * waits for all the others.
 */
export interface TurnOrder {
  /** Begins a turn. Calls of tools that are not offered have failed already: nothing will run for them. */
  begin(calls: readonly { readonly id: string; readonly isOffered: boolean }[]): void;
  beside<T>(work: () => Promise<T>): Promise<T>;
  alone<T>(work: () => Promise<T>): Promise<T>;
  settle(id: string, hasWorked: boolean): void;
  /** Waits for the other calls of the turn; `true` where one of them failed. */
  haveOthersFailed(id: string): Promise<boolean>;
  /** The first call that asks may end the turn. */
  claimEnd(id: string): boolean;
}

interface Entry {
  readonly settled: Promise<boolean>;
  readonly settle: (hasWorked: boolean) => void;
}

function newEntry(): Entry {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  return { settled: promise, settle: resolve };
}

/**
 * Gives a call the end of its turn, after all the other calls of the turn. Resolves with `true` where one of them failed.
 * @throws CallRefused for a second call that would end the turn
 */
export async function endTurn(order: TurnOrder, call: string): Promise<boolean> {
  if (!order.claimEnd(call)) throw new CallRefused('expected one call that ends the turn, got a second one');
  return order.haveOthersFailed(call);
}

/** An order for one run at a time; `begin` starts it anew for each turn. */
export function createTurnOrder(): TurnOrder {
  let entries = new Map<string, Entry>();
  let endedBy: string | null = null;
  let lastAlone: Promise<unknown> = Promise.resolve();
  let running: Promise<unknown>[] = [];

  const track = <T>(work: Promise<T>): Promise<T> => {
    const quiet = work.catch(() => undefined);
    running.push(quiet);
    return work;
  };
  return {
    begin: (calls) => {
      entries = new Map(calls.map(({ id }) => [id, newEntry()]));
      endedBy = null;
      running = [];
      lastAlone = Promise.resolve();
      for (const { id, isOffered } of calls) if (!isOffered) entries.get(id)?.settle(false);
    },
    beside: (work) => track(lastAlone.then(work)),
    alone: (work) => {
      const before = Promise.all(running);
      const done = track(before.then(work));
      lastAlone = done.catch(() => undefined);
      return done;
    },
    settle: (id, hasWorked) => entries.get(id)?.settle(hasWorked),
    haveOthersFailed: async (id) => {
      const others = [...entries].filter(([other]) => other !== id).map(([, entry]) => entry.settled);
      return (await Promise.all(others)).includes(false);
    },
    claimEnd: (id) => {
      endedBy ??= id;
      return endedBy === id;
    },
  };
}
