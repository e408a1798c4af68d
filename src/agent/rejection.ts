/** What a run is told of a tree that may not be committed, and how often. */
import { nameSome } from '../lifecycle/phrases.ts';
import type { Rejection, RunResult, RunSpec } from './run-protocol.ts';
import type { RunState } from './run-state.ts';

const MAX_REJECTIONS = 2;
const MAX_NAMED = 40;

export function isRejected({ outside, faults }: Rejection): boolean {
  return outside.length + faults.length > 0;
}

/** Counts one more rejection; `false` where the run has had its chances to mend the tree. */
export function grantChance(state: RunState): boolean {
  state.rejections += 1;
  return state.rejections <= MAX_REJECTIONS;
}

/** The call by which a run asks for a change of its plan: beside code a plan cannot be reviewed again. */
export function amendingTool({ holdsCode }: Pick<RunSpec, 'holdsCode'>): string {
  return holdsCode ? 'enter_plan_mode' : 'propose_amendment';
}

/** What is wrong with the tree, and what to do about it. */
export function describeRejection({ outside, faults }: Rejection, spec: Pick<RunSpec, 'holdsCode'>): string {
  const scope =
    outside.length === 0
      ? []
      : [
          `These changes are not in the plan's scope: ${nameSome(outside, MAX_NAMED)}. ` +
            `Undo them, or call ${amendingTool(spec)} to have the plan changed.`,
        ];
  const patch = faults.length === 0 ? [] : [`This cannot be committed; mend it:\n- ${some(faults).join('\n- ')}`];
  return [...scope, ...patch].join('\n\n');
}

/** A tree can hold any number of faults. */
function some(faults: readonly string[]): readonly string[] {
  const more = faults.length - MAX_NAMED;
  return more > 0 ? [...faults.slice(0, MAX_NAMED), `and ${more} more`] : faults;
}

/** How a run ends that has not mended its tree. */
export function rejectedResult({ outside, faults }: Rejection): Extract<RunResult, { kind: 'failed' }> {
  if (outside.length === 0) return { kind: 'failed', reason: 'patch_refused', detail: some(faults).join('\n') };
  const detail = `These changes are not in the plan's scope: ${nameSome(outside, MAX_NAMED)}.`;
  return { kind: 'failed', reason: 'out_of_scope', detail };
}
