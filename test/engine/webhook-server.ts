/** The real HTTP server and webhook handler over an inbox of a test's own. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Inbox } from '../../src/engine/inbox.ts';
import { createLog } from '../../src/engine/log.ts';
import { createWebServer, type Handler } from '../../src/web/server.ts';
import { createWebhookHandler } from '../../src/web/webhooks.ts';

export const secret = 'a secret that nobody else knows';

export interface WebhookServer extends AsyncDisposable {
  readonly port: number;
  /** Every line of the log. */
  readonly logged: string[];
}

export async function startWebhookServer(inbox: Inbox, handlers: readonly Handler[] = []): Promise<WebhookServer> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const environment = {
    appId: '3',
    privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    webhookSecret: secret,
    apiUrl: 'http://127.0.0.1:9/api/v3',
    logLevel: 'info' as const,
    model: { apiKey: 'sk-ant-canary-key', baseUrl: null },
  };
  const logged: string[] = [];
  const log = createLog(environment, { write: (line) => void logged.push(line) });
  const webhooks = await createWebhookHandler(environment, inbox, log);
  const server = createWebServer({ webhooks, handlers, log });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port, got none');
  return {
    port: address.port,
    logged,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
