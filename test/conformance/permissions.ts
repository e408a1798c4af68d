/** What grok-build's plan mode lets through: edits, the shell, rules and helpers, row by row. */
import type { Row } from './row.ts';

export const permissions: readonly Row[] = [
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
