/** The tools that each phase can have, over a checkout that is not there: for what is said of them, not for what they do. */
import { newRunState } from '../../src/agent/run-state.ts';
import type { ToolDefinition } from '../../src/agent/tools/definition.ts';
import type { PlanTask } from '../../src/agent/tools/exit-plan-mode.ts';
import { implementTools, planTools } from '../../src/agent/tools/offer.ts';
import { createTurnOrder } from '../../src/agent/tools/turn-order.ts';
import type { Phase } from '../../src/lifecycle/memory.ts';

/** What differs from run to run. */
export interface Place {
  readonly task: PlanTask;
  readonly checkout: string;
  readonly holdsCode: boolean;
}

const nowhere: Place = {
  task: { issue: 7, base: 'b'.repeat(40), planPath: 'plan.md' },
  checkout: '/nonexistent',
  holdsCode: false,
};

/** All of them: with the shell, where the phase can have one. */
export function toolsOf(phase: Phase, { task, checkout, holdsCode }: Place = nowhere): readonly ToolDefinition[] {
  const parts = {
    readHistory: async () => '',
    state: newRunState(null, []),
    order: createTurnOrder(),
    command: () => Promise.reject(new Error('expected no command')),
    help: async () => '',
  };
  const place = { path: checkout, commit: task.base };
  if (phase === 'plan') {
    return planTools({ ...parts, checkout: { access: 'read-only', ...place }, task, lint: async () => [] });
  }
  return implementTools({
    ...parts,
    checkout: { access: 'writable', ...place },
    check: () => undefined,
    hosts: [],
    progress: { stepDone: async () => ({ outside: [], faults: [] }), tasks: () => undefined },
    amendment: { plan: null, holdsCode, lint: async () => [] },
  });
}
