// Needs bwrap, socat, rg.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, realpath, rm, watch } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { hostRun } from '../../src/engine/run-host.ts';
import { specFor } from '../agent/run-driver.ts';
import { keeper, silent } from '../engine/engine-fixture.ts';

function processesWith(marker: string): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(marker);
    } catch {
      return false;
    }
  });
}

function leftIn(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => /^(?:srt-|claude-|planwright-)/.test(name));
}

test('a run that is killed in the middle of a command leaves no process, no socket and no folder behind, and nothing that git sees (S44)', async () => {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'killed-')));
  const [checkout, scratch] = [path.join(folder, 'checkout'), path.join(folder, 'scratch')];
  for (const each of [checkout, scratch]) await mkdir(each);
  const usual = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  const marker = `34.${Date.now()}`;
  const command = `setsid sleep ${marker} & touch "$TMPDIR/started"; sleep ${marker}`;
  const spec = specFor({ spec: { hosts: ['gone.example.com'], checks: [command] } }, '', { checkout, scratch });
  const childPath = fileURLToPath(new URL('reaching-child.ts', import.meta.url));
  const watched = new AbortController();
  try {
    const watching = watch(scratch, { signal: watched.signal })[Symbol.asyncIterator]().next();
    const hosted = hostRun({ childPath, searchPath: '/usr/bin:/bin', spec, keeper, log: silent });
    await Promise.race([watching, hosted.end.then((end) => assert.fail(JSON.stringify(end)))]);
    assert.notDeepEqual(processesWith(marker), []);
    assert.notDeepEqual(leftIn(folder), []);
    await hosted.kill();
    // The kernel takes down what was beneath it in its own time.
    for (let left = 200; left > 0 && processesWith(folder).length + processesWith(marker).length > 0; left -= 1) {
      await delay(20);
    }
    assert.deepEqual([...processesWith(marker), ...processesWith(folder)], []);
    assert.deepEqual(leftIn(folder), []);
    assert.deepEqual(await readdir(path.join(checkout, 'AGENTS.md')).catch(() => []), []);
  } finally {
    watched.abort();
    if (usual === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = usual;
    await rm(folder, { recursive: true, force: true });
  }
});
