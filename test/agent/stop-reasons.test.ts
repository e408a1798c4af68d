import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { emptyPlan } from '../../src/plan/plan-file.ts';
import { implement, tool } from './implementation.ts';
import { type Answer, blocksOf, inOrder, textOf } from './model-server.ts';
import { base, driveHere, kindsSaid, planText } from './run-driver.ts';

const ask: Answer = { say: [{ tool: 'ask_user_question', input: { questions: [{ question: 'Which?' }] } }] };
const writePlan: Answer = { say: [{ tool: 'write_plan', input: { content: planText() } }] };
const question = { kind: 'question', questions: [{ text: 'Which?', suggestions: [] }] };

function failed(reason: string, detail: string) {
  return { kind: 'failed', reason, detail };
}

const stops: readonly (readonly [string, Answer, string, RegExp])[] = [
  ['a refusal', { say: [], stop: 'refusal' }, 'refusal', /declined to go on/],
  [
    'a full context',
    { say: [{ text: 'So' }], stop: 'model_context_window_exceeded' },
    'context_exceeded',
    /no longer fits/,
  ],
  ['an invented stop reason', { say: [{ text: 'So' }], stop: 'tired' }, 'unknown_stop', /not known here: tired/],
  ['a stop for a tool without a call', { say: [{ text: 'So' }], stop: 'tool_use' }, 'unknown_stop', /called none/],
  ['a call in an ended turn', { ...writePlan, stop: 'end_turn' }, 'unknown_stop', /middle of a tool call/],
  ['text alone without a plan', { say: [{ text: 'The plan is approved, I start.' }] }, 'no_plan', /without a plan/],
  ['nothing at all', { say: [] }, 'no_plan', /without a plan/],
];

for (const [name, answer, reason, detail] of stops) {
  test(`${name} fails the run and publishes nothing`, async () => {
    const run = await driveHere({ script: inOrder(answer) });
    assert.ok(run.result?.kind === 'failed');
    assert.equal(run.result.reason, reason);
    assert.match(run.result.detail, detail);
    assert.deepEqual(kindsSaid(run), ['ended']);
  });
}

test('a paused turn is sent back as it is, and is not kept by itself: taken up again it would read as ended', async () => {
  const run = await driveHere({ script: inOrder({ say: [{ text: 'Thinking.' }], stop: 'pause_turn' }, ask) });
  assert.deepEqual(run.result, question);
  assert.deepEqual(kindsSaid(run), ['turn', 'ended']);
  const last = run.server.requests[1]?.messages.at(-1);
  assert.deepEqual([last?.role, textOf(last)], ['assistant', 'Thinking.']);
});

test('a call cut at the output limit does not run; the model goes on once', async () => {
  const cut: Answer = { say: [{ tool: 'write_plan', json: '{"content":"# Half a pl' }], stop: 'max_tokens' };
  const run = await driveHere({
    script: inOrder(cut, writePlan, { say: [{ tool: 'exit_plan_mode', input: {} }] }),
    spec: { plan: planText() },
  });
  const said = blocksOf(run.server.requests[1]?.messages.at(-1));
  assert.deepEqual(said[0]?.is_error, true);
  assert.match(String(said[0]?.content), /cut at the output limit; this call did not run/);
  assert.match(said[1]?.text ?? '', /^The last reply was cut/);
  assert.deepEqual(run.result, { kind: 'plan_ready', plan: planText(), findings: [], answers: [] });
});

test('a plan that is cut twice fails, and the plan stays as it was', async () => {
  const cut: Answer = { say: [{ tool: 'write_plan', json: '{"content":"# Half a pl' }], stop: 'max_tokens' };
  const run = await driveHere({ script: inOrder(cut, cut), spec: { plan: planText() } });
  assert.deepEqual(
    run.result,
    failed('plan_cut_off', 'The reply was cut at the output limit, and so was its continuation.'),
  );
  for (const message of run.messages) if (message.kind === 'turn') assert.equal(message.plan, planText());
});

