import type { Task } from '../lifecycle/memory.ts';
import type { RunResult } from './run-protocol.ts';

/** What people can be expected to read of what one implementation does otherwise than planned. */
export const maxDeviations = 100;

/** What a run has come to so far. Tools change it; the loop reports it. */
export interface RunState {
  /** The plan as it stands. */
  plan: string | null;
  tasks: readonly Task[];
  deviations: readonly string[];
  /** How often the plan lint has sent the plan back. */
  lintRounds: number;
  /** How often the plan was sent back because remarks had no answer. */
  answerRounds: number;
  /** How often in a row the run was told that its tree holds what may not be committed. */
  rejections: number;
  /** The call that waits for a person, and what the run ends with. */
  parked: { readonly call: string; readonly result: RunResult } | null;
}

/** A run that has come to nothing yet but what it goes on with: the plan, the checklist and what it has told of it. */
export function newRunState(plan: string | null, tasks: readonly Task[], deviations: readonly string[] = []): RunState {
  return { plan, tasks, deviations, lintRounds: 0, answerRounds: 0, rejections: 0, parked: null };
}
