// Needs bwrap, socat, rg.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { createCommandRunner } from '../../src/sandbox/command-runner.ts';
import { noRules } from '../no-ceilings.ts';
import { results, tool } from './implementation.ts';
import { inOrder } from './model-server.ts';
import { driveHere } from './run-driver.ts';

const ask = { say: [tool('ask_user_question', { questions: [{ question: 'Which?' }] })] };

/** Every file and folder with its mode and a digest of its content. */
function snapshot(root: string): readonly string[] {
  const entries = readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted();
  return entries.map((name) => {
    const place = path.join(root, name);
    const stats = lstatSync(place);
    const content = stats.isFile() ? readFileSync(place) : stats.isSymbolicLink() ? readlinkSync(place) : '';
    return `${name} ${stats.mode.toString(8)} ${createHash('sha256').update(content).digest('hex')}`;
  });
}

function git(folder: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-C', folder, ...args], {
    encoding: 'utf8',
  });
}

const gitAsMe = 'git -c user.name=x -c user.email=x@y.z -c safe.directory="*"';
const attacks = [
  'echo changed > src/cache.js',
  'echo new > new-file',
  ': >> README.md',
  'tee README.md < /dev/null',
  "sed -i 's/1/2/' src/cache.js",
  "node -e \"require('fs').writeFileSync('src/cache.js', 'x')\"",
  "node -e \"require('fs').appendFileSync(process.cwd() + '/README.md', 'x')\"",
  'perl -e \'open(F, ">", "src/cache.js"); print F "x"\'',
  'bash -c "echo x > src/cache.js"',
  'echo x > /proc/self/cwd/README.md',
  'ln -s README.md link',
  'mkdir folder',
  'mv README.md moved.md',
  'rm -rf src',
  'chmod -R u+rwx . && echo x > README.md',
  'touch README.md',
  'cp /dev/null README.md',
  'mount -o remount,rw . ; mount --bind "$TMPDIR" src',
  'unshare -rm sh -c "mount -o remount,rw . && echo x > README.md"',
  `${gitAsMe} commit -am planted --allow-empty`,
  `${gitAsMe} mv README.md moved.md`,
  `${gitAsMe} update-ref refs/heads/planted HEAD`,
  'echo "#!/bin/sh" > .git/hooks/post-checkout',
  'echo "[core]" >> .git/config',
];

test('case 1, S30: a plan run with a shell leaves the checkout byte for byte as it was, its refs and the remote too, and reaches nothing', async () => {
  const remote = mkdtempSync(path.join(tmpdir(), 'plan-shell-remote-'));
  git(remote, 'init', '-q', '--bare', '-b', 'main');
  let connections = 0;
  const listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  const port = await new Promise<number>((resolve) => {
    listener.listen(0, '127.0.0.1', () => {
      const address = listener.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  const attempts = [
    ...attacks,
    `${gitAsMe} push ${remote} HEAD:refs/heads/planted`,
    `timeout 2 bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}'`,
  ];
  const commands = [
    attempts.map((attempt, index) => `( ${attempt} ) > "$TMPDIR/out" 2>&1; echo "${index} tried"`).join('\n'),
    'cat src/cache.js && echo scratch > "$TMPDIR/note" && cat "$TMPDIR/note"',
  ];
  let before: readonly string[] = [];
  let remoteBefore: readonly string[] = [];
  const run = await driveHere({
    script: inOrder({ say: commands.map((command) => tool('bash', { command })) }, ask),
    spec: { planShell: true, permissions: { mode: 'auto', allow: ['Bash', 'Bash(*)', 'Agent(*)'], ask: [], deny: [] } },
    prepare: async (checkout) => {
      git(checkout, 'init', '-q', '-b', 'main');
      git(checkout, 'add', '.');
      git(checkout, 'commit', '-q', '-m', 'base');
      git(checkout, 'push', '-q', remote, 'main');
      // Even where the file system would let it through.
      chmodSync(path.join(checkout, 'README.md'), 0o666);
      before = snapshot(checkout);
      remoteBefore = snapshot(remote);
    },
    inspect: ({ checkout }) => {
      assert.deepEqual(snapshot(checkout), before);
      assert.deepEqual(snapshot(remote), remoteBefore);
    },
  }).finally(() => {
    listener.close();
    rmSync(remote, { recursive: true, force: true });
  });
  const answers = results(run.server.requests[1]);
  const tried = attempts.map((_, index) => `${index} tried\n`).join('');
  assert.equal(answers[0], `exit code 0\n${tried}`);
  assert.equal(answers[1], 'exit code 0\nexport const cache = 1;\nscratch\n');
  assert.equal(connections, 0);
  assert.equal(run.result?.kind, 'question');
});

test('without plan.shell, or where the sandbox is missing, a plan run has no shell; with it the tools before it are the same bytes', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'plan-shell-'));
  const [checkout, scratch] = [path.join(folder, 'checkout'), path.join(folder, 'scratch')];
  for (const each of [checkout, scratch]) mkdirSync(each);
  const script = inOrder(ask);
  const without = await driveHere({ script });
  const taken = await createCommandRunner({ checkout, scratch, writable: false, readOnly: [], hosts: [] });
  assert.ok(taken.available);
  const missing = await driveHere({ script, spec: { planShell: true } }).finally(taken.close);
  rmSync(folder, { recursive: true });
  const shell = await driveHere({ script, spec: { planShell: true } });
  const tools = (run: typeof without) => run.server.requests[0]?.tools.map((each) => JSON.stringify(each)) ?? [];
  const names = (run: typeof without) => run.server.requests[0]?.tools.map(({ name }) => name) ?? [];
  assert.ok(!names(without).includes('bash'));
  assert.deepEqual(names(missing), names(without));
  assert.deepEqual(names(shell), [...names(without), 'bash']);
  assert.equal(tools(missing).join(), tools(without).join());
  assert.equal(tools(shell).slice(0, -1).join(), tools(without).join());
  const systems = [without, missing, shell].map((run) => JSON.stringify(run.server.requests[0]?.system));
  assert.equal(new Set(systems).size, 1);
  assert.deepEqual(
    missing.messages.flatMap((message) => (message.kind === 'audit' ? [message.event] : [])),
    ['no_sandbox'],
  );
});

test('a rule that denies holds for the shell of a plan run, and the mode that asks does not ask about it', async () => {
  const run = await driveHere({
    script: inOrder(
      {
        say: ['cat README.md', 'ls src', 'echo \0', `cat${' '.repeat(2_000_000)}x`].map((command) =>
          tool('bash', { command }),
        ),
      },
      ask,
    ),
    spec: { planShell: true, permissions: { ...noRules, mode: 'ask', deny: ['Bash(cat:*)'] } },
  });
  assert.deepEqual(results(run.server.requests[1]), [
    '! Error: expected a call that the rules of the repository allow, got bash, which the rule Bash(cat:*) denies; do without it',
    'exit code 0\ncache.js\n',
    // In words of its own: those of the system would tell how the sandbox is called.
    '! Error: expected an input that fits the schema of bash, got: command: expected no NUL',
    '! Error: expected an input that fits the schema of bash, got: command: Too big: expected string to have <=20000 characters',
  ]);
});
