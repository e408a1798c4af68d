import { readKind } from '../../src/agent/tools/kinds.ts';
import { toolsOf } from '../agent/phase-tools.ts';

/** Names of the tools that change something, a shell among them: every definition of kind `resource`. */
export const resourceTools: ReadonlySet<string> = new Set(
  toolsOf('implement')
    .filter(({ kind }) => readKind(kind) === 'resource')
    .map(({ name }) => name),
);
