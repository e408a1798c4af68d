import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LineRemark } from '../../src/agent/brief.ts';
import { emptyPlan } from '../../src/plan/plan-file.ts';
import { type Answer, blocksOf, inOrder, type SentRequest } from './model-server.ts';
import { base, driveHere, planText, remark, request, storedConversation } from './run-driver.ts';

const call = (tool: string, input: unknown): Answer => ({ say: [{ tool, input }] });
const exit = (answers?: readonly unknown[]): Answer => call('exit_plan_mode', answers === undefined ? {} : { answers });
const edit = (old_string: string, new_string: string) => call('edit_plan', { old_string, new_string });

function suggesting(thread: string, replaced: readonly string[], ...suggestions: readonly (readonly string[])[]) {
  return remark(thread, { replaced, suggestions: suggestions.map((lines) => ({ author: 'bob', lines })) });
}

/** A revision of a plan that is under review. */
function revise(remarks: readonly LineRemark[], answers: readonly Answer[], plan = planText()) {
  const feedback = { bodies: [], remarks };
  const brief = { kind: 'changes_requested', plan, feedback } as const;
  return driveHere({ script: inOrder(...answers), spec: { plan, brief, remarks } });
}

function toldIn(given: SentRequest | undefined): string {
  const results = blocksOf(given?.messages.at(-1)).filter((block) => block.type === 'tool_result');
  return results.map((block) => String(block.content)).join('\n');
}

const kept = (thread: string) => ({ thread, changed: false, text: 'It is needed.' });

test('a revision does not write the plan anew, and says what to use instead', async () => {
  const run = await revise([], [call('write_plan', { content: '# Another\n' }), exit()]);
  assert.match(toldIn(run.server.requests[1]), /not written anew; change it with edit_plan, or with take_suggestion/);
  assert.deepEqual(run.result, { kind: 'plan_ready', plan: planText(), findings: [], answers: [] });
});

test('where no plan has been written yet, a plan wanted anew and a first draft are written whole', async () => {
  const write = call('write_plan', { content: planText() });
  const onPlaceholder = await revise([], [write, exit()], emptyPlan(7, base));
  const brief = { kind: 'replan', note: null, plan: '# Old\n' } as const;
  const anew = await driveHere({ script: inOrder(write, exit()), spec: { plan: '# Old\n', brief } });
  const first = await driveHere({ script: inOrder(write, exit()) });
  for (const { result } of [onPlaceholder, anew, first]) {
    assert.deepEqual(result, { kind: 'plan_ready', plan: planText(), findings: [], answers: [] });
  }
});

test('the offered tools are the same bytes in a first draft and in a revision', async () => {
  const first = await driveHere({ script: inOrder(call('write_plan', { content: planText() }), exit()) });
  const second = await revise([suggesting('T1', ['Keep the last answer.'], ['x'])], [exit([kept('T1')])]);
  const sent = [first, second].map(({ server }) => JSON.stringify(server.requests[0]?.tools));
  assert.equal(sent[0], sent[1]);
});

test('a suggestion is taken over exactly, with the line ends of the plan, and all else stays byte for byte', async () => {
  const plan = planText().replaceAll('\n', '\r\n').replace('It is slow.', 'Größe  \t').replace(/\r\n$/, '');
  const wanted = ['Keep  two “answers”.\t', '', '  And no more.'];
  const run = await revise(
    [suggesting('T1', ['Keep the last answer.'], wanted), suggesting('T2', ['None.'], [])],
    [
      call('take_suggestion', { remark: 'T1' }),
      call('take_suggestion', { remark: 'T2', number: 1 }),
      edit('The tests pass.', 'The tests pass.\nAll of them.'),
      exit([kept('T1'), kept('T2')]),
      exit([kept('T1'), kept('T2')]),
      exit([kept('T1'), kept('T2')]),
    ],
    plan,
  );
  assert.ok(run.result?.kind === 'plan_ready');
  const expected = plan
    .replace('Keep the last answer.', wanted.join('\r\n'))
    .replace('The tests pass.', 'The tests pass.\r\nAll of them.')
    .replace(/None\.$/, '');
  assert.equal(run.result.plan, expected);
});

test('of several suggestions the model names one, and only such that are for the plan are offered', async () => {
  const remarks = [
    suggesting('T1', ['Keep the last answer.'], ['First.'], ['Second.']),
    remark('T2'),
    { ...suggesting('T3', ['x'], ['y']), path: 'src/cache.js' },
    { ...suggesting('T4', ['x'], ['y']), side: 'LEFT' as const },
  ];
  const all = remarks.map(({ thread }) => kept(thread));
  const run = await revise(remarks, [
    call('take_suggestion', { remark: 'T1' }),
    call('take_suggestion', { remark: 'T1', number: 3 }),
    call('take_suggestion', { remark: 'T2' }),
    call('take_suggestion', { remark: 'T3' }),
    call('take_suggestion', { remark: 'T4' }),
    call('take_suggestion', { remark: 'T1', number: 2 }),
    exit(all),
  ]);
  assert.deepEqual(run.server.requests.slice(1, 6).map(toldIn), [
    "Error: expected the number of one of the remark's 2 suggestions, got none",
    "Error: expected the number of one of the remark's 2 suggestions, got 3",
    ...['T2', 'T3', 'T4'].map(
      (id) => `Error: expected a remark with a suggestion for the plan, got ${id}; such remarks: T1`,
    ),
  ]);
  assert.ok(run.result?.kind === 'plan_ready');
  assert.equal(run.result.plan, planText().replace('Keep the last answer.', 'Second.'));
});

