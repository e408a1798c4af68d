/** What grok-build's plan mode lets through: edits, the shell, rules and helpers, row by row. */
import type { Row } from './row.ts';

export const permissions: readonly Row[] = [
  {
    kind: 'rule',
    there: 'The value `plan` of the permission mode is accepted and is not plan mode.',
    here: 'There is no such value: modes are `auto` and `ask`, and another one is a mistake that is named.',
    why: 'A setting that reads like plan mode and is none would mislead.',
    proofs: [['config/repository-config.test.ts', 'plan mode is no mode of permissions']],
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
    here: 'A refused call is told which tools there are, `write_plan` and `edit_plan` among them.',
    proofs: [
      [
        'agent/plan-surface.test.ts',
        'case 15: no file tool writes in plan mode, to the plan or to other Markdown, and each refusal says what is allowed',
      ],
    ],
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
    here: 'There is no tool that takes a patch; one that is called all the same is refused like any other.',
    proofs: [
      [
        'agent/plan-run.test.ts',
        'no request of a plan run offers a tool that changes anything, whatever the model tries',
      ],
      [
        'agent/permissions.test.ts',
        'case 4, S28: in no configuration, by the thousand, is a tool that changes anything in the plan offer, or a call of one made',
      ],
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
      ['agent/asked-calls.test.ts', 'a rule that denies a path holds through links, in searches and for helpers'],
    ],
  },
  {
    kind: 'edge case',
    there: 'Tools of servers and of the web stay, under the usual permissions.',
    here: 'There are none: the model has the tools of its phase and no others.',
    why: 'A server that a repository names is code of strangers, and the web is a way out for what was read.',
    proofs: [
      [
        'agent/plan-run.test.ts',
        'no request of a plan run offers a tool that changes anything, whatever the model tries',
      ],
      [
        'config/repository-config.test.ts',
        'S34, S38: which model it is, where it is reached, what watches it, and whatever would run beside it',
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
      ['agent/plan-shell.test.ts', 'without plan.shell, or where the sandbox is missing, a plan run has no shell'],
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
    here: 'There are none, and a repository that asks for one is told so.',
    why: 'A hook is code of the repository that would run beside the secrets of the host.',
    proofs: [
      [
        'config/repository-config.test.ts',
        'S34, S38: which model it is, where it is reached, what watches it, and whatever would run beside it',
      ],
      ['agent/plan-run.test.ts', 'S34: no variable of the environment and no file of the repository'],
    ],
  },
  {
    kind: 'edge case',
    there: 'The plan gate stands before an agent can change the tree by an edit tool.',
    here: 'It stands before the request, in the executor and in the kernel.',
    proofs: [
      ['workspace/checkout.test.ts', 'a read-only checkout holds the files without a write bit'],
      [
        'agent/plan-surface.test.ts',
        'case 15: no file tool writes in plan mode, to the plan or to other Markdown, and each refusal says what is allowed',
      ],
    ],
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
    proofs: [
      ['agent/helpers.test.ts', 'case 3, S29: no request of a helper offers a tool that changes anything'],
      [
        'agent/helpers.test.ts',
        'a helper is held by the rules of the repository, and does without what a writer would have to allow',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'Exploring helpers are limited by their own tools.',
    here: 'So are both kinds.',
    proofs: [
      ['agent/helpers.test.ts', 'case 3, S29: no request of a helper offers a tool that changes anything'],
      ['agent/helpers.test.ts', 'S29: in an implementation, a helper only looks'],
    ],
  },
];
