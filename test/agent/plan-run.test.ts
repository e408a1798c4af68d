import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { blocksOf, inOrder, type SentRequest } from './model-server.ts';
import { base, drive, driveHere, kindsSaid, planText, remark, storedConversation } from './run-driver.ts';

const offered = [
  'read',
  'glob',
  'grep',
  'git_log',
  'delegate',
  'ask_user_question',
  'exit_plan_mode',
  'write_plan',
  'edit_plan',
  'take_suggestion',
];
const resourceTools = ['write', 'edit', 'move', 'delete', 'bash'];

function toolNames(request: SentRequest): readonly string[] {
  return request.tools.map((tool) => tool.name);
}

function results(request: SentRequest | undefined): readonly (readonly [boolean, string])[] {
  return blocksOf(request?.messages.at(-1))
    .filter((block) => block.type === 'tool_result')
    .map((block) => [block.is_error === true, String(block.content)]);
}

test('a plan run reads, writes the plan and parks with it', async () => {
  const run = await drive({
    script: inOrder(
      { say: [{ text: 'I look.' }, { tool: 'read', input: { file_path: 'README.md' } }] },
      { say: [{ tool: 'write_plan', input: { content: planText() } }] },
      { say: [{ tool: 'exit_plan_mode', input: {} }] },
    ),
  });
  assert.deepEqual(run.result, { kind: 'plan_ready', plan: planText(), findings: [], answers: [] });
  assert.deepEqual(run.exit, { code: 0, signal: null });
  assert.equal(run.stderr, '');
  assert.deepEqual(kindsSaid(run), ['turn', 'turn', 'turn', 'ended']);
  assert.deepEqual(results(run.server.requests[1]), [[false, 'A library.\n']]);
});

test('no request of a plan run offers a tool that changes anything, whatever the model tries', async () => {
  const attempts = [...resourceTools, 'update_tasks', 'enter_plan_mode', 'approve_plan', 'str_replace_based_edit_tool'];
  const run = await driveHere({
    script: inOrder(
      { say: attempts.map((tool) => ({ tool, input: { file_path: 'README.md', command: 'rm -rf .' } })) },
      { say: [{ tool: 'write_plan', input: { content: planText(), path: 'src/cache.js' } }] },
      { say: [{ tool: 'write_plan', input: { content: planText() } }] },
      { say: [{ tool: 'exit_plan_mode', input: {} }] },
    ),
    inspect: ({ checkout }) => {
      assert.deepEqual(readdirSync(checkout, { recursive: true }).toSorted(), ['README.md', 'src', 'src/cache.js']);
      assert.equal(readFileSync(path.join(checkout, 'README.md'), 'utf8'), 'A library.\n');
    },
  });
  assert.equal(run.server.requests.length, 4);
  for (const request of run.server.requests) assert.deepEqual(toolNames(request), offered);
  assert.deepEqual(
    results(run.server.requests[1]),
    attempts.map((tool) => [true, `Error: expected an offered tool, got "${tool}"; offered are ${offered.join(', ')}`]),
  );
  assert.match(results(run.server.requests[2])[0]?.[1] ?? '', /Unrecognized key: "path"/);
  const audited = run.messages.flatMap((message) => (message.kind === 'audit' ? [message.event] : []));
  assert.deepEqual(audited, [...attempts.map(() => 'call_refused'), 'call_failed']);
  assert.equal(run.result?.kind, 'plan_ready');
});

test('the child goes on only once a turn is stored', async () => {
  let requestsAtTurn = -1;
  let answer: (() => void) | null = null;
  const run = await drive({
    script: (request, index) => {
      if (index === 1) assert.equal(answer, null, 'expected no request before the turn was stored');
      return inOrder(
        { say: [{ tool: 'read', input: { file_path: 'README.md' } }] },
        { say: [{ tool: 'ask_user_question', input: { questions: [{ question: 'Which?' }] } }] },
      )(request, index);
    },
    onMessage: (message, child) => {
      if (message.kind !== 'turn' || message.seq !== 1) return true;
      requestsAtTurn = 1;
      answer = () => {
        answer = null;
        child.send({ kind: 'stored', seq: 1 });
      };
      setImmediate(() => setImmediate(() => answer?.()));
      return false;
    },
  });
  assert.equal(requestsAtTurn, 1);
  assert.deepEqual(run.result, { kind: 'question', questions: [{ text: 'Which?', suggestions: [] }] });
});

