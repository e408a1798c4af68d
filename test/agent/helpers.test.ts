// Needs rg.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { noOtherCeilings, noRules } from '../no-ceilings.ts';
import { done, implement } from './implementation.ts';
import { type Answer, blocksOf, inOrder, type Part, type Script, type SentRequest, textOf } from './model-server.ts';
import { type DrivenRun, driveHere, storedConversation } from './run-driver.ts';

const ask: Answer = { say: [{ tool: 'ask_user_question', input: { questions: [{ question: 'Which?' }] } }] };
const looks = ['read', 'glob', 'grep', 'git_log'];

function helper(task: string, kind = 'explore'): Part {
  return { tool: 'delegate', input: { kind, task }, id: `call ${task}` };
}

function isHelpers({ system }: SentRequest): boolean {
  return system.some(({ text }) => text?.startsWith('You are a helper') ?? false);
}

/** Plays the run itself by the number of its turn, and each helper by its task and the number of the helper's turn. */
function play(
  own: readonly Answer[],
  helpers: (task: string, turn: number, request: SentRequest) => Answer | Promise<Answer>,
): Script {
  const turnOf = ({ messages }: SentRequest) => messages.filter(({ role }) => role === 'assistant').length;
  return (request) => {
    const turn = turnOf(request);
    if (isHelpers(request)) return helpers(textOf(request.messages[0]), turn, request);
    return own[turn] ?? ask;
  };
}

const report = (text: string): Answer => ({ say: [{ text }] });

function helperRequests({ server }: DrivenRun): readonly SentRequest[] {
  return server.requests.filter(isHelpers);
}

/** What the calls of the run's first turn were answered; an error begins with `!`. */
function answers({ server }: DrivenRun): readonly string[] {
  const second = server.requests.filter((request) => !isHelpers(request))[1];
  return blocksOf(second?.messages.at(-1)).flatMap(({ type, is_error, content }) =>
    type === 'tool_result' ? [`${is_error ? '! ' : ''}${content}`] : [],
  );
}

function unfenced(text: string | undefined): string {
  return (text ?? '').replaceAll(/untrusted text [0-9a-f]{16}/g, 'untrusted text');
}

const attempts = [
  'write',
  'edit',
  'bash',
  'write_plan',
  'update_tasks',
  'exit_plan_mode',
  'ask_user_question',
  'delegate',
];

test('case 3, S29: no request of a helper offers a tool that changes anything, and one that is called is refused', async () => {
  const run = await driveHere({
    script: play([{ say: [helper('change it')] }], (_task, turn) =>
      turn === 0
        ? {
            say: attempts.map((tool) => ({
              tool,
              input: { kind: 'explore', task: 'x', file_path: 'README.md', command: 'rm -rf .' },
            })),
          }
        : report('I could not.'),
    ),
    inspect: ({ checkout }) => {
      assert.deepEqual(readdirSync(checkout, { recursive: true }).toSorted(), ['README.md', 'src', 'src/cache.js']);
      assert.equal(readFileSync(path.join(checkout, 'README.md'), 'utf8'), 'A library.\n');
    },
  });
  assert.equal(run.result?.kind, 'question');
  const [first, second] = helperRequests(run);
  assert.deepEqual(
    helperRequests(run).map(({ tools }) => tools.map(({ name }) => name)),
    [looks, looks],
  );
  assert.equal(first?.messages.length, 1);
  assert.deepEqual(
    blocksOf(second?.messages.at(-1)).map(({ is_error, content }) => [is_error, content]),
    attempts.map((tool) => [true, `Error: expected an offered tool, got "${tool}"; offered are ${looks.join(', ')}`]),
  );
  assert.deepEqual(
    run.messages.flatMap((message) => (message.kind === 'audit' ? [`${message.event}: ${message.detail}`] : [])),
    attempts.map((tool) => `call_refused: ${tool} is not offered in the plan phase`),
  );
  const mutating = run.server.requests
    .flatMap(({ tools }) => tools.map(({ name }) => name))
    .filter((name) => ['write', 'edit', 'move', 'delete', 'bash'].includes(name));
  assert.deepEqual(mutating, []);
});

test('S29: in an implementation, a helper only looks', async () => {
  const run = await driveHere(implement(play([{ say: [helper('look')] }, done], () => report('Seen.'))));
  assert.deepEqual(
    helperRequests(run).map(({ tools }) => tools.map(({ name }) => name)),
    [looks],
  );
  assert.equal(run.result?.kind, 'work_done');
});

