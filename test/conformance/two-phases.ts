/** The description of Claude Code's plan mode as two phases: the phases, and the permissions in each, row by row. */
import type { Row } from './row.ts';

export const twoPhases: readonly Row[] = [
  {
    kind: 'state',
    there: 'A first phase explores: code is read, and nothing is written but a plan file.',
    here: 'State `planning`: the plan phase offers reading tools, questions and the plan file.',
    proofs: [
      ['agent/decisions.test.ts', 'the kinds of a phase: nothing that changes the tree while planning'],
      ['e2e/path.test.ts', 'no tool that changes anything is told to the model while it plans'],
    ],
  },
  {
    kind: 'state',
    there: 'A checkpoint between the phases waits for a person.',
    here: 'State `awaiting_approval`: a draft pull request that holds the plan alone.',
    proofs: [['lifecycle/decide.test.ts', 'the whole path: label, plan, changes requested, revision, approval']],
  },
  {
    kind: 'state',
    there: 'A second phase carries the plan out with edit, write and shell tools.',
    here: 'State `implementing`: the implement phase offers `write`, `edit`, `move`, `delete` and `bash`.',
    proofs: [
      ['agent/implement-run.test.ts', 'an implementation begins with the approval, its plan and the end of plan mode'],
    ],
  },
  {
    kind: 'transition',
    there: 'A tool call enters plan mode.',
    here: 'A label or `/plan` enters it; in an implementation the call `enter_plan_mode` asks to.',
    why: 'Whether a plan is wanted is a decision of the maintainers, not of the model.',
    proofs: [
      ['lifecycle/request.test.ts', 'S10, S11, S12: only a live permission of write or more makes a label a request'],
      ['agent/enter-plan-mode.test.ts', 'the wish to plan again parks the implementation'],
      ['agent/enter-plan-mode.test.ts', 'accepted, it is answered with the plan as it stands'],
    ],
  },
  {
    kind: 'transition',
    there: 'Leaving the exploration asks for approval.',
    here: '`exit_plan_mode` ends the turn; the plan is published and reviewed.',
    proofs: [['agent/plan-run.test.ts', 'a plan run reads, writes the plan and parks with it']],
  },
  {
    kind: 'transition',
    there: 'A rejected plan leads back to the exploration.',
    here: 'A review that requests changes starts a revision; nothing else is unlocked.',
    proofs: [
      ['agent/plan-run.test.ts', 'a review that asks for changes arrives as the result of exit_plan_mode'],
      ['lifecycle/decide.test.ts', 'the whole path: label, plan, changes requested, revision'],
    ],
  },
  {
    kind: 'transition',
    there: 'An approved plan starts the implementation.',
    here: 'An approval that fulfils every rule of the gate starts it, once.',
    proofs: [['e2e/deliveries.test.ts', "a writer's approval of the head starts the implementation, once"]],
  },
  {
    kind: 'rule',
    there: 'Write permissions are taken away by the system, not by asking the model.',
    here: 'No tool that changes anything is in a request of the plan phase; the checkout is read-only to the kernel.',
    proofs: [
      [
        'agent/plan-run.test.ts',
        'no request of a plan run offers a tool that changes anything, whatever the model tries',
      ],
      ['workspace/checkout.test.ts', 'a read-only checkout holds the files without a write bit'],
    ],
  },
  {
    kind: 'tool',
    there: 'Read, Grep and Glob explore.',
    here: '`read`, `grep`, `glob`, and `git_log` for the history.',
    proofs: [
      ['agent/read-files.test.ts', 'a file is read whole, by lines, and through a link that stays inside'],
      ['agent/read-files.test.ts', 'the history of a path comes from the host'],
      [
        'agent/read-files.test.ts',
        'searches do not follow links out, do not look into git, and do not wait for a pipe',
      ],
    ],
  },
  {
    kind: 'tool',
    there: 'Edit and Write change any file in the second phase, Bash runs any command.',
    here: 'They change what the plan names, in a worktree of the run; commands run in a sandbox.',
    why: 'An approval is for a scope, not for everything.',
    proofs: [
      ['agent/implement-changes.test.ts', 'where scope is blocked, a change that the plan does not name is refused'],
      ['agent/implement-run.test.ts', 'a shell sees the repository and the answer of its command'],
    ],
  },
  {
    kind: 'tool',
    there: 'Helpers explore and design while planning.',
    here: '`delegate` with `explore` and `plan`: each with a context of its own and reading tools alone.',
    proofs: [
      ['agent/helpers.test.ts', 'a report is the result of its call: labelled, fenced, and bounded'],
      ['agent/helpers.test.ts', 'case 3, S29: no request of a helper offers a tool that changes anything'],
    ],
  },
  {
    kind: 'rule',
    there: 'The permission mode in force before is recorded on entry.',
    here: 'The set of permissions in force is recorded with the plan run.',
    proofs: [
      ['engine/run-preparation.test.ts', 'an implementation gets the permissions back that plan mode was entered with'],
    ],
  },
  {
    kind: 'rule',
    there: 'Recording does not switch the mode: the tool that enters does.',
    here: 'Nothing switches a mode: the phase of a run, decided from GitHub, says which tools there are.',
    why: 'A flag that somebody sets can be forgotten; a phase that each offer is made from cannot.',
    proofs: [
      ['agent/decisions.test.ts', 'the kinds of a phase'],
      [
        'agent/plan-run.test.ts',
        '18: a run that is killed goes on from its last stored turn, with the tools of its phase and no others',
      ],
    ],
  },
  {
    kind: 'rule',
    there:
      'Dangerous permissions are stripped where the mode before was not automatic and planning uses the automatic one.',
    here: 'They are stripped in every mode, as the last layer.',
    why: 'A protection with a condition has a way around it.',
    proofs: [
      [
        'agent/permissions.test.ts',
        'case 4, S28: in no configuration, by the thousand, is a tool that changes anything in the plan offer',
      ],
      [
        'agent/permissions.test.ts',
        'plan mode strips what allows any command, an interpreter or any helper, in either mode',
      ],
    ],
  },
  {
    kind: 'edge case',
    there: 'Entered from the automatic mode, which planning keeps using, nothing is stripped.',
    here: 'They are stripped in `auto` as in `ask`.',
    why: 'The mode that asks nobody is the one that needs it most.',
    proofs: [
      [
        'agent/permissions.test.ts',
        'plan mode strips what allows any command, an interpreter or any helper, in either mode',
      ],
    ],
  },
  {
    kind: 'edge case',
    there: 'Entered from the automatic mode, which planning does not use, the dangerous ones are restored.',
    here: 'Nothing comes back before the approval.',
    why: 'Entering plan mode must never give more than there was.',
    proofs: [
      [
        'agent/permissions.test.ts',
        'case 4, S28: in no configuration, by the thousand, is a tool that changes anything in the plan offer',
      ],
      ['agent/permissions.test.ts', 'approval gives back exactly the set that was in force when plan mode was entered'],
    ],
  },
  {
    kind: 'edge case',
    there: 'With a feature switched off, entering plan mode leaves all permissions as they were.',
    here: 'There is no switch.',
    why: 'Plan mode that can be configured away is none.',
    proofs: [
      [
        'agent/permissions.test.ts',
        'case 4, S28: in no configuration, by the thousand, is a tool that changes anything in the plan offer',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'A rule that allows the shell as a whole is stripped.',
    here: 'Bare `Bash` is stripped while planning.',
    proofs: [
      [
        'agent/permissions.test.ts',
        'plan mode strips what allows any command, an interpreter or any helper, in either mode',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'Rules that allow interpreters by prefix are stripped.',
    here: '`Bash(python:*)`, `Bash(node:*)` and their like are stripped while planning.',
    proofs: [
      [
        'agent/permissions.test.ts',
        'plan mode strips what allows any command, an interpreter or any helper, in either mode',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'Rules that allow any helper are stripped.',
    here: '`Agent(*)` is stripped while planning; helpers have the reading tools of their parent in any case.',
    proofs: [
      [
        'agent/permissions.test.ts',
        'plan mode strips what allows any command, an interpreter or any helper, in either mode',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'Stripped permissions come back after approval.',
    here: 'An implementation has the untouched set, with what was tightened since on top.',
    proofs: [
      ['agent/permissions.test.ts', 'approval gives back exactly the set that was in force when plan mode was entered'],
    ],
  },
  {
    kind: 'rule',
    there: 'One surface stays writable: the plan file, under a generated name in the home folder.',
    here: '`plan.md` on the branch of the pull request; its tools take no path.',
    why: 'Where people review code is where they can review a plan.',
    proofs: [
      ['agent/plan-surface.test.ts', 'case 13: the plan is written and edited without a path'],
      ['workspace/commit.test.ts', 'the plan is committed alone, without a tree on disk'],
    ],
  },
];
