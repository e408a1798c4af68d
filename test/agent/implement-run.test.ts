// Needs bwrap, socat, rg.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, implement, results, setTo, tool } from './implementation.ts';
import { blocksOf, inOrder } from './model-server.ts';
import { driveHere, kindsSaid } from './run-driver.ts';

test('an implementation begins with the approval, its plan and the end of plan mode, and offers other tools', async () => {
  const run = await driveHere(implement(inOrder(done)));
  const [request] = run.server.requests;
  assert.deepEqual(
    request?.tools.map(({ name }) => name),
    [
      'read',
      'glob',
      'grep',
      'git_log',
      'delegate',
      'ask_user_question',
      'enter_plan_mode',
      'propose_amendment',
      'write',
      'edit',
      'move',
      'delete',
      'bash',
      'update_tasks',
    ],
  );
  const text = JSON.stringify(request?.messages);
  assert.match(text, /The plan was approved by @bob at commit c{40}/);
  assert.match(text, /plan mode has ended/);
  assert.deepEqual(run.result, { kind: 'work_done', deviations: [], verifications: [] });
});

test('steps are kept one by one, each before the next request, and deviations are told', async () => {
  const tasks = (first: string, second: string, deviations: readonly string[]) =>
    tool('update_tasks', {
      tasks: [
        { title: 'Edit', status: first },
        { title: 'Test', status: second },
      ],
      deviations,
    });
  const run = await driveHere(
    implement(
      inOrder(
        { say: [tasks('in_progress', 'pending', [])] },
        setTo(1, 2),
        { say: [tasks('done', 'in_progress', ['The number is two.'])] },
        { say: [tasks('done', 'done', ['The number is two.'])] },
        done,
      ),
    ),
  );
  const kept = run.messages.flatMap((message) => {
    if (message.kind === 'spent') return [];
    return message.kind === 'step_done' ? [`step ${message.title}`] : [message.kind];
  });
  assert.deepEqual(kept, [
    ...['reply', 'tasks', 'turn'],
    ...['reply', 'turn'],
    ...['reply', 'step Edit', 'tasks', 'turn'],
    ...['reply', 'step Test', 'tasks', 'turn'],
    ...['turn', 'read_tree', 'ended'],
  ]);
  assert.deepEqual(run.result, { kind: 'work_done', deviations: ['The number is two.'], verifications: [] });
});

test('a run that goes on does not keep a step twice', async () => {
  const input = { tasks: [{ title: 'Edit', status: 'done' }] };
  const run = await driveHere(
    implement(inOrder({ say: [tool('update_tasks', input)] }, done), {
      brief: null,
      conversation: [
        { role: 'user', content: 'go' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'update_tasks', input }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '1 of 1 done' }] },
      ],
    }),
  );
  assert.deepEqual(kindsSaid(run), ['reply', 'tasks', 'turn', 'turn', 'read_tree', 'ended']);
});

test('checks run in the sandbox; what fails is given back, mended and reported as passed', async () => {
  const run = await driveHere(
    implement(inOrder(done, setTo(1, 2), done), { checks: ['node --test', 'test -z "$ANTHROPIC_API_KEY"'] }),
  );
  const told = blocksOf(run.server.requests[1]?.messages.at(-1))[0]?.text ?? '';
  assert.match(told, /^These checks failed\. .*\n\n\$ node --test\nexit code 1\n/);
  assert.match(told, /Expected values to be strictly equal/);
  assert.deepEqual(run.result, {
    kind: 'work_done',
    deviations: [],
    verifications: [
      { command: 'node --test', result: 'passed', detail: 'exit code 0' },
      { command: 'test -z "$ANTHROPIC_API_KEY"', result: 'passed', detail: 'exit code 0' },
    ],
  });
});

test('checks that still fail after two rounds are reported as failed', async () => {
  const run = await driveHere(
    implement(inOrder(done, setTo(1, 3), done, setTo(3, 4), done), { checks: ['node --test'] }),
  );
  assert.deepEqual(run.result, {
    kind: 'work_done',
    deviations: [],
    verifications: [{ command: 'node --test', result: 'failed', detail: 'exit code 1' }],
  });
  assert.equal(run.server.requests.length, 5);
});

test('a run that was at its end when it was killed runs its checks and asks nothing', async () => {
  const run = await driveHere(
    implement(inOrder(), {
      brief: null,
      conversation: [
        { role: 'user', content: 'go' },
        { role: 'assistant', content: 'Done.' },
      ],
      checks: ['true'],
    }),
  );
  assert.deepEqual(run.result, {
    kind: 'work_done',
    deviations: [],
    verifications: [{ command: 'true', result: 'passed', detail: 'exit code 0' }],
  });
  assert.equal(run.server.requests.length, 0);
});

test('a shell sees the repository and the answer of its command', async () => {
  const run = await driveHere(
    implement(inOrder({ say: [tool('bash', { command: 'cat src/cache.js; echo oops >&2; exit 3' })] }, done)),
  );
  assert.deepEqual(results(run.server.requests[1]), ['exit code 3\nexport const cache = 1;\noops\n']);
});

test('a refusal in the middle of an implementation fails it', async () => {
  const run = await driveHere(implement(inOrder(setTo(1, 2), { say: [], stop: 'refusal' })));
  assert.deepEqual(run.result, { kind: 'failed', reason: 'refusal', detail: 'The model declined to go on.' });
});
