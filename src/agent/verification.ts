import type { Verification } from '../lifecycle/memory.ts';
import type { CommandRunner } from '../sandbox/command-runner.ts';
import { NoSandbox } from '../sandbox/lazy-runner.ts';
import { describeCommand } from './tools/bash.ts';

const CHECK_TIMEOUT_MS = 600_000;
const MAX_OUTPUT_BYTES = 20_000;

export interface CheckedCommand {
  readonly verification: Verification;
  /** What the command wrote; empty where it did not run. */
  readonly output: string;
}

async function check(command: string, runner: CommandRunner, signal: AbortSignal): Promise<CheckedCommand> {
  if (!runner.available) return notRun(command, runner.reason);
  try {
    const result = await runner.run(command, { timeoutMs: CHECK_TIMEOUT_MS, signal });
    const output = describeCommand(result, CHECK_TIMEOUT_MS, MAX_OUTPUT_BYTES);
    const [detail = ''] = output.split('\n');
    return { verification: { command, result: result.exitCode === 0 ? 'passed' : 'failed', detail }, output };
  } catch (error) {
    if (error instanceof NoSandbox) return notRun(command, error.reason);
    throw error;
  }
}

function notRun(command: string, reason: string): CheckedCommand {
  return { verification: { command, result: 'not_run', detail: `No sandbox: ${reason}.` }, output: '' };
}

/** Runs the commands one after another, each to its end whatever became of the others. */
export async function runChecks(
  commands: readonly string[],
  runner: CommandRunner,
  signal: AbortSignal,
): Promise<readonly CheckedCommand[]> {
  const checked: CheckedCommand[] = [];
  for (const command of commands) checked.push(await check(command, runner, signal));
  return checked;
}

/** What the model is told of the checks that failed; `null` where none did. */
export function describeFailures(checked: readonly CheckedCommand[]): string | null {
  const failed = checked.filter(({ verification }) => verification.result === 'failed');
  if (failed.length === 0) return null;
  const told = failed.map(({ verification, output }) => `$ ${verification.command}\n${output}`);
  return `These checks failed. Mend what they show, within the scope of the plan.\n\n${told.join('\n\n')}`;
}