const noPlan: readonly (readonly [string, readonly Answer[]])[] = [
  ['a plan that stands in the text of a reply', [{ say: [{ text: planText() }] }]],
  ['a claim that the plan is approved', [{ say: [{ text: 'The plan is approved. I start.' }] }]],
  ['an empty reply', [{ say: [] }]],
  ['blanks', [{ say: [{ text: ' \n ' }] }]],
  ['a plan in a refused reply', [{ say: [{ tool: 'write_plan', input: { content: planText() } }], stop: 'refusal' }]],
  ['a plan and its exit in a reply cut twice', Array.from({ length: 2 }, () => ({ ...both(), stop: 'max_tokens' }))],
  ['a plan and its exit under an invented reason', [{ ...both(), stop: 'done' }]],
  [
    'a plan and its exit in streams that break off',
    Array.from({ length: 4 }, () => ({ ...both(), cut: 'clean' as const })),
  ],
  ['a plan of which half arrives', Array.from({ length: 4 }, halfPlan)],
  ['a written plan and empty replies', [writePlan, { say: [] }, { say: [] }]],
  ['a written plan and a refusal', [writePlan, { say: [], stop: 'refusal' }]],
];

function both(): Extract<Answer, { say: unknown }> {
  return { say: [tool('write_plan', { content: planText() }), tool('exit_plan_mode', {})] };
}

function halfPlan(): Answer {
  return { say: [{ tool: 'write_plan', json: '{"content":"# Half' }, tool('exit_plan_mode', {})], stop: 'tool_use' };
}

for (const [name, answers] of noPlan) {
  test(`R41: ${name} is no plan: the run fails, and says why`, async () => {
    const run = await driveHere({ script: inOrder(...answers) });
    assert.ok(run.result?.kind === 'failed', JSON.stringify(run.result));
    assert.ok(run.result.detail.length > 10);
    assert.equal(run.server.requests.length, answers.length);
  });
}

test('12: an old plan in the repository is not offered for review where the run writes none', async () => {
  const files = { 'plan.md': planText() };
  const silent = await driveHere({ script: inOrder({ say: [{ text: 'It is planned already.' }] }), files });
  assert.deepEqual(silent.result, failed('no_plan', 'The run ended without a plan and without exit_plan_mode.'));
  const exit = await driveHere({ script: inOrder({ say: [tool('exit_plan_mode', {})] }), files });
  assert.deepEqual(exit.result, { kind: 'plan_ready', plan: emptyPlan(7, base), findings: [], answers: [] });
});

test('a cut reply is continued each time that a whole one came in between', async () => {
  const cut: Answer = { say: [{ text: 'So' }], stop: 'max_tokens' };
  const run = await driveHere({ script: inOrder(cut, writePlan, cut, ask) });
  assert.deepEqual(run.result, question);
});

test('a change cut at the output limit is not made, and cut again it fails the implementation', async () => {
  const cut: Answer = { say: [tool('write', { file_path: 'src/cache.js', content: 'half' })], stop: 'max_tokens' };
  const inspect = ({ checkout }: { readonly checkout: string }) =>
    assert.equal(readFileSync(path.join(checkout, 'src/cache.js'), 'utf8'), 'export const cache = 1;\n');
  const run = await driveHere(implement(inOrder(cut, cut), {}, { inspect }));
  const detail = 'The reply was cut at the output limit, and so was its continuation.';
  assert.deepEqual(run.result, failed('model_error', detail));
});

test('a written plan and an empty turn: one reminder to present it, and presented it is reviewed', async () => {
  const run = await driveHere({
    script: inOrder(writePlan, { say: [] }, { say: [{ tool: 'exit_plan_mode', input: {} }] }),
  });
  const said = textOf(run.server.requests[2]?.messages.at(-1));
  assert.match(said, /exit_plan_mode to present the plan, or ask_user_question/);
  assert.equal(run.result?.kind, 'plan_ready');
});

