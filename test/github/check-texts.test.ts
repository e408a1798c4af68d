import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkText, formatApproval } from '../../src/github/check-texts.ts';
import type { GateVerdict } from '../../src/lifecycle/approval-gate.ts';
import type { Approval } from '../../src/lifecycle/memory.ts';

const rules = { ownIssue: 42 };
const approval: Approval = {
  pullRequest: 43,
  head: 'a'.repeat(40),
  planBlob: 'b'.repeat(40),
  base: 'c'.repeat(40),
  reviewers: [{ id: 2, login: 'wes', permission: 'write', review: 9 }],
};
const shut: GateVerdict = {
  isOpen: false,
  approval: null,
  counted: [{ review: 9, login: 'wes', permission: 'write' }],
  ignored: [{ review: 8, login: 'rea', reason: 'permission is read; write is needed' }],
  missing: ['1 of 2 required approvals of this plan.', 'mia has requested changes.'],
  warnings: ['Planned files have changed on the base since the plan was written: @a.'],
};

test('a plan that waits shows who counted, who did not and why, and what is missing', () => {
  assert.deepEqual(checkText({ name: 'planwright/plan', state: 'waiting', verdict: shut }, rules), {
    status: 'completed',
    conclusion: 'action_required',
    title: 'The plan waits for approval',
    summary: [
      'Approve this pull request to have the plan implemented, or request changes. Nothing but the plan is written until then.',
      '### Counted',
      '- `wes` (write), review 9',
      '### Did not count',
      '- `rea`, review 8: permission is read; write is needed',
      '### Missing',
      '- 1 of 2 required approvals of this plan.\n- mia has requested changes.',
      '### To be known',
      '- Planned files have changed on the base since the plan was written: `@a`.',
    ].join('\n\n'),
  });
});

test('a plan that is being revised is in progress', () => {
  const { status, conclusion, title } = checkText({ name: 'planwright/plan', state: 'writing', verdict: shut }, rules);
  assert.deepEqual(
    { status, conclusion, title },
    {
      status: 'in_progress',
      conclusion: null,
      title: 'The plan is being revised',
    },
  );
});

test('an opened gate shows the approval as canonical JSON', () => {
  const verdict = { ...shut, isOpen: true, approval, ignored: [], missing: [], warnings: [] };
  assert.deepEqual(checkText({ name: 'planwright/plan', state: 'opened', verdict }, rules), {
    status: 'completed',
    conclusion: 'success',
    title: 'The plan was approved by wes',
    summary: [
      'The plan was approved, and only the plan: the code needs a review of its own.',
      '### Counted',
      '- `wes` (write), review 9',
      '### The approval',
      `\`\`\`json\n${formatApproval(approval)}\n\`\`\``,
    ].join('\n\n'),
  });
});

test('the same approval is the same bytes, in whatever order its parts come', () => {
  const [reviewer] = approval.reviewers;
  assert.ok(reviewer);
  const { id, login, permission, review } = reviewer;
  const shuffled: Approval = {
    reviewers: [{ review, permission, login, id }],
    base: approval.base,
    planBlob: approval.planBlob,
    head: approval.head,
    pullRequest: 43,
  };
  assert.equal(formatApproval(shuffled), formatApproval(approval));
  assert.equal(
    formatApproval(approval),
    `{"base":"${approval.base}","head":"${approval.head}","planBlob":"${approval.planBlob}","pullRequest":43,"reviewers":[{"id":2,"login":"wes","permission":"write","review":9}]}`,
  );
});

test('the check of the code is no success until the code was approved', () => {
  const states = ['no_code', 'building', 'waiting', 'approved'] as const;
  assert.deepEqual(
    states.map((state) => {
      const { status, conclusion, title } = checkText({ name: 'planwright/code', state, approvers: ['wes'] }, rules);
      return [status, conclusion, title];
    }),
    [
      ['completed', 'action_required', 'There is no code to approve yet'],
      ['in_progress', null, 'The plan is being implemented'],
      ['completed', 'action_required', 'The code waits for review'],
      ['completed', 'success', 'The code was approved by wes'],
    ],
  );
});

test('a summary stays within what GitHub takes', () => {
  const missing = Array.from({ length: 3000 }, (_, index) => `Reason ${index} that is rather long.`);
  const { summary } = checkText({ name: 'planwright/plan', state: 'waiting', verdict: { ...shut, missing } }, rules);
  assert.ok([...summary].length <= 65_535);
  assert.ok(summary.endsWith('_This text was cut here because it is too long for GitHub._'));
});
