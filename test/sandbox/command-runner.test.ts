// Needs bwrap, socat, rg.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, watch, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { type CommandRunner, createCommandRunner, type RunCommand } from '../../src/sandbox/command-runner.ts';

let folder = '';
let checkout = '';
let scratch = '';
let runner: CommandRunner = { available: false, reason: 'not started' };
let connections = 0;
const listener = createServer((socket) => {
  connections += 1;
  socket.destroy();
});

before(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'command-runner-')));
  checkout = path.join(folder, 'checkout');
  scratch = path.join(folder, 'scratch');
  await mkdir(path.join(checkout, 'src'), { recursive: true });
  await mkdir(scratch);
  await mkdir(path.join(folder, 'other-run'));
  await writeFile(path.join(folder, 'other-run', 'key'), 'canary-file');
  await writeFile(path.join(checkout, 'src', 'a.txt'), 'a\n');
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  runner = await createCommandRunner({ checkout, scratch, writable: true, readOnly: [], hosts: [] });
});

after(async () => {
  if (runner.available) await runner.close();
  await new Promise((resolve) => listener.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

const sandboxed: RunCommand = (command, options) => {
  assert.ok(runner.available, `expected a working sandbox, got: ${runner.available ? '' : runner.reason}`);
  return runner.run(command, options);
};

async function run(command: string, timeoutMs = 20_000) {
  return sandboxed(command, { timeoutMs, signal: new AbortController().signal });
}

function port(): number {
  const address = listener.address();
  assert.ok(address !== null && typeof address !== 'string');
  return address.port;
}

function processesWith(marker: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [execFileSync('cat', [`/proc/${pid}/cmdline`], { encoding: 'utf8', stdio: 'pipe' })];
      } catch {
        return [];
      }
    })
    .filter((line) => line.includes(marker));
}

test('a command reads and writes the checkout and the own folder, with the node that runs us', async () => {
  const result = await run('cat src/a.txt && echo b > src/b.txt && touch "$TMPDIR/t" && node --version');
  assert.deepEqual(result, {
    exitCode: 0,
    hasTimedOut: false,
    output: `a\n${process.version}\n`,
    isOutputCut: false,
  });
  assert.equal(await readFile(path.join(checkout, 'src/b.txt'), 'utf8'), 'b\n');
});

test('a second sandbox in one process is refused', async () => {
  assert.deepEqual(await createCommandRunner({ checkout, scratch, writable: false, readOnly: [], hosts: [] }), {
    available: false,
    reason: 'this process has a sandbox already',
  });
});

/** Each command tries to get out and prints what it got; `leak` is what must not be seen, or made. */
const readAttempts: readonly (readonly [string, (place: string) => string])[] = [
  ["another run's folder", (place) => `cat ${place}/other-run/key; ls ${place}`],
  ['the same by climbing', () => 'cat ../other-run/key; ls ..'],
  ['the same by a link', (place) => `ln -s ${place}/other-run link; cat link/key; rm link`],
  ['the password file', () => 'cat /etc/shadow && echo leaked'],
  ['the home folder', () => `ls -A ${homedir()} | grep . && echo leaked`],
  ['the environment of the first process', () => "tr '\\0' '\\n' < /proc/1/environ | grep -i key && echo leaked"],
  ['the environment of all processes', () => "cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep canary"],
  ['own environment', () => 'env | grep -iE "key|token|secret|proxy" && echo leaked'],
  ["the root through another process's root", (place) => `cat /proc/*/root${place}/other-run/key`],
  ['the working folder of another process', () => 'cat /proc/*/cwd/../other-run/key'],
  ['the disk', () => 'cat /dev/sda /dev/vda /dev/nvme0n1 2>/dev/null | head -c 1 | grep -q . && echo leaked'],
  ['the memory of the kernel', () => 'head -c 1 /dev/mem /dev/kmem /proc/kcore | grep . && echo leaked'],
];

for (const [name, command] of readAttempts) {
  test(`a command cannot read ${name}`, async () => {
    const { output } = await run(command(folder));
    assert.doesNotMatch(output, /canary|leaked|other-run\n/);
  });
}

const writeAttempts: readonly (readonly [string, (place: string) => string, readonly string[]])[] = [
  ['beside the checkout', (place) => `echo x > ${place}/escaped; echo x > ../escaped`, ['escaped']],
  ['a hook', () => 'mkdir -p .git/hooks; echo x > .git/hooks/pre-commit', ['checkout/.git']],
  ['git as a file', () => 'rm -rf .git; echo "gitdir: /tmp" > .git', ['checkout/.git']],
  ['git by renaming', () => 'mkdir g; mv -T g .git; mv .git h; rm -rf g', ['checkout/.git']],
  ['through a link', (place) => `ln -s ${place} out; echo x > out/escaped; rm -f out`, ['escaped']],
  ['by a mount', (place) => `mkdir m; mount --bind / m && echo x > m${place}/escaped; rmdir m`, ['escaped']],
  [
    'by a nested namespace',
    (place) => `unshare -Urm sh -c 'mount -o remount,rw / && echo x > ${place}/escaped'`,
    ['escaped'],
  ],
  ['by another root', (place) => `chroot /proc/1/root sh -c 'echo x > ${place}/escaped'`, ['escaped']],
  ['by a device', (place) => `mknod d b 8 0 && echo x > ${place}/escaped; rm -f d`, ['escaped', 'checkout/d']],
];

