import { Command } from 'commander';
import { appVersion } from './config/app-version.ts';
import {
  InvalidEnvironment,
  readAppEnvironment,
  readDemoEnvironment,
  readEnvironment,
  readProgramPath,
} from './config/environment.ts';
import { DataFolderTaken } from './engine/data-lock.ts';
import { createLog, type Logger } from './engine/log.ts';
import { startApp } from './start-app.ts';
import { ProxyClientMissing } from './web/webhook-proxy.ts';
import { UnfitGit } from './workspace/git-version.ts';

/** How long a stop may take before the process ends all the same, in milliseconds. Orchestrators kill after 30 s. */
const stopTimeoutMs = 25_000;

/** Runs the command that the arguments name. Failures that a person can mend are printed without a stack. */
export async function runCommand(argv: readonly string[]): Promise<void> {
  const program = new Command('planwright')
    .description('Turns issues into approved plans, and approved plans into pull requests.')
    .version(appVersion);
  program.command('start').description('take deliveries and work on them, until SIGTERM').action(start);
  program
    .command('demo')
    .description('play the whole path on this machine, without an account')
    .option('--repo <path>', 'work on the HEAD of this repository, with the real model')
    .option('--issue <text>', 'what is asked for')
    .action(playDemo);
  program
    .command('verify')
    .description('recompute from GitHub what the commits and the receipt of a pull request claim')
    .argument('[pull-request]', 'OWNER/REPO#NUMBER')
    .option('--public-key', "print the app's public key, in PEM")
    .action(verify);
  await program.parseAsync([...argv]);
}

async function start(): Promise<void> {
  const environment = orExplain(() => readEnvironment());
  const log = createLog(environment);
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'ended by an error that nothing expected');
    process.exit(1);
  });
  try {
    const app = await startApp(environment, readProgramPath(), log);
    stopOnSignal(app.stop, log);
  } catch (error) {
    if (error instanceof Error && isExplained(error)) fail(error.message);
    log.fatal({ err: error }, 'could not start');
    process.exit(1);
  }
}

function stopOnSignal(stop: () => Promise<void>, log: Logger): void {
  let isStopping = false;
  const drain = async (signal: NodeJS.Signals) => {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'stopping; runs go on at the next start');
    setTimeout(() => {
      log.warn('stopped without waiting any longer');
      process.exit(0);
    }, stopTimeoutMs).unref();
    await stop().catch((error: unknown) => log.error({ err: error }, 'could not stop cleanly'));
    process.exit(0);
  };
  process.on('SIGTERM', drain);
  process.on('SIGINT', drain);
}

async function playDemo(options: { readonly repo?: string; readonly issue?: string }): Promise<void> {
  const { runDemo } = await import('./local/demo.ts');
  process.exitCode = await runDemo({
    repository: options.repo ?? null,
    issue: options.issue ?? null,
    ...readDemoEnvironment(),
    programPath: readProgramPath(),
  });
}

async function verify(pullRequest: string | undefined, options: { readonly publicKey?: true }): Promise<void> {
  const environment = orExplain(() => readAppEnvironment());
  const { runVerify } = await import('./verify/verify.ts');
  process.exitCode = await runVerify(environment, {
    pullRequest: pullRequest ?? null,
    showPublicKey: options.publicKey === true,
    print: (line) => void process.stdout.write(`${line}\n`),
    complain: (line) => void process.stderr.write(`${line}\n`),
  });
}

function orExplain<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidEnvironment) fail(error.message);
    throw error;
  }
}

/** What says itself what to do. */
function isExplained(error: Error): boolean {
  if ([DataFolderTaken, ProxyClientMissing, UnfitGit].some((kind) => error instanceof kind)) return true;
  return 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES');
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
