import { z } from 'zod';
import { isEmptyPlan, maxPlanCharacters } from '../../plan/plan-file.ts';
import { replacePassage } from '../../plan/replace-lines.ts';
import { visibleText } from '../../text/hidden-characters.ts';
import type { RunState } from '../run-state.ts';
import { CallRefused, defineTool, type ToolDefinition } from './definition.ts';

/** A passage of the plan to replace. */
export const planEdit = z.object({ old_string: z.string().min(1), new_string: z.string() });

/** @throws CallRefused for a plan that is too long to be reviewed */
function checkSize(text: string): string {
  if (text.length <= maxPlanCharacters) return text;
  throw new CallRefused(`expected a plan of at most ${maxPlanCharacters} characters, got ${text.length}; shorten it`);
}

/** @throws CallRefused where nothing would be left of a plan that exists: it is never truncated */
export function keepPlan(before: string | null, after: string): string {
  if (before === null || isEmptyPlan(before) || !isEmptyPlan(after)) return checkSize(after);
  throw new CallRefused('expected a plan, got a blank text; the plan that exists stays as it is');
}

/**
 * The plan with one passage replaced, and every other byte as it was. What no reader would see does not get in.
 * @throws CallRefused
 */
export function replaceOnce(plan: string, { old_string, new_string }: z.infer<typeof planEdit>): string {
  const replaced = replacePassage(plan, { old: old_string, new: visibleText(new_string) });
  if (typeof replaced === 'string') return keepPlan(plan, replaced);
  throw new CallRefused(`expected old_string to occur once in the plan, got ${replaced.found} times`);
}

function writePlanTool(state: RunState, isRevision: boolean): ToolDefinition {
  return defineTool({
    name: 'write_plan',
    kind: 'plan',
    description:
      'Write the whole plan file. To revise a plan use edit_plan and take_suggestion, so that untouched lines stay as they are.',
    input: z.object({ content: z.string().min(1) }),
    run: async ({ content }) => {
      if (isRevision && state.plan !== null && !isEmptyPlan(state.plan)) {
        throw new CallRefused(
          'a plan under review is not written anew; change it with edit_plan, or with take_suggestion where a reviewer suggests the lines',
        );
      }
      const text = visibleText(content);
      state.plan = keepPlan(state.plan, text.endsWith('\n') ? text : `${text}\n`);
      return `wrote the plan: ${state.plan.split('\n').length - 1} lines`;
    },
  });
}

function editPlanTool(state: RunState): ToolDefinition {
  return defineTool({
    name: 'edit_plan',
    kind: 'plan',
    description: 'Replace one passage of the plan file. old_string must occur exactly once.',
    input: planEdit,
    run: async (edit) => {
      if (state.plan === null) throw new CallRefused('expected a plan to edit, got none; write it with write_plan');
      state.plan = replaceOnce(state.plan, edit);
      return 'edited the plan';
    },
  });
}

/**
 * Writing the one thing that may be written in plan mode. No input names a path: no other target can be expressed. A
 * revision edits: lines that no call names stay as they are, byte for byte.
 */
export function planFileTools(state: RunState, isRevision: boolean): readonly ToolDefinition[] {
  return [writePlanTool(state, isRevision), editPlanTool(state)];
}
