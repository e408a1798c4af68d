// Needs bwrap, socat, rg.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { runChecks } from '../../src/agent/verification.ts';
import { createCommandRunner, type RunCommand } from '../../src/sandbox/command-runner.ts';
import { createLazyRunner, NoSandbox } from '../../src/sandbox/lazy-runner.ts';
import { testSandbox } from '../../src/sandbox/self-test.ts';

let folder = '';

before(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'self-test-')));
  await mkdir(path.join(folder, 'checkout'));
  await mkdir(path.join(folder, 'scratch'));
});

after(async () => {
  await rm(folder, { recursive: true, force: true });
});

function place(writable: boolean) {
  const [checkout, scratch] = [path.join(folder, 'checkout'), path.join(folder, 'scratch')];
  return { checkout, scratch, writable, readOnly: [], hosts: [] };
}

/** Runs without any sandbox, after changing the command. */
function bare(change: (command: string) => string): RunCommand {
  return (command) =>
    new Promise((resolve) => {
      execFile('bash', ['-c', change(command)], { cwd: path.join(folder, 'checkout') }, (error, stdout, stderr) => {
        const exitCode = error === null ? 0 : 1;
        resolve({ exitCode, hasTimedOut: false, output: stdout + stderr, isOutputCut: false });
      });
    });
}

test('a runner that can read a planted secret is found out', async () => {
  assert.equal(await testSandbox(place(true), bare(String)), 'a file outside could be read');
});

test('a sandbox that the host lets nobody make says so in the words of bubblewrap', async () => {
  const why = 'bwrap: setting up uid map: Permission denied';
  const refused: RunCommand = async () => ({ exitCode: 1, hasTimedOut: false, output: `${why}\n`, isOutputCut: false });
  assert.equal(await testSandbox(place(true), refused), `a probe did not run to its end (${why})`);
});

test('a runner that can connect is found out', async () => {
  const leak = await testSandbox(
    place(true),
    bare((command) => command.replace(/^cat .*$/m, '')),
  );
  assert.equal(leak, 'a connection could be made');
});

test('a runner without the system-call filter is found out', async () => {
  const leak = await testSandbox(
    place(true),
    bare((command) => command.replace(/^(cat|timeout) .*$/gm, '').replace(/^grep .*$/m, 'echo "NoNewPrivs: 1"')),
  );
  assert.equal(leak, 'the system-call filter is not in force');
});

test('a runner that can write outside is found out', async () => {
  const held = 'printf "NoNewPrivs: 1\\nSeccomp: 2\\nCapEff: 0\\n"';
  const leak = await testSandbox(
    place(false),
    bare((command) => command.replace(/^(cat|timeout) .*$/gm, '').replace(/^grep .*$/m, held)),
  );
  assert.equal(leak, 'a file outside could be written');
});

test('S43: a runner that shares memory with the host, or can set its kernel, is found out', async () => {
  const held = 'printf "NoNewPrivs: 1\\nSeccomp: 2\\nCapEff: 0\\n"';
  const others = /^(?:cat|timeout|echo leaked|test) .*$/gm;
  const without = (command: string) => command.replace(others, '').replace(/^grep .*$/m, held);
  assert.equal(await testSandbox(place(true), bare(without)), 'memory is shared with other processes');
  const setting = (command: string) => `${without(command)}\necho settings`;
  assert.equal(await testSandbox(place(true), bare(setting)), 'settings of the kernel can be written');
});

test('S32, S41: a runner in which local sockets can be made, or that shows variables or open files of the host, is found out', async () => {
  const confined = ['NoNewPrivs: 1', 'Seccomp: 2', 'CapEff: 0'];
  const leakOf = (...probes: readonly string[]) =>
    testSandbox(
      place(true),
      bare((command) => `printf "${[...confined, ...probes].join('\\n')}\\n"; ${/echo end-\w+/.exec(command)?.[0]}`),
    );
  const [sockets, variable] = ['sockets: 1', 'variable: PATH'];
  assert.equal(await leakOf('sockets: 0', variable), 'local sockets are not refused');
  assert.equal(await leakOf(sockets, variable, 'variable: CANARY'), 'variables of the host are inside');
  assert.equal(await leakOf(sockets, variable, 'descriptors: 0 1 2 3 9 '), 'open files of the host are inside');
});

test('a runner that runs nothing proves nothing', async () => {
  assert.equal(
    await testSandbox(
      place(true),
      bare(() => 'exit 127'),
    ),
    'a probe did not run to its end',
  );
});

test('a sandbox over a checkout that may not be written passes its own test and leaves the checkout as it was', async () => {
  const runner = await createCommandRunner(place(false));
  assert.ok(runner.available, 'expected a working sandbox');
  const result = await runner.run('echo x > made; echo y > "$TMPDIR/made"', {
    timeoutMs: 10_000,
    signal: new AbortController().signal,
  });
  await runner.close();
  assert.match(result.output, /Read-only file system/);
  assert.equal(existsSync(path.join(folder, 'checkout', 'made')), false);
  assert.equal(existsSync(path.join(folder, 'scratch', 'made')), true);
});

test('nothing is set up before the first command; without proof none runs, a check least of all, and it is told once', async () => {
  const taken = await createCommandRunner(place(false));
  assert.ok(taken.available, 'expected a working sandbox');
  const told: string[] = [];
  const lazy = createLazyRunner(
    async () => place(true),
    (reason) => told.push(reason),
  );
  assert.ok(lazy.available, 'expected the programs of the sandbox');
  assert.deepEqual(told, []);
  const { signal } = new AbortController();
  await assert.rejects(
    lazy.run('true', { timeoutMs: 10_000, signal }),
    new NoSandbox('this process has a sandbox already'),
  );
  assert.deepEqual(await runChecks(['true'], lazy, signal), [
    {
      verification: { command: 'true', result: 'not_run', detail: 'No sandbox: this process has a sandbox already.' },
      output: '',
    },
  ]);
  assert.deepEqual(told, ['this process has a sandbox already']);
  await lazy.close();
  await taken.close();
});
