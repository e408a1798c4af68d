import { z } from 'zod';
import type { Task } from '../../lifecycle/memory.ts';
import { describeRejection, grantChance, isRejected, rejectedResult } from '../rejection.ts';
import type { Rejection, RunSpec } from '../run-protocol.ts';
import { maxDeviations, type RunState } from '../run-state.ts';
import { CallRefused, defineTool, type ToolDefinition } from './definition.ts';

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
  /** Resolves once the step's changes are kept under this title, or with what stands against that. */
  readonly stepDone: (title: string) => Promise<Rejection>;
  readonly tasks: (tasks: readonly Task[]) => void;
}

interface Refused {
  readonly title: string;
  readonly rejection: Rejection;
  /** The titles that are not done after all: this one and those after it. */
  readonly unkept: ReadonlySet<string>;
}

/** Keeps each step that turned to done, up to the first that cannot be kept. */
async function keepFinished(state: RunState, progress: Progress, tasks: readonly Task[]): Promise<Refused | null> {
  const before = new Set(state.tasks.filter(({ status }) => status === 'done').map(({ title }) => title));
  const finished = tasks.filter(({ title, status }) => status === 'done' && !before.has(title));
  const unkept = new Set(finished.map(({ title }) => title));
  for (const { title } of finished) {
    const rejection = await progress.stepDone(title);
    if (isRejected(rejection)) return { title, rejection, unkept };
    state.rejections = 0;
    unkept.delete(title);
  }
  return null;
}

/**
 * A checklist that people see; it gates nothing. A step that turns to done is kept as a step of its own, unless what has
 * changed may not be committed: then the run is told, and ends where it does not mend that.
 */
export function updateTasksTool(state: RunState, progress: Progress, spec: Pick<RunSpec, 'holdsCode'>): ToolDefinition {
  return defineTool({
    name: 'update_tasks',
    kind: 'task',
    description:
      'Show how far the work is. Mark a step in_progress before you begin it and done as soon as it is: ' +
      'what changed until then is kept as that step.',
    input: updateTasksInput,
    run: async ({ tasks, deviations }, { id }) => {
      const refused = await keepFinished(state, progress, tasks);
      state.deviations = [...new Set([...state.deviations, ...(deviations ?? [])])].slice(0, maxDeviations);
      state.tasks = tasks.map((task) => (refused?.unkept.has(task.title) ? { ...task, status: 'in_progress' } : task));
      progress.tasks(state.tasks);
      if (refused !== null) {
        const { title, rejection } = refused;
        if (!grantChance(state)) state.parked = { call: id, result: rejectedResult(rejection) };
        throw new CallRefused(`the step "${title}" is not kept. ${describeRejection(rejection, spec)}`);
      }
      const done = tasks.filter((task) => task.status === 'done').length;
      return `${done} of ${tasks.length} done`;
    },
  });
}
