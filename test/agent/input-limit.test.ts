import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunBrief } from '../../src/agent/brief.ts';
import { whyTooLarge } from '../../src/agent/input-limit.ts';
import { inOrder } from './model-server.ts';
import { driveHere, planText, remark } from './run-driver.ts';

const plan = planText();

function objections(count: number, text: string): RunBrief {
  const remarks = Array.from({ length: count }, (_, index) =>
    remark(`PRRT_${index}`, { comments: [{ author: 'bob', trust: 'writer', text }] }),
  );
  return { kind: 'changes_requested', feedback: { bodies: [], remarks }, plan };
}

const long = { author: 'ada', trust: 'issue author', text: 'x'.repeat(524_288) } as const;

for (const [what, brief] of [
  [
    'an issue of half a megabyte',
    { kind: 'request', issue: { number: 7, title: 'Cache it', body: long }, note: null, instructions: [] },
  ],
  ['reviews of half a megabyte', objections(9, 'y'.repeat(60_000))],
  ['reviews of 65,000 lines', objections(10, '\n'.repeat(6500))],
] as const) {
  test(`S26: ${what} are refused with a message and what to do, and no part of them reaches the model`, async () => {
    const run = await driveHere({ script: inOrder(), spec: { brief, plan } });
    assert.deepEqual([run.result?.kind, run.server.requests.length], ['failed', 0]);
    assert.ok(run.result?.kind === 'failed');
    assert.equal(run.result.reason, 'input_too_large');
    assert.match(
      run.result.detail,
      /^Expected at most 524288 bytes and 65000 lines of text from the issue, the reviews and the plan together, got \d+ bytes and \d+ lines\. Nothing was sent to the model\. Say it in less, or in several rounds, then ask again\.$/,
    );
  });
}

test('S26: what is just within the limit is given whole', () => {
  assert.equal(whyTooLarge('z'.repeat(524_288)), null);
  assert.equal(whyTooLarge('\n'.repeat(64_999)), null);
  assert.notEqual(whyTooLarge('\u00e9'.repeat(262_145)), null);
  assert.notEqual(whyTooLarge('\n'.repeat(65_000)), null);
});
