/**
 * The app as a process of its own, with nothing but its environment, between a local GitHub and a scripted model. Tests
 * wait by looking at what stands on the forge; nothing here sleeps for a fixed time.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readProgramPath } from '../../src/config/environment.ts';
import { type AppProcess, findFreePort, startApp } from '../../src/local/demo/app-process.ts';
import { createFolder, removeFolder } from '../../src/local/demo/folders.ts';
import { registerApp } from '../../src/local/demo/stage.ts';
import { createWait, type Wait, WaitFailure } from '../../src/local/demo/waiting.ts';
import type { Role } from '../../src/local/forge/access.ts';
import type { Forge } from '../../src/local/forge/forge.ts';
import { startForge } from '../../src/local/forge/server.ts';
import { createAccount, createRepository, install, type RepositoryText } from '../../src/local/forge/setup.ts';
import type { Account, ForgeApp, Installation, Repository } from '../../src/local/forge/state.ts';
import { type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from '../../src/local/model/server.ts';
import { copyDatabase } from '../engine/made-database.ts';

const fixtures = fileURLToPath(new URL('../../fixtures/', import.meta.url));
export const csvProject = join(fixtures, 'repositories', 'plain-csv');
export const transcriptFile = (name: string): string => join(fixtures, 'transcripts', `${name}.json`);

const toldLogLines = 30;
const waitTimeoutMs = 120_000;
const testTimeoutMs = 240_000;

const roles = { maintainer: 'admin', reviewer: 'write', writer: 'write', reader: 'read' } as const satisfies Readonly<
  Record<string, Role>
>;
type Login = keyof typeof roles;

export interface WorldOptions {
  readonly transcripts: ScriptedModelOptions['transcripts'];
  /** Put over the environment that an operator gives the app. */
  readonly environment?: (folder: string) => Readonly<Record<string, string>>;
}

export interface World {
  readonly forge: Forge;
  readonly model: ScriptedModel;
  readonly forgeApp: ForgeApp;
  readonly owner: Account;
  readonly installation: Installation;
  readonly people: Readonly<Record<Login, Account>>;
  readonly folder: string;
  /** The environment of the app. */
  readonly environment: Readonly<Record<string, string>>;
  /** Every line that the app has logged, whichever process it was. */
  readonly log: readonly string[];
  /** Looks at the forge until `find` gives something; fails early where the app is gone or the model refuses. */
  readonly wait: Wait;
  /** A repository of the organisation with the app installed on it; it holds a README by default. */
  addRepository(name: string, text?: Partial<RepositoryText> & { readonly isEmpty?: boolean }): Repository;
  /** Starts the app on the same data folder, address and registration. */
  start(): Promise<void>;
  /** SIGKILL: sent before this returns. */
  kill(): Promise<void>;
  /** SIGTERM. */
  stop(): Promise<void>;
  /** Command lines of the processes that the app or its runs have started and that are still there, the app's own included. */
  processes(): readonly string[];
  close(): Promise<void>;
}

/** A world with a running app. */
export async function openWorld(options: WorldOptions): Promise<World> {
  const cleanup = new AsyncDisposableStack();
  try {
    const world = await build(options, cleanup);
    await world.start();
    return world;
  } catch (error) {
    await cleanup.disposeAsync();
    throw error;
  }
}

async function build(options: WorldOptions, cleanup: AsyncDisposableStack): Promise<World> {
  const folder = await createFolder();
  cleanup.defer(() => removeFolder(folder));
  const running = await startForge({ gitRoot: join(folder, 'git') });
  const { forge } = running;
  cleanup.defer(() => running.close());
  const model = await startScriptedModel({ transcripts: options.transcripts });
  cleanup.defer(() => model.stop());
  await copyDatabase(join(folder, 'data'));
  const owner = createAccount(forge, 'acme', 'Organization');
  const person = (login: Login) => createAccount(forge, login);
  const people = {
    maintainer: person('maintainer'),
    reviewer: person('reviewer'),
    writer: person('writer'),
    reader: person('reader'),
  };
  const port = await findFreePort();
  const registered = registerApp(running, {
    port,
    model: { apiKey: 'scripted', baseUrl: model.url, id: null },
    // A folder of the world's own in the search path marks every process that the app starts.
    programPath: `${readProgramPath()}:${join(folder, 'mark')}`,
    dataDir: join(folder, 'data'),
  });
  const environment = { ...registered.environment, ...options.environment?.(folder) };
  const installation = install(forge, registered.forgeApp, owner, []);
  const log: string[] = [];
  const ending = new AbortController();
  let app: AppProcess | null = null;
  const end = async (how: 'stop' | 'kill') => {
    const ended = app;
    app = null;
    await ended?.[how]();
  };
  cleanup.defer(() => end('stop'));
  cleanup.defer(() => ending.abort());
  const watch = (what: string) => {
    const gone = app?.ended() ?? null;
    if (gone !== null) throw new WaitFailure(`expected ${what}, but the app ended ${gone}`);
    const [refusal] = model.refusals;
    if (refusal !== undefined) throw new WaitFailure(`expected ${what}, but the model refused a request: ${refusal}`);
  };
  return {
    forge,
    model,
    forgeApp: registered.forgeApp,
    owner,
    installation,
    people,
    folder,
    environment,
    log,
    wait: createWait({ watch, signal: ending.signal, timeoutMs: waitTimeoutMs }),
    addRepository: (name, { isEmpty = false, ...text } = {}) => {
      const content = isEmpty ? {} : { fromFolder: smallProject(folder) };
      const repository = createRepository(forge, { owner, name, collaborators: roles, ...content, ...text });
      // Without the news of it, which would have the app look at every thread of the installation.
      installation.repositoryIds.push(repository.id);
      return repository;
    },
    start: async () => {
      const onLine = (line: string) => log.push(line);
      app = await startApp({ port, environment, signal: ending.signal, onLine });
    },
    kill: () => end('kill'),
    stop: () => end('stop'),
    processes: () => findProcesses(folder),
    close: () => cleanup.disposeAsync(),
  };
}

function smallProject(folder: string): string {
  const project = join(folder, 'project');
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, 'README.md'), '# A small project\n');
  return project;
}

/** Processes that have the folder in their environment, their arguments or as their working directory. */
function findProcesses(folder: string): readonly string[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  return ids.flatMap((id) => {
    try {
      const command = readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      const where = [command, readFileSync(`/proc/${id}/environ`, 'utf8'), readlinkSync(`/proc/${id}/cwd`)];
      // What the forge runs for itself works in its own folder.
      const isApps = where.some((text) => text.includes(folder) && !text.includes(join(folder, 'git')));
      return command !== '' && isApps ? [`${id} ${command}`] : [];
    } catch {
      return [];
    }
  });
}

/** Holds that the app is still the one that was started, and that nothing broke the rules of the API. */
export function expectSound(world: World): void {
  assert.deepEqual(world.forge.violations, []);
  assert.ok(world.processes().some((command) => command.includes('main.ts start')));
  const fatal = world.log.filter((line) => line.includes('"level":60'));
  assert.deepEqual(fatal, []);
}

/** Tests in a world; where one fails, the app's last log lines are told. */
export function createScene(world: () => World): (name: string, play: (t: TestContext) => Promise<void>) => void {
  return (name, play) => {
    test(name, { timeout: testTimeoutMs }, async (t) => {
      try {
        await play(t);
      } catch (error) {
        t.diagnostic(`the last lines of the log of the app:\n${world().log.slice(-toldLogLines).join('\n')}`);
        throw error;
      }
    });
  };
}
