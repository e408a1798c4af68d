/** One running stand-in for GitHub: its state and what its parts share. */
import { createFaults, type Faults } from './faults.ts';
import { createRateLimits, type RateLimits } from './rate-limits.ts';
import type { RequestRecord } from './request-log.ts';
import type { ForgeState } from './state.ts';
import { createWebhooks, type Webhooks } from './webhooks.ts';

export interface Forge {
  readonly state: ForgeState;
  /** Folder that holds the bare repositories. */
  readonly gitRoot: string;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** One sequence for every database id. */
  readonly nextId: () => number;
  readonly webhooks: Webhooks;
  readonly faults: Faults;
  readonly rateLimits: RateLimits;
  /** Every API and git request, in order of arrival. */
  readonly requests: RequestRecord[];
  /** Requests and answers that break GitHub's own description, one sentence each. */
  readonly violations: string[];
  /** A line for the head of its pages, e.g. that the model behind the app is scripted; `null` for none. */
  readonly notice: string | null;
  /** `http://127.0.0.1:PORT`, without a trailing slash; set once the server listens. */
  webUrl: string;
}

export interface ForgeOptions {
  readonly gitRoot: string;
  /** Milliseconds since the epoch; the host's clock by default. */
  readonly clock?: () => number;
  /** A line for the head of its pages; `null`, the default, for none. */
  readonly notice?: string | null;
}

/** A forge without accounts, apps or repositories. */
export function createForge(options: ForgeOptions): Forge {
  const state: ForgeState = {
    accounts: [],
    teams: [],
    apps: [],
    installations: [],
    tokens: [],
    repositories: [],
    deliveries: [],
  };
  let lastId = 1000;
  const nextId = (): number => {
    lastId += 1;
    return lastId;
  };
  const clock = options.clock ?? Date.now;
  return {
    state,
    gitRoot: options.gitRoot,
    clock,
    nextId,
    webhooks: createWebhooks(state, nextId, () => formatTime(clock())),
    faults: createFaults(),
    rateLimits: createRateLimits(clock),
    requests: [],
    violations: [],
    notice: options.notice ?? null,
    webUrl: 'http://127.0.0.1',
  };
}

/** The forge's time as GitHub writes it: UTC, whole seconds. */
export function now(forge: Forge): string {
  return formatTime(forge.clock());
}

/** UTC, whole seconds. */
export function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
