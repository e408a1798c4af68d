/** The plan lint over a run's checkout. */
import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { lintPlan } from '../plan/lint.ts';
import type { RunSpec, TreeReport } from './run-protocol.ts';
import type { LintText } from './tools/exit-plan-mode.ts';
import type { AmendmentPorts } from './tools/propose-amendment.ts';

type Place = Pick<RunSpec, 'issue' | 'base' | 'planPath' | 'checkout'>;

function isFileIn(checkout: string, asked: string): boolean {
  try {
    const place = realpathSync(path.join(checkout, asked));
    return place.startsWith(`${checkout}/`) && statSync(place).isFile();
  } catch {
    return false;
  }
}

/** Where the checkout is the base commit as it is. */
export function planLint({ issue, base, planPath, checkout }: Place): LintText {
  const exists = (asked: string) => isFileIn(checkout, asked);
  return (text) => lintPlan(text, { issue, base, planPath, exists });
}

/** Where an implementation has changed the checkout: what counts is what was there before that. */
export function amendmentLint(place: Place, readTree: () => Promise<TreeReport>): AmendmentPorts['lint'] {
  const { issue, base, planPath, checkout } = place;
  return async (text) => {
    const { changes } = await readTree();
    const made = new Set(changes.flatMap(({ path, change }) => (['create', 'move'].includes(change) ? [path] : [])));
    const gone = new Set(changes.flatMap(({ path, change, from }) => (change === 'delete' ? [path] : [from])));
    const exists = (asked: string) => gone.has(asked) || (!made.has(asked) && isFileIn(checkout, asked));
    return lintPlan(text, { issue, base, planPath, exists });
  };
}
