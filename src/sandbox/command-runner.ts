/**
 * Runs commands that a model wrote. They are hostile: what holds is the system's namespaces, never the text of a command.
 *
 * 1. Writing outside the tree: everything but the checkout and the run's own folder is read-only or not there.
 * 2. Planting a git hook, or what steers builds and agents: `.git` and the paths that are held cannot be written, made,
 *    moved or removed, there or not. A protected name made deeper down, and a link put in place of another, are refused
 *    when the tree is committed.
 * 3. Reading secrets of the host (keys, the app's data, other runs): reads are an allow-list.
 * 4. Reading secrets from the environment or another process: the environment is built from nothing, processes are
 *    out of sight.
 * 5. Sending anything anywhere: there is no network, by any protocol, but HTTP(S) to the hosts that are listed, at no
 *    address of this host or of its own networks; local sockets are refused.
 * 6. Gaining rights: no new privileges, a system-call filter, no nested namespaces.
 * 7. Outliving the command: its process group and process namespace are killed at its end, at the timeout, and when
 *    the run's process dies.
 * 8. Using up the host: processor time, file size, open files and output are bounded by the kernel; processes, memory
 *    and disk of all together are watched, and what passes a limit is ended (command-limits.ts).
 * 9. A sandbox that is missing or leaks: it tests itself before the first command, and without proof nothing runs.
 */
import { spawn } from 'node:child_process';
import { totalmem } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SandboxManager } from '@anthropic-ai/sandbox-runtime';
import { type CallFilter, openCallFilter } from './call-filter.ts';
import { collectOutput } from './collect-output.ts';
import { type CommandLimits, commandLimits, limitArguments } from './command-limits.ts';
import { type DiskWatch, watchDisk } from './disk-watch.ts';
import { createPlaceholders, type Placeholders } from './placeholders.ts';
import { tellsChildren } from './process-tree.ts';
import { commandPath, sandboxPrograms, whyMissing } from './programs.ts';
import { makeProxyFolder, type ProxyFolder } from './proxy-folder.ts';
import { watchResources } from './resource-watch.ts';
import { heldIn, runtimeConfig } from './runtime-config.ts';
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
  /** Present where it was killed for what it took of the host, e.g. "it took more than 8 GiB of memory". */
  readonly exceeded?: string;
  /** What it wrote to both outputs, in order, at most 256 KB. */
  readonly output: string;
  readonly isOutputCut: boolean;
}

/** Runs one command line with bash. Rejects only when it could not be started. */
export type RunCommand = (command: string, options: CommandOptions) => Promise<CommandResult>;

export type CommandRunner =
  | { readonly available: true; readonly run: RunCommand; readonly close: () => Promise<void> }
  | { readonly available: false; readonly reason: string };

const CLOSING_MS = 2_000;

// Root inside the namespaces would keep its capabilities; others have none there, and may not drop what they lack.
const WITHOUT_CAPABILITIES = ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'] as const;

let isTaken = false;

/** Where a command finds its own text: the sandbox around it is written once, for all commands of the process. */
const TEXT = 'PLANWRIGHT_COMMAND';

/** By which programs find the way to the hosts; set by the runtime, and only where there are any. */
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'JAVA_TOOL_OPTIONS'];

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function limited(place: CommandPlace, limits: CommandLimits): string {
  const environment = {
    PATH: commandPath,
    HOME: place.scratch,
    TMPDIR: place.scratch,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    SHLVL: '1',
    CI: 'true',
    ...(place.hosts.length > 0 ? { NODE_USE_ENV_PROXY: '1' } : {}),
  };
  const variables = Object.entries(environment).map(([name, value]) => quote(`${name}=${value}`));
  const proxies = place.hosts.length > 0 ? PROXIES.map((name) => `"${name}=$${name}"`) : [];
  const drop = process.getuid?.() === 0 ? WITHOUT_CAPABILITIES : [];
  const shell = ['bash', '--noprofile', '--norc', '-c', `"$${TEXT}"`];
  return ['exec env -i', ...variables, ...proxies, 'prlimit', ...limitArguments(limits), ...drop, ...shell].join(' ');
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended already.
  }
}

