import { z } from 'zod';
import { emptyPlan, isEmptyPlan } from '../../plan/plan-file.ts';
import type { RunResult } from '../run-protocol.ts';
import type { RunState } from '../run-state.ts';
import { CallRefused, defineTool, type ToolDefinition } from './definition.ts';
import { endTurn, type TurnOrder } from './turn-order.ts';

const MAX_LINT_ROUNDS = 2;
const MAX_FINDINGS = 50;

export const exitPlanModeInput = z.object({
  answers: z
    .array(
      z.object({
        thread: z.string().min(1).max(200).describe('The id that the line "Remark <id>: …" gives'),
        changed: z.boolean().describe('Whether the plan was changed for it'),
        text: z.string().trim().min(1).max(2000).describe('What changed, or why it was kept'),
      }),
    )
    .max(200)
    .optional()
    .describe('One for each remark of a review that was to be answered'),
});

export interface PlanIdentity {
  readonly issue: number;
  readonly base: string;
}

export type LintText = (text: string) => readonly string[];

/** What a run that left plan mode ends with: the plan as it stands, or the placeholder where there is none. */
export function presentedPlan(
  input: z.infer<typeof exitPlanModeInput>,
  text: string | null,
  identity: PlanIdentity,
  lint: LintText,
): Extract<RunResult, { kind: 'plan_ready' }> {
  const answers = input.answers ?? [];
  if (text === null || isEmptyPlan(text)) {
    return { kind: 'plan_ready', plan: emptyPlan(identity.issue, identity.base), findings: [], answers };
  }
  return { kind: 'plan_ready', plan: text, findings: lint(text).slice(0, MAX_FINDINGS), answers };
}

/**
 * Ends the turn with the plan that was written, if no other call of the turn failed. The plan lint sends it back twice
 * at the most; after that its findings go to the reviewers.
 */
export function exitPlanModeTool(
  state: RunState,
  order: TurnOrder,
  identity: PlanIdentity,
  lint: LintText,
): ToolDefinition {
  return defineTool({
    name: 'exit_plan_mode',
    kind: 'interactive',
    description:
      'End the turn and present the plan as write_plan and edit_plan have left it, for review. ' +
      'It takes no plan text. The review arrives as the result.',
    input: exitPlanModeInput,
    run: async (input, { id }) => {
      if (await endTurn(order, id)) {
        throw new CallRefused('another call of this turn failed; mend that first, then call exit_plan_mode again');
      }
      const result = presentedPlan(input, state.plan, identity, lint);
      if (result.findings.length > 0 && state.lintRounds < MAX_LINT_ROUNDS) {
        state.lintRounds += 1;
        throw new CallRefused(
          `the plan is not ready; mend it with edit_plan, then call exit_plan_mode again:\n- ${result.findings.join('\n- ')}`,
        );
      }
      state.parked = { call: id, result };
      return '';
    },
  });
}
