import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  type GateQuestion,
  type GateVerdict,
  readApprovalGate,
  recheckApproval,
} from '../../src/lifecycle/approval-gate.ts';
import type { Facts, Permission } from '../../src/lifecycle/facts.ts';
import type { Approval } from '../../src/lifecycle/memory.ts';
import type { Policy } from '../../src/lifecycle/policy.ts';
import { type GateEvent, judgeHeld, judgeSequence, type OracleRule, type Reviewer } from './gate-oracle.ts';
import { wrongGates } from './gate-oracle-mistakes.ts';
import { createReviewed, happen, people, type Reviewed } from './gate-oracle-world.ts';
import * as the from './world.ts';

type Gate = (facts: Facts, policy: Policy, question: GateQuestion) => GateVerdict;
type Permissions = Readonly<Record<Reviewer, Permission>>;

const reviewEvents = ['approve', 'request changes', 'comment', 'dismiss'] as const;
const ofAda: readonly GateEvent[] = reviewEvents.map((kind) => ({ kind, of: 'ada' }));
const ofBen: readonly GateEvent[] = reviewEvents.map((kind) => ({ kind, of: 'ben' }));
const ofNobody = (['push', 'close', 'reopen', 'retarget'] as const).map((kind) => ({ kind, of: null }));
const events: readonly GateEvent[] = [...ofNobody, ...ofAda, ...ofBen];

const levels = ['admin', 'write', 'triage', 'none', 'unknown'] as const;
/** Who is called ada and who ben makes no difference: each two levels stand once. */
const pairs: readonly Permissions[] = levels.flatMap((ada, at) => levels.slice(at).map((ben) => ({ ada, ben })));

interface Comparison {
  readonly gate: Gate;
  readonly depth: number;
  readonly rule: OracleRule;
}

interface Tally {
  /** All sequences, those in which something cannot happen included: such a one is a shorter one over again. */
  sequences: number;
  distinct: number;
  comparisons: number;
  open: number;
}

function policyFor(rule: OracleRule): Policy {
  return { ...the.policy, approval: { ...the.policy.approval, ...rule } };
}

function pairsFor(path: readonly GateEvent[]): readonly Permissions[] {
  // With both at the same level a sequence in which ben comes first is one in which ada does, with the names swapped.
  const isMirrored = path.find((event) => event.of !== null)?.of === 'ben';
  return isMirrored ? pairs.filter(({ ada, ben }) => ada !== ben) : pairs;
}

function permitted(facts: Facts, { ada, ben }: Permissions): Facts {
  return { ...facts, permissions: { [people.ada.id]: ada, [people.ben.id]: ben } };
}

/** What is wrong with a verdict, by the oracle; `null` where they agree. */
function difference(verdict: GateVerdict, expected: ReturnType<typeof judgeSequence>): string | null {
  const counted = verdict.counted.map(({ login }) => login);
  if (verdict.isOpen !== expected.isOpen) return `open: ${verdict.isOpen}, by the oracle ${expected.isOpen}`;
  if (counted.length !== expected.counted.length || !expected.counted.every((login) => counted.includes(login))) {
    return `counted: ${counted.join()}, by the oracle ${expected.counted.join()}`;
  }
  if (verdict.isOpen !== (verdict.missing.length === 0))
    return `open: ${verdict.isOpen}, with ${verdict.missing.length} reasons`;
  if (verdict.isOpen !== (verdict.approval !== null)) return `open: ${verdict.isOpen}, and the approval says otherwise`;
  return null;
}

/** Walks the tree of sequences; the first difference, as words, or `null`. */
function compare({ gate, depth, rule }: Comparison, tally: Tally): string | null {
  const policy = policyFor(rule);
  const visit = (node: Reviewed, path: readonly GateEvent[]): string | null => {
    for (const permissions of pairsFor(path)) {
      const question = { pullRequest: node.pullRequest, askers: null, held: null };
      const expected = judgeSequence(path, permissions, rule);
      const found = difference(gate(permitted(node.facts, permissions), policy, question), expected);
      tally.comparisons += 1;
      if (expected.isOpen) tally.open += 1;
      if (found !== null) return `${describe(path, permissions)}: ${found}`;
    }
    if (path.length === depth) return null;
    for (const event of events) {
      const child = happen(node, event);
      tally.sequences += child === null ? sizeOfTree(depth - path.length - 1) : 1;
      if (child === null) continue;
      tally.distinct += 1;
      const found = visit(child, [...path, event]);
      if (found !== null) return found;
    }
    return null;
  };
  return visit(createReviewed(), []);
}

