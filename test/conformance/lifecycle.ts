/** The description of grok-build's plan mode, row by row. */
import type { Row } from './row.ts';

const entry: readonly Row[] = [
  {
    kind: 'rule',
    there:
      'While plan mode is active, an edit of anything but the plan file is rejected before it happens, in every permission mode.',
    here: 'No tool that could make such an edit is offered, whatever the configuration.',
    proofs: [
      [
        'agent/permissions.test.ts',
        'case 4, S28: in no configuration, by the thousand, is a tool that changes anything in the plan offer',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'While planning, the agent reads, searches, writes the plan, asks, and leaves by one call.',
    here: 'The same: `read`, `glob`, `grep`, `git_log`, `delegate`, `write_plan`, `edit_plan`, `ask_user_question`, `exit_plan_mode`.',
    proofs: [['agent/plan-run.test.ts', 'a plan run reads, writes the plan and parks with it']],
  },
  {
    kind: 'alias',
    there: '`/plan` turns plan mode on.',
    here: '`/plan` by a writer, on the issue, asks for a plan; so does the trigger label.',
    proofs: [
      [
        'lifecycle/commands.test.ts',
        'what every command does in a thread that is …, each with a reaction, and nothing in silence',
      ],
    ],
  },
  {
    kind: 'alias',
    there: '`/plan` with a description starts a turn with it once the mode is on.',
    here: 'The text goes into the brief of the plan run, as a note of its author.',
    proofs: [
      [
        'agent/render-brief.test.ts',
        'a request carries the issue, the note and the instructions, each fenced with its author',
      ],
      [
        'lifecycle/commands.test.ts',
        'a command may have blanks and line breaks behind it, and text where it takes some',
      ],
    ],
  },
  {
    kind: 'key',
    there: 'Shift+Tab goes round normal, plan and always-approve.',
    here: 'The trigger label, set and taken off. No way round to a mode without approval.',
    why: 'On GitHub a label is the key; and a cycle that passes a mode without approval is one slip away from it.',
    proofs: [['e2e/stop.test.ts', 'a label that is taken off stops the run, and set again has the plan written']],
  },
  {
    kind: 'edge case',
    there: 'On a dashboard `/plan` works before there is a session: the next one starts in plan mode.',
    here: 'The label is a standing word: what no delivery told of is found by the sweep.',
    proofs: [['e2e/deliveries.test.ts', 'what no delivery told of is found by the sweep, once']],
  },
  {
    kind: 'edge case',
    there: '`/plan` while planning changes nothing and points to the view.',
    here: 'It starts nothing and is answered with where the plan is, or that it is on its way.',
    proofs: [
      ['github/command-reply.test.ts', 'the label or /plan with an open plan is answered with the link to it'],
      ['github/command-reply.test.ts', '/plan while a plan is on its way says so'],
    ],
  },
  {
    kind: 'alias',
    there: '`/view-plan` shows the saved plan, or the approval that waits.',
    here: 'It shows the plan of record, and which gate it waits at.',
    proofs: [
      ['github/command-reply.test.ts', '/view-plan shows the saved plan, and which gate it waits at'],
      ['github/command-reply.test.ts', '/view-plan without a plan says that there is none, and what waits'],
    ],
  },
  {
    kind: 'alias',
    there: '`/show-plan` and `/plan-view` are other names of it.',
    here: 'The same names.',
    proofs: [['lifecycle/commands.test.ts', '/view-plan goes by all its names']],
  },
  {
    kind: 'tool',
    there: '`enter_plan_mode` takes no input.',
    here: 'It takes a reason.',
    why: 'People who are asked to agree must read why.',
    proofs: [
      ['agent/enter-plan-mode.test.ts', 'the wish to plan again parks the implementation'],
      ['github/comments.test.ts', 'a wish to go back to planning names both answers'],
    ],
  },
  {
    kind: 'rule',
    there: '`enter_plan_mode` runs only once the user agrees.',
    here: 'It parks the run; `/replan` by a writer agrees.',
    proofs: [
      [
        'lifecycle/commands.test.ts',
        'while the agent asks to go back to planning, /continue declines and /replan accepts',
      ],
    ],
  },
  {
    kind: 'outcome',
    there: 'Declined: the result says so in a fixed sentence, and normal mode goes on.',
    here: '`/continue`: the same sentence, and the implementation goes on in its tree.',
    proofs: [['agent/render-brief.test.ts', 'a declined wish to plan is answered with that sentence alone']],
  },
  {
    kind: 'rule',
    there: 'Entering emits a notification.',
    here: 'The status comment, the label `plan: writing` and the check tell of it.',
    proofs: [
      ['github/comments.test.ts', 'the status comment of a thread that is … says what it means and what to do next'],
    ],
  },
  {
    kind: 'transition',
    there: 'An accepted call activates plan mode at once, without a pending state.',
    here: 'The revision is queued like every run; `pending` is for a first plan alone.',
    proofs: [['lifecycle/commands.test.ts', '/replan accepts']],
  },
  {
    kind: 'edge case',
    there: 'Entering makes an empty plan file where there is none.',
    here: 'No file is made: a plan run begins without one.',
    why: 'An empty file would be an artifact that nobody wrote and somebody could approve.',
    proofs: [
      ['agent/reminders.test.ts', 'a run that is to plan anew is told of an existing plan only where there is one'],
    ],
  },
  {
    kind: 'rule',
    there: 'Entering never truncates an existing plan.',
    here: 'The plan of record is the draft that a revision begins with, byte for byte.',
    proofs: [
      ['agent/revise-plan.test.ts', 'a revision does not write the plan anew, and says what to use instead'],
      ['agent/enter-plan-mode.test.ts', 'accepted, it is answered with the plan as it stands'],
    ],
  },
  {
    kind: 'rule',
    there: 'Entering answers with the path and the names of the tools to go on with.',
    here: 'The brief names the plan file; the reminder names the two calls that end the turn.',
    proofs: [
      ['agent/decisions.test.ts', 'each reminder of plan mode names the plan file and the two calls that end the turn'],
    ],
  },
  {
    kind: 'rule',
    there: 'Neither of the pair of tools loads without the other.',
    here: 'The same.',
    proofs: [
      [
        'agent/enter-plan-mode.test.ts',
        'enter_plan_mode and exit_plan_mode are a pair: neither phase loads without its half',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'Plan mode fits ambiguous architecture, unclear requirements and restructuring with a high price of error.',
    here: 'The maintainer decides by the label; an implementation is told when to ask for it.',
    proofs: [['agent/enter-plan-mode.test.ts', 'the call into plan mode says when it fits']],
  },
  {
    kind: 'rule',
    there: 'It does not fit clear changes of one path, obvious fixes, renames and pure research.',
    here: 'An issue without the label is left alone.',
    proofs: [['lifecycle/decide.test.ts', 'a label that only bears the name, without an event, starts nothing']],
  },
];

const planFile: readonly Row[] = [
  {
    kind: 'rule',
    there: 'The plan file lies in a folder of the session, under an encoded path.',
    here: '`plan.path` on the branch of the thread, `plan.md` by default.',
    why: 'A plan that people review lies where they review.',
    proofs: [['config/repository-config.test.ts', 'what a repository sets is what its policy says']],
  },
  {
    kind: 'rule',
    there: 'Its path is worked out anew and stored nowhere.',
    here: 'The same; a path in a comment counts for nothing.',
    proofs: [['engine/plan-place.test.ts', 'a plan whose place is taken fails the run with the reason']],
  },
  {
    kind: 'edge case',
    there: 'Without a path for the session there are fallbacks.',
    here: 'One: where the base has a file there already, the number of the issue is added.',
    proofs: [
      ['github/observe.test.ts', "where the base has a file at the plan's path, the plan has a name of its own"],
    ],
  },
  ...[
    'why the change is needed (Context)',
    'the recommended approach',
    'the files to change',
    'what to reuse, with paths',
    'how to verify it end to end',
  ].map(
    (part): Row => ({
      kind: 'rule',
      there: `A plan is expected to say ${part}.`,
      here: 'A section, or front matter; the plan lint misses it where it is not there.',
      proofs: [['plan/lint.test.ts', 'a missing title, a missing, a doubled and an empty section are told']],
    }),
  ),
];

const approval: readonly Row[] = [
  {
    kind: 'tool',
    there:
      '`exit_plan_mode` takes no input and reads the plan from disk, so that people see the bytes that were written.',
    here: 'It takes no plan text, only answers to remarks; the published blob is what the writing tools have left.',
    why: 'Remarks of a review are owed an answer each.',
    proofs: [
      ['agent/exit-plan-mode.test.ts', 'writes of a turn are applied before its exit'],
      ['agent/revise-plan.test.ts', 'a remark without an answer sends the revision back twice'],
    ],
  },
  {
    kind: 'rule',
    there: 'It emits a notification with the plan and parks until there is a decision.',
    here: 'Pull request, check and label tell of it; the run is parked and holds no process.',
    proofs: [
      ['github/act.test.ts', "the pull request is opened once, as a draft with the issue's title"],
      ['e2e/killed.test.ts', 'what was planned through a kill is implemented once'],
    ],
  },
  {
    kind: 'key',
    there: '`a` approves and starts building.',
    here: 'A review that approves.',
    proofs: [['e2e/path.test.ts', 'a label and an approval lead to a pull request that is ready for code review']],
  },
  {
    kind: 'key',
    there: '`a` with line comments pending approves with comments, which ride along.',
    here: 'Body and line comments of an approving review go into the implementation.',
    proofs: [
      ['lifecycle/decide.test.ts', 'comments without a verdict wait, and go along with the next verdict'],
      ['agent/render-brief.test.ts', 'an approval names the approvers, the commit and the plan'],
    ],
  },
  {
    kind: 'key',
    there: '`s` requests changes with notes; plan mode stays.',
    here: 'A review that requests changes.',
    proofs: [['e2e/revision.test.ts', 'a revision changes only what was remarked on, byte for byte']],
  },
  {
    kind: 'key',
    there: '`c` comments on a line.',
    here: 'A comment on a line of the plan file.',
    proofs: [['plan/line-feedback.test.ts', 'a line comment carries its line as the reviewer saw it']],
  },
  {
    kind: 'key',
    there: '`c` on a selection comments on a range.',
    here: 'A comment on several lines.',
    proofs: [['plan/line-feedback.test.ts', 'a comment on several lines carries the whole range']],
  },
  {
    kind: 'key',
    there: 'Enter on a line comments on it.',
    here: "GitHub's own way to comment, with removed lines and whole files besides.",
    proofs: [
      ['github/review-forms.test.ts', 'a comment on a removed line quotes what was removed'],
      ['github/review-forms.test.ts', 'a comment on the file has no line, and breaks nothing'],
    ],
  },
  {
    kind: 'key',
    there: '`q` gives the plan up, without approval.',
    here: 'Closing the pull request, taking the label off, or `/cancel`.',
    proofs: [['lifecycle/decide.test.ts', 'closing the pull request abandons the plan']],
  },
  {
    kind: 'key',
    there: 'Tab changes between preview and prompt.',
    here: "GitHub's own pages: the diff, and the conversation.",
    why: 'There is no terminal to move in.',
    proofs: [['lifecycle/commands.test.ts', 'what every command does in a thread that is …']],
  },
  {
    kind: 'key',
    there: 'Esc goes back to the preview.',
    here: "GitHub's own pages. A review that is pending is nothing.",
    why: 'There is no terminal to move in.',
    proofs: [['lifecycle/standing-verdict.test.ts', 'S67: a pending review is nothing, of whatever person']],
  },
  {
    kind: 'state',
    there: 'Focus: preview.',
    here: 'The plan in the diff of the pull request, and `/view-plan`.',
    proofs: [['github/comments.test.ts', 'the plan is shown whole, in a fence that it cannot leave']],
  },
  {
    kind: 'state',
    there: 'Focus: commenting.',
    here: 'A review that has not been submitted: not seen.',
    proofs: [
      [
        'github/review-forms.test.ts',
        'what is changed after a review was submitted is not heard; what is changed while it is pending is',
      ],
    ],
  },
  {
    kind: 'state',
    there: 'Focus: prompt.',
    here: 'A comment in the conversation: never a verdict.',
    proofs: [['e2e/deliveries.test.ts', 'a comment "LGTM" and a reaction approve nothing']],
  },
  {
    kind: 'edge case',
    there: 'A plan that is missing, empty or blank still opens the approval, with a placeholder.',
    here: 'The same, with the same first words.',
    proofs: [
      ['agent/exit-plan-mode.test.ts', 'leaving without a plan presents the placeholder'],
      ['agent/exit-plan-mode.test.ts', 'leaving with a blank plan presents the placeholder'],
      ['plan/plan-file.test.ts', 'the placeholder begins with the words that say that there is no plan'],
    ],
  },
  {
    kind: 'outcome',
    there: 'An empty plan can be approved, and is implemented.',
    here: 'Only with `approval.allow_empty_plan: true`.',
    why: 'Who approves by reflex must not start work that nobody described.',
    proofs: [
      [
        'lifecycle/plan-fitness.test.ts',
        'approving the placeholder opens the gate with approval.allow_empty_plan alone',
      ],
    ],
  },
  {
    kind: 'outcome',
    there: 'An empty plan can be sent back.',
    here: 'Requesting changes has it written.',
    proofs: [
      [
        'lifecycle/plan-fitness.test.ts',
        'approving the placeholder opens the gate with approval.allow_empty_plan alone',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'The status line tells an approval that waits from a plan that was not written.',
    here: '`/view-plan` and the check do.',
    proofs: [
      [
        'github/command-reply.test.ts',
        '/view-plan of a placeholder shows the gate that waits, and says that there is no plan',
      ],
    ],
  },
  {
    kind: 'edge case',
    there: 'In a minimal mode the notice goes into the scrollback.',
    here: 'The placeholder is the plan file itself: it is wherever the plan would be.',
    proofs: [['plan/plan-file.test.ts', 'the placeholder begins with the words that say that there is no plan']],
  },
  {
    kind: 'outcome',
    there: '`approved` leaves plan mode and implements.',
    here: 'Every rule of the gate is fulfilled, read live.',
    proofs: [['lifecycle/gate-oracle.test.ts', 'the gate and its oracle agree on every sequence of … events']],
  },
  {
    kind: 'outcome',
    there: '`abandoned` turns plan mode off.',
    here: 'State `abandoned`: the branch is left as it is.',
    proofs: [
      [
        'e2e/stop.test.ts',
        'a pull request that is closed stops its revision; the label again starts on another branch',
      ],
    ],
  },
  {
    kind: 'outcome',
    there: 'Anything else stays in plan mode.',
    here: 'The same: unknown, unreadable and partial answers leave the thread where it is.',
    proofs: [
      ['lifecycle/standing-verdict.test.ts', 'an unknown review state of an eligible person shuts the gate'],
      [
        'lifecycle/recheck.test.ts',
        'S68: where … cannot be read nothing starts, nothing is stopped and nothing is pushed',
      ],
    ],
  },
  {
    kind: 'edge case',
    there:
      'Where nobody can be asked, the failure of the channel decides; a request that was delivered and dropped stays pending.',
    here: 'The plan waits on GitHub, without limit; a failed opening is told on the issue.',
    proofs: [
      ['e2e/refusals.test.ts', 'a refusal of the pull request is told on the issue, and not asked for again and again'],
      ['e2e/killed.test.ts', 'killed after the push of the plan and …, it neither plans nor opens again'],
    ],
  },
  {
    kind: 'rule',
    there: 'That approval is awaited survives a restart, and is shown again.',
    here: 'The same, also without the database: the branch and its commits are the record.',
    proofs: [
      [
        'agent/plan-run.test.ts',
        'a run that had parked when its host died says its result again without asking the model',
      ],
      ['engine/sweep.test.ts', 'a new process takes up every thread that is not at rest, and every run'],
    ],
  },
];

const states: readonly Row[] = [
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
    proofs: [['lifecycle/decide.test.ts', 'the whole path: label, plan']],
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
    there: 'Switched off before that was delivered, it is rolled back: the model is not told of an exit.',
    here: 'A run that nobody wants before the model has answered is cancelled; its cause stands again.',
    proofs: [
      [
        'lifecycle/request-text.test.ts',
        'case 68: a first run that the model has not answered yet is stopped by such an edit',
      ],
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

const permissions: readonly Row[] = [
  {
    kind: 'rule',
    there: 'The value `plan` of the permission mode is not plan mode.',
    here: 'There is no such value: modes are `auto` and `ask`.',
    proofs: [['config/repository-config.test.ts', 'refused: …']],
  },
  {
    kind: 'rule',
    there: 'Edits: the exact path of the plan file alone, and it needs no question.',
    here: '`write_plan` and `edit_plan` need no question in any mode.',
    proofs: [
      [
        'agent/permissions.test.ts',
        'the mode auto carries out what no rule names; the mode ask asks for what changes the tree, and for nothing else',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'A rejected edit is told in a short message that names the plan file.',
    here: 'A refused call is told which tools there are.',
    proofs: [['e2e/hostile.test.ts', 'every forbidden call was refused']],
  },
  {
    kind: 'edge case',
    there: 'Compatible Write and StrReplace may change any Markdown file.',
    here: 'No.',
    why: 'A hole that the document admits: other documents are not plans.',
    proofs: [
      ['agent/plan-surface.test.ts', 'case 15: no file tool writes in plan mode, to the plan or to other Markdown'],
    ],
  },
  {
    kind: 'edge case',
    there: 'Delete may delete the plan file alone.',
    here: 'There is no delete while planning.',
    why: 'A plan that is gone cannot be reviewed.',
    proofs: [['agent/decisions.test.ts', 'the kinds of a phase']],
  },
  {
    kind: 'edge case',
    there: 'A patch whose targets are not known before it is read is always rejected.',
    here: 'There is no tool that takes a patch.',
    proofs: [
      ['agent/prompts.test.ts', 'whatever a run of the phase "…" is told, it names no tool that is not offered there'],
    ],
  },
  {
    kind: 'rule',
    there: 'What is no edit goes through the usual permissions.',
    here: 'The same: `deny` and `ask` rules hold for reading tools as well.',
    proofs: [
      [
        'agent/permissions.test.ts',
        'Read holds for what searches too, and hides what a search of a folder around finds',
      ],
    ],
  },
  {
    kind: 'edge case',
    there: 'The shell stays, and its redirections are not looked at.',
    here: 'No shell; with `plan.shell: true` one whose checkout is read-only to the kernel, without network.',
    why: 'A hole that the document admits.',
    proofs: [
      ['agent/plan-shell.test.ts', 'case 1, S30: a plan run with a shell leaves the checkout byte for byte as it was'],
    ],
  },
  {
    kind: 'rule',
    there: 'Always-approve knows nothing of plan mode, and the gate rejects all the same.',
    here: 'Mode `auto` weakens nothing.',
    proofs: [
      [
        'agent/permissions.test.ts',
        'case 4, S28: in no configuration, by the thousand, is a tool that changes anything in the plan offer',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'What is no edit may run without a question under always-approve.',
    here: 'Reading needs no question in any mode.',
    proofs: [
      [
        'agent/permissions.test.ts',
        'the mode auto carries out what no rule names; the mode ask asks for what changes the tree, and for nothing else',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'Always-approve goes on after the exit was approved.',
    here: 'The mode that was recorded at the entry.',
    proofs: [
      ['agent/permissions.test.ts', 'approval gives back exactly the set that was in force when plan mode was entered'],
    ],
  },
  {
    kind: 'rule',
    there: 'Rules for deny, ask and allow hold in their usual order.',
    here: '`deny`, then `ask`, then `allow`, then the mode.',
    proofs: [['agent/permissions.test.ts', 'deny wins over ask, and ask over allow, whatever the mode']],
  },
  {
    kind: 'edge case',
    there: 'Hooks run before a tool is used.',
    here: 'There are none.',
    why: 'A hook is code of the repository that would run beside the secrets of the host.',
    proofs: [['engine/run-preparation.test.ts', 'S25, case 158']],
  },
  {
    kind: 'edge case',
    there: 'The plan gate stands before an agent can change the tree by an edit tool.',
    here: 'It stands before the request, in the executor and in the kernel.',
    proofs: [['workspace/checkout.test.ts', 'a read-only checkout holds the files without a write bit']],
  },
  {
    kind: 'edge case',
    there: 'Helpers start outside of plan mode and may edit.',
    here: 'They have the phase of their parent, and reading tools alone.',
    why: 'A hole that the document admits.',
    proofs: [['agent/helpers.test.ts', 'case 3, S29: no request of a helper offers a tool that changes anything']],
  },
  {
    kind: 'edge case',
    there: 'Helpers inherit always-approve.',
    here: 'They have no tool that it could be used for.',
    why: 'A hole that the document admits.',
    proofs: [['agent/helpers.test.ts', 'case 3, S29: no request of a helper offers a tool that changes anything']],
  },
  {
    kind: 'rule',
    there: 'Exploring helpers are limited by their own tools.',
    here: 'So are both kinds.',
    proofs: [['agent/helpers.test.ts', 'case 3, S29: no request of a helper offers a tool that changes anything']],
  },
];

const reminders: readonly Row[] = [
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
    ],
  },
];

const parts: readonly Row[] = [
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
    proofs: [['lifecycle/decide.test.ts', 'a label that only bears the name, without an event, starts nothing']],
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
    proofs: [['agent/permissions.test.ts', 'a tool that asks people by itself is not asked about, and can be denied']],
  },
  {
    kind: 'alias',
    there: '`ExitPlanMode` stands for the tool in lists of permissions.',
    here: 'The same.',
    proofs: [['agent/permissions.test.ts', 'a tool that asks people by itself is not asked about, and can be denied']],
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

export const planModeLifecycle: readonly Row[] = [
  ...entry,
  ...planFile,
  ...approval,
  ...states,
  ...permissions,
  ...reminders,
  ...parts,
];
