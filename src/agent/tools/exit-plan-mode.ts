import { z } from 'zod';
import { emptyPlan, isEmptyPlan } from '../../plan/plan-file.ts';
import type { LineRemark } from '../brief.ts';
import type { RunResult } from '../run-protocol.ts';
import type { RunState } from '../run-state.ts';
import { checkAnswers, completeAnswers, tellMissing } from './answer-remarks.ts';
import { CallRefused, defineTool, type ToolDefinition } from './definition.ts';
import { grantLintRound, toldFindings } from './lint-rounds.ts';
import { endTurn, type TurnOrder } from './turn-order.ts';

const MAX_ANSWER_ROUNDS = 2;

export const exitPlanModeInput = z.object({
  answers: z
    .array(
      z.object({
        thread: z.string().min(1).max(200).describe('The id that the line "Remark <id>: …" gives'),
        changed: z.boolean().describe('Whether the plan was changed for it'),
        text: z
          .string()
          .trim()
          .min(1)
          .max(2000)
          .describe('What changed, or why it was kept, in a sentence for its author'),
      }),
    )
    .max(500)
    .optional()
    .describe('One for each remark of a review that was to be answered'),
});

/** What the plan is for. */
export interface PlanTask {
  readonly issue: number;
  readonly base: string;
  readonly planPath: string;
  /** Present exactly on a revision: the remarks that it answers. */
  readonly remarks?: readonly LineRemark[];
}

export type LintText = (text: string) => Promise<readonly string[]>;

/**
 * What a run that left plan mode ends with: the plan as it stands, or the placeholder where there is none, and an answer
 * for each remark.
 */
export async function presentedPlan(
  input: z.infer<typeof exitPlanModeInput>,
  text: string | null,
  task: PlanTask,
  lint: LintText,
): Promise<Extract<RunResult, { kind: 'plan_ready' }>> {
  const answers = completeAnswers(input.answers ?? [], task.remarks ?? []);
  if (text === null || isEmptyPlan(text)) {
    return { kind: 'plan_ready', plan: emptyPlan(task.issue, task.base), findings: [], answers };
  }
  return { kind: 'plan_ready', plan: text, findings: toldFindings(await lint(text)), answers };
}

/** What the plan must not be presented with while there are chances to mend it; empty where nothing is left to say. */
function complaints(state: RunState, findings: readonly string[], missing: string | null): readonly string[] {
  const told: string[] = [];
  if (grantLintRound(state, findings)) {
    told.push(
      `the plan is not ready; mend it with edit_plan, then call exit_plan_mode again:\n- ${findings.join('\n- ')}`,
    );
  }
  if (missing !== null && state.answerRounds < MAX_ANSWER_ROUNDS) {
    state.answerRounds += 1;
    told.push(missing);
  }
  return told;
}

/**
 * Ends the turn with the plan that was written, if no other call of the turn failed. The plan lint sends it back twice
 * at the most; after that its findings go to the reviewers. So do remarks without an answer.
 */
export function exitPlanModeTool(state: RunState, order: TurnOrder, task: PlanTask, lint: LintText): ToolDefinition {
  const remarks = task.remarks ?? [];
  return defineTool({
    name: 'exit_plan_mode',
    kind: 'interactive',
    description:
      'End the turn and present the plan as write_plan, edit_plan and take_suggestion have left it, for review. ' +
      'It takes no plan text. The review arrives as the result.',
    input: exitPlanModeInput,
    run: async (input, { id }) => {
      if (await endTurn(order, id)) {
        throw new CallRefused('another call of this turn failed; mend that first, then call exit_plan_mode again');
      }
      const answers = input.answers ?? [];
      checkAnswers(answers, remarks);
      const result = await presentedPlan(input, state.plan, task, lint);
      const told = complaints(state, result.findings, tellMissing(answers, remarks));
      if (told.length > 0) throw new CallRefused(told.join('\n'));
      state.parked = { call: id, result };
      return '';
    },
  });
}
