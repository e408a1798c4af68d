import { z } from 'zod';
import type { Logger } from '../engine/log.ts';

interface Channel {
  close(): void;
}

interface ProxyClient {
  start(): Promise<Channel>;
}

type ProxyClientClass = new (options: { source: string; target: string; logger: Logger }) => ProxyClient;

/** The environment asks for something that is not installed. The message says what to do. */
export class ProxyClientMissing extends Error {
  override readonly name = 'ProxyClientMissing';
}

const proxyModule = z.object({
  default: z.custom<ProxyClientClass>((value) => typeof value === 'function'),
});

/**
 * Forwards deliveries from a smee.io channel to `target`. The client is no dependency: only who asks for it needs it.
 * @throws {ProxyClientMissing}
 */
export async function openWebhookProxy(source: string, target: string, logger: Logger): Promise<Channel> {
  const moduleName: string = 'smee-client';
  const loaded = proxyModule.safeParse(await import(moduleName).catch(() => null));
  if (!loaded.success) {
    throw new ProxyClientMissing(
      'WEBHOOK_PROXY_URL: expected the package smee-client to be installed, got none; ' +
        'run `npm install --no-save smee-client`, or unset the variable',
    );
  }
  return new loaded.data.default({ source, target, logger }).start();
}
