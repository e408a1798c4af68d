import { z } from 'zod';
import { replaceLines } from '../../plan/replace-lines.ts';
import type { LineRemark, Suggestion } from '../brief.ts';
import { fence } from '../quote-text.ts';
import type { RunState } from '../run-state.ts';
import { CallRefused, defineTool, type ToolDefinition } from './definition.ts';
import { keepPlan } from './plan-file.ts';

const takeSuggestionInput = z.object({
  remark: z.string().min(1).max(200).describe('The id that the line "Remark <id>: …" gives'),
  number: z.number().int().min(1).optional().describe('Which of its suggestions; not needed where there is one'),
});

interface Chosen {
  readonly remark: LineRemark;
  readonly suggestion: Suggestion;
}

/** Only lines of the plan file as it is now on the new side of the diff can be replaced. */
function choose(
  { remark: id, number }: z.infer<typeof takeSuggestionInput>,
  remarks: readonly LineRemark[],
  planPath: string,
): Chosen {
  const isTakable = ({ path, side, suggestions }: LineRemark) =>
    path === planPath && side === 'RIGHT' && suggestions.length > 0;
  const remark = remarks.find(({ thread }) => thread === id);
  if (remark === undefined || !isTakable(remark)) {
    const known = remarks.filter(isTakable).map(({ thread }) => thread);
    const list = known.length === 0 ? 'there is none' : known.join(', ');
    throw new CallRefused(`expected a remark with a suggestion for the plan, got ${id}; such remarks: ${list}`);
  }
  const count = remark.suggestions.length;
  const suggestion = remark.suggestions[(number ?? 1) - 1];
  if (suggestion === undefined || (number === undefined && count > 1)) {
    throw new CallRefused(`expected the number of one of the remark's ${count} suggestions, got ${number ?? 'none'}`);
  }
  return { remark, suggestion };
}

/** @throws CallRefused where the lines are no longer there to be replaced */
function taken(plan: string | null, { remark, suggestion }: Chosen): string {
  const { replaced, lines } = remark;
  if (plan === null || replaced === null || lines === null) {
    throw new CallRefused(
      'the lines that the suggestion is about cannot be told any more; change the plan with edit_plan',
    );
  }
  const result = replaceLines(plan, { seen: replaced, line: lines.start, lines: suggestion.lines });
  if (result === 'gone') {
    const shown = fence('the lines as the reviewer saw them', replaced.join('\n'));
    throw new CallRefused(`the plan no longer holds these lines; change it with edit_plan\n${shown}`);
  }
  if (result === 'ambiguous') {
    throw new CallRefused('the plan holds these lines at two places, both as near; change it with edit_plan');
  }
  return keepPlan(plan, result);
}

/** Takes a reviewer's own words over as they are and once, so that nothing is lost or doubled in copying them. */
export function takeSuggestionTool(state: RunState, remarks: readonly LineRemark[], planPath: string): ToolDefinition {
  const done = new Set<Suggestion>();
  return defineTool({
    name: 'take_suggestion',
    kind: 'plan',
    description:
      'Put the lines that a reviewer suggests in the place of those that the remark is about, exactly as they were written.',
    input: takeSuggestionInput,
    run: async (input) => {
      const chosen = choose(input, remarks, planPath);
      if (done.has(chosen.suggestion)) {
        throw new CallRefused('the suggestion was taken over already; change the plan further with edit_plan');
      }
      state.plan = taken(state.plan, chosen);
      done.add(chosen.suggestion);
      const count = chosen.suggestion.lines.length;
      return count === 0 ? 'deleted the lines' : `took the suggestion over: ${count} ${count === 1 ? 'line' : 'lines'}`;
    },
  });
}
