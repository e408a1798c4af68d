// Needs bwrap, socat, rg.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { describeCommand } from '../../src/agent/tools/bash.ts';
import { commandLimits } from '../../src/sandbox/command-limits.ts';
import { type CommandRunner, createCommandRunner } from '../../src/sandbox/command-runner.ts';
import { watchDisk } from '../../src/sandbox/disk-watch.ts';
import { watchResources } from '../../src/sandbox/resource-watch.ts';

const MIB = 1024 ** 2;
const limits = {
  ...commandLimits(totalmem()),
  fileBytes: 64 * MIB,
  tasks: 40,
  memoryBytes: 320 * MIB,
  diskBytes: 96 * MIB,
  files: 2000,
  lookEveryMs: 20,
};

let folder = '';
let runner: CommandRunner = { available: false, reason: 'not started' };

before(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'limits-')));
  await mkdir(path.join(folder, 'checkout'));
  await mkdir(path.join(folder, 'scratch'));
  const [checkout, scratch] = [path.join(folder, 'checkout'), path.join(folder, 'scratch')];
  runner = await createCommandRunner({ checkout, scratch, writable: true, readOnly: ['.claude'], hosts: [] }, limits);
});

after(async () => {
  if (runner.available) await runner.close();
  await rm(folder, { recursive: true, force: true });
});

async function run(command: string) {
  assert.ok(runner.available, `expected a working sandbox, got: ${runner.available ? '' : runner.reason}`);
  return runner.run(command, { timeoutMs: 20_000, signal: new AbortController().signal });
}

const bombs: readonly (readonly [string, string, string])[] = [
  [
    'processes (S45, a fork bomb)',
    'for i in $(seq 1 200); do setsid sleep 600 & done; wait',
    'it had more than 40 processes and threads',
  ],
  [
    'memory of many processes (S45)',
    'for i in 1 2 3 4; do node -e "globalThis.kept = Buffer.alloc(100 * 2 ** 20, 1); setTimeout(() => {}, 600000)" & done; wait',
    'it took more than 320 MiB of memory',
  ],
  [
    'memory by files in a file system that lies in it (S45)',
    'for i in 1 2 3 4 5 6 7 8; do head -c 50M /dev/zero > /tmp/$i; done; sleep 600',
    'it took more than 320 MiB of memory',
  ],
  [
    'disk (S45)',
    'for i in 1 2 3 4; do head -c 50M /dev/zero > $TMPDIR/$i; done; sleep 600',
    'it took more than 96 MiB of disk',
  ],
  [
    'disk by what an archive holds (S45)',
    'truncate -s 50M 1 2 3 4; tar -czf z.tgz 1 2 3 4; rm 1 2 3 4; tar -xzf z.tgz; sleep 600',
    'it took more than 96 MiB of disk',
  ],
  [
    'files and folders (S45)',
    'mkdir many; cd many; for i in $(seq 1 30); do mkdir $i; touch $i/{1..99}; done; sleep 600',
    'it left more than 2,000 files',
  ],
];

for (const [what, command, exceeded] of bombs) {
  test(`a command that takes too much of the host ends, and says which limit: ${what}`, async () => {
    const result = await run(command);
    assert.deepEqual(
      { ...result, output: '' },
      {
        exitCode: null,
        hasTimedOut: false,
        output: '',
        isOutputCut: false,
        exceeded,
      },
    );
    assert.equal(describeCommand(result, 20_000).split('\n')[0], `stopped: ${exceeded}`);
    const cleaned = await run('rm -rf * "$TMPDIR"/*; ls /proc | grep -c "^[0-9]"; ls /tmp | grep -x "[1-8]"; true');
    assert.equal(cleaned.exitCode, 0, cleaned.output);
    assert.match(cleaned.output, /^[1-8]\n$/);
  });
}

test('what a command takes of the last that the host has ends it, whoever can be seen to hold it (S45)', async () => {
  const PETABYTE = 1024 ** 5;
  const least = { ...limits, memoryBytesLeft: PETABYTE, diskBytesLeft: PETABYTE, noticeableBytes: -PETABYTE };
  const disk = await watchDisk([folder], least);
  await disk.begin();
  const { promise: killed, resolve } = Promise.withResolvers<void>();
  const watch = watchResources(process.pid, least, { ...disk, look: async () => null }, resolve);
  await killed;
  assert.deepEqual(
    [await watch.end(), await disk.look()],
    ['it left the host less than 1048576 GiB of memory', 'it left the host less than 1048576 GiB of disk'],
  );
});

test('where too much of the disk is taken already, what holds places for a command does not end it (S45)', async () => {
  const place = path.join(folder, 'full');
  await mkdir(place);
  const disk = await watchDisk([place], { ...limits, diskBytes: 8 * MIB });
  const write = (name: string, bytes: number) => writeFile(path.join(place, name), Buffer.alloc(bytes, 1));
  await disk.begin();
  await write('much', 16 * MIB);
  await disk.settle();
  assert.equal(await disk.begin(), null);
  await write('little', MIB / 4);
  assert.equal(await disk.look(), null);
});

test('a single file that grows too large is cut off where it is written (S45)', async () => {
  const result = await run('head -c 70M /dev/zero > big; stat -c %s big; rm big');
  assert.match(result.output, /File size limit exceeded/);
  assert.match(result.output, /^67108864$/m);
});

test('what is held is neither written, made, moved nor removed though it was not there, and nothing of it stays (S42)', async () => {
  const result = await run(
    [
      'mkdir -p .claude/commands',
      'echo x > .claude/settings.json',
      'rmdir .claude',
      'mv .claude other',
      'mkdir m; mv -T m .claude',
      'ln -sfn m .claude',
      'cp -r . "$TMPDIR/copy" && echo copied',
    ].join('\n'),
  );
  assert.match(result.output, /Read-only file system/);
  assert.match(result.output, /copied\n$/);
  await run('rm -rf m');
  assert.deepEqual(await readdir(path.join(folder, 'checkout')), []);
  assert.equal(existsSync(path.join(folder, 'scratch', 'copy', '.claude', 'settings.json')), false);
});

test('a run whose commands take too much of the disk again and again gets no further one (S45)', async () => {
  const ends: (string | undefined)[] = [];
  for (const _ of [1, 2, 3]) {
    const { exceeded } = await run('for i in 1 2 3; do head -c 50M /dev/zero > $TMPDIR/$i; done; sleep 600');
    ends.push(exceeded);
    await run('rm -f $TMPDIR/*');
  }
  assert.deepEqual(ends, [
    'it took more than 96 MiB of disk',
    'it took more than 96 MiB of disk',
    'commands of this run have taken too much of the disk 5 times',
  ]);
});
