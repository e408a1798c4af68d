import assert from 'node:assert/strict';
import { test } from 'node:test';
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
