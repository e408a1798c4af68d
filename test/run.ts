/**
 * What `npm test` runs: every test file. A file whose first lines say `// Needs bwrap, socat, rg.` is left out where one
 * of these programs is not on the PATH; what was left out, and how to get it, is said last.
 *
 * Each file has a process of its own, but those of one line of `inOneProcess`, folders and files: starting one for each takes
 * longer than most of them, and they change nothing that all of a process share. What needs the sandbox does, as a process
 * has one, and so does nock, which stands between a process and all HTTP.
 */
import { spawn } from 'node:child_process';
import { accessSync, constants, globSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import PQueue from 'p-queue';
import { compileCacheFolder } from '../src/compile-cache.ts';
import { readProgramPath } from '../src/config/environment.ts';

const packages = { bwrap: 'bubblewrap', socat: 'socat', rg: 'ripgrep' } as const;
type Program = keyof typeof packages;
const programs: readonly Program[] = ['bwrap', 'socat', 'rg'];

/** The longest first. */
const inOneProcess = [
  ['e2e/amendment', 'e2e/bad-input', 'e2e/revision', 'e2e/stale', 'e2e/stop'],
  ['e2e/deliveries', 'e2e/refusals', 'e2e/ways'],
  // Databases and pages of GitHub make a process large, and git is started from a small one many times as fast.
  ['engine'],
  ['workspace'],
  ['agent', 'conformance', 'forge', 'forge-graphql', 'lifecycle', 'plan', 'requirements'],
  ['config', 'github', 'model', 'text'],
] as const;

/** Processes at work at once: more of them than the machine has processors cost more time than they save. */
const atOnce = 3;

const root = fileURLToPath(new URL('..', import.meta.url));

function isInstalled(program: Program): boolean {
  return readProgramPath()
    .split(delimiter)
    .some((folder) => {
      try {
        accessSync(join(folder, program), constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

function programsNeededBy(file: string): readonly Program[] {
  const head = readFileSync(join(root, file), 'utf8').split('\n', 5).join('\n');
  const words = /^\/\/ Needs ([^.\n]+)\.$/m.exec(head)?.[1]?.split(/,\s*|\s+and\s+/) ?? [];
  return programs.filter((program) => words.includes(program));
}

/** The exit code, with what was written where that was kept back. */
interface Run {
  readonly code: number;
  readonly written: string;
}

function runTests(args: readonly string[], output: 'inherit' | 'pipe'): Promise<Run> {
  // A test's database lives for seconds: compiling its code once more, for speed, costs more than it gives.
  const all = ['--liftoff-only', '--test-reporter=spec', ...args];
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCacheFolder };
  const child = spawn(process.execPath, all, { cwd: root, env, stdio: ['inherit', output, 'inherit'] });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  let written = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    written += text;
  });
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', (code) => done({ code: code ?? 1, written }));
  });
}

/** Which of the processes of `inOneProcess` a file shares; -1 for none. */
function sharedProcess(file: string): number {
  const hasOwn = programsNeededBy(file).length > 0 || readFileSync(join(root, file), 'utf8').includes("from 'nock'");
  const isOf = (name: string) => file.startsWith(`test/${name}/`) || file === `test/${name}.test.ts`;
  return hasOwn ? -1 : inOneProcess.findIndex((names) => names.some(isOf));
}

function tellLeftOut(files: readonly string[], missing: readonly Program[]): void {
  console.log(`\nLeft out, as ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not on the PATH:`);
  for (const file of files) console.log(`  ${file}`);
  console.log(`To run them too: apt-get install ${missing.map((program) => packages[program]).join(' ')}`);
}

async function main(): Promise<number> {
  const major = Number(process.versions.node.split('.', 1)[0]);
  if (major < 24) {
    console.error(
      `expected Node 24 or newer, got ${process.version}; start the tests with "npm test", which brings its own`,
    );
    return 1;
  }
  const missing = programs.filter((program) => !isInstalled(program));
  const files = globSync('test/**/*.test.ts', { cwd: root }).toSorted();
  const leftOut = files.filter((file) => programsNeededBy(file).some((program) => missing.includes(program)));
  const wanted = files.filter((file) => !leftOut.includes(file));
  const apart = wanted.filter((file) => sharedProcess(file) < 0);
  const queue = new PQueue({ concurrency: atOnce });
  const runs = await queue.addAll([
    () => runTests(['--test', '--test-concurrency=2', ...apart], 'inherit'),
    ...inOneProcess.map((_, index) => () => {
      const files = wanted.filter((file) => sharedProcess(file) === index);
      return runTests([join(root, 'test/one-process.ts'), ...files], 'pipe');
    }),
  ]);
  console.log(runs.map(({ written }) => written).join(''));
  if (leftOut.length > 0) tellLeftOut(leftOut, missing);
  return runs.some(({ code }) => code !== 0) ? 1 : 0;
}

process.exitCode = await main();
