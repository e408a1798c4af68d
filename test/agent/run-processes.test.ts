// Needs bwrap, socat, rg.
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { temporaryPrefix } from '../../src/agent/run-protocol.ts';
import { implement, tool } from './implementation.ts';
import { inOrder } from './model-server.ts';
import { drive } from './run-driver.ts';

/** The command lines that name the marker. */
function processesWith(marker: string): readonly string[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return line.includes(marker) ? [line] : [];
      } catch {
        return [];
      }
    });
}

function sleepersWith(marker: string): number {
  return processesWith(marker).filter((line) => line === `sleep\0${marker}\0`).length;
}

/** The system begins and ends processes a moment after it was asked to. */
async function comesTrue(claim: () => boolean): Promise<boolean> {
  const deadline = performance.now() + 5_000;
  while (!claim() && performance.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
  return claim();
}

for (const [name, end] of [
  ['stopped', (child: ChildProcess) => child.send({ kind: 'stop' })],
  ['left by its host', (child: ChildProcess) => child.disconnect()],
  ['killed', (child: ChildProcess) => child.kill('SIGKILL')],
] as const) {
  test(`a run that is ${name} takes the command that is running with it, and all that it started`, async () => {
    const marker = `41.${process.pid}${randomInt(1e9)}`;
    let sleepers: Promise<boolean> | null = null;
    const run = await drive(
      implement(
        inOrder({ say: [tool('bash', { command: `(setsid sleep ${marker} &); touch begun; sleep ${marker}` })] }),
        {},
        {
          onStart: (child, checkout) => {
            const watcher = watch(checkout, { persistent: false }, (_event, file) => {
              if (file !== 'begun') return;
              watcher.close();
              sleepers = comesTrue(() => sleepersWith(marker) === 2);
              void sleepers.then(() => end(child));
            });
          },
        },
      ),
    );
    assert.equal(run.result, null);
    assert.equal(await sleepers, true);
    assert.equal(await comesTrue(() => processesWith(marker).length === 0), true);
  });
}

for (const [name, end] of [
  ['told to stop', 'stop'],
  ['left by its host', 'disconnect'],
] as const) {
  test(`a run that is ${name} ends in the middle of a request and says no more, and leaves no folder`, async () => {
    const temporary = mkdtempSync(path.join(tmpdir(), temporaryPrefix));
    let leave: () => void = () => undefined;
    const run = await drive({
      script: (_request, index) => {
        if (index === 0) return { say: [{ tool: 'read', input: { file_path: 'README.md' } }] };
        leave();
        return { raw: () => undefined };
      },
      onMessage: (_message, child) => {
        leave = () => (end === 'stop' ? child.send({ kind: 'stop' }) : child.disconnect());
        return true;
      },
      environment: { TMPDIR: temporary },
    });
    assert.equal(existsSync(temporary), false);
    assert.deepEqual(run.exit, { code: 0, signal: null });
    assert.equal(run.result, null);
    assert.equal(run.server.requests.length, 2);
  });
}
