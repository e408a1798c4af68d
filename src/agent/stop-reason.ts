/** What follows from one reply of the model. */
import type { BetaStopReason } from '@anthropic-ai/sdk/resources/beta.js';
import type { FailureReason, Phase } from '../lifecycle/memory.ts';

export interface Reply {
  readonly phase: Phase;
  readonly stopReason: BetaStopReason | string | null;
  readonly calls: number;
  /** Whether there is a plan that is more than the placeholder. */
  readonly hasPlan: boolean;
  /** Whether the run was told once already how its turn ends. */
  readonly wasNudged: boolean;
  /** Whether the reply continues one that was cut. */
  readonly wasContinued: boolean;
  /** The vendor's word on a refusal, if any. */
  readonly explanation: string | null;
}

export type NextStep =
  | { readonly kind: 'run_tools' }
  /** The vendor paused a long turn: it is sent back as it is. */
  | { readonly kind: 'resume' }
  /** Keep the reply and say this: the run goes on. No call of the reply runs. */
  | { readonly kind: 'say'; readonly why: 'nudge' | 'continuation'; readonly text: string }
  /** The implementation says that it is done: run the checks. */
  | { readonly kind: 'finish' }
  | { readonly kind: 'fail'; readonly reason: FailureReason; readonly detail: string };

const nudge =
  'The plan is written, but the turn ended without a call that presents it. ' +
  'Call exit_plan_mode to present the plan, or ask_user_question if something must be answered first.';

const continuation =
  'The last reply was cut at the output limit; none of its tool calls ran. ' +
  'Go on in smaller pieces: write the plan or a file in several edits.';

function afterEnd(reply: Reply): NextStep {
  if (reply.phase === 'implement') return { kind: 'finish' };
  if (!reply.hasPlan) {
    return { kind: 'fail', reason: 'no_plan', detail: 'The run ended without a plan and without exit_plan_mode.' };
  }
  if (reply.wasNudged) {
    return {
      kind: 'fail',
      reason: 'no_plan',
      detail: 'The run ended without calling exit_plan_mode, after a reminder.',
    };
  }
  return { kind: 'say', why: 'nudge', text: nudge };
}

function afterCut(reply: Reply): NextStep {
  if (!reply.wasContinued) return { kind: 'say', why: 'continuation', text: continuation };
  const detail = 'The reply was cut at the output limit, and so was its continuation.';
  return { kind: 'fail', reason: reply.phase === 'plan' ? 'plan_cut_off' : 'model_error', detail };
}

/**
 * Every stop reason has an answer; one that this app does not know fails the run.
 * Source: https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
 */
export function nextStep(reply: Reply): NextStep {
  switch (reply.stopReason) {
    case 'tool_use':
      if (reply.calls > 0) return { kind: 'run_tools' };
      return { kind: 'fail', reason: 'unknown_stop', detail: 'The model stopped for a tool but called none.' };
    case 'end_turn':
      if (reply.calls === 0) return afterEnd(reply);
      return { kind: 'fail', reason: 'unknown_stop', detail: 'The model ended its turn in the middle of a tool call.' };
    case 'max_tokens':
      return afterCut(reply);
    case 'pause_turn':
      return { kind: 'resume' };
    case 'refusal':
      return {
        kind: 'fail',
        reason: 'refusal',
        detail: `The model declined to go on${reply.explanation === null ? '.' : `: ${reply.explanation.slice(0, 300)}`}`,
      };
    case 'model_context_window_exceeded':
      return { kind: 'fail', reason: 'context_exceeded', detail: 'The conversation no longer fits the model.' };
    default:
      return {
        kind: 'fail',
        reason: 'unknown_stop',
        detail: `The model stopped for a reason that is not known here: ${String(reply.stopReason).slice(0, 60)}.`,
      };
  }
}
