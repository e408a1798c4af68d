/** How grok-build's plan mode is left: the exit call, its keys and its outcomes, row by row. */
import type { Row } from './row.ts';

export const approval: readonly Row[] = [
  {
    kind: 'tool',
    there:
      '`exit_plan_mode` takes no input and presents what lies in the file, so that people see the bytes that were written.',
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
      ['agent/plan-run.test.ts', 'a plan run reads, writes the plan and parks with it'],
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
      ['agent/render-brief.test.ts', 'what the reviewers said with their approval rides along'],
    ],
  },
  {
    kind: 'key',
    there: '`s` requests changes with notes; plan mode stays.',
    here: 'A review that requests changes.',
    proofs: [
      ['e2e/revision.test.ts', 'a revision changes only what was remarked on, byte for byte'],
      [
        'agent/plan-run.test.ts',
        'a review that asks for changes arrives as the result of exit_plan_mode, each remark with its lines',
      ],
    ],
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
    proofs: [
      ['lifecycle/decide.test.ts', 'closing the pull request abandons the plan'],
      ['e2e/stop.test.ts', 'a pull request that is closed stops its revision'],
    ],
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
    there: 'Focus: prompt, in which anything may be typed.',
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
      ['lifecycle/plan-fitness.test.ts', '… cannot be approved'],
    ],
  },
  {
    kind: 'outcome',
    there: 'An empty plan can be sent back.',
    here: 'Requesting changes has it written.',
    proofs: [['lifecycle/plan-fitness.test.ts', 'changes requested on the placeholder have the plan written']],
  },
  {
    kind: 'outcome',
    there: 'An empty plan can be given up.',
    here: 'Like every plan: by closing, by the label, by `/cancel`.',
    proofs: [['lifecycle/ways.test.ts', '… while …: …']],
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
      ['lifecycle/plan-fitness.test.ts', '… cannot be approved'],
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
      [
        'lifecycle/approval-gate.test.ts',
        'S75, 53: comments, reactions, labels, edited text, auto-merge and checks of others never open the gate',
      ],
    ],
  },
  {
    kind: 'edge case',
    there:
      'Where nobody can be asked, the failure of the channel decides; a request that was delivered and dropped stays pending.',
    here: 'The plan waits on GitHub, without limit; a failed opening is told on the issue.',
    why: 'A place where people always can be asked needs no way around them.',
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
      ['lifecycle/decide.test.ts', 'with the memory gone an open plan is found again, and an approval is read anew'],
    ],
  },
];
