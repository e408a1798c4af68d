/** `planwright plan`: one plan run on a copy of a repository's HEAD, without GitHub and without a database. */
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { InvalidEnvironment, type ModelEnvironment } from '../config/environment.ts';
import { priceReader } from '../engine/prices.ts';
import { createScreen, type Output, type Screen } from '../screen.ts';
import { createWorkspaces } from '../workspace/create-workspaces.ts';
import { createGit } from '../workspace/git.ts';
import { hostConfig } from '../workspace/git-settings.ts';
import { probeGit, UnfitGit } from '../workspace/git-version.ts';
import { layoutOf, mirrorFolder } from '../workspace/layout.ts';
import { removeTree } from '../workspace/tree-files.ts';
import { WorkspaceError } from '../workspace/workspace.ts';
import { UnfitConfiguration, writeDrySpec } from './dry-spec.ts';
import { hostDryRun } from './host-dry-run.ts';
import { parseIssueFile } from './issue-file.ts';
import { interruptedReport, type Report, reportFault } from './report.ts';
import {
  countUncommitted,
  describeSource,
  findRepository,
  type SourceRepository,
  UnfitRepository,
} from './source-repository.ts';

export interface DryRunOptions {
  /** `--repo`: a folder of a git repository, or a bare one. Only read. */
  readonly repository: string | null;
  /** `--issue`: a Markdown file; `-` for standard input. */
  readonly issue: string | null;
  /** @throws {InvalidEnvironment} */
  readonly readModel: () => ModelEnvironment;
  /** Where git and the programs of the run are looked for, as in PATH. */
  readonly programPath: string;
  readonly input: NodeJS.ReadableStream;
  /** For the plan alone. */
  readonly out: Output;
  /** For all that people read. */
  readonly err: Output;
}

const childPath = fileURLToPath(new URL('../agent/run-child.ts', import.meta.url));
const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** It was asked for wrongly. The message says what is missing. */
class WrongOrder extends Error {
  override readonly name = 'WrongOrder';
}

const explained = [WrongOrder, InvalidEnvironment, UnfitGit, UnfitRepository, UnfitConfiguration, WorkspaceError];

/**
 * Makes the plan, clears everything away, and says how it ended: also after a failure and after Ctrl-C.
 * @returns the exit code: see `report.ts`
 */
export async function runDryRun(options: DryRunOptions): Promise<number> {
  const screen = createScreen(options.err);
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  for (const signal of endSignals) process.on(signal, interrupt);
  const cleanup = new AsyncDisposableStack();
  let report: Report;
  try {
    report = await makePlan(options, screen, interruption.signal, cleanup);
  } catch (error) {
    if (interruption.signal.aborted) report = interruptedReport;
    else if (explained.some((kind) => error instanceof kind)) report = reportFault(messageOf(error));
    else throw error;
  } finally {
    screen.settle();
    await cleanup.disposeAsync();
    for (const signal of endSignals) process.removeListener(signal, interrupt);
  }
  if (report.plan !== null) options.out.write(report.plan);
  for (const note of report.notes) screen.print(note);
  return report.code;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function makePlan(
  options: DryRunOptions,
  screen: Screen,
  signal: AbortSignal,
  cleanup: AsyncDisposableStack,
): Promise<Report> {
  const { programPath: searchPath } = options;
  if (options.repository === null) throw new WrongOrder('expected --repo PATH, got none; name a git repository');
  const { model, prices } = options.readModel();
  const issue = await readIssue(options);
  const probe = await probeGit(searchPath);
  if (!probe.ok) throw new UnfitGit(probe.reason);
  const folder = await mkdtemp(join(tmpdir(), 'planwright-plan-'));
  cleanup.defer(() => removeTree(folder));
  const { git, mirror, ...copied } = await copyHead({ folder, named: options.repository, searchPath, signal });
  const { source, workspaces, repository } = copied;
  for (const line of describeSource(source)) screen.print(line);
  screen.print(await describeUncommitted(countUncommitted(git, source, mirror)));
  const spec = await writeDrySpec({
    workspaces,
    repository,
    base: source.head,
    issue,
    model,
    readPrice: priceReader(prices, model.id),
  });
  screen.print(describeModel(spec.model));
  signal.throwIfAborted();
  return hostDryRun({ spec, workspaces, repository, childPath, searchPath, screen, signal });
}

async function readIssue({ issue: name, input }: DryRunOptions) {
  if (name === null)
    throw new WrongOrder('expected --issue FILE, got none; name a Markdown file, or - for standard input');
  const bytes = name === '-' ? await buffer(input) : await readFile(name).catch(cannotRead(name));
  const parsed = parseIssueFile(bytes, name === '-' ? 'standard input' : name);
  if ('problem' in parsed) throw new WrongOrder(parsed.problem);
  return parsed.issue;
}

function cannotRead(name: string): (error: unknown) => never {
  return (error) => {
    throw new WrongOrder(`expected a Markdown file at ${name}, got: ${messageOf(error)}`);
  };
}

interface CopyOrder {
  /** Of this dry run alone. */
  readonly folder: string;
  readonly named: string;
  readonly searchPath: string;
  readonly signal: AbortSignal;
}

/** The commit at HEAD with its history, in a mirror like that of any repository. */
async function copyHead({ folder, named, searchPath, signal }: CopyOrder) {
  const home = join(folder, 'home');
  const configFile = join(folder, 'config');
  await mkdir(home);
  await writeFile(configFile, hostConfig);
  const git = createGit({ home, configFile, ceiling: folder, allowedProtocols: 'file', searchPath, signal });
  const source = await findRepository(git, named);
  const root = join(folder, 'workspaces');
  const workspaces = createWorkspaces({
    root,
    gitUrl: () => source.gitDir,
    author: { name: 'planwright', email: 'planwright@localhost' },
    allowedProtocols: 'file',
    searchPath,
    signal,
  });
  const repository = { id: 1, owner: 'local', name: nameOf(source) };
  await workspaces.fetch(repository, [source.head], (operation) => operation(''));
  const mirror = { gitDir: mirrorFolder(layoutOf(root), repository.id), index: join(folder, 'index') };
  return { git, source, workspaces, repository, mirror };
}

function nameOf({ top, path }: SourceRepository): string {
  return basename(top ?? path) || 'repository';
}

async function describeUncommitted(counting: Promise<number | null>): Promise<string> {
  const count = await counting;
  if (count === 0) return 'Everything there is committed.';
  const seen = 'the agent sees what is committed at HEAD and nothing else';
  if (count === null) return `Note: ${seen}.`;
  return `Note: ${count} ${count === 1 ? 'change is' : 'changes are'} not committed; ${seen}.`;
}

function describeModel({ id, baseUrl }: { readonly id: string; readonly baseUrl: string | null }): string {
  return `Asking the model ${id}${baseUrl === null ? '' : ` at ${baseUrl}, as ANTHROPIC_BASE_URL says`}.`;
}
