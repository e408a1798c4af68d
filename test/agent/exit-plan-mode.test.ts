import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyPlan } from '../../src/plan/plan-file.ts';
import { type Answer, blocksOf, inOrder, type SentRequest } from './model-server.ts';
import { base, driveHere, planText } from './run-driver.ts';

const exit: Answer = { say: [{ tool: 'exit_plan_mode', input: {} }] };

function write(content: string): Answer {
  return { say: [{ tool: 'write_plan', input: { content } }] };
}

function lastResults(request: SentRequest | undefined): readonly string[] {
  return blocksOf(request?.messages.at(-1)).flatMap((block) =>
    block.type === 'tool_result' ? [String(block.content)] : [],
  );
}

test('a plan with findings is sent back twice, then goes to the reviewers with them', async () => {
  const wrong = planText('create');
  const run = await driveHere({ script: inOrder(write(wrong), exit, exit, exit) });
  const finding = 'front matter, files, src/cache.js: is there already at the base; mark it modify';
  for (const request of run.server.requests.slice(2)) {
    assert.deepEqual(lastResults(request), [
      `Error: the plan is not ready; mend it with edit_plan, then call exit_plan_mode again:\n- ${finding}`,
    ]);
  }
  assert.deepEqual(run.result, { kind: 'plan_ready', plan: wrong, findings: [finding], answers: [] });
});

test('a plan that is mended after its findings is presented without any', async () => {
  const run = await driveHere({
    script: inOrder(
      write(planText('create')),
      exit,
      { say: [{ tool: 'edit_plan', input: { old_string: 'change: create', new_string: 'change: modify' } }] },
      exit,
    ),
  });
  assert.deepEqual(run.result, { kind: 'plan_ready', plan: planText(), findings: [], answers: [] });
});

test('writes of a turn are applied before its exit, in whatever order the calls stand', async () => {
  const run = await driveHere({
    script: inOrder({
      say: [
        { tool: 'exit_plan_mode', input: {} },
        { tool: 'write_plan', input: { content: planText('create') } },
        { tool: 'edit_plan', input: { old_string: 'change: create', new_string: 'change: modify' } },
      ],
    }),
  });
  assert.deepEqual(run.result, { kind: 'plan_ready', plan: planText(), findings: [], answers: [] });
});

for (const [name, failing] of [
  ['a refused edit', { tool: 'edit_plan', input: { old_string: 'not there', new_string: 'x' } }],
  ['a forbidden call', { tool: 'write', input: { file_path: 'x', content: 'y' } }],
  ['a failed read', { tool: 'read', input: { file_path: '../x' } }],
  ['an input that does not fit', { tool: 'read', input: {} }],
  ['a second call that ends the turn', { tool: 'ask_user_question', input: { questions: [{ question: 'Which?' }] } }],
] as const) {
  test(`${name} in the same turn blocks the exit`, async () => {
    const run = await driveHere({
      script: inOrder(write(planText()), { say: [{ tool: 'exit_plan_mode', input: {} }, failing] }, exit),
    });
    const [blocked] = lastResults(run.server.requests[2]);
    assert.equal(blocked, 'Error: another call of this turn failed; mend that first, then call exit_plan_mode again');
    assert.equal(run.result?.kind, 'plan_ready');
    assert.equal(run.server.requests.length, 3);
  });
}

test('leaving without a plan presents the placeholder', async () => {
  const run = await driveHere({ script: inOrder(exit) });
  assert.deepEqual(run.result, { kind: 'plan_ready', plan: emptyPlan(7, base), findings: [], answers: [] });
  assert.match(emptyPlan(7, base), /\nNo plan written yet\./);
});

test('leaving with a blank plan presents the placeholder', async () => {
  const run = await driveHere({ script: inOrder(write(' \n'), exit) });
  assert.deepEqual(run.result, { kind: 'plan_ready', plan: emptyPlan(7, base), findings: [], answers: [] });
});

test('a plan that is too long to be reviewed is not taken, and the plan before it stays', async () => {
  const run = await driveHere({ script: inOrder(write('x'.repeat(70_000)), exit), spec: { plan: planText() } });
  assert.match(lastResults(run.server.requests[1])[0] ?? '', /expected a plan of at most 65000 characters, got 70001/);
  assert.deepEqual(run.result, { kind: 'plan_ready', plan: planText(), findings: [], answers: [] });
});

test('a secret in a plan is to be mended before it is presented, and is named by its line alone', async () => {
  const token = ['ghp', 'a1B2'.repeat(9)].join('_');
  const run = await driveHere({
    script: inOrder(
      write(planText().replace('It is slow.', `It is slow with ${token}.`)),
      exit,
      { say: [{ tool: 'edit_plan', input: { old_string: ` with ${token}`, new_string: '' } }] },
      exit,
    ),
  });
  assert.deepEqual(lastResults(run.server.requests[2]), [
    'Error: the plan is not ready; mend it with edit_plan, then call exit_plan_mode again:\n' +
      '- line 13: holds what looks like a GitHub token; take it out and say where it comes from instead',
  ]);
  assert.deepEqual(run.result, { kind: 'plan_ready', plan: planText(), findings: [], answers: [] });
});

test('characters that nobody sees, in a plan that a person edited, are told with their line', async () => {
  const edited = planText().replace('It is slow.', 'It is\u2060 slow.');
  const run = await driveHere({ script: inOrder(exit, exit, exit), spec: { plan: edited } });
  const findings = ['line 13: holds the character U+2060, which nobody sees; leave it out'];
  assert.deepEqual(run.result, { kind: 'plan_ready', plan: edited, findings, answers: [] });
});

test('lines and symbols that a plan cites are held against the checkout', async () => {
  const text = planText().replace(
    'Nothing is there to reuse.',
    '`src/cache.js:1`, `src/cache.js:2` and `src/cache.js:cachr`.',
  );
  const run = await driveHere({ script: inOrder(write(text), exit, exit, exit) });
  const where = 'line 25, section "## Existing code to reuse":';
  assert.deepEqual(run.result, {
    kind: 'plan_ready',
    plan: text,
    findings: [
      `${where} \`src/cache.js:2\` is outside of the file, which has 1 line at the base; read it again and correct the lines`,
      `${where} \`src/cache.js:cachr\` names \`cachr\`, which is not in that file at the base; did you mean \`cache\`? Correct the name, or take it out: only what is there can be reused`,
    ],
    answers: [],
  });
});

test('case 128: a revision whose edit is cut at the output limit, even where its JSON is whole, leaves the plan before it', async () => {
  const edit = { old_string: 'Keep the last answer.', new_string: 'Keep the last ans' };
  const cut: Answer = {
    say: [
      { tool: 'edit_plan', input: edit },
      { tool: 'exit_plan_mode', input: {} },
    ],
    stop: 'max_tokens',
  };
  const run = await driveHere({ script: inOrder(cut, cut), spec: { plan: planText(), remarks: [] } });
  assert.deepEqual(run.result?.kind === 'failed' && run.result.reason, 'plan_cut_off');
  for (const message of run.messages) if (message.kind === 'turn') assert.equal(message.plan, planText());
});
