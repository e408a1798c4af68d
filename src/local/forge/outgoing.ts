import type { ServerResponse } from 'node:http';

/** A whole HTTP answer. */
export interface Outgoing {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export function jsonOutgoing(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Outgoing {
  if (body === null) return { status, headers, body: '' };
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  };
}

export function send(response: ServerResponse, outgoing: Outgoing): void {
  const length = { 'content-length': String(Buffer.byteLength(outgoing.body)) };
  response.writeHead(outgoing.status, { ...outgoing.headers, ...(outgoing.status === 204 ? {} : length) });
  response.end(outgoing.body);
}