test('a suggestion for lines that are gone, or that stand twice as near, changes nothing and says so', async () => {
  const plan = planText().replace('None.', 'Twice.\nNone.\nTwice.');
  const at = plan.split('\n').indexOf('None.') + 1;
  const remarks = [
    suggesting('T1', ['Keep the first answer.'], ['x']),
    { ...suggesting('T2', ['Twice.'], ['x']), lines: { start: at, end: at } },
    { ...suggesting('T3', ['x'], ['y']), replaced: null },
  ];
  const run = await revise(
    remarks,
    [
      call('take_suggestion', { remark: 'T1' }),
      call('take_suggestion', { remark: 'T2' }),
      call('take_suggestion', { remark: 'T3' }),
      exit(remarks.map(({ thread }) => kept(thread))),
    ],
    plan,
  );
  const told = run.server.requests.slice(1, 4).map(toldIn);
  assert.match(
    told[0] ?? '',
    /no longer holds these lines; change it with edit_plan\n--- begin .*\nKeep the first answer\.\n/,
  );
  assert.match(told[1] ?? '', /at two places, both as near/);
  assert.match(told[2] ?? '', /cannot be told any more/);
  assert.ok(run.result?.kind === 'plan_ready');
  assert.equal(run.result.plan, plan);
});

test('a revision that was cut off takes a suggestion over as before', async () => {
  const remarks = [suggesting('T1', ['Keep the last answer.'], ['Keep two.'])];
  const first = await revise(remarks, [call('read', { file_path: 'README.md' }), exit([kept('T1')])]);
  const [turn] = first.messages.filter((message) => message.kind === 'turn');
  assert.ok(turn !== undefined && storedConversation(first).length > turn.messages.length - 1);
  const conversation = storedConversation(first).slice(0, turn.messages.length);
  const second = await driveHere({
    script: inOrder(call('take_suggestion', { remark: 'T1' }), exit([{ ...kept('T1'), changed: true }])),
    spec: { plan: planText(), brief: null, conversation, remarks },
  });
  assert.ok(second.result?.kind === 'plan_ready');
  assert.equal(second.result.plan, planText().replace('Keep the last answer.', 'Keep two.'));
  assert.deepEqual(second.result.answers, [{ thread: 'T1', changed: true, text: 'It is needed.' }]);
});

test('a remark without an answer sends the revision back twice; then its answer is without a word', async () => {
  const remarks = [remark('T1'), remark('T2'), remark('T3')];
  const given = { thread: 'T2', changed: true, text: 'Shortened.' };
  const run = await revise(remarks, [exit(), exit([given]), exit([given])]);
  assert.deepEqual(run.server.requests.slice(1).map(toldIn), [
    'Error: expected an answer to each remark, got none to T1, T2, T3; say for each whether the plan was changed, and how or why not',
    'Error: expected an answer to each remark, got none to T1, T3; say for each whether the plan was changed, and how or why not',
  ]);
  const noReason = (thread: string) => ({ thread, changed: false, text: '' });
  assert.deepEqual(run.result, {
    kind: 'plan_ready',
    plan: planText(),
    findings: [],
    answers: [noReason('T1'), given, noReason('T3')],
  });
});

test('an answer to a remark that nobody made is refused, with the remarks that there are', async () => {
  const run = await revise([remark('T1')], [exit([kept('T9'), kept('T1')]), exit([kept('T1')])]);
  assert.equal(
    toldIn(run.server.requests[1]),
    'Error: expected answers to remarks of the review, got T9; the remarks: T1',
  );
  const first = await driveHere({
    script: inOrder(call('write_plan', { content: planText() }), exit([kept('T1')]), exit()),
    spec: { brief: request },
  });
  assert.match(toldIn(first.server.requests[2]), /got T1; the remarks: there are none/);
});

test('of two answers to one remark the last holds', async () => {
  const run = await revise([remark('T1')], [exit([kept('T1'), { thread: 'T1', changed: true, text: 'After all.' }])]);
  assert.ok(run.result?.kind === 'plan_ready');
  assert.deepEqual(run.result.answers, [{ thread: 'T1', changed: true, text: 'After all.' }]);
});

test('a revision that had left before its host heard of it still answers each remark', async () => {
  const remarks = [remark('T1'), remark('T2')];
  const first = await revise(remarks, [exit([kept('T1'), kept('T2')])]);
  const conversation = storedConversation(first);
  const again = await driveHere({
    script: inOrder(),
    spec: { plan: planText(), brief: null, conversation, remarks: [...remarks, remark('T3')] },
  });
  assert.ok(again.result?.kind === 'plan_ready');
  assert.deepEqual(
    again.result.answers.map(({ thread, text }) => `${thread}: ${text}`),
    ['T1: It is needed.', 'T2: It is needed.', 'T3: '],
  );
});

test('a suggestion that holds the lines it replaces is taken over once, however often it is asked for', async () => {
  const take = call('take_suggestion', { remark: 'T1' });
  const both = ['Keep the last answer.', 'And the one before.'];
  const run = await revise([suggesting('T1', ['Keep the last answer.'], both)], [take, take, exit([kept('T1')])]);
  assert.match(toldIn(run.server.requests[2]), /^Error: the suggestion was taken over already/);
  assert.ok(run.result?.kind === 'plan_ready');
  assert.equal(run.result.plan, planText().replace('Keep the last answer.', both.join('\n')));
});

test('what no reader would see gets into no plan by the hand of the model', async () => {
  const unseen = '\u{e0041}\u202e\u200b\u0000\u2066';
  const write = call('write_plan', { content: planText().replace('It is slow.', `It ${unseen}is slow 👩‍💻.`) });
  const run = await driveHere({ script: inOrder(write, edit('It is slow', `It was${unseen} slow`), exit()) });
  assert.ok(run.result?.kind === 'plan_ready');
  assert.equal(run.result.plan, planText().replace('It is slow.', 'It was slow 👩‍💻.'));
});
