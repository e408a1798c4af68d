/** What the model is told about plan mode while it works. Appended after tool results, so that earlier turns stay as they are. */

export type Reminder =
  /** Plan mode begins, or much has been said since it was last explained. */
  | 'full'
  | 'sparse'
  /** The thread comes back to a plan that exists. */
  | 're-entry'
  /** Plan mode has ended. */
  | 'exit';

const FULL_EVERY = 5;

const ends = 'exit_plan_mode (presents the plan for review) or ask_user_question (asks people)';

/** Which reminder follows the `turn`-th reply of a plan run, counted from 1. */
export function reminderAfter(turn: number): Reminder {
  return turn % FULL_EVERY === 0 ? 'full' : 'sparse';
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
      return `Reminder: plan mode is still on; only ${planPath} may be written. End the turn with ${ends}.`;
    case 're-entry':
      return (
        `Reminder: plan mode is on again, and a plan exists in ${planPath}. ` +
        'Revise it with edit_plan and leave untouched lines as they are; write it anew only for another task. ' +
        `Nothing else may be changed. The turn ends only with ${ends}.`
      );
    case 'exit':
      return `Reminder: plan mode has ended. The repository may now be changed, within the scope of the plan; ${planPath} itself may not.`;
  }
}
