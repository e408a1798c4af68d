import PQueue from 'p-queue';
import { z } from 'zod';
import { defineTool, type ToolDefinition } from './definition.ts';
import { readKind } from './kinds.ts';

const MAX_HELPERS = 4;

/** Replies of the model until a helper has to have reported. */
export const maxHelperTurns = 15;

export const helperKinds = ['explore', 'plan'] as const;

const input = z.object({
  kind: z.enum(helperKinds),
  task: z.string().trim().min(1).max(8000).describe('What to find out or to design, and what the report must hold'),
});

export type HelperTask = z.infer<typeof input>;

/**
 * Has one helper work with these tools, and answers with its report.
 * @throws CallRefused with what it had found where it ended without one
 */
export type Help = (task: HelperTask, tools: readonly ToolDefinition[], signal: AbortSignal) => Promise<string>;

/** Of the tools of the run, a helper gets those that only look: whatever the phase offers, and never this one. */
export function delegateTool(tools: readonly ToolDefinition[], help: Help): ToolDefinition {
  const looking = tools.filter(({ kind }) => readKind(kind) === 'data_source');
  const queue = new PQueue({ concurrency: MAX_HELPERS });
  return defineTool({
    name: 'delegate',
    kind: 'delegate',
    description:
      'Have a helper explore the code, or design an approach (plan), in a context of its own; the result is its report. ' +
      'It only reads, and knows only what the task says. Several in one turn work side by side.',
    input,
    run: (task, { signal }) => queue.add(() => help(task, looking, signal)),
  });
}
