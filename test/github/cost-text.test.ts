import assert from 'node:assert/strict';
import { test } from 'node:test';
import { budgetReachedComment, ceilingLines, planCostText } from '../../src/github/cost-text.ts';
import { threadStatusReply } from '../../src/github/status-reply.ts';
import { noCost, usedCeilings } from '../../src/lifecycle/budget.ts';
import { decide } from '../../src/lifecycle/decide.ts';
import { estimateImplementation } from '../../src/lifecycle/estimate.ts';
import type { Outcome, RunMemory } from '../../src/lifecycle/memory.ts';
import * as the from '../lifecycle/world.ts';
import { noCeiling } from '../no-ceilings.ts';

const budget = {
  maxTurns: 80,
  maxTokens: 2_000_000,
  maxDollars: 2,
  wallTimeMs: 1_800_000,
  thread: { ...noCeiling, maxTokens: 1_000_000 },
  day: { ...noCeiling, maxDollars: 5, wallTimeMs: 36_000_000 },
  maxAttempts: 3,
};
const cost = { turns: 80, inputTokens: 990_000, outputTokens: 12_000, dollars: 1.234, elapsedMs: 60_000 };
const spentToday = { ...cost, dollars: 4, elapsedMs: 3_600_000 };

function runOf(phase: RunMemory['phase']): RunMemory {
  const { status, outcome, isSettled } = { status: 'parked', outcome: null, isSettled: false } as const;
  return {
    id: 'r1',
    phase,
    branch: 'b',
    causes: [],
    head: null,
    base: 'base0',
    approval: null,
    status,
    outcome,
    isSettled,
    cost,
  };
}

function reached(level: 'run' | 'thread' | 'day', phase: RunMemory['phase']): string {
  const outcome = { kind: 'budget_reached', level, detail: 'The detail.' } as const satisfies Outcome;
  return budgetReachedComment(outcome, runOf(phase), {
    memory: { runs: [runOf(phase)], spentToday },
    budget,
    rules: { ownIssue: 42 },
  });
}

const used = 'This run has used 80 turns, 990,000 tokens in, 12,000 tokens out, about $1.23. Nothing is lost:';
const planKept =
  'what has been read, and the draft of the plan and the whole conversation are kept, and nothing of it was published. A plan that is not finished is not shown as one.';
const workKept = 'the changes and the checklist and the whole conversation are kept, and nothing of it was published.';

test('a run at its ceiling says what was used of what, that nothing is lost, and how it goes on', () => {
  assert.deepEqual(reached('run', 'plan').split('\n\n'), [
    '**The work has reached a ceiling and waits.** The detail.',
    `${used} ${planKept}`,
    '`/continue` by a person with write access has it go on, with as much again as `budget.max_turns` allows one run. `/cancel` gives it up.',
  ]);
});

test('a thread at its ceiling names the key to raise', () => {
  assert.deepEqual(reached('thread', 'implement').split('\n\n').slice(1), [
    `${used} ${workKept}`,
    'All runs of this issue together are at their ceiling (1,002,000 tokens of 1,000,000 tokens (100 %)). It goes on once `budget.thread.max_tokens` in `.github/planwright.yml` is raised and a person with write access says `/continue`. `/cancel` gives it up.',
  ]);
});

test('a repository at its ceiling for the day says when the day begins anew', () => {
  assert.deepEqual(reached('day', 'implement').split('\n\n').slice(2), [
    'All runs of this repository together are at their ceiling for the day ($4.00 of $5.00 (80 %)). `/continue` by a person with write access has it go on when the day begins anew, at 00:00 UTC, or once `budget.day.max_dollars` in `.github/planwright.yml` is raised. `/cancel` gives it up.',
  ]);
});

const threadLine = 'Of what this issue may use: 1,002,000 tokens of 1,000,000 tokens (100 %).';
const dayLine = 'Of what the repository may use today (UTC): $4.00 of $5.00 (80 %), 60 minutes of 600 minutes (10 %).';

test('the use of a ceiling is told where one is set', () => {
  const memory = { runs: [runOf('plan')], spentToday };
  assert.deepEqual(ceilingLines(usedCeilings(memory, budget)), [threadLine, dayLine]);
  assert.deepEqual(ceilingLines(usedCeilings(memory, { thread: noCeiling, day: noCeiling })), []);
});

test('/status tells of thread and day; the status comment does not change with each turn, or with the work of others', () => {
  const world = the.createWorld({ policy: { ...the.policy, budget } });
  the.setLabel(world, the.writer, 'labeled');
  const memory = { runs: [{ ...runOf('plan'), status: 'failed', isSettled: true }], spentToday } as const;
  const facts = the.factsOf(world);
  const reply = threadStatusReply(facts, memory);
  assert.ok(reply.endsWith(`- ${threadLine}\n- ${dayLine}`), reply);
  const told = (runs: readonly RunMemory[]) =>
    decide(facts, { ...memory, runs }).actions.flatMap((action) =>
      action.kind === 'setStatusComment' ? ceilingLines(action.status.ceilings ?? { thread: [], day: [] }) : [],
    );
  assert.deepEqual(told(memory.runs), [threadLine, dayLine]);
  assert.deepEqual(told([{ ...runOf('plan'), status: 'running', outcome: null }]), []);
  assert.deepEqual(told([{ ...runOf('plan'), status: 'parked', outcome: { kind: 'question', questions: [] } }]), [
    threadLine,
  ]);
});

test('a plan says what it has cost, what its implementation may at most, and what it is likely to', () => {
  const plan = { turns: 10, inputTokens: 190_000, outputTokens: 10_000, dollars: 0.4, elapsedMs: 0 };
  assert.equal(
    planCostText(2, plan, budget),
    "**Cost.** Writing this plan has used 10 turns, 190,000 tokens in, 10,000 tokens out, about $0.40. Implementing it may use at most 80 turns, 2,000,000 tokens, $2.00, 30 minutes in one run: approving authorises that, and no more. By the plan's size (2 files, at the cost of this plan's turns) it will be about 12 turns, 240,000 tokens, $0.48: an estimate.",
  );
  assert.match(
    planCostText(1, { ...plan, dollars: null }, budget),
    /1 file, .*180,000 tokens, price not known: an estimate/,
  );
  const unknown = planCostText(null, noCost, { ...budget, maxDollars: null });
  assert.equal(
    unknown,
    'Implementing it may use at most 80 turns, 2,000,000 tokens, 30 minutes in one run: approving authorises that, and no more.',
  );
});

test('an estimate is never more than the ceiling', () => {
  const plan = { ...cost, turns: 10, dollars: 3 };
  assert.deepEqual(estimateImplementation(500, plan, budget), {
    files: 500,
    turns: 80,
    tokens: 2_000_000,
    dollars: 2,
  });
  assert.equal(estimateImplementation(3, noCost, budget), null);
});