test('a question parks the run with the results of the other calls, and the answer arrives as its result, each under its question', async () => {
  const first = await driveHere({
    script: inOrder({
      say: [
        {
          tool: 'ask_user_question',
          input: { questions: [{ question: 'LRU or TTL?', suggestions: ['LRU', 'TTL'] }, { question: 'Where?' }] },
          id: 'q',
        },
        { tool: 'read', input: { file_path: 'README.md' }, id: 'r' },
      ],
    }),
  });
  assert.deepEqual(first.result, {
    kind: 'question',
    questions: [
      { text: 'LRU or TTL?', suggestions: ['LRU', 'TTL'] },
      { text: 'Where?', suggestions: [] },
    ],
  });
  const conversation = storedConversation(first);
  const second = await driveHere({
    script: inOrder(
      { say: [{ tool: 'write_plan', input: { content: planText() } }] },
      { say: [{ tool: 'exit_plan_mode', input: {} }] },
    ),
    spec: {
      conversation,
      brief: {
        kind: 'answered',
        answers: [
          { question: 1, text: 'LRU or TTL?', answers: [{ author: 'ada', trust: 'writer', text: 'TTL.' }] },
          { question: 2, text: 'Where?', answers: [{ author: 'rea', trust: 'issue author', text: 'In src.' }] },
        ],
        isContinued: false,
      },
    },
  });
  const last = blocksOf(second.server.requests[0]?.messages.at(-1));
  assert.deepEqual(
    last.map((block) => [block.type, block.tool_use_id]),
    [
      ['tool_result', 'q'],
      ['tool_result', 'r'],
      ['text', undefined],
    ],
  );
  const told = String(last[0]?.content).split(/^Question (?=\d$)/m);
  assert.match(told[1] ?? '', /^1\n[\s\S]*by @ada \(writer\) ---\nTTL\.\n/);
  assert.match(told[2] ?? '', /^2\n[\s\S]*by @rea \(issue author\) ---\nIn src\.\n/);
  assert.equal(last[1]?.content, 'A library.\n');
  assert.equal(second.result?.kind, 'plan_ready');
});

test('a question that was interrupted is told as not answered, whatever the run is begun anew with', async () => {
  const asking = {
    type: 'tool_use' as const,
    id: 'q',
    name: 'ask_user_question',
    input: { questions: [{ question: 'Which?' }] },
  };
  const run = await driveHere({
    script: inOrder({ say: [{ tool: 'exit_plan_mode', input: {} }] }),
    spec: {
      conversation: [
        { role: 'user', content: 'Plan.' },
        { role: 'assistant', content: [asking] },
      ],
    },
  });
  const [result, brief] = blocksOf(run.server.requests[0]?.messages.at(-1));
  assert.deepEqual([result?.tool_use_id, result?.is_error], ['q', true]);
  assert.match(String(result?.content), /^Nobody has answered this/);
  assert.match(String(brief?.text), /Write a plan for this issue/);
});

test('a review that asks for changes arrives as the result of exit_plan_mode, each remark with its lines', async () => {
  const first = await driveHere({
    script: inOrder(
      { say: [{ tool: 'write_plan', input: { content: planText() } }] },
      { say: [{ tool: 'exit_plan_mode', input: {}, id: 'exit' }] },
    ),
  });
  const answers = [{ thread: 'PRRT_1', changed: true, text: 'The last two answers are kept.' }];
  const twoWanted = remark('PRRT_1', { comments: [{ author: 'bob', trust: 'writer', text: 'Keep two.' }] });
  const second = await driveHere({
    script: inOrder(
      { say: [{ tool: 'edit_plan', input: { old_string: 'the last answer', new_string: 'the last two answers' } }] },
      { say: [{ tool: 'exit_plan_mode', input: { answers } }] },
    ),
    spec: {
      conversation: storedConversation(first),
      plan: planText(),
      brief: {
        kind: 'changes_requested',
        plan: planText(),
        feedback: {
          bodies: [{ author: 'bob', trust: 'writer', text: 'Nearly.' }],
          remarks: [twoWanted],
        },
      },
      remarks: [twoWanted],
    },
  });
  const [result] = blocksOf(second.server.requests[0]?.messages.at(-1));
  assert.equal(result?.tool_use_id, 'exit');
  const text = String(result?.content);
  assert.match(text, new RegExp(`^Issue: #7\nBase commit: ${base}\n`));
  assert.match(text, /^Remark PRRT_1: plan\.md lines 17-17 \(RIGHT\)$/m);
  assert.deepEqual(second.result, {
    kind: 'plan_ready',
    plan: planText().replace('the last answer', 'the last two answers'),
    findings: [],
    answers,
  });
});

