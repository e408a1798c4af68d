import type { IncomingMessage, ServerResponse } from 'node:http';

/** What is ready, as `/readyz` shows it. */
export interface Readiness {
  /** True once deliveries are taken and while they are. */
  readonly isReady: boolean;
  readonly database: 'ready' | 'starting' | 'failed';
  readonly queue: 'ready' | 'starting' | 'draining';
  readonly sandbox: 'available' | 'missing' | 'unknown';
  /** Why the last look at a thread could not be completed; `null` where it could. */
  readonly lastLookError: string | null;
  readonly runs: number;
}

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
