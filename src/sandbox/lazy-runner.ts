/** A command runner that is set up, and proves itself, when the first command is to run. */
import type { CommandPlace, CommandRunner, RunCommand } from './command-runner.ts';
import { sandboxPrograms, whyMissing } from './programs.ts';

/** No command may run: the sandbox is missing, or has not proved itself. */
export class NoSandbox extends Error {
  override readonly name = 'NoSandbox';
  readonly reason: string;
  constructor(reason: string) {
    super(`no command runs here, as the sandbox cannot be relied on: ${reason}; go on without commands`);
    this.reason = reason;
  }
}

function unfit(error: unknown): CommandRunner {
  const why = error instanceof Error ? error.message : String(error);
  return { available: false, reason: `what is to be held in the checkout could not be found: ${why}` };
}

/**
 * Not available where a program is missing. Setting up takes about a second of processor time, which a run that runs no
 * command does without.
 * @param findPlace asked when the first command is to run.
 * @param onRefusal told once why no command may run, where the proof failed. Each command then rejects with `NoSandbox`.
 */
export function createLazyRunner(
  findPlace: () => Promise<CommandPlace>,
  onRefusal: (reason: string) => void,
): CommandRunner {
  const missing = whyMissing(sandboxPrograms);
  if (missing !== null) return { available: false, reason: missing };
  let opened: Promise<CommandRunner> | null = null;
  const open = async (): Promise<CommandRunner> => {
    const { createCommandRunner } = await import('./command-runner.ts');
    const runner = await findPlace().then((place) => createCommandRunner(place), unfit);
    if (!runner.available) onRefusal(runner.reason);
    return runner;
  };
  const run: RunCommand = async (command, options) => {
    opened ??= open();
    const runner = await opened;
    if (!runner.available) throw new NoSandbox(runner.reason);
    return runner.run(command, options);
  };
  const close = async (): Promise<void> => {
    const runner = await opened;
    if (runner?.available) await runner.close();
  };
  return { available: true, run, close };
}
