/**
 * What the model is told about plan mode while it works. Appended after tool results, so that earlier turns stay as they
 * are. Which reminder is due is read from the conversation, so a run that is taken up again says the same.
 */
import type { BetaMessageParam } from '@anthropic-ai/sdk/resources/beta.js';

export type Reminder =
  /** Plan mode begins, or much has been said since it was last explained. */
  | 'full'
  | 'sparse'
  /** There is a plan already. It says nothing of whether plan mode was left: a run that was stopped never heard of that. */
  | 're-entry'
  /** Plan mode has ended. */
  | 'exit';

/** Each reminder is paid for again with every later request: so they are few, and most of them short. */
const SPARSE_EVERY = 3;
const FULL_EVERY = 15;

const ends = 'exit_plan_mode (presents the plan for review) or ask_user_question (asks people)';

/** Which reminder is due, if any, `turns` replies after plan mode was last explained. */
export function reminderAfter(turns: number): 'full' | 'sparse' | null {
  if (turns >= FULL_EVERY) return 'full';
  return turns % SPARSE_EVERY === 0 ? 'sparse' : null;
}

/** Each reminder of plan mode names the plan file and the only two calls that end the turn. */
export function writeReminder(reminder: Reminder, planPath: string): string {
  switch (reminder) {
    case 'full':
      return (
        `Reminder: plan mode is on. Nothing may be changed but the plan file, ${planPath}, with write_plan and edit_plan. ` +
        'Read and search as you need; make independent reads in one turn. ' +
        `The steps: understand, design, review against the code, write, exit. The turn ends only with ${ends}.`
      );
    case 'sparse':
      return `Reminder: plan mode; only ${planPath} may be written. End with exit_plan_mode or ask_user_question.`;
    case 're-entry':
      return (
        `Reminder: plan mode is on, and there is a plan in ${planPath}. ` +
        'Revise it with edit_plan and leave untouched lines as they are; write it anew only for another task. ' +
        `Nothing else may be changed. The turn ends only with ${ends}.`
      );
    case 'exit':
      return `Reminder: plan mode has ended. The repository may now be changed, within the scope of the plan; ${planPath} itself may not.`;
  }
}

/**
 * How many replies the conversation holds since plan mode was last explained; all of them where it never was. Only text
 * of this app's own counts: what a tool returned does not.
 */
export function turnsSinceExplained(messages: readonly BetaMessageParam[], planPath: string): number {
  const explanations: readonly string[] = [writeReminder('full', planPath), writeReminder('re-entry', planPath)];
  const isExplanation = ({ role, content }: BetaMessageParam) =>
    role === 'user' &&
    Array.isArray(content) &&
    content.some((block) => block.type === 'text' && explanations.includes(block.text));
  const since = messages.slice(messages.findLastIndex(isExplanation) + 1);
  return since.filter(({ role }) => role === 'assistant').length;
}
