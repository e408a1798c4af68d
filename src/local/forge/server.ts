/** The forge behind GitHub Enterprise's addresses, on one loopback port. */
import { mkdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApiServer } from './api-server.ts';
import type { FaultEffect } from './faults.ts';
import { createForge, type Forge, type ForgeOptions } from './forge.ts';
import { parseGitPath } from './git-http.ts';
import { jsonOutgoing, type Outgoing, send } from './outgoing.ts';
import { createPages } from './pages/create-pages.ts';
import type { RequestRecord } from './request-log.ts';

/** A larger request is not read to its end. */
const MAX_BODY_BYTES = 100 * 1024 * 1024;

export interface ForgeServerOptions extends ForgeOptions {
  /** 0, the default, asks the system for a free one. */
  readonly port?: number;
}

export interface RunningForge {
  readonly forge: Forge;
  /** `127.0.0.1:PORT`: what `GHE_HOST` takes. */
  readonly host: string;
  readonly port: number;
  /** Ends open connections and waits for deliveries under way. */
  close(): Promise<void>;
}

/** A new forge that listens on loopback. Fill it with the functions of `setup.ts`. */
export async function startForge(options: ForgeServerOptions): Promise<RunningForge> {
  mkdirSync(options.gitRoot, { recursive: true });
  const forge = createForge(options);
  const answer = await createApiServer(forge);
  const pages = createPages(forge);
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://forge');
    if (!isProtocol(pathname)) {
      pages(request, response);
      return;
    }
    serve(forge, answer, request, response).catch((error: unknown) => fail(forge, response, error));
  });
  const port = await listen(server, options.port ?? 0);
  forge.webUrl = `http://127.0.0.1:${port}`;
  return {
    forge,
    host: `127.0.0.1:${port}`,
    port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      await forge.webhooks.idle();
    },
  };
}

function isProtocol(pathname: string): boolean {
  return pathname.startsWith('/api/') || parseGitPath(pathname) !== null;
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      if (typeof address === 'object' && address !== null) resolve(address.port);
      else reject(new Error(`expected a TCP address, got ${address}`));
    });
  });
}

type Answering = (record: RequestRecord, request: IncomingMessage, body: Buffer) => Promise<Outgoing>;

async function serve(
  forge: Forge,
  api: Awaited<ReturnType<typeof createApiServer>>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  const record = api.record(request, body);
  forge.requests.push(record);
  const effect = forge.faults.take({ method: record.method, path: record.path, body: record.body });
  const outgoing = await withEffect(effect, record, request, body, api.answer);
  if (outgoing === null) {
    request.socket.destroy();
    return;
  }
  record.status = outgoing.status;
  send(response, outgoing);
}

/** The answer under a fault; `null` cuts the connection. */
async function withEffect(
  effect: FaultEffect | null,
  record: RequestRecord,
  request: IncomingMessage,
  body: Buffer,
  answer: Answering,
): Promise<Outgoing | null> {
  if (effect?.kind === 'status') {
    return jsonOutgoing(effect.status, effect.body ?? { message: 'Server Error' }, effect.headers);
  }
  if (effect?.kind === 'cut' && effect.perform !== true) return null;
  if (effect?.kind === 'delay') await sleep(effect.ms);
  const outgoing = await answer(record, request, body);
  if (effect?.kind === 'cut') return null;
  if (effect?.kind === 'performThenStatus') return jsonOutgoing(effect.status, { message: 'Server Error' });
  return outgoing;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error(`expected at most ${MAX_BODY_BYTES} bytes, got more`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A fault of the forge itself: seen by the client as a 500, and by tests as a violation. */
function fail(forge: Forge, response: ServerResponse, error: unknown): void {
  forge.violations.push(`the forge failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  if (!response.headersSent) send(response, jsonOutgoing(500, { message: 'Server Error' }));
}
