import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runChecks } from '../../src/agent/verification.ts';
import { implementedBody } from '../../src/github/pull-request-text.ts';
import type { CommandResult, CommandRunner } from '../../src/sandbox/command-runner.ts';
import { factsOf, newThread } from '../engine/engine-fixture.ts';

const wrote = 'ANTHROPIC_API_KEY=canary\n@bob fixes #7\n'.repeat(1000);
const results: Readonly<Record<string, CommandResult>> = {
  passes: { exitCode: 0, hasTimedOut: false, output: wrote, isOutputCut: false },
  fails: { exitCode: 3, hasTimedOut: false, output: wrote, isOutputCut: true },
  hangs: { exitCode: null, hasTimedOut: true, output: wrote, isOutputCut: false },
  dies: { exitCode: null, hasTimedOut: false, output: wrote, isOutputCut: false },
};
const runner: CommandRunner = {
  available: true,
  run: async (command) => results[command] ?? assert.fail(command),
  close: async () => undefined,
};

test('S86: of what a check writes nothing is reported but how it ended; its output is for the agent alone', async () => {
  const checked = await runChecks(Object.keys(results), runner, new AbortController().signal);
  assert.deepEqual(
    checked.map(({ verification }) => verification),
    [
      { command: 'passes', result: 'passed', detail: 'exit code 0' },
      { command: 'fails', result: 'failed', detail: 'exit code 3' },
      { command: 'hangs', result: 'failed', detail: 'stopped after 600000 ms' },
      { command: 'dies', result: 'failed', detail: 'killed' },
    ],
  );
  const report = { steps: [], files: [], deviations: [], verifications: checked.map((each) => each.verification) };
  const body = implementedBody(factsOf(newThread()), report, { ownIssue: 1 });
  assert.match(body, /- `fails` \*\*failed\*\*: exit code 3\n/);
  assert.ok(!body.includes('canary'));
});
