/** UsedCeilings and rules that stand in nobody's way. */
import type { Ceiling, Permissions } from '../src/lifecycle/policy.ts';

export const noLimit: Ceiling = { maxTurns: null, maxTokens: null, maxDollars: null, wallTimeMs: null };

/** What a budget has beside the numbers that a test is about. */
export const noOtherLimits = { maxDollars: null, thread: noLimit, day: noLimit } as const;

export const noRules: Permissions = { mode: 'auto', allow: [], ask: [], deny: [] };
