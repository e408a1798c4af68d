/** The survey of how agents separate deciding from doing: the four strategies and their forms, row by row. */
import type { Row } from './row.ts';

export const strategies: readonly Row[] = [
  {
    kind: 'rule',
    there: 'Plan mode restricts a session to exploring and to one plan, until an explicit step lets it go on.',
    here: 'A thread is in plan mode from its request until its approval; the state is decided from GitHub alone.',
    proofs: [
      ['lifecycle/enumeration.test.ts', 'every sequence of … events keeps the invariants, whatever crashes in between'],
    ],
  },
  {
    kind: 'rule',
    there: 'It stands above approvals of single calls, and both can be had together.',
    here: 'Permission rules hold within an implementation; plan mode is the same with any of them.',
    proofs: [
      [
        'agent/permissions.test.ts',
        'case 4, S28: in no configuration, by the thousand, is a tool that changes anything in the plan offer',
      ],
      ['agent/asked-calls.test.ts', 'in the mode ask a call that changes something parks the run unanswered'],
    ],
  },
  {
    kind: 'rule',
    there: 'Strategy one, restricted tools: planning is a smaller set of tools.',
    here: 'One function says which kinds a phase offers; the model is sent no other.',
    proofs: [
      [
        'agent/plan-run.test.ts',
        'no request of a plan run offers a tool that changes anything, whatever the model tries',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'Strategy two, gate before write: a mode that the model can switch keeps writes from happening.',
    here: 'No call switches anything: the executor refuses what is not offered, the checkout is read-only, and the token that clones cannot write.',
    why: 'A switch within reach of the model is no gate.',
    proofs: [
      ['e2e/hostile.test.ts', 'every forbidden call was refused'],
      [
        'github/tokens.test.ts',
        'a token to … reaches one repository, has the least permissions, and is revoked after its work',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'Strategy three, explicit sign-off: leaving needs the approval of an artifact.',
    here: "A person's approving review, bound to the commit and the bytes of the plan file.",
    proofs: [
      [
        'lifecycle/approval-gate.test.ts',
        "S62, S64: a writer's approval of the head opens the gate, and the receipt says whose and of which bytes",
      ],
      ['engine/run-preparation.test.ts', 'S64: no implementation starts from other bytes than the receipt names'],
    ],
  },
  {
    kind: 'rule',
    there: 'Strategy four, staged apply: everything is collected, and an explicit step applies it.',
    here: 'An implementation happens in a worktree; nothing reaches GitHub before scope, checks and the approval were looked at once more.',
    proofs: [
      [
        'e2e/stale.test.ts',
        'an approval that goes stale is stopped: in twelve ways, before the start and before the push',
      ],
      ['lifecycle/decide.test.ts', 'changes requested while finished work waits to be pushed: nothing is pushed'],
    ],
  },
  {
    kind: 'rule',
    there: 'The four do not fit together, and no implementation combines them.',
    here: 'All four at once, each standing on its own.',
    why: 'One layer that fails is then no way through.',
    proofs: [
      [
        'demo/agent-plays.test.ts',
        'a hostile plan run changes no file, is offered nothing that could, and ends with a plan all the same',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'Nobody has settled what a plan is as data.',
    here: 'Markdown with front matter whose JSON Schema is published.',
    proofs: [
      ['plan/front-matter-schema.test.ts', 'the published schema of the front matter is the one that is applied'],
    ],
  },
  {
    kind: 'tool',
    there: 'Enter and exit are a pair of tools, or only the exit is one.',
    here: '`exit_plan_mode` while planning, `enter_plan_mode` while implementing; neither is there without the other.',
    proofs: [
      [
        'agent/enter-plan-mode.test.ts',
        'enter_plan_mode and exit_plan_mode are a pair: neither phase loads without its half',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'Entry is a call of the model, or a setting of the session.',
    here: 'Both: the label of a maintainer, and a call that a writer accepts.',
    proofs: [
      [
        'lifecycle/decide.test.ts',
        'a label by a reader starts nothing and is answered once; by a writer afterwards it starts',
      ],
      [
        'lifecycle/commands.test.ts',
        'while the agent asks to go back to planning, /continue declines and /replan accepts',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'Some allow writes to any Markdown file while planning.',
    here: 'No: one file, and no path can be given.',
    why: 'READMEs and documents are the product of others; a plan is one file.',
    proofs: [
      ['agent/plan-surface.test.ts', 'case 15: no file tool writes in plan mode, to the plan or to other Markdown'],
    ],
  },
  {
    kind: 'rule',
    there: 'A stricter form allows one named file.',
    here: 'This one. The path is worked out by the host and never read from the model.',
    proofs: [
      ['github/observe.test.ts', "where the base has a file at the plan's path, the plan has a name of its own"],
      ['agent/plan-surface.test.ts', 'case 13: the plan is written and edited without a path'],
    ],
  },
  {
    kind: 'rule',
    there: 'A coarser form has a smaller set of tools and no plan at all.',
    here: 'No: a run that ends without a plan has failed.',
    why: 'Without an artifact there is nothing to approve.',
    proofs: [
      [
        'agent/stop-reasons.test.ts',
        'a plan that was written and never presented by exit_plan_mode is no plan: the run fails after a reminder',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'An exit may want the plan in a file, and the approval of people.',
    here: 'Both.',
    proofs: [
      ['agent/plan-run.test.ts', 'a plan run reads, writes the plan and parks with it'],
      ['lifecycle/approval-gate.test.ts', "S62, S64: a writer's approval of the head opens the gate"],
    ],
  },
  {
    kind: 'edge case',
    there: 'An exit may ask for approval without a file.',
    here: 'It presents a placeholder, whose approval starts nothing unless the repository says so.',
    proofs: [
      ['agent/exit-plan-mode.test.ts', 'leaving without a plan presents the placeholder'],
      [
        'lifecycle/plan-fitness.test.ts',
        'approving the placeholder opens the gate with approval.allow_empty_plan alone',
      ],
    ],
  },
  {
    kind: 'edge case',
    there: 'An exit may be a mere signal that the turn is over.',
    here: 'No: a turn that ends with text alone is told once how it ends, then the run has failed.',
    why: 'A signal that nobody reviews is no hand-off.',
    proofs: [
      [
        'agent/stop-reasons.test.ts',
        'a written plan and an empty turn: one reminder to present it, and presented it is reviewed',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'The exit is itself a call that people are asked about.',
    here: 'No rule and no mode answers for them: `exit_plan_mode` parks the run, whatever is allowed.',
    proofs: [
      ['agent/permissions.test.ts', 'a tool that asks people by itself is not asked about, and can be denied'],
      ['agent/plan-run.test.ts', 'a plan run reads, writes the plan and parks with it'],
    ],
  },
  {
    kind: 'tool',
    there: 'Tools called "plan" that only show progress are another thing.',
    here: '`update_tasks`, kind `task`: shown in the check, gates nothing, and is not there while planning.',
    proofs: [
      ['agent/decisions.test.ts', 'the kinds of a phase: nothing that changes the tree while planning'],
      ['agent/implement-run.test.ts', 'steps are kept one by one, each before the next request'],
    ],
  },
];
