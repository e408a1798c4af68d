import PQueue from 'p-queue';

export interface WriteLimiter {
  /** Runs one write when its turn has come. A write must not wait for another of the same installation. */
  run<T>(installation: number, write: () => Promise<T>): Promise<T>;
}

/**
 * One write at a time within an installation, each at least `intervalMs` after the one before it (0: no wait).
 * GitHub asks for serial writes with a second between them:
 * https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#pause-between-mutative-requests
 */
export function createWriteLimiter(intervalMs: number): WriteLimiter {
  const queues = new Map<number, PQueue>();
  const queueOf = (installation: number): PQueue => {
    const queue = queues.get(installation) ?? createQueue(intervalMs);
    queues.set(installation, queue);
    return queue;
  };
  return { run: (installation, write) => queueOf(installation).add(write) };
}

function createQueue(intervalMs: number): PQueue {
  return intervalMs > 0
    ? new PQueue({ concurrency: 1, interval: intervalMs, intervalCap: 1, strict: true })
    : new PQueue({ concurrency: 1 });
}
