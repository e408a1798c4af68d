/** The states of a thread. `decide` names the state; nothing stores it. */
export const threadStates = [
  'inactive',
  'pending',
  'planning',
  'awaiting_answer',
  'awaiting_approval',
  'exit_pending',
  'implementing',
  'implemented',
  'failed',
  'abandoned',
  'completed',
] as const;

export type ThreadState = (typeof threadStates)[number];

/** The labels that show a thread's state on its issue; one at a time. States at rest without a thread show none. */
export const statusLabels = {
  inactive: null,
  pending: 'plan: queued',
  planning: 'plan: writing',
  awaiting_answer: 'plan: question',
  awaiting_approval: 'plan: review',
  exit_pending: null,
  implementing: 'plan: building',
  implemented: 'plan: done',
  failed: 'plan: failed',
  abandoned: null,
  completed: 'plan: done',
} as const satisfies Record<ThreadState, string | null>;

export type StatusLabel = NonNullable<(typeof statusLabels)[ThreadState]>;
