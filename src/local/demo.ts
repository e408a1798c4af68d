/** The demo command: the whole path on this machine, with nothing but a temporary folder. */

import { createScreen, type Output, type Screen } from '../screen.ts';
import { AppFailure } from './demo/app-process.ts';
import { hostRealDemo } from './demo/real-demo.ts';
import { playScriptedDemo } from './demo/scripted-demo.ts';

export interface DemoOptions {
  /** `--repo`: folder of a git repository for the real model; `null` plays the transcript on the project of `fixtures`. */
  readonly repository: string | null;
  /** `--issue`: what is asked for; its first line is the title. */
  readonly issue: string | null;
  /** For the real model. */
  readonly modelApiKey: string | null;
  /** Address of the Messages API for the real model; default `null`, the vendor's own. */
  readonly modelBaseUrl?: string | null;
  /** Its id; default `null`, the app's own default. */
  readonly modelId?: string | null;
  /** `PATH` for the app, so that it finds git. */
  readonly programPath: string;
  /** Default: standard output. */
  readonly out?: Output;
}

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** How long the scripted demo waits for each next thing. */
const timeoutMs = 60_000;

/**
 * Runs the demo to its end and clears everything away, also after a failure and after Ctrl-C.
 * @returns the exit code: 0 done, 1 failed (and it has said why), 2 asked for wrongly, 130 interrupted.
 */
export async function runDemo(options: DemoOptions): Promise<number> {
  const screen = createScreen(options.out ?? process.stdout);
  const missing = findMissing(options);
  if (missing !== null) {
    screen.print(missing);
    return 2;
  }
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  for (const signal of endSignals) process.once(signal, interrupt);
  const cleanup = new AsyncDisposableStack();
  try {
    await perform(options, screen, interruption.signal, cleanup);
    return 0;
  } catch (error) {
    if (!interruption.signal.aborted) return reportFailure(error, screen);
    screen.print('Interrupted: stopping and clearing up.');
    // A person ends the demo with the real model this way.
    return options.repository === null ? 130 : 0;
  } finally {
    screen.settle();
    await cleanup.disposeAsync();
    for (const signal of endSignals) process.removeListener(signal, interrupt);
  }
}

function findMissing({ repository, issue, modelApiKey }: DemoOptions): string | null {
  if (repository === null && issue === null) return null;
  const missing = [
    ...(repository === null ? ['--repo PATH'] : []),
    ...(issue === null || issue.trim() === '' ? ['--issue TEXT'] : []),
    ...(modelApiKey === null ? ['ANTHROPIC_API_KEY in the environment'] : []),
  ];
  if (missing.length === 0) return null;
  return (
    `The demo with the real model needs --repo PATH, --issue TEXT and ANTHROPIC_API_KEY; missing: ${missing.join(', ')}. ` +
    'Without --repo and --issue it plays a transcript and needs nothing.'
  );
}

async function perform(
  options: DemoOptions,
  screen: Screen,
  signal: AbortSignal,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  const { repository, issue, modelApiKey: apiKey, programPath } = options;
  if (repository === null || issue === null || apiKey === null) {
    await playScriptedDemo({ screen, programPath, signal, timeoutMs }, cleanup);
    return;
  }
  const model = { apiKey, baseUrl: options.modelBaseUrl ?? null, id: options.modelId ?? null };
  return hostRealDemo({ screen, programPath, signal, repository, issue, model }, cleanup);
}

function reportFailure(error: unknown, screen: Screen): number {
  screen.print(`Failed: ${error instanceof Error ? error.message : String(error)}`);
  if (error instanceof AppFailure) {
    screen.print('The last lines of the log of the app:');
    for (const line of error.log) screen.print(`  ${line}`);
  }
  return 1;
}
