/** Forge, app and people of a demo, all on loopback and in one temporary folder. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Forge } from '../forge/forge.ts';
import { createIssue } from '../forge/operations.ts';
import { type RunningForge, startForge } from '../forge/server.ts';
import { createAccount, createApp, createRepository, install, personActor } from '../forge/setup.ts';
import type { Account, ForgeApp, Issue, Repository } from '../forge/state.ts';
import { AppFailure, type AppProcess, findFreePort, startApp } from './app-process.ts';
import { createFolder, removeFolder } from './folders.ts';
import { WaitFailure } from './waiting.ts';

const manifestFile = new URL('../../../app.yml', import.meta.url);
const host = '127.0.0.1';

export interface Project {
  readonly name: string;
  /** Fills the new, empty repository where there is no folder to import. */
  readonly fill: { readonly folder: string } | ((repository: Repository) => void);
  readonly issue: { readonly title: string; readonly body: string };
}

export interface StageOptions {
  readonly project: Project;
  /** `baseUrl` and `id`: `null` for the defaults of the app. */
  readonly model: { readonly apiKey: string; readonly baseUrl: string | null; readonly id: string | null };
  /** For the head of the forge's pages; `null` for none. */
  readonly notice: string | null;
  /** `PATH` of the app. */
  readonly programPath: string;
  readonly signal: AbortSignal;
}

export interface Stage {
  readonly forge: Forge;
  readonly repository: Repository;
  readonly issue: Issue;
  readonly maintainer: Account;
  readonly reviewer: Account;
  readonly app: AppProcess;
  /** What the app was started with; nothing else is needed for its other commands. */
  readonly environment: Readonly<Record<string, string>>;
  /** A folder for whatever else the demo needs; goes with the stage. */
  readonly folder: string;
}

/**
 * Sets everything up. What is to be undone is on `cleanup` at any moment, a failure in the middle included.
 * @throws {AppFailure} where the app does not start.
 */
export async function openStage(options: StageOptions, cleanup: AsyncDisposableStack): Promise<Stage> {
  const folder = await createFolder();
  cleanup.defer(() => removeFolder(folder));
  const running = await startForge({ gitRoot: join(folder, 'git'), notice: options.notice });
  cleanup.defer(() => running.close());
  const { forge } = running;
  const { project } = options;
  const [owner, maintainer, reviewer] = [
    createAccount(forge, 'acme', 'Organization'),
    createAccount(forge, 'maintainer'),
    createAccount(forge, 'reviewer'),
  ];
  const repository = createRepository(forge, {
    owner,
    name: project.name,
    collaborators: { maintainer: 'admin', reviewer: 'write' },
    ...(typeof project.fill === 'function' ? {} : { fromFolder: project.fill.folder }),
  });
  if (typeof project.fill === 'function') project.fill(repository);
  const { app, forgeApp, environment } = await startRegisteredApp(running, folder, options);
  cleanup.defer(() => app.stop());
  install(forge, forgeApp, owner, [repository]);
  const issue = createIssue(forge, personActor(maintainer), repository, project.issue);
  return { forge, repository, issue, maintainer, reviewer, app, environment, folder };
}

async function startRegisteredApp(running: RunningForge, folder: string, options: StageOptions) {
  const { model, programPath, signal } = options;
  const port = await findFreePort();
  const { forgeApp, environment } = registerApp(running, { port, model, programPath, dataDir: join(folder, 'data') });
  return { forgeApp, environment, app: await startApp({ port, environment, signal }) };
}

export interface Registration extends Pick<StageOptions, 'model' | 'programPath'> {
  /** Where the app is going to listen. */
  readonly port: number;
  readonly dataDir: string;
}

/** Registers the app at the forge as its manifest asks, and gives the environment that an operator would start it with. */
export function registerApp(
  running: RunningForge,
  { port, model, programPath, dataDir }: Registration,
): { readonly forgeApp: ForgeApp; readonly environment: Readonly<Record<string, string>> } {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const webhookSecret = randomBytes(24).toString('hex');
  const forgeApp = createApp(running.forge, {
    slug: 'planwright',
    name: 'Planwright',
    publicKey: keys.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    webhookUrl: `http://${host}:${port}/api/github/webhooks`,
    webhookSecret,
    ...readManifest(),
  });
  const environment = {
    APP_ID: String(forgeApp.id),
    PRIVATE_KEY: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    WEBHOOK_SECRET: webhookSecret,
    GHE_HOST: running.host,
    GHE_PROTOCOL: 'http',
    ANTHROPIC_API_KEY: model.apiKey,
    ...(model.baseUrl === null ? {} : { ANTHROPIC_BASE_URL: model.baseUrl }),
    ...(model.id === null ? {} : { ANTHROPIC_MODEL: model.id }),
    DATA_DIR: dataDir,
    HOST: host,
    PORT: String(port),
    LOG_LEVEL: 'info',
    PATH: programPath,
    // The pause between two writes spares GitHub; this forge is the demo's own.
    PLANWRIGHT_WRITE_INTERVAL_MS: '0',
  };
  return { forgeApp, environment };
}

const manifest = z.object({
  default_permissions: z.record(z.string(), z.enum(['read', 'write'])),
  default_events: z.array(z.string()),
});

/** The app asks for what its manifest asks GitHub for. */
function readManifest() {
  const { default_permissions: permissions, default_events: events } = manifest.parse(
    parse(readFileSync(manifestFile, 'utf8')),
  );
  return { permissions, events };
}

/** What did not come is explained, if at all, by the app's log. @throws {AppFailure} in place of a `WaitFailure`. */
export async function explainByLog<T>(stage: Stage, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WaitFailure)) throw error;
    throw new AppFailure(error.message, stage.app.log, { cause: error });
  }
}

/** An issue from text: its first line is the title, without a heading mark. */
export function parseIssue(text: string): Project['issue'] {
  const [title = '', ...body] = text.trim().split('\n');
  return { title: title.replace(/^#+\s*/, '').trim(), body: body.join('\n').trim() };
}