test('a helper is held by the rules of the repository, and does without what a writer would have to allow', async () => {
  const run = await driveHere({
    script: play([{ say: [helper('look'), helper('design', 'plan')] }], (_task, turn) =>
      turn === 0
        ? { say: ['README.md', 'src/cache.js'].map((file_path) => ({ tool: 'read', input: { file_path } })) }
        : report('Seen.'),
    ),
    spec: { permissions: { ...noRules, deny: ['Read(src/**)', 'Agent(plan)'], ask: ['Read(README.md)'] } },
  });
  const [asked, denied] = blocksOf(helperRequests(run)[1]?.messages.at(-1)).map(({ content }) => String(content));
  assert.match(asked ?? '', /^Error: expected a call that needs no writer, got read; a helper cannot ask/);
  assert.match(denied ?? '', /^Error: expected a call that the rules of the repository allow, got read/);
  assert.equal(helperRequests(run).length, 2);
  assert.match(answers(run)[1] ?? '', /^! Error: .* got delegate, which the rule Agent\(plan\) denies/);
});

test('a report is the result of its call: labelled, fenced, and bounded with a notice of what was cut', async () => {
  const run = await driveHere({
    script: play([{ say: [helper('short', 'plan'), helper('long')] }], (task, turn) => {
      if (task === 'short')
        return turn === 0 ? { say: [{ tool: 'read', input: { file_path: 'README.md' } }] } : report('It is a library.');
      return report('ä'.repeat(20_000));
    }),
  });
  const [short, long] = answers(run);
  assert.equal(
    unfenced(short),
    '--- begin untrusted text: the report of a helper (plan) ---\nIt is a library.\n--- end untrusted text ---',
  );
  assert.match(long ?? '', /\n\[cut: the first 8000 of 40000 bytes; ask a helper for the part that is missing\]\n/);
  assert.ok(Buffer.byteLength(long ?? '') < 8_400);
});

test('helpers of one turn work side by side, four at once', async () => {
  let [working, most, begun] = [0, 0, 0];
  const fourth = Promise.withResolvers<void>();
  const run = await driveHere({
    script: play([{ say: [1, 2, 3, 4, 5, 6].map((number) => helper(`task ${number}`)) }], async (task) => {
      working += 1;
      begun += 1;
      most = Math.max(most, working);
      if (begun === 4) fourth.resolve();
      await fourth.promise;
      working -= 1;
      return report(`done ${task}`);
    }),
  });
  assert.equal(most, 4);
  assert.deepEqual(
    answers(run).map((answer) => answer.split('\n')[1]),
    [1, 2, 3, 4, 5, 6].map((number) => `done task ${number}`),
  );
});

test('whatever becomes of a helper, its call gets a bounded error with what it had said, and the others go on', async () => {
  const ends: Readonly<Record<string, Answer>> = {
    refusal: { say: [], stop: 'refusal' },
    cut: { say: [{ text: 'x'.repeat(30_000) }], stop: 'max_tokens' },
    empty: { say: [{ text: ' ' }] },
    unknown: { say: [], stop: 'new_reason' },
    window: { say: [], stop: 'model_context_window_exceeded' },
    bad: { status: 400, type: 'invalid_request_error' },
    broken: { say: [{ text: 'Half' }], cut: 'socket' },
    circle: { say: [{ tool: 'read', input: { file_path: 'README.md' } }] },
    good: report('Found.'),
  };
  const run = await driveHere({
    script: play([{ say: Object.keys(ends).map((name) => helper(name)) }], (task, turn) =>
      turn === 0 && task === 'refusal'
        ? { say: [{ text: 'I begin.' }, { tool: 'glob', input: { pattern: '*' } }] }
        : (ends[task] ?? ask),
    ),
  });
  const none = (why: string) => `! Error: expected a report of the helper, got none: ${why}`;
  const given = answers(run).map(unfenced);
  assert.deepEqual(
    given.map((answer) => answer.split('\n')[0]),
    [
      none('The model declined to go on.'),
      none('its reply was cut at the output limit'),
      none('it said nothing'),
      none('The model stopped for a reason that is not known here: new_reason.'),
      none('The conversation no longer fits the model.'),
      none("The model's service answered 400: said invalid_request_error"),
      none("The model's answer broke off 4 times: terminated"),
      none('The same call of read was made more than 5 times.'),
      '--- begin untrusted text: the report of a helper (explore) ---',
    ],
  );
  assert.match(given[0] ?? '', /what the helper \(explore\) had said ---\nI begin\.\n/);
  assert.ok(given.every((answer) => Buffer.byteLength(answer) < 8_500));
  assert.equal(run.result?.kind, 'question');
});

