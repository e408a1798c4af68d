import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatReceipt } from '../../src/github/receipt.ts';
import type { Permission, Review } from '../../src/lifecycle/facts.ts';
import type { Approval } from '../../src/lifecycle/memory.ts';
import { type Claim, judgeEvidence } from '../../src/verify/claims.ts';
import type { CommitEvidence, Evidence, ReceiptEvidence } from '../../src/verify/evidence.ts';
import { approval } from '../github/keys.ts';

const code = 'd'.repeat(40);
const shown = { receipt: formatReceipt(approval), signature: 'c2ln' };
const review: Review = {
  id: 9,
  nodeId: 'R_9',
  author: { id: 2, login: 'wes', kind: 'user', isThisApp: false },
  state: 'DISMISSED',
  commit: approval.head,
  body: '',
  submittedAt: '2026-01-01T00:00:00Z',
  editedAt: null,
  isHeldByThisApp: true,
};

function commitOf(phase: 'plan' | 'implement', change: Partial<CommitEvidence> = {}): CommitEvidence {
  const receipt = phase === 'implement' ? approval : null;
  return {
    sha: phase === 'plan' ? approval.head : code,
    headline: phase === 'plan' ? 'Plan issue 42' : 'Keep entries',
    committedAt: '2026-01-01T00:00:00Z',
    trailers: { phase, run: 'r', base: approval.base, plan: null, reviews: [], approvedBy: [], receipt },
    signature: 'holds',
    receipt: phase === 'plan' ? null : shown,
    ...change,
  };
}

interface Change extends Partial<Evidence> {
  readonly receipt?: Partial<ReceiptEvidence>;
  readonly approval?: Partial<Approval>;
}

function judge({ receipt, approval: other, ...change }: Change = {}): readonly Claim[] {
  const evidence: ReceiptEvidence = {
    shown,
    approval: { ...approval, ...other },
    check: shown,
    plans: [{ path: 'plan.md', blob: approval.planBlob }],
    permissions: new Map<number, Permission>([[2, 'write']]),
    ...receipt,
  };
  return judgeEvidence({
    repository: 7,
    pullRequest: 43,
    commits: [commitOf('plan'), commitOf('implement')],
    reviews: [review],
    receipts: [evidence],
    ...change,
  });
}

const asOf = (claim: Claim) => [claim.what, claim.verdict, claim.why] as const;
const objections = (claims: readonly Claim[]) => claims.filter(({ verdict }) => verdict !== 'holds').map(asOf);

test('what GitHub bears out holds, one claim each', () => {
  const claims = judge();
  assert.deepEqual(objections(claims), []);
  assert.deepEqual(
    claims.map(({ what }) => what),
    [
      "commit aaaaaaa (Plan issue 42) is this app's, on its tree and its parents",
      "commit ddddddd (Keep entries) is this app's, on its tree and its parents",
      'the receipt of aaaaaaa is signed by this app',
      'the receipt of aaaaaaa is of this pull request',
      'the check of aaaaaaa shows the same receipt',
      'aaaaaaa holds the plan that was approved',
      'as many approved aaaaaaa as the rule asks for',
      'wes (2) approved aaaaaaa in review 9',
      'wes may write',
      'commit ddddddd stands after aaaaaaa',
    ],
  );
});