test('18: a run that is killed goes on from its last stored turn, with the tools of its phase and no others', async () => {
  const script = inOrder(
    { say: [{ tool: 'write_plan', input: { content: planText() } }] },
    { say: [{ tool: 'exit_plan_mode', input: {} }] },
  );
  const killed = await drive({
    script,
    onMessage: (message, child) => {
      if (message.kind === 'turn') child.kill('SIGKILL');
      return false;
    },
  });
  assert.equal(killed.exit.signal, 'SIGKILL');
  const turn = killed.messages.find(({ kind }) => kind === 'turn');
  assert.ok(turn?.kind === 'turn');
  const resumed = await driveHere({
    script: (request) => script(request, 1),
    spec: { brief: null, conversation: turn.messages, plan: turn.plan, spent: turn.spent },
  });
  assert.deepEqual(resumed.result, { kind: 'plan_ready', plan: planText(), findings: [], answers: [] });
  for (const request of [...killed.server.requests, ...resumed.server.requests]) {
    assert.deepEqual(toolNames(request), offered);
  }
  const last = resumed.messages.at(-1);
  assert.ok(last?.kind === 'ended');
  assert.equal(last.spent.turns, 2);
});

test('a run that had parked when its host died says its result again without asking the model', async () => {
  const parked = await driveHere({
    script: inOrder(
      { say: [{ tool: 'write_plan', input: { content: planText() } }] },
      { say: [{ tool: 'exit_plan_mode', input: {} }] },
    ),
  });
  const again = await driveHere({
    script: inOrder(),
    spec: { brief: null, conversation: storedConversation(parked), plan: planText() },
  });
  assert.deepEqual(again.result, parked.result);
  assert.equal(again.server.requests.length, 0);
});

test('a run with neither a brief nor a conversation fails', async () => {
  const run = await driveHere({ script: inOrder(), spec: { brief: null } });
  assert.deepEqual(run.result, {
    kind: 'failed',
    reason: 'crashed',
    detail: 'Expected a brief or a conversation to go on with, got neither.',
  });
});

test('S34: no variable of the environment and no file of the repository redirects the model or reaches it', async () => {
  const settings = JSON.stringify({ env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1', ANTHROPIC_MODEL: 'canary' } });
  const run = await drive({
    files: {
      '.env': 'ANTHROPIC_BASE_URL=http://127.0.0.1:1\nHTTPS_PROXY=http://127.0.0.1:1\nNODE_EXTRA_CA_CERTS=canary.pem\n',
      '.npmrc': 'proxy=http://127.0.0.1:1\ncafile=canary.pem\n',
      '.claude/settings.json': settings,
      '.mcp.json': JSON.stringify({ mcpServers: { canary: { command: 'canary' } } }),
    },
    script: inOrder({ say: [{ tool: 'ask_user_question', input: { questions: [{ question: 'Which?' }] } }] }),
    environment: {
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
      ANTHROPIC_API_KEY: 'canary',
      ANTHROPIC_AUTH_TOKEN: 'canary',
      ANTHROPIC_MODEL: 'canary',
    },
  });
  assert.equal(run.result?.kind, 'question');
  assert.equal(run.server.headers[0]?.authorization, 'Bearer key-canary');
  assert.equal(run.server.headers[0]?.['x-api-key'], undefined);
  assert.deepEqual(run.server.requests.map(toolNames), [offered]);
  assert.doesNotMatch(JSON.stringify([run.server.requests, run.messages]), /canary/);
});
