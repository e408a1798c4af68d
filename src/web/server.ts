import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from '../engine/log.ts';
import { readBody } from './request-body.ts';

/** Where deliveries are taken; Probot's own default, and so that of the app's manifest. */
export const webhookPath = '/api/github/webhooks';

/** `true` when it has answered. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

export interface WebServerOptions {
  /** Takes requests for `webhookPath`; finds the body that was read as `rawBody` of the request. */
  readonly webhooks: Handler;
  /** Asked in order for every other path. */
  readonly handlers: readonly Handler[];
  readonly log: Logger;
}

/** How long a caller may take to send a request, in milliseconds. GitHub gives up after 10 s. */
const requestTimeoutMs = 30_000;

/** The HTTP server, not yet listening. Bodies are read here, so that none can be larger than GitHub's largest. */
export function createWebServer(options: WebServerOptions): Server {
  const server = createServer((request, response) => {
    route(options, request, response).catch((error: unknown) => {
      options.log.error({ err: error }, 'a request could not be answered');
      fail(response, 500, 'internal error');
    });
  });
  server.requestTimeout = requestTimeoutMs;
  server.headersTimeout = requestTimeoutMs;
  return server;
}

async function route(options: WebServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url?.split('?')[0] === webhookPath && request.method === 'POST') {
    return receive(options, request, response);
  }
  for (const handler of options.handlers) {
    if (await handler(request, response)) return;
  }
  fail(response, 404, 'nothing is here');
}

async function receive(options: WebServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  if ('refused' in body) {
    const status = body.refused === 'too_large' ? 413 : 400;
    response.once('finish', () => request.destroy());
    return fail(response, status, status === 413 ? 'expected at most 25 MB' : 'expected a whole body', {
      connection: 'close',
    });
  }
  if (!isObject(body.bytes)) return fail(response, 400, 'expected a JSON object');
  const misnamed = findMisnamed(request);
  if (misnamed !== null) return fail(response, 400, `expected the header ${misnamed}`);
  // The form in which Probot's middleware takes a body that has been read already.
  Object.assign(request, { body: {}, rawBody: body.bytes });
  if (!(await options.webhooks(request, response))) fail(response, 404, 'nothing is here');
}

/** No signature covers them: without a name of its own a delivery would count as one that is known. */
const names = { 'x-github-event': /^[a-z_]{1,100}$/, 'x-github-delivery': /^[\w-]{1,100}$/ } as const;

function findMisnamed({ headers }: IncomingMessage): string | null {
  return Object.entries(names).find(([name, form]) => !form.test(String(headers[name] ?? '')))?.[0] ?? null;
}

/** Probot's middleware expects every payload that is JSON to be an object. */
function isObject(bytes: Buffer): boolean {
  return /^\s*\{/.test(bytes.subarray(0, 100).toString('latin1'));
}

function fail(response: ServerResponse, status: number, error: string, headers: Record<string, string> = {}): void {
  if (!response.headersSent) {
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(`${JSON.stringify({ error })}\n`);
  }
}