test('a helper has fifteen turns, is told of the last one, and ends with what it has said', async () => {
  const run = await driveHere({
    script: play([{ say: [helper('all of it')] }], (_task, turn) => ({
      say: [{ text: `Turn ${turn + 1}.` }, { tool: 'grep', input: { pattern: `word${turn}` } }],
    })),
  });
  const requests = helperRequests(run);
  assert.equal(requests.length, 15);
  const told = requests.map(({ messages }) => textOf(messages.at(-1)).includes('One turn is left'));
  assert.deepEqual(told, [...requests.slice(1).map(() => false), true]);
  assert.match(answers(run)[0] ?? '', /^! Error: expected a report .* it has used its 15 turns\n.*\nTurn 15\.\n/);
});

test("what helpers use is the run's: told to the host reply by reply, and at its end they stop with what they have", async () => {
  const run = await driveHere({
    script: play([{ say: [helper('first')] }], (_task, turn) => ({
      say: [{ text: `Turn ${turn + 1}.` }, { tool: 'grep', input: { pattern: `word${turn}` } }],
      usage: { input: 100, output: 20 },
    })),
    spec: { budget: { maxTurns: 4, maxTokens: 1_000_000, wallTimeMs: 60_000, ...noOtherCeilings } },
  });
  assert.equal(helperRequests(run).length, 3);
  const spent = run.messages.flatMap((message) =>
    message.kind === 'spent' && message.spent.turns > 1 ? [message.spent] : [],
  );
  assert.deepEqual(
    spent.map(({ turns, inputTokens, outputTokens }) => [turns, inputTokens, outputTokens]),
    [
      [2, 110, 25],
      [3, 210, 45],
      [4, 310, 65],
    ],
  );
  const stored = JSON.stringify(storedConversation(run).at(-1));
  assert.match(stored, /the run's budget is used up\\n.*\\nTurn 3\.\\n/);
  const last = run.messages.at(-1);
  assert.ok(last?.kind === 'ended');
  assert.equal(last.spent.turns, 4);
});

test('a run that dies in the middle of a helper answers the call as interrupted, and has no helper work twice', async () => {
  const first = await driveHere({ script: play([{ say: [helper('look')] }], () => report('Seen.')) });
  const reply = first.messages.find((message) => message.kind === 'reply');
  const spent = first.messages.find((message) => message.kind === 'spent' && message.spent.turns === 2);
  assert.ok(reply?.kind === 'reply' && spent?.kind === 'spent');
  const resumed = await driveHere({
    script: inOrder(ask),
    spec: { brief: null, conversation: reply.messages, spent: spent.spent },
  });
  assert.deepEqual(helperRequests(resumed), []);
  const [result] = blocksOf(resumed.server.requests[0]?.messages.at(-1));
  assert.deepEqual([result?.tool_use_id, result?.is_error], ['call look', true]);
  assert.match(String(result?.content), /^The run was interrupted before this call was answered/);
  const last = resumed.messages.at(-1);
  assert.ok(last?.kind === 'ended');
  assert.equal(last.spent.turns, 3);
});

test('helpers of a kind share system prompt and tools, and each request begins with the whole of the one before', async () => {
  const run = await driveHere({
    script: play([{ say: [helper('one'), helper('two')] }], (_task, turn) => {
      if (turn === 2) return { say: [{ text: 'On' }], stop: 'pause_turn' };
      return turn < 5 ? { say: [{ tool: 'grep', input: { pattern: `w${turn}` } }] } : report('Seen.');
    }),
  });
  const heads = new Set(helperRequests(run).map(({ system, tools }) => JSON.stringify([system, tools])));
  assert.equal(heads.size, 1);
  for (const task of ['one', 'two']) {
    const sent = helperRequests(run)
      .filter(({ messages }) => textOf(messages[0]) === task)
      .map(({ messages }) => messages.flatMap((message) => blocksOf(message).map((block) => JSON.stringify(block))));
    sent.slice(1).forEach((blocks, index) => {
      assert.deepEqual(blocks.slice(0, sent[index]?.length), sent[index]);
    });
  }
});
