import { fileURLToPath } from 'node:url';

/** The module that a run's own process runs. */
export const childPath: string = fileURLToPath(new URL('../src/agent/run-child.ts', import.meta.url));
