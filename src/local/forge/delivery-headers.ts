import { createHmac } from 'node:crypto';
import type { ForgeApp, WebhookDelivery } from './state.ts';

/** Source: https://docs.github.com/webhooks/webhook-events-and-payloads#delivery-headers */
export function deliveryHeaders(app: ForgeApp, delivery: WebhookDelivery, body: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'GitHub-Hookshot/044aadd',
    'x-github-delivery': delivery.guid,
    'x-github-event': delivery.event,
    'x-github-hook-id': String(app.id),
    'x-github-hook-installation-target-id': String(app.id),
    'x-github-hook-installation-target-type': 'integration',
    'x-hub-signature-256': `sha256=${createHmac('sha256', app.webhookSecret).update(body).digest('hex')}`,
  };
}
