/** The app as its own process, with nothing but the environment that an operator would give it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const mainFile = fileURLToPath(new URL('../../main.ts', import.meta.url));
/** Its database lives for minutes: compiling that code once more, for speed, costs more than it gives. */
const nodeOptions = ['--liftoff-only'];
const keptLogLines = 40;
const healthPollMs = 50;
const startTimeoutMs = 60_000;
/** How long a drain may take before the process is killed. */
const stopTimeoutMs = 8000;

export interface AppProcess {
  /** The last lines of its log, oldest first. */
  readonly log: readonly string[];
  /** How it ended, in words; `null` while it runs. */
  ended(): string | null;
  /** Asks it to drain, and kills it where it does not. */
  stop(): Promise<void>;
  /** Ends it at once, with no chance to do anything more. The signal is sent before this returns. */
  kill(): Promise<void>;
}

export interface AppSettings {
  readonly port: number;
  /** The variables of the app's environment; it gets no others. */
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** The file to run with `start`; default: the project's `main.ts`. */
  readonly program?: string;
  /** Told of every line of its log. */
  readonly onLine?: (line: string) => void;
}

/**
 * Starts the app and waits until it takes deliveries.
 * @throws {AppFailure} where it ends or is not healthy within a minute.
 */
export async function startApp(settings: AppSettings): Promise<AppProcess> {
  const child = spawn(process.execPath, [...nodeOptions, settings.program ?? mainFile, 'start'], {
    env: { ...settings.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = keepLines(child, settings.onLine);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const app: AppProcess = {
    log,
    ended: () => describeEnd(child),
    stop: () => stopChild(child, closed),
    kill: () => {
      child.kill('SIGKILL');
      return closed;
    },
  };
  child.once('error', (error) => log.push(`cannot be started: ${error.message}`));
  try {
    await waitForHealth(app, settings);
  } catch (error) {
    await app.stop();
    throw error;
  }
  return app;
}

/** Something that the app should have done is not there: its log says more. */
export class AppFailure extends Error {
  override readonly name = 'AppFailure';
  readonly log: readonly string[];
  constructor(message: string, log: readonly string[], options?: ErrorOptions) {
    super(message, options);
    this.log = log;
  }
}

/** A port of loopback that was free a moment ago. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('expected a TCP port, got none');
  return address.port;
}

function keepLines(child: ChildProcess, onLine: (line: string) => void = () => undefined): string[] {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (line) => {
      onLine(line);
      lines.push(line);
      if (lines.length > keptLogLines) lines.shift();
    });
  }
  return lines;
}

function describeEnd(child: ChildProcess): string | null {
  if (child.signalCode !== null) return `by ${child.signalCode}`;
  if (child.exitCode !== null) return `with exit code ${child.exitCode}`;
  return child.pid === undefined ? 'before it began' : null;
}

async function waitForHealth(app: AppProcess, { port, signal }: AppSettings): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  while (Date.now() < deadline) {
    const end = app.ended();
    if (end !== null) throw new AppFailure(`expected the app to start, but it ended ${end}`, app.log);
    if (await isHealthy(port)) return;
    await sleep(healthPollMs, undefined, { signal });
  }
  throw new AppFailure(`expected the app to be healthy within ${startTimeoutMs / 1000} s, got no answer`, app.log);
}

async function isHealthy(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/** Returns once the process is gone and its log is whole. */
async function stopChild(child: ChildProcess, closed: Promise<void>): Promise<void> {
  child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await closed;
  clearTimeout(killer);
}
