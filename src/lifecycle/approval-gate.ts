import type { Facts, PullRequestFacts } from './facts.ts';
import type { Approval } from './memory.ts';

/** One review and why it did or did not count. */
export interface ReviewVerdict {
  readonly isOpen: boolean;
  /** What opened the gate; `null` while it is shut. */
  readonly approval: Approval | null;
  readonly counted: readonly { readonly review: number; readonly login: string; readonly permission: string }[];
  readonly ignored: readonly { readonly review: number; readonly login: string; readonly reason: string }[];
  /** Why the gate is shut, one sentence each; empty when it is open. */
  readonly missing: readonly string[];
  /** True but not in the way, e.g. a stale base under `stale: warn`. */
  readonly warnings: readonly string[];
}
