/** What grok-build's plan mode tells the model, and the parts that it is made of, row by row. */
import type { Row } from './row.ts';

export const reminders: readonly Row[] = [
  {
    kind: 'rule',
    there: 'Compaction keeps plan mode.',
    here: 'The phase is not part of the conversation: the same tools are offered before and after.',
    proofs: [
      [
        'agent/compaction-runs.test.ts',
        '9: past the limit before the plan is written, the run goes on in plan mode and ends with a plan',
      ],
    ],
  },
  {
    kind: 'edge case',
    there: 'The user has it compacted by a command, in plan mode too.',
    here: 'There is no such command: a conversation is summarized when it reaches its size.',
    why: 'People see the plan, not the conversation; its size is no concern of theirs.',
    proofs: [
      [
        'agent/compaction-runs.test.ts',
        'a summary is asked for and sent under its beta, is stored like a turn, and counts as cost',
      ],
    ],
  },
  {
    kind: 'reminder',
    there: 'The context after compaction says that plan mode is on.',
    here: 'Plan mode, the plan, open questions, unanswered feedback and the scope are stated anew from memory and facts.',
    proofs: [
      [
        'agent/compaction-runs.test.ts',
        'after compaction plan mode is stated anew, in full, and nothing of it comes from the summary',
      ],
      ['agent/compaction-runs.test.ts', '9: past the limit between approval and implementation'],
      [
        'agent/compaction.test.ts',
        'a revision states its phase, its plan, what it has asked and each remark that has no answer yet',
      ],
    ],
  },
  {
    kind: 'reminder',
    there: 'Compaction starts the alternation anew: the next one is full.',
    here: 'The same.',
    proofs: [['agent/compaction-runs.test.ts', 'the alternation of reminders begins anew with compaction']],
  },
  {
    kind: 'reminder',
    there: 'Full: with the path of the plan and the names of tools.',
    here: 'The same, and the five steps.',
    proofs: [
      ['agent/decisions.test.ts', 'each reminder of plan mode names the plan file and the two calls that end the turn'],
      ['agent/reminders.test.ts', 'in a run: full at first, one line every third turn, full after fifteen'],
    ],
  },
  {
    kind: 'reminder',
    there: 'Sparse: one line that plan mode is still on.',
    here: 'The same.',
    proofs: [
      [
        'agent/reminders.test.ts',
        'plan mode is explained in full, then in one line every third turn, and in full again after fifteen',
      ],
    ],
  },
  {
    kind: 'reminder',
    there: 'Re-entry: back in plan mode, with a plan that exists.',
    here: 'The same: revise it, and leave untouched lines as they are.',
    proofs: [
      ['agent/reminders.test.ts', 'a run that is to plan anew is told of an existing plan only where there is one'],
    ],
  },
  {
    kind: 'reminder',
    there: 'Exit: plan mode was left.',
    here: 'The same, with the first words of an implementation, and nowhere else.',
    proofs: [
      ['agent/implement-run.test.ts', 'an implementation begins with the approval, its plan and the end of plan mode'],
      ['agent/decisions.test.ts', 'none claims a yes'],
    ],
  },
];

export const parts: readonly Row[] = [
  {
    kind: 'tool',
    there: '`ask_user_question` clears up requirements while planning.',
    here: 'Up to five numbered questions in one comment; the run is parked at no cost.',
    proofs: [
      [
        'agent/plan-run.test.ts',
        'a question parks the run with the results of the other calls, and the answer arrives as its result',
      ],
      ['github/comments.test.ts', 'questions are numbered, with their suggestions'],
    ],
  },
  {
    kind: 'rule',
    there: 'Client and shell keep their modes in step by a protocol.',
    here: 'Labels, check and comment are set from each decision; who changes them by hand changes nothing.',
    proofs: [
      ['lifecycle/decide.test.ts', 'a label that only bears the name, without an event, starts nothing'],
      [
        'lifecycle/request.test.ts',
        'S75, case 53: words, reactions, other labels and texts of a pull request never unlock a plan',
      ],
      ['github/act.test.ts', 'the status labels are made once, together, and swapped without touching other labels'],
    ],
  },
  {
    kind: 'rule',
    there: '`plan_mode.json` holds the state.',
    here: 'Commits, reviews and labels do; the database makes it quick.',
    proofs: [['lifecycle/recorded-approval.test.ts', 'S84: without the database, code with a receipt goes on']],
  },
  {
    kind: 'rule',
    there: '`plan.md` is what the approval shows.',
    here: 'The blob at the head of the pull request is the plan of record.',
    proofs: [['lifecycle/approval-gate.test.ts', 'S66: a push after an approval voids it']],
  },
  {
    kind: 'alias',
    there: '`EnterPlanMode` stands for the tool in lists of permissions.',
    here: 'The same.',
    proofs: [
      ['agent/permissions.test.ts', 'a tool that asks people by itself is not asked about, and can be denied'],
      [
        'agent/permissions.test.ts',
        'the names of Claude Code stand for the tools here, EnterPlanMode and ExitPlanMode too, as do their own names',
      ],
    ],
  },
  {
    kind: 'alias',
    there: '`ExitPlanMode` stands for the tool in lists of permissions.',
    here: 'The same.',
    proofs: [
      [
        'agent/permissions.test.ts',
        'the names of Claude Code stand for the tools here, EnterPlanMode and ExitPlanMode too, as do their own names',
      ],
    ],
  },
  {
    kind: 'edge case',
    there: 'Without a client that can be asked, it fails closed.',
    here: 'The same: no approval, no implementation, and the plan stays where it is.',
    proofs: [
      [
        'e2e/ways.test.ts',
        'a permission that GitHub does not tell starts nothing, and once it does the approval counts',
      ],
    ],
  },
];
