import { z } from 'zod';
import type { RunResult } from '../run-protocol.ts';
import type { RunState } from '../run-state.ts';
import { defineTool, type ToolDefinition } from './definition.ts';
import { endTurn, type TurnOrder } from './turn-order.ts';

export const enterPlanModeInput = z.object({ reason: z.string().trim().min(1).max(4000) });

/** What a run that asked for plan mode ends with. */
export function askedForPlanMode({ reason }: z.infer<typeof enterPlanModeInput>): RunResult {
  return { kind: 'plan_mode_asked', reason };
}

/** Ends the turn: a writer accepts or declines, and the result of the call says which. */
export function enterPlanModeTool(state: RunState, order: TurnOrder): ToolDefinition {
  return defineTool({
    name: 'enter_plan_mode',
    kind: 'interactive',
    description:
      'Ask to go back to planning, and end the turn. Use it when the plan as a whole cannot be carried out, as it rests on ' +
      'something that is not so; when feedback on the code is unclear, or leaves several designs open; when what is asked ' +
      'would restructure much. Not for a clear change, and for a change of some lines of the plan use propose_amendment.',
    input: enterPlanModeInput,
    run: async (input, { id }) => {
      await endTurn(order, id);
      state.parked = { call: id, result: askedForPlanMode(input) };
      return '';
    },
  });
}
