import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { defineTool } from '../../src/agent/tools/definition.ts';
import { requirePair } from '../../src/agent/tools/offer.ts';
import { done, implement, results } from './implementation.ts';
import { blocksOf, inOrder } from './model-server.ts';
import { driveHere, planText, storedConversation } from './run-driver.ts';

const reason = 'src/other.js is not what the plan takes it for.';
const wish = { say: [{ tool: 'enter_plan_mode', input: { reason }, id: 'enter' }] };
const exit = { say: [{ tool: 'exit_plan_mode', input: {} }] };

const asking = await driveHere(implement(inOrder(wish)));
const conversation = storedConversation(asking);

test('the wish to plan again parks the implementation; declined, it is answered with that sentence and work goes on', async () => {
  assert.deepEqual(asking.result, { kind: 'plan_mode_asked', reason });
  const run = await driveHere(implement(inOrder(done), { conversation, brief: { kind: 'declined' } }));
  assert.deepEqual(results(run.server.requests[0]), ['User declined to enter plan mode.']);
  assert.equal(run.result?.kind, 'work_done');
});

test('accepted, it is answered with the plan as it stands, which no blank text replaces', async () => {
  const blank = (tool: string, input: unknown) => ({ say: [{ tool, input }] });
  const plan = planText();
  const run = await driveHere({
    script: inOrder(
      blank('write_plan', { content: ' \n\u200b' }),
      blank('write_plan', { content: '---\nissue: 7\n---\n' }),
      blank('edit_plan', { old_string: plan, new_string: '' }),
      exit,
    ),
    spec: { plan, brief: { kind: 'replan', note: null, plan }, conversation },
  });
  const [first, ...others] = run.server.requests;
  const [result, reminder] = blocksOf(first?.messages.at(-1));
  assert.equal(result?.tool_use_id, 'enter');
  assert.ok(String(result?.content).includes(plan));
  assert.match(String(reminder?.text), /there is a plan in plan\.md\. Revise it with edit_plan/);
  const refused = '! Error: expected a plan, got a blank text; the plan that exists stays as it is';
  assert.deepEqual(others.map(results), [[refused], [refused], [refused]]);
  assert.deepEqual(run.result, { kind: 'plan_ready', plan, findings: [], answers: [] });
});

test('interrupted, it was neither accepted nor declined', async () => {
  const brief = { kind: 'code_changes_requested', plan: planText(), feedback: { bodies: [], remarks: [] } } as const;
  const run = await driveHere(implement(inOrder(done), { conversation, brief }));
  assert.match(results(run.server.requests[0])[0] ?? '', /^! Nobody has answered this: the work was interrupted/);
});

test('the call into plan mode says when it fits, and when not', () => {
  const [tool] = (asking.server.requests[0]?.tools ?? []).filter(({ name }) => name === 'enter_plan_mode');
  const said = JSON.stringify(tool);
  for (const words of [
    'cannot be carried out',
    'unclear',
    'several designs',
    'restructure',
    'Not for a clear change',
  ]) {
    assert.ok(said.includes(words), words);
  }
});

test('enter_plan_mode and exit_plan_mode are a pair: neither phase loads without its half', () => {
  const tool = (name: string) =>
    defineTool({ name, kind: 'interactive', description: '', input: z.object({}), run: async () => '' });
  const [enter, exits] = [tool('enter_plan_mode'), tool('exit_plan_mode')];
  assert.deepEqual(requirePair('plan', [exits]), [exits]);
  assert.deepEqual(requirePair('implement', [enter]), [enter]);
  assert.throws(
    () => requirePair('implement', [exits]),
    /^Error: expected enter_plan_mode among the tools of the implement phase, got none; exit_plan_mode does not load without it$/,
  );
  assert.throws(() => requirePair('plan', [enter]), /expected exit_plan_mode among the tools of the plan phase/);
});