interface Sandbox {
  readonly place: CommandPlace;
  readonly limits: CommandLimits;
  /** A command line that runs any command in the sandbox. */
  readonly wrapped: string;
  readonly callFilter: CallFilter;
  readonly placeholders: Placeholders;
  readonly proxy: ProxyFolder | null;
  readonly disk: DiskWatch;
}

/**
 * What the run's process was given by whoever started it, an open folder too, would go along past every mount. And an output
 * that is a socket cannot be opened anew, as `/dev/stdout` is. Who passes it on is killed with nobody: it ends when the last
 * process of the command has, and the command not before.
 */
const PREPARED = [
  'for descriptor in $(ls /proc/$$/fd); do [ "$descriptor" -le 2 ] || eval "exec $descriptor>&-"; done',
  'exec > >(exec setsid cat) 2>&1',
].join('\n');

function start({ place, wrapped, callFilter }: Sandbox, command: string) {
  return spawn(
    'setpriv',
    ['--pdeathsig', 'KILL', '/bin/bash', '--noprofile', '--norc', '-c', `${PREPARED}\n${wrapped}`],
    {
      cwd: place.checkout,
      env: {
        PATH: commandPath,
        HOME: place.scratch,
        SHLVL: '1',
        PLANWRIGHT_CALL_FILTER: callFilter.place,
        [TEXT]: command,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    },
  );
}

async function runIn(sandbox: Sandbox, command: string, options: CommandOptions): Promise<CommandResult> {
  const { limits, placeholders, disk } = sandbox;
  options.signal.throwIfAborted();
  if (command.includes('\0')) throw new Error('expected a command without NUL');
  const spent = await disk.begin();
  if (spent !== null) return { exitCode: null, hasTimedOut: false, output: '', isOutputCut: false, exceeded: spent };
  placeholders.hold();
  const child = start(sandbox, command);
  const kill = () => killGroup(child.pid);
  const watch = watchResources(child.pid ?? 0, limits, disk, kill);
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const end = AbortSignal.any([options.signal, timeout]);
  end.addEventListener('abort', kill, { once: true });
  let result: CommandResult;
  try {
    const collected = await collectOutput(child, limits.outputBytes);
    result = { ...collected, hasTimedOut: timeout.aborted && collected.exitCode === null };
  } finally {
    end.removeEventListener('abort', kill);
    kill();
    placeholders.release();
  }
  const exceeded = await watch.end();
  return exceeded === null ? result : { ...result, exceeded };
}

/**
 * The proxy that leads to the hosts is started only where there are any. Without it a command has a network namespace of
 * its own with nothing in it, and no socket leads out of it.
 */
async function open(place: CommandPlace, limits: CommandLimits): Promise<Sandbox> {
  const proxy = place.hosts.length > 0 ? makeProxyFolder() : null;
  const config = runtimeConfig(place, proxy === null ? [] : [proxy.path]);
  if (proxy === null) SandboxManager.updateConfig(config);
  else await proxy.use(() => SandboxManager.initialize(config));
  const placeholders = createPlaceholders(place.checkout, heldIn(place));
  placeholders.hold();
  try {
    const wrapped = await SandboxManager.wrapWithSandbox(limited(place, limits), '/bin/bash');
    const disk = await watchDisk([place.checkout, place.scratch], limits);
    const callFilter = openCallFilter(path.dirname(place.scratch));
    return { place, limits, wrapped, callFilter, placeholders, proxy, disk };
  } finally {
    placeholders.release();
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
export async function createCommandRunner(
  place: CommandPlace,
  limits: CommandLimits = commandLimits(totalmem()),
): Promise<CommandRunner> {
  if (isTaken) return { available: false, reason: 'this process has a sandbox already' };
  const missing = whyMissing(sandboxPrograms);
  if (missing !== null) return { available: false, reason: missing };
  if (!tellsChildren()) return { available: false, reason: 'this kernel does not tell which processes a process has' };
  isTaken = true;
  try {
    const sandbox = await open(place, limits);
    const run: RunCommand = (command, options) => runIn(sandbox, command, options);
    const leak = await testSandbox(place, run);
    const end = (): Promise<void> => {
      sandbox.callFilter.close();
      return close().finally(() => sandbox.proxy?.remove());
    };
    if (leak === null) return { available: true, run, close: end };
    await end();
    return { available: false, reason: leak };
  } catch (error) {
    await close();
    return { available: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
