/** The description of Claude Code's plan mode as two phases: the five steps, the approval and what they are for, row by row. */
import type { Row } from './row.ts';

export const twoPhasesApproval: readonly Row[] = [
  {
    kind: 'rule',
    there: 'Step one: understand, with exploring helpers.',
    here: 'First step of the plan prompt.',
    proofs: [
      [
        'agent/prompts.test.ts',
        'the plan prompt says first that nothing may be changed, and then the five steps in their order',
      ],
      ['agent/prompts.test.ts', 'helpers are told of no tool, and of as many turns as they have'],
    ],
  },
  {
    kind: 'rule',
    there: 'Step two: design, with planning helpers.',
    here: 'Second step of the plan prompt.',
    proofs: [
      [
        'agent/prompts.test.ts',
        'the plan prompt says first that nothing may be changed, and then the five steps in their order',
      ],
      ['agent/prompts.test.ts', 'helpers are told of no tool, and of as many turns as they have'],
    ],
  },
  {
    kind: 'rule',
    there: 'Step three: review the design against the code.',
    here: 'Third step of the plan prompt; the plan lint checks paths and symbols again.',
    proofs: [
      [
        'agent/prompts.test.ts',
        'the plan prompt says first that nothing may be changed, and then the five steps in their order',
      ],
      ['agent/exit-plan-mode.test.ts', 'lines and symbols that a plan cites are held against the checkout'],
    ],
  },
  {
    kind: 'rule',
    there: 'Step four: write the plan into the one file that may be edited.',
    here: 'Fourth step of the plan prompt.',
    proofs: [
      [
        'agent/prompts.test.ts',
        'the plan prompt says first that nothing may be changed, and then the five steps in their order',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'Step five: the exit call, which asks the user.',
    here: 'Fifth step of the plan prompt.',
    proofs: [
      [
        'agent/prompts.test.ts',
        'the plan prompt says first that nothing may be changed, and then the five steps in their order',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'The exit reads the plan from its file.',
    here: '`exit_plan_mode` takes no plan text: it presents what the writing tools have left.',
    proofs: [
      [
        'agent/exit-plan-mode.test.ts',
        'writes of a turn are applied before its exit, in whatever order the calls stand',
      ],
      ['agent/stop-reasons.test.ts', 'R41: … is no plan: the run fails, and says why'],
    ],
  },
  {
    kind: 'edge case',
    there: 'A worker of a team sends its plan to the mailbox of a leading agent.',
    here: 'People are asked to review; no agent approves.',
    why: 'A model that grants approvals to models is no checkpoint.',
    proofs: [
      ['lifecycle/approval-gate.test.ts', 'S62: an approval by … starts nothing, whatever permission is reported'],
      ['e2e/deliveries.test.ts', 'an approval by a reader, by another app and by the app itself approves nothing'],
    ],
  },
  {
    kind: 'edge case',
    there: 'For a person a dialog is shown.',
    here: 'The pull request is the dialog; reviewers are requested.',
    proofs: [['github/act.test.ts', 'reviewers are asked once; one that GitHub does not accept hinders nobody']],
  },
  {
    kind: 'outcome',
    there: 'Approved: the mode and the permissions come back, and the plan goes into the context.',
    here: 'The implementation begins with the approved bytes, the approver, the commit and the comments that rode along.',
    proofs: [
      ['agent/render-brief.test.ts', 'an approval names the approvers, the commit and the plan'],
      [
        'engine/run-preparation.test.ts',
        'an implementation starts from the approved commit, with the approved plan and the review',
      ],
      ['engine/run-preparation.test.ts', 'an implementation gets the permissions back that plan mode was entered with'],
    ],
  },
  {
    kind: 'outcome',
    there: 'Rejected: plan mode goes on, and the plan is revised by the feedback.',
    here: 'Each remark comes with its lines and gets an answer in its thread.',
    proofs: [
      ['github/act-reviews.test.ts', 'each remark is answered once in its thread'],
      ['e2e/revision.test.ts', 'a revision changes only what was remarked on, byte for byte'],
    ],
  },
  {
    kind: 'rule',
    there: 'The approved plan arrives as the result of the exit call.',
    here: 'The call stays unanswered until people have spoken; the plan is part of its result.',
    proofs: [
      [
        'agent/conversation.test.ts',
        'the parked call is the one call without a result, of a tool that waits for a person',
      ],
      ['agent/implement-run.test.ts', 'an implementation begins with the approval, its plan and the end of plan mode'],
    ],
  },
  {
    kind: 'rule',
    there: 'Two phases keep an agent from working in the wrong direction.',
    here: 'Nothing is implemented before the approval, in any order of events.',
    proofs: [
      ['lifecycle/enumeration.test.ts', 'every sequence of … events keeps the invariants, whatever crashes in between'],
    ],
  },
  {
    kind: 'rule',
    there: 'They keep it from changing files that nobody planned.',
    here: 'What the plan does not name is refused, or goes through review as an amendment.',
    proofs: [
      [
        'e2e/amendment.test.ts',
        'an edit outside of the scope is refused, and an amendment puts the plan back into review',
      ],
      ['agent/implement-changes.test.ts', 'where scope is blocked, a change that the plan does not name is refused'],
    ],
  },
  {
    kind: 'rule',
    there: 'They spare people from approving each call.',
    here: 'Mode `auto` asks for nothing within the scope; mode `ask` and `ask` rules are there for those who want it.',
    proofs: [
      [
        'agent/permissions.test.ts',
        'the mode auto carries out what no rule names; the mode ask asks for what changes the tree, and for nothing else',
      ],
    ],
  },
  {
    kind: 'rule',
    there: 'The prompt says that nothing may be changed or run yet.',
    here: 'The plan prompt says so first; what enforces it is not the prompt.',
    proofs: [
      [
        'agent/prompts.test.ts',
        'the plan prompt says first that nothing may be changed, and then the five steps in their order',
      ],
      [
        'agent/plan-run.test.ts',
        'no request of a plan run offers a tool that changes anything, whatever the model tries',
      ],
    ],
  },
  {
    kind: 'edge case',
    there: 'A write that is attempted all the same is rejected.',
    here: 'A call of a tool that is not offered gets an error that names what is, and an entry in the audit log.',
    proofs: [
      ['e2e/hostile.test.ts', 'every forbidden call was refused'],
      ['agent/run-limits.test.ts', 'a forbidden call again and again ends the run'],
    ],
  },
];
