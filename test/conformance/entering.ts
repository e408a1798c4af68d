/** How grok-build's plan mode is entered, and the plan file that it writes, row by row. */
import type { Row } from './row.ts';

export const entry: readonly Row[] = [
  {
    kind: 'rule',
    there:
      'In plan mode an edit of anything but the plan file is rejected before it happens, in every permission mode.',
    here: 'No tool that could make such an edit is offered, whatever the configuration.',
    proofs: [
      [
        'agent/permissions.test.ts',
        'case 4, S28: in no configuration, by the thousand, is a tool that changes anything in the plan offer',
      ],
      [
        'agent/plan-surface.test.ts',
        'case 15: no file tool writes in plan mode, to the plan or to other Markdown, and each refusal says what is allowed',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'While planning, the agent reads, searches, writes the plan, asks, and leaves by one call.',
    here: 'The same: `read`, `glob`, `grep`, `git_log`, `delegate`, `write_plan`, `edit_plan`, `take_suggestion`, `ask_user_question`, `exit_plan_mode`.',
    proofs: [
      ['agent/plan-run.test.ts', 'a plan run reads, writes the plan and parks with it'],
      [
        'agent/plan-run.test.ts',
        'no request of a plan run offers a tool that changes anything, whatever the model tries',
      ],
    ],
  },
  {
    kind: 'alias',
    there: '`/plan` switches plan mode on.',
    here: '`/plan` by a writer, on the issue, asks for a plan; so does the trigger label.',
    proofs: [
      [
        'lifecycle/commands.test.ts',
        'what every command does in a thread that is …, each with a reaction, and nothing in silence',
      ],
      ['lifecycle/hostile-requests.test.ts', 'a `/plan` that was heard stands without the database'],
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
      [
        'lifecycle/plan-mode-wish.test.ts',
        'the wish to plan again is granted by /replan alone and declined by /continue alone, each by a writer',
      ],
    ],
  },
  {
    kind: 'outcome',
    there: 'Declined: the result says so in a fixed sentence, and normal mode goes on.',
    here: '`/continue`: the same sentence, and the implementation goes on in its tree.',
    proofs: [
      ['agent/render-brief.test.ts', 'a declined wish to plan is answered with that sentence alone'],
      ['agent/enter-plan-mode.test.ts', 'declined, it is answered with that sentence and work goes on'],
    ],
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
    here: 'The same state, `planning`, though the run is queued like every other; `pending` is for a first plan alone.',
    proofs: [['lifecycle/commands.test.ts', '/replan accepts']],
  },
  {
    kind: 'edge case',
    there: 'Entering makes an empty plan file where there is none.',
    here: 'No file is made: a plan run begins without one.',
    why: 'An empty file would be an artifact that nobody wrote and somebody could approve.',
    proofs: [
      ['engine/run-preparation.test.ts', 'a plan run gets a read-only checkout of its base, the request'],
      ['agent/exit-plan-mode.test.ts', 'leaving without a plan presents the placeholder'],
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
    here: 'The result is the plan as it stands, with its file and the two calls that end the turn; the prompt names the helpers.',
    proofs: [
      ['agent/decisions.test.ts', 'each reminder of plan mode names the plan file and the two calls that end the turn'],
      ['agent/enter-plan-mode.test.ts', 'accepted, it is answered with the plan as it stands'],
      ['agent/prompts.test.ts', 'helpers are told of no tool, and of as many turns as they have'],
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
    proofs: [['agent/enter-plan-mode.test.ts', 'the call into plan mode says when it fits, and when not']],
  },
  {
    kind: 'rule',
    there: 'It does not fit clear changes of one path, obvious fixes, renames and pure research.',
    here: 'An issue without the label is left alone, and an implementation is told when not to ask for it.',
    proofs: [
      ['lifecycle/decide.test.ts', 'a label that only bears the name, without an event, starts nothing'],
      ['agent/enter-plan-mode.test.ts', 'the call into plan mode says when it fits, and when not'],
    ],
  },
];

export const planFile: readonly Row[] = [
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
    here: 'The same: from configuration, issue and base; no tool and no comment can name another.',
    proofs: [
      ['github/observe.test.ts', "where the base has a file at the plan's path, the plan has a name of its own"],
      ['agent/plan-surface.test.ts', 'case 13: the plan is written and edited without a path'],
    ],
  },
  {
    kind: 'edge case',
    there: 'Without a path for the session there are fallbacks.',
    here: 'One: where the base has a file there already, the number of the issue is added.',
    proofs: [
      ['github/observe.test.ts', "where the base has a file at the plan's path, the plan has a name of its own"],
      ['engine/plan-place.test.ts', 'a plan whose place is taken fails the run with the reason'],
    ],
  },
  {
    kind: 'rule',
    there: 'A plan is expected to say what the change is for.',
    here: 'Section "Context"; the plan lint misses it where it is not there.',
    proofs: [['plan/lint.test.ts', 'a missing title, a missing, a doubled and an empty section are told']],
  },
  {
    kind: 'rule',
    there: 'A plan is expected to recommend one approach, not to list all.',
    here: 'Section "Approach"; the prompt asks for one.',
    proofs: [['plan/lint.test.ts', 'a missing title, a missing, a doubled and an empty section are told']],
  },
  {
    kind: 'rule',
    there: 'A plan is expected to name the files to change.',
    here: 'The front matter does, each with its change, and is held against the steps and the base.',
    proofs: [
      ['plan/lint.test.ts', 'a plan without files is told'],
      ['plan/lint.test.ts', 'a planned file that no step names, and a step that names no planned file, are told'],
    ],
  },
  {
    kind: 'rule',
    there: 'A plan is expected to name what is there to reuse, with paths.',
    here: 'Section "Existing code to reuse"; what it cites has to be there at the base.',
    proofs: [
      ['plan/lint.test.ts', 'a missing title, a missing, a doubled and an empty section are told'],
      ['plan/lint-citations.test.ts', 'a symbol that one step introduces may be cited everywhere but as existing code'],
    ],
  },
  {
    kind: 'rule',
    there: 'A plan is expected to say how it is tested end to end.',
    here: 'Section "Verification", and commands that look as if they can run, or why there are none.',
    proofs: [
      ['plan/lint.test.ts', 'a plan without verification is told'],
      ['plan/lint-verification.test.ts', 'a verification that cannot run is told'],
    ],
  },
];
