/**
 * Runs commands that a model wrote. They are hostile: what holds is the system's namespaces, never the text of a command.
 *
 * 1. Writing outside the tree: everything but the checkout and the run's own folder is read-only or not there.
 * 2. Planting a git hook or configuration: `.git` cannot be written, made, moved or removed.
 * 3. Reading secrets of the host (keys, the app's data, other runs): reads are an allow-list.
 * 4. Reading secrets from the environment or another process: the environment is built from nothing, processes are
 *    out of sight.
 * 5. Sending anything anywhere: there is no network, by any protocol; local sockets are refused.
 * 6. Gaining rights: no new privileges, a system-call filter, no nested namespaces.
 * 7. Outliving the command: its process group and process namespace are killed at its end, at the timeout, and when
 *    the run's process dies.
 * 8. Using up the host: processor time, memory, file size, processes, open files and output are bounded.
 * 9. A sandbox that is missing or leaks: it tests itself before the first command, and without proof nothing runs.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SandboxManager } from '@anthropic-ai/sandbox-runtime';
import { collectOutput } from './collect-output.ts';
import { commandPath, findProgram, missingPrograms, sandboxPrograms } from './programs.ts';
import { runtimeConfig } from './runtime-config.ts';
import { testSandbox } from './self-test.ts';

export interface CommandPlace {
  /** Absolute path of the checkout: the working directory of every command. */
  readonly checkout: string;
  /** Absolute path of the run's own folder: home and temporary files of every command. */
  readonly scratch: string;
  /** Whether commands may write the checkout. */
  readonly writable: boolean;
  /** Paths from the root of the checkout that no command may write, make, move or remove, whether or not they are there. */
  readonly readOnly: readonly string[];
  /** Names of the hosts that commands may reach; with none there is no network. */
  readonly hosts: readonly string[];
}

interface CommandOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface CommandResult {
  /** `null` where the command was killed. */
  readonly exitCode: number | null;
  readonly hasTimedOut: boolean;
  /** What it wrote to both outputs, in order, at most 256 KB. */
  readonly output: string;
  readonly isOutputCut: boolean;
}

/** Runs one command line with bash. Rejects only when it could not be started. */
export type RunCommand = (command: string, options: CommandOptions) => Promise<CommandResult>;

export type CommandRunner =
  | { readonly available: true; readonly run: RunCommand; readonly close: () => Promise<void> }
  | { readonly available: false; readonly reason: string };

const MAX_OUTPUT_BYTES = 256 * 1024;
const CLOSING_MS = 2_000;
const LIMITS = [
  '--core=0',
  '--cpu=1800',
  // Memory that is written, a process: the address space that V8 only reserves does not count.
  `--data=${4 * 1024 ** 3}`,
  `--fsize=${1024 ** 3}`,
  '--nofile=4096',
  '--nproc=1024',
] as const;

// Root inside the namespaces would keep its capabilities; others have none there, and may not drop what they lack.
const WITHOUT_CAPABILITIES = ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'] as const;

let isTaken = false;

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function limited(command: string, place: CommandPlace): string {
  const environment = {
    PATH: commandPath,
    HOME: place.scratch,
    TMPDIR: place.scratch,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    SHLVL: '1',
    CI: 'true',
  };
  const variables = Object.entries(environment).map(([name, value]) => quote(`${name}=${value}`));
  const drop = process.getuid?.() === 0 ? WITHOUT_CAPABILITIES : [];
  const shell = ['bash', '--noprofile', '--norc', '-c', quote(command)];
  return ['exec env -i', ...variables, 'prlimit', ...LIMITS, ...drop, ...shell].join(' ');
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended already.
  }
}

async function runIn(place: CommandPlace, command: string, options: CommandOptions): Promise<CommandResult> {
  options.signal.throwIfAborted();
  const wrapped = await SandboxManager.wrapWithSandbox(
    limited(command, place),
    '/bin/bash',
    undefined,
    options.signal,
    {
      commandId: randomBytes(16).toString('base64url'),
    },
  );
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '/bin/bash', '--noprofile', '--norc', '-c', wrapped], {
    cwd: place.checkout,
    env: { PATH: commandPath, HOME: place.scratch, SHLVL: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const kill = () => killGroup(child.pid);
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const end = AbortSignal.any([options.signal, timeout]);
  end.addEventListener('abort', kill, { once: true });
  try {
    const result = await collectOutput(child, MAX_OUTPUT_BYTES);
    return { ...result, hasTimedOut: timeout.aborted && result.exitCode === null };
  } finally {
    end.removeEventListener('abort', kill);
    kill();
    SandboxManager.cleanupAfterCommand();
  }
}

async function close(): Promise<void> {
  await Promise.race([SandboxManager.reset(), delay(CLOSING_MS)]);
  isTaken = false;
}

/**
 * Sets the sandbox up for this process and proves it. A process has one: the runtime keeps its rules process-wide.
 * Answers with the reason where the sandbox is missing, or where a probe got through; then nothing may run.
 */
export async function createCommandRunner(place: CommandPlace): Promise<CommandRunner> {
  if (isTaken) return { available: false, reason: 'this process has a sandbox already' };
  const missing = missingPrograms(sandboxPrograms);
  if (missing.length > 0) return { available: false, reason: `not installed: ${missing.join(', ')}` };
  isTaken = true;
  try {
    await SandboxManager.initialize(runtimeConfig(place, findProgram));
    const run: RunCommand = (command, options) => runIn(place, command, options);
    const leak = await testSandbox(place, run);
    if (leak === null) return { available: true, run, close };
    await close();
    return { available: false, reason: leak };
  } catch (error) {
    await close();
    return { available: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
