import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readiness } from '../engine/engine.ts';

/** Answers `/healthz` (is the process taking deliveries) and `/readyz` (what is ready); `false` for every other path. */
export function createHealthHandler(
  read: () => Promise<Readiness>,
): (request: IncomingMessage, response: ServerResponse) => Promise<boolean> {
  return async (request, response) => {
    const path = request.url?.split('?')[0];
    if (path !== '/healthz' && path !== '/readyz') return false;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return true;
    }
    const readiness = await read();
    response.writeHead(readiness.isReady ? 200 : 503, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
    });
    response.end(`${JSON.stringify(path === '/readyz' ? readiness : { ok: readiness.isReady })}\n`);
    return true;
  };
}
