import type { ScopeEntry } from '../../lifecycle/facts.ts';
import { nameSome } from '../../lifecycle/phrases.ts';
import { parsePlan } from '../../plan/plan-file.ts';
import { isInScope, isProtected } from '../../plan/scope.ts';
import { amendingTool } from '../rejection.ts';
import type { RunSpec } from '../run-protocol.ts';
import { CallRefused } from './definition.ts';

/** @throws CallRefused for a change that an implementation may not make, with what it may do instead. */
export type CheckChange = (path: string, change: ScopeEntry['change']) => void;

type Rules = Pick<RunSpec, 'plan' | 'planPath' | 'scopeAllow' | 'scopeMode' | 'holdsCode'>;

const MAX_NAMED = 40;

function nameScope(scope: readonly ScopeEntry[]): string {
  const named = scope.map((entry) => `${entry.path} (${entry.change})`);
  return named.length === 0 ? 'nothing' : nameSome(named, MAX_NAMED);
}

/** A plan that cannot be read names nothing. */
export function plannedScope(plan: string | null): readonly ScopeEntry[] {
  const parsed = plan === null ? null : parsePlan(plan);
  return parsed !== null && 'plan' in parsed ? parsed.plan.files : [];
}

/**
 * The plan file changes through review alone; a protected path only where the plan names it; and where the repository
 * blocks what is out of scope, the plan's own files and the allowed patterns are all there is.
 */
export function changeRules(rules: Rules): CheckChange {
  const scope = plannedScope(rules.plan);
  const tool = amendingTool(rules);
  return (path, change) => {
    if (path === rules.planPath) {
      throw new CallRefused(`${path} is the plan: it changes through review alone; call ${tool} to ask for that`);
    }
    const isPlanned = isInScope(path, change, scope, []);
    if (isProtected(path) && !isPlanned) {
      throw new CallRefused(`${path} is protected, and the plan does not name it; leave it as it is, or call ${tool}`);
    }
    if (rules.scopeMode === 'block' && !isPlanned && !isInScope(path, change, scope, rules.scopeAllow)) {
      throw new CallRefused(
        `expected a change within the plan's scope, got ${path} (${change}); the scope is: ${nameScope(scope)}; ` +
          `where the work needs more, call ${tool}`,
      );
    }
  };
}
