import { Command } from 'commander';
import { appVersion } from './config/app-version.ts';
import {
  forgetSecrets,
  InvalidEnvironment,
  readAppEnvironment,
  readDataDir,
  readDemoEnvironment,
  readEnvironment,
  readModelEnvironment,
  readProgramPath,
} from './config/environment.ts';

/**
 * Runs the command that the arguments name, and loads no other. Failures that a person can mend are printed without a
 * stack.
 */
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
    .command('plan')
    .description("plan an issue on a copy of a repository's HEAD, without GitHub; the plan goes to standard output")
    .option('--repo <path>', 'the repository, which is only read')
    .option('--issue <file>', 'what is asked for, in Markdown: a title, and the rest; - for standard input')
    .action(plan);
  program
    .command('verify')
    .description('recompute from GitHub what the commits and the receipt of a pull request claim')
    .argument('[pull-request]', 'OWNER/REPO#NUMBER')
    .option('--public-key', "print the app's public key, in PEM")
    .action(verify);
  program
    .command('audit')
    .description('print the audit log of an issue and its pull request; the app must not be running')
    .argument('<thread>', 'OWNER/REPO#NUMBER')
    .option('--json', 'one JSON object a line')
    .action(audit);
  await program.parseAsync([...argv]);
}

async function start(): Promise<void> {
  const environment = orExplain(() => readEnvironment());
  forgetSecrets();
  const { runApp } = await import('./run-app.ts');
  await runApp(environment, readProgramPath());
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

async function plan(options: { readonly repo?: string; readonly issue?: string }): Promise<void> {
  // Whoever reads the plan may have gone, e.g. `head`.
  process.stdout.on('error', () => undefined);
  const { runDryRun } = await import('./dry-run/dry-run.ts');
  process.exitCode = await runDryRun({
    repository: options.repo ?? null,
    issue: options.issue ?? null,
    readModel: () => {
      const environment = readModelEnvironment();
      forgetSecrets();
      return environment;
    },
    programPath: readProgramPath(),
    input: process.stdin,
    out: process.stdout,
    err: process.stderr,
  });
}

async function verify(pullRequest: string | undefined, options: { readonly publicKey?: true }): Promise<void> {
  const environment = orExplain(() => readAppEnvironment());
  forgetSecrets();
  const { runVerify } = await import('./verify/verify.ts');
  process.exitCode = await runVerify(environment, {
    pullRequest: pullRequest ?? null,
    showPublicKey: options.publicKey === true,
    print: (line) => void process.stdout.write(`${line}\n`),
    complain: (line) => void process.stderr.write(`${line}\n`),
  });
}

async function audit(thread: string, options: { readonly json?: true }): Promise<void> {
  // Whoever reads the lines may have gone, e.g. `head`.
  process.stdout.on('error', () => undefined);
  const { printAudit } = await import('./engine/print-audit.ts');
  process.exitCode = await printAudit({
    thread,
    asJson: options.json === true,
    dataDir: readDataDir(),
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

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
