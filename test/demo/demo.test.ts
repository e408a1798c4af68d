import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readProgramPath } from '../../src/config/environment.ts';
import { runDemo } from '../../src/local/demo.ts';

const asked = { repository: '.', issue: 'Do it', modelApiKey: 'key', programPath: '' };

for (const [what, options] of [
  ['--repo PATH', { ...asked, repository: null }],
  ['--issue TEXT', { ...asked, issue: null }],
  ['ANTHROPIC_API_KEY in the environment', { ...asked, modelApiKey: null }],
] as const) {
  test(`the demo with the real model says that it misses ${what}, and starts nothing`, async () => {
    const written: string[] = [];
    const code = await runDemo({ ...options, out: { write: (text) => written.push(text) } });
    assert.equal(code, 2);
    assert.deepEqual(written, [
      `The demo with the real model needs --repo PATH, --issue TEXT and ANTHROPIC_API_KEY; missing: ${what}. Without --repo and --issue it plays a transcript and needs nothing.\n`,
    ]);
  });
}

const mainFile = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('close', (code) => resolve(code)));
}

function addressIn(text: string): string {
  return /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0] ?? '';
}

describe('whatever ends the demo, nothing of it stays', { concurrency: true }, () => {
  test('interrupted in its middle it stops its processes and removes its folder', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'demo-test-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const child = spawn(process.execPath, [mainFile, 'demo'], {
      env: { PATH: readProgramPath(), TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const end = endOf(child);
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (line.includes('app healthy')) {
        assert.equal(readdirSync(folder).length, 1);
        const page = await fetch(addressIn(line));
        assert.match(await page.text(), /The model behind the app is scripted: its answers come from a transcript\./);
        child.kill('SIGINT');
      }
    }
    assert.equal(await end, 130);
    assert.match(lines[0] ?? '', /^Planwright demo with a scripted model/);
    assert.equal(lines.at(-1), 'Interrupted: stopping and clearing up.');
    assert.deepEqual(readdirSync(folder), []);
    // The forge's address, as the demo has printed it: nobody listens there any more.
    await assert.rejects(fetch(addressIn(lines.join('\n'))), { message: 'fetch failed' });
  });

  test('an app that ends is named, with the last lines of its log', async () => {
    const written: string[] = [];
    const out = { write: (text: string) => written.push(text) };
    const programPath = '/nowhere';
    assert.equal(await runDemo({ repository: null, issue: null, modelApiKey: null, programPath, out }), 1);
    assert.deepEqual(written.slice(1), [
      'Failed: expected the app to start, but it ended with exit code 1\n',
      'The last lines of the log of the app:\n',
      '  expected git to start, got: Error: spawn git ENOENT; install git 2.39 or later\n',
    ]);
  });
});
