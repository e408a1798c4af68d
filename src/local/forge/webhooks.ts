/**
 * Webhook deliveries as GitHub makes them: signed, at once, side by side and so in no promised order, never retried by
 * themselves, and recorded.
 */
import { randomUUID } from 'node:crypto';
import { deliveryHeaders } from './delivery-headers.ts';
import { nodeId } from './node-id.ts';
import type { ForgeApp, ForgeState, Installation, Repository, WebhookDelivery } from './state.ts';

/** GitHub gives up on a receiver after ten seconds. */
const TIMEOUT_MS = 10_000;

/** Sent to every app, whatever it subscribes to. */
const UNCONDITIONAL = new Set(['installation', 'installation_repositories']);

type Payload = { readonly action?: string } & Readonly<Record<string, unknown>>;

export interface Webhooks {
  /** Delivers to every app that has the repository and subscribes to the event. */
  send(repository: Repository, event: string, payload: Payload): void;
  /** Delivers to one app, about its installation. */
  sendAboutInstallation(installation: Installation, event: string, payload: Payload): void;
  /** Holds deliveries back until `resume`. */
  pause(): void;
  /** Delivers what was held. `arrange` may leave out, repeat and reorder. */
  resume(arrange?: (held: readonly WebhookDelivery[]) => readonly WebhookDelivery[]): void;
  /** Repeats a delivery under the same GUID. Returns the new record. */
  redeliver(delivery: WebhookDelivery): WebhookDelivery;
  /** Resolves once every delivery under way has an answer. */
  idle(): Promise<void>;
}

export function createWebhooks(state: ForgeState, nextId: () => number, now: () => string): Webhooks {
  const underway = new Set<Promise<void>>();
  let held: WebhookDelivery[] | null = null;

  const start = (delivery: WebhookDelivery): void => {
    const app = state.apps.find((each) => each.id === delivery.appId);
    if (app === undefined) return;
    const sending = deliver(app, delivery).finally(() => underway.delete(sending));
    underway.add(sending);
  };

  const prepare = (app: ForgeApp, installation: Installation, repositoryId: number | null) => {
    return (event: string, payload: Payload): void => {
      if (app.webhookUrl === null || !wants(app, event)) return;
      const delivery: WebhookDelivery = {
        id: nextId(),
        guid: randomUUID(),
        appId: app.id,
        installationId: installation.id,
        repositoryId,
        event,
        action: payload.action ?? null,
        payload: structuredClone({ ...payload, ...aboutInstallation(payload, installation) }),
        deliveredAt: now(),
        status: 'pending',
        statusCode: 0,
        redelivery: false,
      };
      state.deliveries.push(delivery);
      if (held === null) start(delivery);
      else held.push(delivery);
    };
  };

  return {
    send(repository, event, payload) {
      for (const installation of state.installations) {
        const app = state.apps.find((each) => each.id === installation.appId);
        const reached = installation.suspendedAt === null && installation.repositoryIds.includes(repository.id);
        if (app !== undefined && reached) prepare(app, installation, repository.id)(event, payload);
      }
    },
    sendAboutInstallation(installation, event, payload) {
      const app = state.apps.find((each) => each.id === installation.appId);
      if (app !== undefined) prepare(app, installation, null)(event, payload);
    },
    pause() {
      held ??= [];
    },
    resume(arrange = (deliveries) => deliveries) {
      const waiting = held ?? [];
      held = null;
      for (const delivery of arrange(waiting)) start(delivery);
    },
    redeliver(delivery) {
      const again = {
        ...delivery,
        id: nextId(),
        redelivery: true,
        deliveredAt: now(),
        status: 'pending',
        statusCode: 0,
      };
      state.deliveries.push(again);
      start(again);
      return again;
    },
    async idle() {
      while (underway.size > 0) await Promise.all(underway);
    },
  };
}

function wants(app: ForgeApp, event: string): boolean {
  return UNCONDITIONAL.has(event) || app.events.includes(event);
}

/** Every payload names its installation: in full where it is the subject, else by id. */
function aboutInstallation(payload: Payload, installation: Installation): Payload {
  if ('installation' in payload) return {};
  return { installation: { id: installation.id, node_id: nodeId('installation', installation.id) } };
}

async function deliver(app: ForgeApp, delivery: WebhookDelivery): Promise<void> {
  if (app.webhookUrl === null) return;
  const body = JSON.stringify(delivery.payload);
  try {
    const response = await fetch(app.webhookUrl, {
      method: 'POST',
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: deliveryHeaders(app, delivery, body),
    });
    await response.arrayBuffer();
    delivery.statusCode = response.status;
    delivery.status = response.ok ? 'OK' : `Invalid HTTP Response: ${response.status}`;
  } catch (error) {
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    delivery.statusCode = timedOut ? 504 : 502;
    delivery.status = timedOut ? 'timed out' : 'failed to connect to host';
  }
}
