/** The environment of an app that looks for what no delivery told of often enough to wait for, and else has its peace. */
export const slowSweeps: Readonly<Record<string, string>> = { PLANWRIGHT_SWEEP_INTERVAL_MS: '8000' };
