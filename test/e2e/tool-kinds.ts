import { newRunState } from '../../src/agent/run-state.ts';
import { readKind } from '../../src/agent/tools/kinds.ts';
import { implementTools } from '../../src/agent/tools/offer.ts';
import { createTurnOrder } from '../../src/agent/tools/turn-order.ts';

/** Names of the tools that change something, a shell among them: every definition of kind `resource`. */
export const resourceTools: ReadonlySet<string> = new Set(
  implementTools({
    checkout: { access: 'writable', path: '/nonexistent', commit: '' },
    readHistory: async () => '',
    state: newRunState(null, []),
    order: createTurnOrder(),
    check: () => undefined,
    command: () => Promise.reject(new Error('expected no command')),
    progress: { stepDone: async () => ({ outside: [], faults: [] }), tasks: () => undefined },
    amendment: { plan: null, holdsCode: false, lint: async () => [] },
    help: async () => '',
  })
    .filter(({ kind }) => readKind(kind) === 'resource')
    .map(({ name }) => name),
);