/** Sequences that begin with a given one and are at most so much longer. */
function sizeOfTree(depth: number): number {
  return depth === 0 ? 1 : 1 + events.length * sizeOfTree(depth - 1);
}

function describe(path: readonly GateEvent[], { ada, ben }: Permissions): string {
  const words = path.map(({ kind, of }) => (of === null ? kind : `${of}: ${kind}`));
  return `ada ${ada}, ben ${ben}: ${words.join(' → ')}`;
}

function createTally(): Tally {
  return { sequences: 0, distinct: 0, comparisons: 0, open: 0 };
}

const comparisons: readonly (OracleRule & { readonly depth: number })[] = [
  { depth: 5, required: 1, requireResolvedThreads: true },
  { depth: 4, required: 1, requireResolvedThreads: false },
  { depth: 4, required: 2, requireResolvedThreads: true },
];

for (const { depth, ...rule } of comparisons) {
  const threads = rule.requireResolvedThreads ? 'settled' : 'left open';
  test(`the gate and its oracle agree on every sequence of ${depth} events, ${rule.required} required, conversations ${threads}`, (t) => {
    const tally = createTally();
    assert.equal(compare({ gate: readApprovalGate, depth, rule }, tally), null);
    t.diagnostic(
      `${tally.sequences} sequences, ${tally.distinct} of them without what cannot happen, each for 25 pairs of permissions, a pair and its mirror image once; ${tally.comparisons} comparisons, the gate open in ${tally.open}`,
    );
    let all = 0;
    for (let length = 1; length <= depth; length += 1) all += events.length ** length;
    assert.equal(tally.sequences, all);
    assert.ok(tally.open > 100, 'the gate opens often enough to tell');
  });
}

/** Every sequence in which this app holds the approval back from the code as soon as it has opened the gate, or later. */
function compareHeld(depth: number, rule: OracleRule, permissions: Permissions, tally: Tally): string | null {
  const policy = policyFor(rule);
  const visit = (node: Reviewed, path: readonly GateEvent[], held: Approval | null): string | null => {
    const facts = permitted(node.facts, permissions);
    const question = { pullRequest: node.pullRequest, askers: null };
    if (held !== null) {
      const expected = judgeSequence(path, permissions, rule, true);
      const found = difference(readApprovalGate(facts, policy, { ...question, held }), expected);
      if (found !== null) return `${describe(path, permissions)}: ${found}`;
      const { current } = recheckApproval(facts, policy, { ...question, held });
      const isHeldStill = judgeHeld(path, permissions, rule);
      tally.comparisons += 2;
      if (isHeldStill) tally.open += 1;
      if (current !== isHeldStill) return `${describe(path, permissions)}: current: ${current}`;
    }
    if (path.length === depth) return null;
    const { approval } = readApprovalGate(facts, policy, { ...question, held: null });
    const next = held === null && approval !== null ? [...events, hold] : events;
    for (const event of next) {
      const child = happen(node, event);
      if (child === null) continue;
      if (event === hold || held !== null) tally.distinct += 1;
      const found = visit(child, [...path, event], event === hold ? approval : held);
      if (found !== null) return found;
    }
    return null;
  };
  return visit(createReviewed(), [], null);
}

const hold: GateEvent = { kind: 'hold', of: null };

test("this app's own dismissal withdraws nothing, and what follows it does: the gate and its oracle agree", (t) => {
  const tally = createTally();
  for (const permissions of pairs.filter(({ ada, ben }) => [ada, ben].some((level) => level === 'write'))) {
    for (const required of [1, 2]) {
      assert.equal(compareHeld(5, { required, requireResolvedThreads: true }, permissions, tally), null);
    }
  }
  t.diagnostic(
    `${tally.distinct} sequences with a hold, ${tally.comparisons} comparisons, the approval current in ${tally.open}`,
  );
  assert.ok(tally.open > 100, 'the approval stands often enough to tell');
});

test('the oracle shares nothing with the gate but the words for permissions', () => {
  const text = readFileSync(new URL('gate-oracle.ts', import.meta.url), 'utf8');
  const imports = text.match(/^import .*$|\bimport\(.*$/gm);
  assert.deepEqual(imports, ["import type { Permission } from '../../src/lifecycle/facts.ts';"]);
});

test('the oracle tells every wrong gate from the right one, in at most three events', (t) => {
  for (const { mistake, gate, required } of wrongGates) {
    const rule = { required, requireResolvedThreads: true };
    const found = compare({ gate, depth: 3, rule }, createTally());
    assert.ok(found !== null, `expected a difference for the gate that ${mistake}, got none`);
    t.diagnostic(`${mistake}: ${found}`);
  }
  assert.ok(wrongGates.length >= 20);
});
