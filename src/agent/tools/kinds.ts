import type { Phase } from '../../lifecycle/memory.ts';

/** What a tool does to the world: looks, asks people, writes the plan file, changes the tree, tells of progress, has a helper look. */
const toolKinds = ['data_source', 'interactive', 'plan', 'resource', 'task', 'delegate'] as const;

export type ToolKind = (typeof toolKinds)[number];

const offeredIn: Readonly<Record<Phase, readonly ToolKind[]>> = {
  plan: ['data_source', 'interactive', 'plan', 'delegate'],
  implement: ['data_source', 'interactive', 'resource', 'task', 'delegate'],
};

/** The kinds whose tools a phase sends to the model. Nothing else decides it. */
export function kindsOffered(phase: Phase): readonly ToolKind[] {
  return offeredIn[phase];
}

/** An unknown kind counts as `resource`: what nobody has thought about may not run while planning. */
export function readKind(kind: string): ToolKind {
  return toolKinds.find((known) => known === kind) ?? 'resource';
}
