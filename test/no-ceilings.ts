/** Ceilings and rules that stand in nobody's way. */
import type { Ceiling, Permissions } from '../src/lifecycle/policy.ts';

export const noCeiling: Ceiling = { maxTurns: null, maxTokens: null, maxDollars: null, wallTimeMs: null };

/** What a budget has beside the numbers that a test is about. */
export const noOtherCeilings = { maxDollars: null, thread: noCeiling, day: noCeiling } as const;

export const noRules: Permissions = { mode: 'auto', allow: [], ask: [], deny: [] };
