/**
 * What `work` gives, unless it takes longer. Its signal is then aborted, and what it still does is nobody's concern.
 * @throws {Error} where the time is over, and whatever `work` throws
 */
export async function beforeDeadline<T>(timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new Error(`expected an answer within ${timeoutMs} ms, got none`));
    controller.abort();
  }, timeoutMs);
  try {
    return await Promise.race([work(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