test('each thing that GitHub does not bear out is told, and nothing else with it', () => {
  const other = 'e'.repeat(40);
  const approved = 'wes (2) approved aaaaaaa in review 9';
  const check = 'the check of aaaaaaa shows the same receipt';
  const plan = 'aaaaaaa holds the plan that was approved';
  const cases: readonly (readonly [Change, Claim['what'], Claim['verdict'], string])[] = [
    [
      {
        commits: [
          commitOf('plan'),
          commitOf('implement'),
          commitOf('implement', { sha: other, signature: 'broken', trailers: null, receipt: null }),
        ],
      },
      "commit eeeeeee (Keep entries) is this app's, on its tree and its parents",
      'does not hold',
      'expected its signature by this app, got none, or one over something else',
    ],
    [
      { commits: [commitOf('plan'), commitOf('implement'), commitOf('implement', { sha: other, receipt: null })] },
      'commit eeeeeee goes by an approval',
      'does not hold',
      'expected a receipt in its trailers, got none',
    ],
    [
      { approval: { pullRequest: 44 } },
      'the receipt of aaaaaaa is of this pull request',
      'does not hold',
      'expected pull request 43 of repository 7, got 44 of 7 (ann/shop)',
    ],
    [
      { receipt: { check: 'none' } },
      check,
      'does not hold',
      'expected the receipt in its check planwright/plan, got none there',
    ],
    [
      { receipt: { check: { ...shown, receipt: '{}' } } },
      check,
      'does not hold',
      'expected the receipt that the commits bear, got another one',
    ],
    [{ receipt: { check: 'unknown' } }, check, 'cannot be told', 'the checks of that commit could not be read'],
    [{ receipt: { plans: 'unknown' } }, plan, 'cannot be told', 'the files of that commit could not be read'],
    [
      { receipt: { plans: [{ path: 'plan.md', blob: other }] } },
      plan,
      'does not hold',
      `expected ${approval.planBlob}, got ${other} at plan.md`,
    ],
    [
      { receipt: { plans: [{ path: 'plan.md', blob: null }] } },
      plan,
      'does not hold',
      `expected ${approval.planBlob}, got nothing at plan.md`,
    ],
    [
      { approval: { rule: { ...approval.rule, required: 2 } } },
      'as many approved aaaaaaa as the rule asks for',
      'does not hold',
      'expected 2, got 1',
    ],
    [{ reviews: [] }, approved, 'does not hold', 'there is no such review'],
    [
      { reviews: [{ ...review, author: { id: 3, login: 'mia', kind: 'user', isThisApp: false } }] },
      approved,
      'does not hold',
      'it is by mia (3)',
    ],
    [{ reviews: [{ ...review, author: null }] }, approved, 'cannot be told', 'the account of its author is gone'],
    [{ reviews: [{ ...review, commit: other }] }, approved, 'does not hold', 'it names eeeeeee'],
    [{ reviews: [{ ...review, commit: null }] }, approved, 'cannot be told', 'the commit that it names is gone'],
    [{ reviews: [{ ...review, state: 'COMMENTED' }] }, approved, 'does not hold', 'its state is COMMENTED'],
    [
      { reviews: [{ ...review, isHeldByThisApp: false }] },
      approved,
      'does not hold',
      'it was dismissed, and not by this app to keep it from the code',
    ],
    [{ receipt: { permissions: new Map([[2, 'read']]) } }, 'wes may write', 'cannot be told', 'then write, now read'],
    [
      { receipt: { permissions: new Map() } },
      'wes may write',
      'cannot be told',
      'then write; what they may do now could not be read',
    ],
    [
      { commits: [commitOf('implement'), commitOf('plan')] },
      'commit ddddddd stands after aaaaaaa',
      'does not hold',
      'it stands before aaaaaaa',
    ],
    [
      { commits: [commitOf('implement')] },
      'commit ddddddd stands after aaaaaaa',
      'does not hold',
      'aaaaaaa is not among the commits of the pull request',
    ],
  ];
  for (const [change, ...claim] of cases) assert.deepEqual(objections(judge(change)), [claim], claim.join(': '));
});

test('a permission below write at the time of the approval holds of nobody, whatever they may do now', () => {
  const [reviewer] = approval.reviewers;
  assert.ok(reviewer);
  assert.deepEqual(objections(judge({ approval: { reviewers: [{ ...reviewer, permission: 'read' }] } })), [
    ['wes may write', 'does not hold', 'then read, now write'],
  ]);
});

test('a receipt that this app has not signed is judged no further', () => {
  assert.deepEqual(objections(judge({ receipt: { approval: null } })), [
    [
      `the receipt ${shown.receipt.slice(0, 39)}… is this app's`,
      'does not hold',
      "expected canonical JSON under this app's signature, got something else",
    ],
  ]);
});

test('a pull request without a receipt claims no approval', () => {
  assert.deepEqual(objections(judge({ commits: [commitOf('plan')], receipts: [] })), [
    [
      'the plan was approved',
      'does not hold',
      'expected a receipt in the check planwright/plan or in a commit of code, got none; has the gate opened yet?',
    ],
  ]);
});
