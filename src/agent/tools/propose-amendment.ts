import { z } from 'zod';
import { parsePlan } from '../../plan/plan-file.ts';
import type { RunResult } from '../run-protocol.ts';
import type { RunState } from '../run-state.ts';
import { CallRefused, defineTool, type ToolDefinition } from './definition.ts';
import { grantLintRound, toldFindings } from './lint-rounds.ts';
import { planEdit, replaceOnce } from './plan-file.ts';
import { endTurn, type TurnOrder } from './turn-order.ts';

export const proposeAmendmentInput = z.object({
  reason: z.string().trim().min(1).max(4000).describe('What the work needs that the plan does not allow, and why'),
  edits: z
    .array(planEdit)
    .min(1)
    .max(50)
    .describe('Passages of the plan to replace, one after the other; each old_string must occur exactly once'),
});

type AmendmentInput = z.infer<typeof proposeAmendmentInput>;

/** What an amendment changes, and what is said of it before people are asked to read it. */
export interface AmendmentPorts {
  /** The approved plan. */
  readonly plan: string | null;
  /** Whether the pull request holds code already. */
  readonly holdsCode: boolean;
  readonly lint: (text: string) => Promise<readonly string[]>;
}

/** @throws CallRefused for what is no amendment: it changes nothing, or nobody could read what it allows */
function amendedPlan(plan: string | null, { edits }: AmendmentInput): string {
  if (plan === null) throw new CallRefused('expected an approved plan to amend, got none');
  const amended = edits.reduce(replaceOnce, plan);
  if (amended === plan) throw new CallRefused('expected edits that change the plan, got none; name what it should say');
  const parsed = parsePlan(amended);
  if ('plan' in parsed) return amended;
  throw new CallRefused(`expected a plan that can be read, got: ${parsed.problems.slice(0, 5).join('; ')}`);
}

/** What a run that filed an amendment ends with. @throws CallRefused */
export async function proposedAmendment(
  input: AmendmentInput,
  { plan, lint }: AmendmentPorts,
): Promise<Extract<RunResult, { kind: 'amendment' }>> {
  const amended = amendedPlan(plan, input);
  const findings = toldFindings(await lint(amended));
  return { kind: 'amendment', plan: amended, reason: input.reason, findings };
}

/**
 * Ends the turn with a change of the approved plan: people review it, the work so far is kept, and the result of the call
 * is their word. The plan lint sends it back twice at the most.
 */
export function proposeAmendmentTool(state: RunState, order: TurnOrder, ports: AmendmentPorts): ToolDefinition {
  return defineTool({
    name: 'propose_amendment',
    kind: 'interactive',
    description:
      'Ask people to approve a change of the plan, and end the turn. Use it when the work needs something that the plan ' +
      'does not name, e.g. one more file. What is done so far is kept, and goes on once the change is approved.',
    input: proposeAmendmentInput,
    run: async (input, { id }) => {
      if (ports.holdsCode) {
        throw new CallRefused(
          'the pull request holds code already, and a plan cannot be approved beside code; call enter_plan_mode instead',
        );
      }
      await endTurn(order, id);
      const result = await proposedAmendment(input, ports);
      if (grantLintRound(state, result.findings)) {
        throw new CallRefused(
          `the amended plan is not ready; mend that and call propose_amendment again:\n- ${result.findings.join('\n- ')}`,
        );
      }
      state.parked = { call: id, result };
      return '';
    },
  });
}
