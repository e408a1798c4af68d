import { z } from 'zod';
import { maxPlanCharacters } from '../../plan/plan-file.ts';
import type { RunState } from '../run-state.ts';
import { CallRefused, defineTool, type ToolDefinition } from './definition.ts';

function checkSize(text: string): string {
  if (text.length <= maxPlanCharacters) return text;
  throw new CallRefused(`expected a plan of at most ${maxPlanCharacters} characters, got ${text.length}; shorten it`);
}

function writePlanTool(state: RunState): ToolDefinition {
  return defineTool({
    name: 'write_plan',
    kind: 'plan',
    description: 'Write the whole plan file. To revise a plan use edit_plan, so that untouched lines stay as they are.',
    input: z.object({ content: z.string().min(1) }),
    run: async ({ content }) => {
      state.plan = checkSize(content.endsWith('\n') ? content : `${content}\n`);
      return `wrote the plan: ${state.plan.split('\n').length - 1} lines`;
    },
  });
}

function editPlanTool(state: RunState): ToolDefinition {
  return defineTool({
    name: 'edit_plan',
    kind: 'plan',
    description: 'Replace one passage of the plan file. old_string must occur exactly once.',
    input: z.object({ old_string: z.string().min(1), new_string: z.string() }),
    run: async ({ old_string, new_string }) => {
      if (state.plan === null) throw new CallRefused('expected a plan to edit, got none; write it with write_plan');
      const parts = state.plan.split(old_string);
      if (parts.length !== 2) {
        throw new CallRefused(`expected old_string to occur once in the plan, got ${parts.length - 1} times`);
      }
      state.plan = checkSize(parts.join(new_string));
      return 'edited the plan';
    },
  });
}

/** The one thing that may be written in plan mode. No input names a path: no other target can be expressed. */
export function planFileTools(state: RunState): readonly ToolDefinition[] {
  return [writePlanTool(state), editPlanTool(state)];
}
