// Needs bwrap, socat, rg.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { link, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { newRunState } from '../../src/agent/run-state.ts';
import { updateTasksTool } from '../../src/agent/tools/update-tasks.ts';
import { done, implement, results, setTo, tool } from './implementation.ts';
import { inOrder, type Part } from './model-server.ts';
import { driveHere, planText } from './run-driver.ts';

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
  const scope = 'the scope is: src/cache.js (modify); where the work needs more, call propose_amendment';
  const outside = (change: string) => `! Error: expected a change within the plan's scope, got ${change}; ${scope}`;
  assert.deepEqual(results(run.server.requests[1]), [
    outside('src/other.js (modify)'),
    outside('src/new.js (create)'),
    outside('src/other.js (move)'),
    outside('src/cache.js (delete)'),
    'wrote 8 bytes to docs/a.md',
    '! Error: .github/workflows/ci.yml is protected, and the plan does not name it; leave it as it is, or call propose_amendment',
    '! Error: AGENTS.md is protected, and the plan does not name it; leave it as it is, or call propose_amendment',
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

test('a run tells of no more deviations than people can be expected to read', async () => {
  const state = newRunState(null, []);
  const progress = { stepDone: async () => ({ outside: [], faults: [] }), tasks: () => undefined };
  const { execute } = updateTasksTool(state, progress, { holdsCode: false });
  const call = { id: 'a', signal: new AbortController().signal };
  for (let round = 0; round < 4; round += 1) {
    const deviations = Array.from({ length: 50 }, (_, index) => `${round}-${index}`);
    await execute({ tasks: [{ title: 'Edit', status: 'pending' }], deviations }, call);
  }
  assert.deepEqual([state.deviations.length, state.deviations[0], state.deviations.at(-1)], [100, '0-0', '1-49']);
});
