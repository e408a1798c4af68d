import { createNodeMiddleware, Probot } from 'probot';
import { createApp } from '../app.ts';
import type { Environment } from '../config/environment.ts';
import type { Inbox } from '../engine/inbox.ts';
import type { Logger } from '../engine/log.ts';
import { type Handler, webhookPath } from './server.ts';

/**
 * Takes deliveries: Probot verifies the signature (HMAC-SHA256 of the raw body) and hands on what is genuine.
 * Source: https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
 */
export async function createWebhookHandler(
  environment: Pick<Environment, 'appId' | 'privateKey' | 'webhookSecret' | 'apiUrl'>,
  inbox: Inbox,
  log: Logger,
): Promise<Handler> {
  const probot = new Probot({
    appId: environment.appId,
    privateKey: environment.privateKey,
    secret: environment.webhookSecret,
    baseUrl: environment.apiUrl,
    log,
  });
  const middleware = await createNodeMiddleware(createApp(inbox), { probot, webhooksPath: webhookPath });
  return async (request, response) => (await middleware(request, response)) === true;
}
