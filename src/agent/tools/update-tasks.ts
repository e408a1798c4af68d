import { z } from 'zod';
import type { Task } from '../run-protocol.ts';
import type { RunState } from '../run-state.ts';
import { defineTool, type ToolDefinition } from './definition.ts';

export const updateTasksInput = z.object({
  tasks: z
    .array(
      z.object({
        title: z.string().trim().min(1).max(300).regex(/^.*$/, 'expected one line'),
        status: z.enum(['pending', 'in_progress', 'done']),
      }),
    )
    .min(1)
    .max(100)
    .describe('The whole checklist, one item a step of the plan, in its order'),
  deviations: z
    .array(z.string().trim().min(1).max(1000))
    .max(50)
    .optional()
    .describe('One sentence for everything that is done otherwise than planned'),
});

export interface Progress {
  /** Resolves once the step's changes are kept under this title. */
  readonly stepDone: (title: string) => Promise<void>;
  readonly tasks: (tasks: readonly Task[]) => void;
}

/** A checklist that people see; it gates nothing. A step that turns to done is kept as a step of its own. */
export function updateTasksTool(state: RunState, progress: Progress): ToolDefinition {
  return defineTool({
    name: 'update_tasks',
    kind: 'task',
    description:
      'Show how far the work is. Mark a step in_progress before you begin it and done as soon as it is: ' +
      'what changed until then is kept as that step.',
    input: updateTasksInput,
    run: async ({ tasks, deviations }) => {
      const before = new Set(state.tasks.filter((task) => task.status === 'done').map((task) => task.title));
      const finished = tasks.filter((task) => task.status === 'done' && !before.has(task.title));
      for (const { title } of finished) await progress.stepDone(title);
      state.tasks = tasks;
      state.deviations = [...new Set([...state.deviations, ...(deviations ?? [])])];
      progress.tasks(tasks);
      const done = tasks.filter((task) => task.status === 'done').length;
      return `${done} of ${tasks.length} done`;
    },
  });
}
