/** The survey of how agents separate deciding from doing: what makes each strategy safe, row by row. */
import type { Row } from './row.ts';

export const strategiesSafety: readonly Row[] = [
  {
    kind: 'rule',
    there: 'Staged: whatever writes, moves, removes or resets waits for the apply step.',
    here: 'They are commits of the host in its own git directory until the push.',
    proofs: [
      ['workspace/commit.test.ts', 'a step commits edits, creations, deletions and modes'],
      ['lifecycle/decide.test.ts', 'an approval that goes away stops the implementation, and nothing is pushed'],
    ],
  },
  {
    kind: 'rule',
    there: 'Staged: shell commands wait as well.',
    here: 'They run at once, in a sandbox that reaches the worktree and nothing else.',
    why: 'Work that cannot be tried cannot be verified; a sandbox has the same safety.',
    proofs: [['sandbox/command-runner.test.ts', 'a command cannot write: …']],
  },
  {
    kind: 'rule',
    there: 'Staged: even reads wait for it.',
    here: 'Reading is free in both phases.',
    why: 'A plan that was not read off the code is a guess, and reading changes nothing.',
    proofs: [['agent/decisions.test.ts', 'the kinds of a phase']],
  },
  {
    kind: 'rule',
    there: 'The apply step is outside of the model’s control.',
    here: 'The push is an action of a decision; no tool pushes, and no token is in the run.',
    proofs: [
      [
        'agent/implement-changes.test.ts',
        'nothing outside, no git and no plan can be written, and what is there stays',
      ],
      ['e2e/hostile.test.ts', 'no secret turns up where the model, GitHub or the log could show it'],
    ],
  },
  {
    kind: 'rule',
    there: 'Removal from the schema is the strongest: there is no call to deny.',
    here: 'Done, and the executor accepts only what was sent.',
    proofs: [
      [
        'agent/plan-run.test.ts',
        'no request of a plan run offers a tool that changes anything, whatever the model tries',
      ],
    ],
  },
  {
    kind: 'edge case',
    there: 'An interception at run time can race with the write it is to stop.',
    here: 'There is nothing to race with: no tool that writes is made from a read-only checkout.',
    proofs: [
      ['agent/decisions.test.ts', 'a read-only checkout does not fit the tools that write'],
      [
        'agent/plan-run.test.ts',
        'no request of a plan run offers a tool that changes anything, whatever the model tries',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'Narrowing a target is enforced before the call.',
    here: '`write_plan` and `edit_plan` take no path: no other target can be expressed.',
    proofs: [['agent/plan-surface.test.ts', 'case 13: the plan is written and edited without a path']],
  },
  {
    kind: 'rule',
    there: 'Plan mode and a sandbox are two layers, and both are needed.',
    here: 'Both are there; without a sandbox no command runs at all.',
    proofs: [
      ['sandbox/command-runner.test.ts', 'a command cannot write: …'],
      [
        'agent/plan-run.test.ts',
        'no request of a plan run offers a tool that changes anything, whatever the model tries',
      ],
      ['agent/plan-shell.test.ts', 'case 1, S30: a plan run with a shell leaves the checkout byte for byte as it was'],
    ],
  },
  {
    kind: 'rule',
    there: 'Plan mode is against work on a task that was misunderstood; a sandbox is against commands that do harm.',
    here: 'Held apart: the gate knows nothing of the sandbox, and a failed self-test opens nothing.',
    proofs: [
      ['lifecycle/purity.test.ts', 'the lifecycle imports nothing but itself'],
      ['sandbox/self-test.test.ts', 'nothing is set up before the first command; without proof none runs'],
    ],
  },
  {
    kind: 'rule',
    there: 'Every form has an explicit hand-off.',
    here: 'An approving review. There is no silent, timed or automatic one.',
    proofs: [
      [
        'lifecycle/approval-gate.test.ts',
        'S75, 53: comments, reactions, labels, edited text, auto-merge and checks of others never open the gate',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'The restriction belongs where tools are offered.',
    here: 'There: `offerTools`, from the kinds of the phase.',
    proofs: [
      ['agent/decisions.test.ts', 'the kinds of a phase'],
      [
        'agent/permissions.test.ts',
        'case 4, S28: in no configuration, by the thousand, is a tool that changes anything in the plan offer',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'Kind `resource`: its tools are taken out of the request in plan mode.',
    here: '`write`, `edit`, `move`, `delete`, `bash`; what is of an unknown kind counts as one.',
    proofs: [['agent/decisions.test.ts', 'an unknown kind counts as a resource']],
  },
  {
    kind: 'rule',
    there: 'Kind `data_source`: stays.',
    here: '`read`, `glob`, `grep`, `git_log`, in both phases.',
    proofs: [['agent/decisions.test.ts', 'the kinds of a phase']],
  },
  {
    kind: 'rule',
    there: 'Kind `interactive`: questions stay possible while planning.',
    here: '`ask_user_question` in both phases.',
    proofs: [
      ['agent/plan-run.test.ts', 'a question parks the run with the results of the other calls'],
      [
        'lifecycle/answers.test.ts',
        'a question parks a revision, which still answers its reviews, and an implementation, which keeps its approval',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'Kind `task`: a category of its own, apart from plan mode.',
    here: 'Offered to an implementation alone.',
    proofs: [['agent/decisions.test.ts', 'the kinds of a phase']],
  },
  {
    kind: 'rule',
    there: 'Entry and exit need no tool of their own where the loop itself removes tools.',
    here: 'The loop removes them, and the pair of calls asks people.',
    why: 'A model that sees that its plan does not hold must be able to say so.',
    proofs: [['agent/enter-plan-mode.test.ts', 'the wish to plan again parks the implementation']],
  },
  {
    kind: 'transition',
    there: 'A single turn of a session can be switched to reading alone.',
    here: 'A run is of one phase from its beginning to its end.',
    why: 'A person can tell which phase a run is in only if it does not change within.',
    proofs: [
      [
        'agent/plan-run.test.ts',
        '18: a run that is killed goes on from its last stored turn, with the tools of its phase and no others',
      ],
    ],
  },
];
