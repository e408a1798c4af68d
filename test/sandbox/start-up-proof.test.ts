// Needs bwrap, socat, rg.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { whyMissing } from '../../src/sandbox/programs.ts';
import { proveOnce } from '../../src/sandbox/start-up-proof.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'start-up-proof-')));
after(() => rmSync(root, { recursive: true }));
const folder = join(root, 'proof');

/** A proof by a module of the test's own. */
function proveBy(text: string, timeoutMs = 20_000): Promise<string | null> {
  const childPath = join(root, 'child.mjs');
  writeFileSync(childPath, text);
  return proveOnce({ folder, childPath, timeoutMs });
}

test('S46: the sandbox of this host proves itself once, in a process and a folder of its own that are gone afterwards', async () => {
  mkdirSync(folder);
  writeFileSync(join(folder, 'left-by-a-process-that-was-killed'), '');
  assert.equal(await proveOnce({ folder }), null);
  assert.equal(existsSync(folder), false);
});

test('S46: a data folder that commands could read because of where it lies is a fault', async (t) => {
  const readable = mkdtempSync(join(dirname(process.execPath), 'proof-'));
  t.after(() => rmSync(readable, { recursive: true, force: true }));
  assert.equal(await proveOnce({ folder: readable }), 'a file outside could be read');
});

test('S46: a missing program, and a proof that hangs, dies, or says something else, are faults', async () => {
  assert.equal(whyMissing(['bash', 'no-such-bwrap']), 'not installed: no-such-bwrap');
  assert.equal(whyMissing(['bash']), null);
  assert.equal(await proveBy('setInterval(() => {}, 1000)', 300), 'the proof took longer than 0.3 s');
  assert.equal(await proveBy('process.exit(0)'), 'the proof ended without an answer (exit code 0)');
  assert.equal(await proveBy('throw new Error()'), 'the proof ended without an answer (exit code 1)');
  assert.equal(await proveBy("process.send('fine')"), 'the proof said what nobody understands');
  assert.equal(await proveBy("process.send({ fault: 'a leak' })"), 'a leak');
  assert.equal(await proveBy('process.send({ available: true })'), 'the proof said what nobody understands');
});