for (const [name, command, forbidden] of writeAttempts) {
  test(`a command cannot write: ${name}`, async () => {
    await run(command(folder));
    assert.deepEqual(
      forbidden.filter((file) => existsSync(path.join(folder, file))),
      [],
    );
  });
}

test('a command cannot write to the system or leave files in its temporary folders', async () => {
  await run('echo x > /usr/planwright-escaped; echo x > /etc/planwright-escaped; echo x > /tmp/planwright-escaped');
  assert.deepEqual(
    ['/usr', '/etc', '/tmp'].filter((place) => existsSync(path.join(place, 'planwright-escaped'))),
    [],
  );
});

const networkAttempts: readonly (readonly [string, (port: number) => string])[] = [
  ['by TCP', (p) => `exec 3<>/dev/tcp/127.0.0.1/${p}`],
  ['by the proxy of the sandbox', (p) => `curl -sS -m 3 -x http://localhost:3128 http://127.0.0.1:${p}/`],
  ['without a proxy', (p) => `curl -sS -m 3 --noproxy '*' http://127.0.0.1:${p}/`],
  ['by SOCKS', (p) => `curl -sS -m 3 --socks5-hostname localhost:1080 http://127.0.0.1:${p}/`],
  ['by IPv6', (p) => `curl -sS -m 3 --noproxy '*' 'http://[::ffff:127.0.0.1]:${p}/'`],
  ['by UDP', () => 'echo x > /dev/udp/1.1.1.1/53'],
  ['by name', () => 'timeout 3 getent hosts example.com'],
  [
    'by a local socket',
    () =>
      "python3 -c \"import socket; socket.socket(socket.AF_UNIX)\" || node -e \"require('net').createServer().listen('s').on('error', () => process.exit(1))\"",
  ],
  ['by a raw socket', () => 'ping -c 1 -W 1 127.0.0.1 && ping -c 1 -W 1 1.1.1.1'],
];

for (const [name, command] of networkAttempts) {
  test(`a command cannot reach anyone ${name}`, async () => {
    const result = await run(command(port()));
    assert.equal(connections, 0);
    assert.ok(result.exitCode !== 0 || result.output.includes('blocked'), result.output);
  });
}

test('a command has no capability, no new privileges, and sees its own processes only', async () => {
  const { output } = await run('grep -E "^(CapEff|CapBnd|NoNewPrivs)" /proc/self/status; ls /proc | grep -c "^[0-9]"');
  const [effective, bounding, privileges, processes] = output.trim().split('\n');
  assert.match(effective ?? '', /^CapEff:\s+0+$/);
  assert.match(bounding ?? '', /^CapBnd:\s+0+$/);
  assert.match(privileges ?? '', /^NoNewPrivs:\s+1$/);
  assert.ok(Number(processes) < 15, `expected its own processes, got ${processes}`);
});

test('a command that takes too long ends with all that it started', async () => {
  const marker = `31.${Date.now()}`;
  const result = await run(`(setsid sleep ${marker} &) ; sleep ${marker}`, 400);
  assert.deepEqual(result, { exitCode: null, hasTimedOut: true, output: '', isOutputCut: false });
  assert.deepEqual(processesWith(marker), []);
});

test('a process left in the background ends with its command', async () => {
  const marker = `32.${Date.now()}`;
  const result = await run(`setsid nohup sleep ${marker} >/dev/null 2>&1 & echo started`);
  assert.equal(result.output, 'started\n');
  assert.deepEqual(processesWith(marker), []);
});

test('a command ends when the run is stopped', async () => {
  const stop = new AbortController();
  const marker = `33.${Date.now()}`;
  const watching = new AbortController();
  const started = watch(scratch, { signal: watching.signal })[Symbol.asyncIterator]().next();
  const running = sandboxed(`touch "$TMPDIR/started"; sleep ${marker}`, { timeoutMs: 60_000, signal: stop.signal });
  await started;
  watching.abort();
  stop.abort();
  assert.deepEqual(await running, { exitCode: null, hasTimedOut: false, output: '', isOutputCut: false });
  assert.deepEqual(processesWith(marker), []);
});

test('a command can open its own outputs by their names, and they are heard in their order', async () => {
  const result = await run('echo 1 > /dev/stdout; echo 2 > /dev/stderr; echo 3 | tee /dev/stderr >&2; exit 7');
  assert.deepEqual([result.exitCode, result.output], [7, '1\n2\n3\n3\n']);
});

test('output beyond 256 KB keeps its beginning and its end', async () => {
  const result = await run('echo first; head -c 5000000 /dev/zero | tr "\\0" x; echo; echo last');
  assert.equal(result.exitCode, 0);
  assert.equal(result.isOutputCut, true);
  assert.ok(result.output.length < 256 * 1024 + 100);
  assert.match(result.output, /^first\n/);
  assert.match(result.output, /last\n$/);
  assert.match(result.output, /\[… \d+ bytes left out …\]/);
});

test('core dumps, file size, memory and open files of a command are bounded', async () => {
  const { output } = await run('ulimit -c; ulimit -f; ulimit -d; ulimit -n');
  assert.equal(output, '0\n1048576\n4194304\n4096\n');
});
