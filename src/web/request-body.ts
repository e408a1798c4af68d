import type { IncomingMessage } from 'node:http';

/** GitHub sends no delivery above this. Source: https://docs.github.com/webhooks/webhook-events-and-payloads */
export const maxBodyBytes = 25 * 1024 * 1024;

export type Body = { readonly bytes: Buffer } | { readonly refused: 'too_large' | 'cut_off' };

/** Reads a request's body, at most `limit` bytes of it. Never throws: a caller that hangs up is an answer too. */
export async function readBody(request: IncomingMessage, limit: number = maxBodyBytes): Promise<Body> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return { refused: 'too_large' };
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      const bytes = Buffer.from(chunk);
      size += bytes.length;
      if (size > limit) return { refused: 'too_large' };
      chunks.push(bytes);
    }
  } catch {
    return { refused: 'cut_off' };
  }
  return { bytes: Buffer.concat(chunks) };
}
