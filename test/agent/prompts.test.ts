import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemPrompt } from '../../src/agent/prompts.ts';
import { newRunState } from '../../src/agent/run-state.ts';
import { planTools } from '../../src/agent/tools/offer.ts';
import { createTurnOrder } from '../../src/agent/tools/turn-order.ts';
import { lintPlan } from '../../src/plan/lint.ts';
import { treeOf } from '../plan/base-tree.ts';
import { base, planText } from './run-driver.ts';

test('a plan without a command is taken with the sentence that the prompt gives for it, and not without', () => {
  const sentence = /write "(No command[^"]*)"/.exec(systemPrompt('plan'))?.[1] ?? '';
  const context = { issue: 7, base, planPath: 'plan.md', ...treeOf({ 'src/cache.js': '' }) };
  const bare = planText().replace('verify: ["node --test"]', 'verify: []');
  assert.equal(lintPlan(bare, context).length, 1);
  assert.deepEqual(lintPlan(bare.replace('The tests pass.', sentence), context), []);
});

test('the plan prompt names no tool that a plan run is not offered', () => {
  const tools = planTools({
    checkout: { access: 'read-only', path: '/nowhere', commit: base },
    readHistory: async () => '',
    state: newRunState(null, []),
    order: createTurnOrder(),
    task: { issue: 7, base, planPath: 'plan.md' },
    lint: async () => [],
    help: async () => '',
  });
  const named = new Set([...systemPrompt('plan').matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)].map(([name]) => name));
  const offered = tools.map(({ name }) => name);
  assert.deepEqual(
    [...named].filter((name) => !offered.includes(name)),
    [],
  );
  assert.ok(named.has('exit_plan_mode'));
});
