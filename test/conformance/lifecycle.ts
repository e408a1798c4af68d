/** The states of grok-build's plan mode, and what passes between them, row by row. */
import type { Row } from './row.ts';

export const states: readonly Row[] = [
  {
    kind: 'state',
    there: '`Inactive`: no constraint.',
    here: '`inactive`: nothing runs at all.',
    why: 'Without a plan there is no agent at work that needs constraints.',
    proofs: [['lifecycle/ways.test.ts', '… while …: …']],
  },
  {
    kind: 'state',
    there: '`Pending`: switched on, the model not told yet.',
    here: '`pending`: asked for and queued.',
    proofs: [
      ['lifecycle/decide.test.ts', 'the whole path: label, plan'],
      ['e2e/killed.test.ts', 'killed right after the answer to a delivery, it does the work after its next start'],
    ],
  },
  {
    kind: 'state',
    there: '`Active`: planning.',
    here: '`planning`, and `awaiting_answer` and `awaiting_approval`, in which a person is waited for.',
    proofs: [['lifecycle/decide.test.ts', 'a question parks the run until a person who may answer does']],
  },
  {
    kind: 'state',
    there: '`ExitPending`: switched off in the middle of a turn.',
    here: '`exit_pending`: the run was told to stop and has not stopped yet.',
    proofs: [
      [
        'lifecycle/ways.test.ts',
        'a label that is set again before the run has stopped brings the thread back to planning',
      ],
    ],
  },
  {
    kind: 'transition',
    there: 'Inactive to Active: the model’s wish was accepted.',
    here: '`implementing` to `planning`, by `/replan`.',
    proofs: [
      [
        'lifecycle/commands.test.ts',
        'while the agent asks to go back to planning, /continue declines and /replan accepts',
      ],
      [
        'agent/reminders.test.ts',
        'after /replan was accepted in an implementation, plan mode and the plan are explained',
      ],
    ],
  },
  {
    kind: 'transition',
    there: 'Inactive to Pending: switched on by the user.',
    here: 'The label or `/plan`, by a writer.',
    proofs: [
      ['lifecycle/request.test.ts', 'S10, S11, S12: only a live permission of write or more makes a label a request'],
    ],
  },
  {
    kind: 'transition',
    there: 'Pending to Active: with the first prompt, or in the middle of a turn.',
    here: 'A worker takes the run.',
    proofs: [['lifecycle/decide.test.ts', 'the whole path: label, plan']],
  },
  {
    kind: 'transition',
    there: 'Active to Inactive: the exit was approved.',
    here: '`awaiting_approval` to `implementing`.',
    proofs: [
      [
        'lifecycle/decide.test.ts',
        'the whole path: label, plan, changes requested, revision, approval, implementation',
      ],
    ],
  },
  {
    kind: 'transition',
    there: 'Active to Inactive: switched off while idle.',
    here: 'The label taken off while a plan waits: `abandoned`; before there is one: `inactive`.',
    proofs: [['lifecycle/ways.test.ts', '… while …: …']],
  },
  {
    kind: 'transition',
    there: 'Active to ExitPending: switched off in the middle of a turn.',
    here: 'The label taken off, the issue or the pull request closed, while a run is at work.',
    proofs: [
      [
        'lifecycle/decide.test.ts',
        'taking the label off stops the run; setting it again starts over on the same thread',
      ],
      ['e2e/stop.test.ts', 'an issue that is closed stops the run'],
    ],
  },
  {
    kind: 'transition',
    there: 'ExitPending to Inactive: the turn is over.',
    here: 'The run has stopped; it is not waited for: its process ends at once.',
    why: 'A turn that nobody wants any more costs money.',
    proofs: [['agent/run-processes.test.ts', 'a run that is … ends in the middle of a request and says no more']],
  },
  {
    kind: 'transition',
    there: 'ExitPending to Active: switched on again before that.',
    here: 'The same: `planning`, and the model is never told that it left.',
    proofs: [
      [
        'lifecycle/ways.test.ts',
        'a label that is set again before the run has stopped brings the thread back to planning',
      ],
      [
        'agent/reminders.test.ts',
        'a run that was stopped and is wanted again is told of its plan, and never that plan mode was left',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'A snapshot of the state is stored with the session.',
    here: 'The state is stored nowhere: it is decided from facts and memory each time.',
    why: 'A stored state can differ from what GitHub shows.',
    proofs: [
      ['lifecycle/enumeration.test.ts', 'every sequence of … events keeps the invariants, whatever crashes in between'],
    ],
  },
  {
    kind: 'edge case',
    there: 'Restored, Pending becomes Inactive.',
    here: '`pending` stays: the label is a standing word.',
    why: 'A request of a person is not lost because a process ended.',
    proofs: [
      ['e2e/killed.test.ts', 'killed right after the answer to a delivery, it does the work after its next start'],
    ],
  },
  {
    kind: 'edge case',
    there: 'Restored, ExitPending becomes Inactive, with the exit to be told.',
    here: 'The stop is carried out at the next start; nothing is told to a model that is not asked any more.',
    why: 'What is told to a model costs a request, and nobody wants its answer.',
    proofs: [['engine/sweep.test.ts', 'finishes what was being stopped']],
  },
  {
    kind: 'edge case',
    there: 'Restored, an approval that is awaited stays awaited.',
    here: 'The same.',
    proofs: [['e2e/killed.test.ts', 'what was planned through a kill is implemented once']],
  },
  {
    kind: 'edge case',
    there: 'Switched on in the middle of a turn, the reminder waits for a safe point.',
    here: 'A run is of one phase from its beginning to its end.',
    why: 'What cannot change within a run needs no safe point.',
    proofs: [
      [
        'agent/plan-run.test.ts',
        '18: a run that is killed goes on from its last stored turn, with the tools of its phase and no others',
      ],
    ],
  },
  {
    kind: 'edge case',
    there:
      'Switched off before that was delivered, it is rolled back: the model is not told of an exit from what it never saw.',
    here: 'A run that is stopped says nothing to the model; one that is wanted again is told of its plan, not of an exit.',
    proofs: [
      [
        'agent/reminders.test.ts',
        'a run that was stopped and is wanted again is told of its plan, and never that plan mode was left',
      ],
      ['agent/run-processes.test.ts', 'a run that is … ends in the middle of a request and says no more'],
    ],
  },
  {
    kind: 'rule',
    there: 'The status line shows that plan mode is on.',
    here: 'Labels `plan: queued`, `plan: writing`, `plan: question`, `plan: review` on the issue.',
    proofs: [
      ['github/act.test.ts', 'the status labels are made once, together, and swapped without touching other labels'],
    ],
  },
  {
    kind: 'rule',
    there: 'Always-approve, armed beneath, is shown again after plan mode.',
    here: 'The mode comes back with the untouched set of permissions.',
    proofs: [
      ['agent/permissions.test.ts', 'approval gives back exactly the set that was in force when plan mode was entered'],
    ],
  },
];