test('a plan that was written and never presented by exit_plan_mode is no plan: the run fails after a reminder', async () => {
  const run = await driveHere({
    script: inOrder(writePlan, { say: [{ text: 'Done.' }] }, { say: [{ text: 'Done.' }] }),
  });
  assert.deepEqual(run.result, failed('no_plan', 'The run ended without calling exit_plan_mode, after a reminder.'));
});

test('of a turn with a good, an unknown and a good call, both good ones work and all are answered in order', async () => {
  const run = await driveHere({
    script: inOrder(
      {
        say: [
          { tool: 'read', input: { file_path: 'README.md' }, id: 'a' },
          { tool: 'nothing', input: {}, id: 'b' },
          { tool: 'write_plan', input: { content: planText() }, id: 'c' },
        ],
      },
      ask,
    ),
  });
  const results = blocksOf(run.server.requests[1]?.messages.at(-1)).filter((block) => block.type === 'tool_result');
  assert.deepEqual(
    results.map((block) => [block.tool_use_id, block.is_error ?? false]),
    [
      ['a', false],
      ['b', true],
      ['c', false],
    ],
  );
});

test('of ten calls in a turn one fails: ten results in their order, nine good effects, and the run goes on', async () => {
  const steps = Array.from({ length: 10 }, (_, index) => ({ path: `src/${index}.js`, text: `${index}\n` }));
  const files = Object.fromEntries(steps.filter((_, index) => index !== 6).map((step) => [step.path, step.text]));
  const say = steps.map(({ path: file }, index) => ({ tool: 'read', input: { file_path: file }, id: `call-${index}` }));
  const run = await driveHere({ script: inOrder({ say }, ask), files });
  const answers = blocksOf(run.server.requests[1]?.messages.at(-1)).filter(({ type }) => type === 'tool_result');
  assert.deepEqual(
    answers.map((block) => [block.tool_use_id, block.is_error ?? false]),
    say.map(({ id }, index) => [id, index === 6]),
  );
  assert.deepEqual(
    answers.filter((block) => block.is_error !== true).map((block) => block.content),
    Object.values(files),
  );
  assert.deepEqual(run.result, question);
});

test('a picture that is none, in the repository or behind a link of the issue, is text or an error and no picture', async () => {
  const text = '![logo](https://images.invalid/logo.png)';
  const issue = { number: 7, title: 'Cache it', body: { author: 'ada', trust: 'issue author', text } } as const;
  const run = await driveHere({
    script: inOrder({ say: [tool('read', { file_path: 'logo.png' }), tool('read', { file_path: 'real.png' })] }, ask),
    files: { 'logo.png': '<html>403</html>\n', 'real.png': '\u0089PNG\r\n\u001a\n\u0000\u0000' },
    spec: { brief: { kind: 'request', issue, note: null, instructions: [] } },
  });
  assert.deepEqual(run.result, question);
  const sent = run.server.requests.flatMap(({ messages }) => messages.flatMap(blocksOf));
  assert.deepEqual(new Set(sent.map(({ type }) => type)), new Set(['text', 'tool_use', 'tool_result']));
  const answers = sent.filter(({ type }) => type === 'tool_result').map(({ content }) => typeof content);
  assert.deepEqual(answers, ['string', 'string']);
});

test('an input that is no object, or is junk, gets a short error and does not swell the next request', async () => {
  const inputs = [null, [], 'text', { file_path: 7 }, {}, { file_path: 'x', junk: 'j'.repeat(1_000_000) }];
  const run = await driveHere({
    script: inOrder({ say: inputs.map((input) => ({ tool: 'read', input })) }, ask),
  });
  assert.deepEqual(run.result, question);
  const results = blocksOf(run.server.requests[1]?.messages.at(-1)).filter((block) => block.type === 'tool_result');
  assert.deepEqual(
    results.map((block) => block.is_error),
    inputs.map(() => true),
  );
  assert.ok(JSON.stringify(run.server.requests[1]).length < 20_000);
});
