// Needs bwrap, socat, rg.
import assert from 'node:assert/strict';
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { done, implement, results, tool } from './implementation.ts';
import { inOrder } from './model-server.ts';
import { driveHere } from './run-driver.ts';

test('no command of an implementation touches what is protected, there or not, at any depth; what the plan names it does (S42)', async () => {
  const attempts = [
    'echo x > .github/workflows/ci.yml',
    'rm -rf .github',
    'mv .github other',
    'echo x > AGENTS.md',
    'mkdir -p .claude && echo x > .claude/settings.json',
    'ln -s /etc .husky',
    'echo x > lib/CLAUDE.md',
    'mv lib lib2',
    'echo x > .git; mkdir .git/hooks',
  ];
  const allowed = ['echo export const cache = 2 > src/cache.js', 'echo linked >> notes.md', 'echo x > made.txt'];
  const plant = (checkout: string) => {
    mkdirSync(path.join(checkout, '.github', 'workflows'), { recursive: true });
    mkdirSync(path.join(checkout, 'lib'));
    writeFileSync(path.join(checkout, '.github', 'workflows', 'ci.yml'), 'on: push\n');
    writeFileSync(path.join(checkout, 'lib', 'CLAUDE.md'), 'rules\n');
    writeFileSync(path.join(checkout, 'notes.md'), 'notes\n');
    symlinkSync('notes.md', path.join(checkout, 'CLAUDE.md'));
  };
  const command = [...attempts, ...allowed].join('\n');
  const script = inOrder({ say: [tool('bash', { command: `(${command}) 2>&1; true` })] }, done);
  const run = await driveHere({
    ...implement(script),
    prepare: async (checkout) => plant(checkout),
    inspect: ({ checkout }) => {
      const at = (name: string) => path.join(checkout, name);
      const contents = ['.github/workflows/ci.yml', 'lib/CLAUDE.md', 'src/cache.js', 'notes.md', 'made.txt'];
      assert.deepEqual(
        contents.map((name) => readFileSync(at(name), 'utf8')),
        ['on: push\n', 'rules\n', 'export const cache = 2\n', 'notes\nlinked\n', 'x\n'],
      );
      assert.deepEqual(
        ['other', 'AGENTS.md', '.claude', '.husky', 'lib2', '.git'].filter((name) => existsSync(at(name))),
        [],
      );
      assert.ok(lstatSync(at('CLAUDE.md')).isSymbolicLink());
    },
  });
  assert.match(results(run.server.requests[1])[0] ?? '', /^exit code 0\n/);
});

test('where the start of the app has found the sandbox wanting, no phase is offered a shell, no check runs, and it is said once (S46)', async () => {
  const spec = { sandboxFault: 'a connection could be made', checks: ['true'] };
  const ran = await driveHere(implement(inOrder(done), spec));
  const planned = await driveHere({
    script: inOrder({ say: [tool('ask_user_question', { questions: [{ question: 'Which?', options: [] }] })] }),
    spec: { sandboxFault: 'a connection could be made', planShell: true },
  });
  for (const run of [ran, planned]) {
    assert.ok(run.server.requests[0]?.tools.every(({ name }) => name !== 'bash'));
    assert.deepEqual(
      run.messages
        .flatMap((message) => (message.kind === 'audit' ? [[message.event, message.detail]] : []))
        .slice(0, 1),
      [['no_sandbox', 'a connection could be made']],
    );
  }
  assert.deepEqual(ran.result, {
    kind: 'work_done',
    deviations: [],
    verifications: [{ command: 'true', result: 'not_run', detail: 'No sandbox: a connection could be made.' }],
  });
});

test('an implementation is told which hosts its commands can reach (S39)', async () => {
  const run = await driveHere(implement(inOrder(done), { hosts: ['packages.example', 'mirror.example'] }));
  const bash = run.server.requests[0]?.tools?.find(({ name }) => name === 'bash');
  assert.match(
    String(bash?.description),
    /There is no network but HTTP and HTTPS to packages\.example, mirror\.example, and no git/,
  );
});
