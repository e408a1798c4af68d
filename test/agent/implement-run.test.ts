import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, watch } from 'node:fs';
import { link, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { RunBrief } from '../../src/agent/brief.ts';
import type { RunSpec } from '../../src/agent/run-protocol.ts';
import { type Answer, blocksOf, inOrder, type Part, type SentRequest } from './model-server.ts';
import { type Drive, drive, driveHere, planText } from './run-driver.ts';

const files = {
  'src/cache.js': 'export const cache = 1;\n',
  'src/other.js': 'export {};\n',
  'test/cache.test.js':
    "import assert from 'node:assert/strict';\nimport { cache } from '../src/cache.js';\nassert.equal(cache, 2);\n",
  'package.json': '{"type":"module"}\n',
  'plan.md': planText(),
};

const approved: RunBrief = {
  kind: 'approved',
  plan: planText(),
  commit: 'c'.repeat(40),
  approvers: ['bob'],
  feedback: { bodies: [], remarks: [] },
  issue: { number: 7, title: 'Cache it', body: { author: 'ada', trust: 'issue author', text: 'It is slow.' } },
};

const done: Answer = { say: [{ text: 'Done.' }] };

function implement(
  script: Drive['script'],
  spec: Partial<RunSpec> = {},
  rest: Partial<Pick<Drive, 'prepare' | 'inspect' | 'onMessage' | 'onStart'>> = {},
): Drive {
  return { script, files, spec: { phase: 'implement', plan: planText(), brief: approved, ...spec }, ...rest };
}

function tool(name: string, input: unknown): Part {
  return { tool: name, input };
}

function results(request: SentRequest | undefined): readonly string[] {
  return blocksOf(request?.messages.at(-1)).flatMap((block) =>
    block.type === 'tool_result' ? [`${block.is_error ? '! ' : ''}${block.content}`] : [],
  );
}

const setTo = (from: number, to: number): Answer => ({
  say: [tool('edit', { file_path: 'src/cache.js', old_string: `cache = ${from}`, new_string: `cache = ${to}` })],
});

test('an implementation begins with the approval, its plan and the end of plan mode, and offers other tools', async () => {
  const run = await driveHere(implement(inOrder(done)));
  const [request] = run.server.requests;
  assert.deepEqual(
    request?.tools.map(({ name }) => name),
    [
      'read',
      'glob',
      'grep',
      'ask_user_question',
      'enter_plan_mode',
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
  const kept: string[] = [];
  const run = await drive(
    implement(
      inOrder(
        { say: [tasks('in_progress', 'pending', [])] },
        setTo(1, 2),
        { say: [tasks('done', 'in_progress', ['The number is two.'])] },
        { say: [tasks('done', 'done', ['The number is two.'])] },
        done,
      ),
      {},
      {
        onMessage: (message) => {
          kept.push(message.kind === 'step_done' ? `step ${message.title}` : message.kind);
          return true;
        },
      },
    ),
  );
  assert.deepEqual(kept, [
    'tasks',
    'turn',
    'turn',
    'step Edit',
    'tasks',
    'turn',
    'step Test',
    'tasks',
    'turn',
    'turn',
    'ended',
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
  assert.deepEqual(
    run.messages.map(({ kind }) => kind),
    ['tasks', 'turn', 'turn', 'ended'],
  );
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

test('nothing outside, no git and no plan can be written, and what is there stays', async () => {
  const calls: readonly Part[] = [
    tool('write', { file_path: '../escaped', content: 'x' }),
    tool('write', { file_path: '/tmp/planwright-escaped', content: 'x' }),
    tool('write', { file_path: '.git/hooks/pre-commit', content: 'x' }),
    tool('write', { file_path: 'out/escaped', content: 'x' }),
    tool('edit', { file_path: 'hard', old_string: 'secret', new_string: 'x' }),
    tool('delete', { path: '.git' }),
    tool('move', { from: 'src/cache.js', to: '../escaped' }),
    tool('write', { file_path: 'plan.md', content: 'mine' }),
    tool('bash', {
      command: 'echo x > ../escaped; mkdir .git; echo x > .git/config; echo x > /tmp/planwright-escaped',
    }),
    tool('write_plan', { content: 'mine' }),
    tool('exit_plan_mode', {}),
  ];
  const run = await driveHere(
    implement(
      inOrder({ say: calls }, done),
      { scopeMode: 'warn' },
      {
        prepare: async (checkout) => {
          const outside = path.join(checkout, '..', 'outside');
          await mkdir(outside);
          await writeFile(path.join(outside, 'file'), 'secret');
          await symlink(outside, path.join(checkout, 'out'));
          await link(path.join(outside, 'file'), path.join(checkout, 'hard'));
        },
        inspect: async ({ checkout }) => {
          const folder = path.dirname(checkout);
          assert.deepEqual(readdirSync(folder).toSorted(), ['checkout', 'outside', 'scratch']);
          assert.deepEqual(readdirSync(path.join(folder, 'outside')), ['file']);
          assert.equal(await readFile(path.join(folder, 'outside/file'), 'utf8'), 'secret');
          assert.equal(await readFile(path.join(checkout, 'plan.md'), 'utf8'), planText());
          assert.equal(existsSync(path.join(checkout, '.git')), false);
          assert.equal(existsSync('/tmp/planwright-escaped'), false);
        },
      },
    ),
  );
  const refused = results(run.server.requests[1]).map((result) => result.startsWith('! Error: '));
  assert.deepEqual(
    refused,
    calls.map((call) => 'tool' in call && call.tool !== 'bash'),
  );
});

test('where scope is blocked, a change that the plan does not name is refused with what it does name', async () => {
  const run = await driveHere(
    implement(
      inOrder(
        {
          say: [
            tool('write', { file_path: 'src/other.js', content: 'x' }),
            tool('write', { file_path: 'src/new.js', content: 'x' }),
            tool('move', { from: 'src/other.js', to: 'src/moved.js' }),
            tool('delete', { path: 'src/cache.js' }),
            tool('write', { file_path: 'docs/a.md', content: 'allowed\n' }),
            tool('write', { file_path: '.github/workflows/ci.yml', content: 'x' }),
            tool('write', { file_path: 'AGENTS.md', content: 'x' }),
          ],
        },
        setTo(1, 2),
        done,
      ),
      { scopeAllow: ['docs/**', '**/*.yml', '*.md'] },
      {
        inspect: async ({ checkout }) => {
          assert.equal(await readFile(path.join(checkout, 'src/cache.js'), 'utf8'), 'export const cache = 2;\n');
          assert.equal(await readFile(path.join(checkout, 'docs/a.md'), 'utf8'), 'allowed\n');
          assert.equal(await readFile(path.join(checkout, 'src/other.js'), 'utf8'), 'export {};\n');
        },
      },
    ),
  );
  const scope = 'the scope is: src/cache.js (modify); where it does not suffice, call enter_plan_mode';
  const outside = (change: string) => `! Error: expected a change within the plan's scope, got ${change}; ${scope}`;
  assert.deepEqual(results(run.server.requests[1]), [
    outside('src/other.js (modify)'),
    outside('src/new.js (create)'),
    outside('src/other.js (move)'),
    outside('src/cache.js (delete)'),
    'wrote 8 bytes to docs/a.md',
    '! Error: .github/workflows/ci.yml is protected, and the plan does not name it; leave it as it is',
    '! Error: AGENTS.md is protected, and the plan does not name it; leave it as it is',
  ]);
});

test('a link does not widen the scope: what it leads to is what counts', async () => {
  const run = await driveHere(
    implement(
      inOrder({ say: [tool('write', { file_path: 'docs/link.js', content: 'x' })] }, done),
      { scopeAllow: ['docs/**'] },
      {
        prepare: async (checkout) => {
          await mkdir(path.join(checkout, 'docs'));
          await symlink('../src/other.js', path.join(checkout, 'docs/link.js'));
        },
      },
    ),
  );
  assert.match(results(run.server.requests[1])[0] ?? '', /^! Error: expected .* got src\/other\.js \(modify\)/);
});

test('where scope only warns, files are moved, deleted and made', async () => {
  const run = await driveHere(
    implement(
      inOrder(
        {
          say: [
            tool('move', { from: 'src/other.js', to: 'lib/deep/other.js' }),
            tool('move', { from: 'src/cache.js', to: 'test/cache.test.js' }),
            tool('delete', { path: 'test/cache.test.js' }),
            tool('delete', { path: 'nowhere.js' }),
            tool('delete', { path: 'src' }),
          ],
        },
        done,
      ),
      { scopeMode: 'warn' },
      {
        inspect: ({ checkout }) => {
          assert.equal(existsSync(path.join(checkout, 'lib/deep/other.js')), true);
          assert.equal(existsSync(path.join(checkout, 'test/cache.test.js')), false);
        },
      },
    ),
  );
  assert.deepEqual(results(run.server.requests[1]), [
    'moved src/other.js to lib/deep/other.js',
    '! Error: expected a free path, got test/cache.test.js; delete it first',
    'deleted test/cache.test.js',
    '! Error: expected a file that exists, got nowhere.js',
    '! Error: expected a file, got the folder src',
  ]);
});

test('asking for plan mode parks the run', async () => {
  const run = await driveHere(
    implement(inOrder({ say: [tool('enter_plan_mode', { reason: 'src/other.js must change too.' })] })),
  );
  assert.deepEqual(run.result, { kind: 'plan_mode_asked', reason: 'src/other.js must change too.' });
});

test('a refusal in the middle of an implementation fails it', async () => {
  const run = await driveHere(implement(inOrder(setTo(1, 2), { say: [], stop: 'refusal' })));
  assert.deepEqual(run.result, { kind: 'failed', reason: 'refusal', detail: 'The model declined to go on.' });
});

function processesWith(marker: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(marker);
    } catch {
      return false;
    }
  });
}

/** The system ends what belonged to a process a moment after the process itself. */
async function areGone(marker: string): Promise<boolean> {
  const deadline = performance.now() + 2_000;
  while (processesWith(marker).length > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  return processesWith(marker).length === 0;
}

for (const [name, end] of [
  ['stopped', (child: ChildProcess) => child.send({ kind: 'stop' })],
  ['left by its host', (child: ChildProcess) => child.disconnect()],
  ['killed', (child: ChildProcess) => child.kill('SIGKILL')],
] as const) {
  test(`a run that is ${name} takes the command that is running with it, and all that it started`, async () => {
    const marker = `41.${performance.now()}`;
    const run = await drive(
      implement(
        inOrder({ say: [tool('bash', { command: `(setsid sleep ${marker} &); touch begun; sleep ${marker}` })] }),
        {},
        {
          onStart: (child, checkout) => {
            const watcher = watch(checkout, (_event, file) => {
              if (file !== 'begun') return;
              watcher.close();
              assert.ok(processesWith(marker).length > 0);
              end(child);
            });
          },
        },
      ),
    );
    assert.equal(run.result, null);
    assert.equal(await areGone(marker), true);
  });
}
