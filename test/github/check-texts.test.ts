import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeCheck, checkText as wordsOf } from '../../src/github/check-texts.ts';
import { formatReceiptSection } from '../../src/github/receipt.ts';
import type { CheckState } from '../../src/lifecycle/actions.ts';
import type { GateVerdict } from '../../src/lifecycle/approval-gate.ts';
import { approval } from './keys.ts';

const rules = { ownIssue: 42 };
const sign = (text: string) => `signature of ${text.length} characters`;
const checkText = (check: CheckState, ownRules: typeof rules, key: typeof sign) =>
  closeCheck(wordsOf(check, ownRules), check, key);
const shut: GateVerdict = {
  isOpen: false,
  approval: null,
  counted: [{ review: 9, login: 'wes', permission: 'write' }],
  ignored: [{ review: 8, login: 'rea', reason: 'permission is read; write is needed' }],
  missing: ['1 of 2 required approvals of this plan.', 'mia has requested changes.'],
  warnings: ['Planned files have changed on the base since the plan was written: @a.'],
};

test('a plan that waits shows who counted, who did not and why, and what is missing', () => {
  assert.deepEqual(checkText({ name: 'planwright/plan', state: 'waiting', verdict: shut }, rules, sign), {
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
  const { status, conclusion, title } = checkText(
    { name: 'planwright/plan', state: 'writing', verdict: shut },
    rules,
    sign,
  );
  assert.deepEqual(
    { status, conclusion, title },
    {
      status: 'in_progress',
      conclusion: null,
      title: 'The plan is being revised',
    },
  );
});

test('an opened gate says what its implementation may use', () => {
  const ceiling = { maxTurns: 80, maxTokens: 2_000_000, maxDollars: 1.5 };
  const verdict = { ...shut, isOpen: true, approval: { ...approval, ceiling }, missing: [] };
  const { summary } = checkText({ name: 'planwright/plan', state: 'opened', verdict }, rules, sign);
  assert.match(summary, /With it, one run of the implementation may use at most 80 turns, 2,000,000 tokens, \$1\.50\./);
});

test('an opened gate shows the receipt and its signature', () => {
  const verdict = { ...shut, isOpen: true, approval, ignored: [], missing: [], warnings: [] };
  assert.deepEqual(checkText({ name: 'planwright/plan', state: 'opened', verdict }, rules, sign), {
    status: 'completed',
    conclusion: 'success',
    title: 'The plan was approved by wes',
    summary: [
      'The plan was approved, and only the plan: the code needs a review of its own.',
      '### Counted',
      '- `wes` (write), review 9',
      formatReceiptSection(approval, sign),
    ].join('\n\n'),
  });
});

test('S77: an approved plan whose head another pull request shares is no success, and keeps its receipt', () => {
  const missing = ['Another open pull request (#9) has the same head commit: push a commit to one of them.'];
  const verdict = { ...shut, approval, ignored: [], missing, warnings: [] };
  assert.deepEqual(checkText({ name: 'planwright/plan', state: 'opened', verdict }, rules, sign), {
    status: 'completed',
    conclusion: 'action_required',
    title: 'The plan was approved, and this commit cannot show it',
    summary: [
      'A check belongs to a commit: what it says here, it would say of every pull request with the same head.',
      '### Counted',
      '- `wes` (write), review 9',
      '### Missing',
      '- Another open pull request (`#9`) has the same head commit: push a commit to one of them.',
      formatReceiptSection(approval, sign),
    ].join('\n\n'),
  });
});

test('S66: code whose plan is no longer approved is no success, and the check says why and what to do', () => {
  const missing = ['The approval by wes is gone. `/replan` has the plan written and approved anew.'];
  const verdict = { ...shut, counted: [], ignored: [], missing, warnings: [] };
  assert.deepEqual(checkText({ name: 'planwright/plan', state: 'lost', verdict }, rules, sign), {
    status: 'completed',
    conclusion: 'action_required',
    title: 'The approval of the plan is gone',
    summary: [
      'This pull request holds code, and nothing shows any more that the plan it came of is approved: no more work is done on it.',
      '### Missing',
      '- The approval by wes is gone. `/replan` has the plan written and approved anew.',
    ].join('\n\n'),
  });
});

test('owners, teams and paths in the reasons of the gate notify nobody and format nothing', () => {
  const missing = ['src/*a*.ts: the approval of an owner is missing (@otto, @acme/core).'];
  const { summary } = checkText(
    {
      name: 'planwright/plan',
      state: 'waiting',
      verdict: { ...shut, counted: [], ignored: [], missing, warnings: [] },
    },
    rules,
    sign,
  );
  assert.match(summary, /\(`@otto`, `@acme\/core`\)/);
});

test('the check of the code is no success until the code was approved', () => {
  const states = ['no_code', 'building', 'waiting', 'approved'] as const;
  assert.deepEqual(
    states.map((state) => {
      const { status, conclusion, title } = checkText(
        { name: 'planwright/code', state, approvers: ['wes'] },
        rules,
        sign,
      );
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

test('the check of the code shows how far the implementation is, and nothing that the checklist says does harm', () => {
  const tasks = [
    { title: 'Keep the answer', status: 'done' },
    { title: 'Tell @otto, fixes #7', status: 'in_progress' },
    { title: 'Test it', status: 'pending' },
  ] as const;
  const check = { name: 'planwright/code', state: 'building', approvers: [], tasks } as const;
  const { title, summary } = checkText(check, rules, sign);
  assert.equal(title, 'The plan is being implemented: 1 of 3 steps done');
  assert.equal(
    summary,
    [
      'The approved plan is being implemented. The code will need a review of its own.',
      '',
      '- [x] Keep the answer',
      '- [ ] Tell `@otto`, fixes `#7` (at work on it)',
      '- [ ] Test it',
    ].join('\n'),
  );
});

test('a summary stays within what GitHub takes', () => {
  const missing = Array.from({ length: 3000 }, (_, index) => `Reason ${index} that is rather long.`);
  const { summary } = checkText(
    { name: 'planwright/plan', state: 'waiting', verdict: { ...shut, missing } },
    rules,
    sign,
  );
  assert.ok([...summary].length <= 65_535);
  assert.ok(summary.endsWith('_This text was cut here because it is too long for GitHub._'));
});

test('a summary that is cut keeps the receipt whole', () => {
  const warnings = Array.from({ length: 3000 }, (_, index) => `Reason ${index} that is rather long.`);
  const verdict = { ...shut, isOpen: true, approval, missing: [], warnings };
  const { summary } = checkText({ name: 'planwright/plan', state: 'opened', verdict }, rules, sign);
  assert.ok([...summary].length <= 65_535);
  assert.ok(summary.endsWith(`too long for GitHub._\n\n${formatReceiptSection(approval, sign)}`));
});
