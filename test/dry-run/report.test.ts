import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ending, reportEnding, reportFault } from '../../src/dry-run/report.ts';
import type { FailureReason } from '../../src/lifecycle/memory.ts';
import { emptyPlan } from '../../src/plan/plan-file.ts';
import { planText } from '../agent/run-driver.ts';

const nothing = { turns: 0, inputTokens: 0, outputTokens: 0, dollars: null, elapsedMs: 0 };
const plan = planText();

function report(ending: Ending, refused: readonly string[] = []) {
  return reportEnding(ending, nothing, refused);
}

test('a plan alone goes to standard output; the findings of the lint and the cost are said beside it', () => {
  const ready = { kind: 'plan_ready', plan, findings: ['line 3: is\u001b[2J wrong'], answers: [] } as const;
  const cost = { turns: 3, inputTokens: 12_000, outputTokens: 400, dollars: 0.128, elapsedMs: 1 };
  assert.deepEqual(reportEnding(ready, cost, []), {
    code: 0,
    plan,
    notes: [
      'The plan lint found:',
      '- line 3: is[2J wrong',
      'Used so far: 3 turns, 12,000 tokens in, 400 tokens out, about $0.13.',
    ],
  });
  assert.deepEqual(report({ ...ready, findings: [] }), { code: 0, plan, notes: ['The plan lint found nothing.'] });
});

test('the placeholder of an agent that wrote nothing is no plan', () => {
  const empty = { kind: 'plan_ready', plan: emptyPlan(1, 'b'.repeat(40)), findings: [], answers: [] } as const;
  assert.deepEqual(report(empty), {
    code: 1,
    plan: null,
    notes: ['The agent left plan mode without having written a plan. Say more of what is wanted.'],
  });
});

test('a plan that no commit may hold is not shown', () => {
  const ready = { kind: 'plan_ready', plan, findings: [], answers: [] } as const;
  assert.deepEqual(report(ready, ['plan.md line 3: holds a token']), {
    code: 1,
    plan: null,
    notes: ['The plan holds what no commit may hold, so it is not shown:', '- plan.md line 3: holds a token'],
  });
});

test('questions are numbered, and it is said where the answers go', () => {
  const questions = [
    { text: 'Which cache?', suggestions: ['LRU', 'FIFO'] },
    { text: 'For how long?', suggestions: [] },
  ];
  assert.deepEqual(report({ kind: 'question', questions }), {
    code: 3,
    plan: null,
    notes: [
      'There is no plan yet: the agent asks',
      '1. Which cache?',
      '   - LRU',
      '   - FIFO',
      '2. For how long?',
      'Write the answers into the issue file, e.g. as "## Answers" with a numbered list, and run the same command again.',
    ],
  });
});

test('a refusal, a cut plan, an empty answer and a revoked key are not success, and say so in their own words', () => {
  const reasons: readonly FailureReason[] = ['refusal', 'plan_cut_off', 'no_plan', 'model_error', 'crashed'];
  const reports = reasons.map((reason) => report({ kind: 'failed', reason, detail: 'why' }));
  assert.deepEqual(
    reports.map(({ code, plan: shown, notes: [, ...further] }) => [code, shown, ...further]),
    reasons.map(() => [1, null, 'why', 'There is no plan. Run the same command again once that is mended.']),
  );
  assert.equal(new Set(reports.map(({ notes: [first] }) => first)).size, reasons.length);
});

test('a budget that is used up has a code of its own and names the key to raise', () => {
  const said = 'There is no plan. Raise `budget` in .github/planwright.yml and commit that, or ask for less.';
  const reached = report({ kind: 'budget_reached', level: 'run', detail: 'The run has used 80 of its 80 turns.' });
  assert.deepEqual(reached, {
    code: 4,
    plan: null,
    notes: ['The budget is used up: The run has used 80 of its 80 turns.', said],
  });
});

test('whatever else a run may end with is no plan', () => {
  const others: readonly Ending[] = [
    { kind: 'plan_mode_asked', reason: 'r' },
    { kind: 'amendment', plan, reason: 'r', findings: [] },
    { kind: 'work_done' },
    { kind: 'permission_asked', call: 'c', tool: 'bash', what: 'ls', rule: null },
  ];
  assert.deepEqual(
    others.map((ending) => report(ending)).map(({ code, plan: shown }) => [code, shown]),
    [
      [1, null],
      [1, null],
      [1, null],
      [3, null],
    ],
  );
});

test('what keeps a dry run from its start is said line by line, with a code of its own', () => {
  assert.deepEqual(reportFault('a\n- b'), { code: 2, plan: null, notes: ['a', '- b'] });
});
