import type { ChildMessage } from '../agent/run-protocol.ts';
import type { RunKeeper } from './run-host.ts';

type Spent = Extract<ChildMessage, { kind: 'spent' }>;

/** What a child has said within a turn that it has used, and what says it again has not been kept yet. */
export interface CostInPassing {
  /** Calls `keepIt` in a moment, in which most turns come to their end. */
  told(spent: Spent, keepIt: () => void): void;
  /** A turn that was kept says it as well. */
  isKept(): void;
  /** Keeps what is left to keep. */
  flush(keeper: RunKeeper): Promise<void>;
}

const momentMs = 50;

export function createCostInPassing(): CostInPassing {
  let left: Spent | null = null;
  let timer: NodeJS.Timeout | null = null;
  const settle = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    left = null;
  };
  return {
    told: (spent, keepIt) => {
      left = spent;
      timer ??= setTimeout(() => {
        timer = null;
        keepIt();
      }, momentMs);
    },
    isKept: settle,
    flush: async (keeper) => {
      const spent = left;
      settle();
      if (spent !== null) await keeper.spent(spent);
    },
  };
}
