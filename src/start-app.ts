/** The app, wired: database, GitHub, workspaces, engine and HTTP. Decides nothing. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Environment } from './config/environment.ts';
import { heldSecrets } from './config/held-secrets.ts';
import { createAppWorkspaces } from './engine/app-workspaces.ts';
import { auditMint, auditWithheld } from './engine/audit-log.ts';
import { openDatabase } from './engine/database.ts';
import { createEngine } from './engine/engine.ts';
import type { Logger } from './engine/log.ts';
import { createGitHub } from './github/create-github.ts';
import { decide } from './lifecycle/decide.ts';
import { proveOnce } from './sandbox/start-up-proof.ts';
import { createKnownSecrets } from './text/known-secrets.ts';
import { createOutGate } from './text/out-gate.ts';
import { createHealthHandler } from './web/health.ts';
import { createWebServer, webhookPath } from './web/server.ts';
import { openWebhookProxy } from './web/webhook-proxy.ts';
import { createWebhookHandler } from './web/webhooks.ts';
import { createWorkspaces } from './workspace/create-workspaces.ts';
import { probeGit, UnfitGit } from './workspace/git-version.ts';

export interface RunningApp {
  /** Where it listens, e.g. `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Drains and closes everything. Deliveries are taken until the database closes. */
  stop(): Promise<void>;
}

const childPath = fileURLToPath(new URL('./agent/run-child.ts', import.meta.url));

/**
 * Starts the app; it takes deliveries when this resolves.
 * @param searchPath where git and the programs of runs are looked for, as in PATH
 * @throws {UnfitGit} @throws {UnsafeDataFolder} @throws {DataFolderTaken} @throws {ProxyClientMissing} and what listening
 * on the port throws.
 */
export async function startApp(environment: Environment, searchPath: string, log: Logger): Promise<RunningApp> {
  const git = await probeGit(searchPath);
  if (!git.ok) throw new UnfitGit(git.reason);
  const cleanup = new AsyncDisposableStack();
  try {
    const database = await openDatabase(environment.dataDir);
    cleanup.defer(() => database.close());
    const known = createKnownSecrets(heldSecrets(environment));
    const gate = createOutGate(known);
    const lines = { db: database.db, log };
    const minting = { installations: environment.installations, onMint: auditMint(lines) };
    const github = createGitHub({ environment, log, gate, minting, onWithheld: auditWithheld(lines) });
    cleanup.defer(() => github.close());
    const workspaces = createAppWorkspaces(github.self, environment.webUrl, (author) =>
      createWorkspaces({
        root: `${environment.dataDir}/workspaces`,
        gitUrl: ({ owner, name }) => `${environment.webUrl}/${owner}/${name}.git`,
        author,
        allowedProtocols: environment.webUrl.startsWith('http:') ? 'http-and-https' : 'https',
        searchPath,
        known,
        onLeftOut: (run, paths) => log.warn({ run, paths }, 'left out of a commit'),
      }),
    );
    const sandboxFault = proveSandbox(environment.dataDir, log);
    const wired = { environment, database, github, workspaces, decide, log, childPath, searchPath, sandboxFault };
    const engine = createEngine(wired);
    const webhooks = await createWebhookHandler(environment, engine.inbox, log);
    const server = createWebServer({ webhooks, handlers: [createHealthHandler(engine.readiness)], log });
    cleanup.defer(async () => {
      if (server.listening) {
        server.close();
        server.closeAllConnections();
        await once(server, 'close');
      }
    });
    await engine.start();
    cleanup.defer(() => engine.stop());
    server.listen(environment.port, environment.host);
    await once(server, 'listening');
    const url = urlOf(environment.host, server.address());
    if (environment.webhookProxyUrl !== null) {
      const proxy = await openWebhookProxy(environment.webhookProxyUrl, `${url}${webhookPath}`, log);
      cleanup.defer(() => proxy.close());
    }
    log.info({ git: git.version, url }, 'taking deliveries');
    void engine.catchUp();
    return { url, stop: () => cleanup.disposeAsync() };
  } catch (error) {
    await cleanup.disposeAsync();
    throw error;
  }
}

/** Beside the start, which it does not hold up: a run that may run commands waits for it. */
async function proveSandbox(dataDir: string, log: Logger): Promise<string | null> {
  const fault = await proveOnce({ folder: `${dataDir}/sandbox-proof` });
  if (fault !== null) {
    const what = 'no command of a run will be carried out, as the sandbox cannot be relied on';
    log.error({ reason: fault }, `${what}; see "Prepare the machine" in the README`);
  } else {
    log.info('commands of runs can be confined');
  }
  return fault;
}

function urlOf(host: string, address: AddressInfo | string | null): string {
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
