/**
 * What GitHub says of the app's deliveries, and asking it to send one again, which it never does by itself.
 * Source: https://docs.github.com/webhooks/using-webhooks/handling-failed-webhook-deliveries
 */
import { z } from 'zod';
import type { Client } from './client.ts';
import type { DeliveryAttempt } from './missed-deliveries.ts';
import { forbiddenFrom, statusOf } from './response-errors.ts';

interface DeliveryPage {
  /** Newest first. */
  readonly attempts: readonly DeliveryAttempt[];
  /** Where older ones are listed; `null` where there are none. */
  readonly next: string | null;
}

export interface FailedDeliveries {
  /**
   * A page of the attempts at this app's deliveries; the newest where `page` is `null`. `null` where GitHub knows the page no
   * more.
   * @throws {Forbidden} and the transport's errors, after its retries
   */
  list(page: string | null): Promise<DeliveryPage | null>;
  /** @returns `gone` where GitHub keeps it no more @throws the transport's errors */
  askAgain(id: string): Promise<'asked' | 'gone'>;
  /** For how long GitHub keeps a delivery, in milliseconds. */
  readonly keptMs: number;
}

const dayMs = 24 * 60 * 60 * 1000;
const pageSize = 100;

const attempt = z
  .object({
    // Octokit hands an integer past what a number holds out as a bigint.
    id: z.union([z.number().int(), z.bigint()]),
    guid: z.string().min(1).max(100),
    delivered_at: z.iso.datetime({ offset: true }),
    status: z.string(),
    status_code: z.number(),
    installation_id: z.union([z.number().int(), z.null()]).optional(),
  })
  .transform(
    (said): DeliveryAttempt => ({
      id: String(said.id),
      guid: said.guid,
      deliveredAt: Date.parse(said.delivered_at),
      isOk: said.status === 'OK' || (said.status_code >= 200 && said.status_code < 300),
      isAnswered: said.status_code !== 0,
      installation: said.installation_id ?? null,
    }),
  );

/** @param app signs as the app itself: no permission is asked for */
export function createFailedDeliveries(app: Client, apiUrl: string): FailedDeliveries {
  return {
    list: async (page) => {
      try {
        const cursor = page === null ? {} : { cursor: page };
        const { data, headers } = await app.rest.apps.listWebhookDeliveries({ per_page: pageSize, ...cursor });
        return { attempts: z.array(attempt).parse(data), next: nextPage(headers.link) };
      } catch (error) {
        const status = statusOf(error);
        if (page !== null && (status === 400 || status === 422)) return null;
        throw forbiddenFrom(error, 'list the deliveries of the app') ?? error;
      }
    },
    askAgain: async (id) => {
      try {
        await app.request(`POST /app/hook/deliveries/${id}/attempts`);
        return 'asked';
      } catch (error) {
        const status = statusOf(error);
        if (status === 404 || status === 410 || status === 422) return 'gone';
        throw error;
      }
    },
    keptMs: isInTheCloud(apiUrl) ? 3 * dayMs : 7 * dayMs,
  };
}

/** An Enterprise Server keeps deliveries longer. */
function isInTheCloud(apiUrl: string): boolean {
  return /^https:\/\/api\.(?:github\.com|[^/.]+\.ghe\.com)(?:\/|$)/.test(apiUrl);
}

function nextPage(link: string | undefined): string | null {
  const address = /<([^>]*)>;\s*rel="next"/.exec(link ?? '')?.[1];
  return address === undefined ? null : new URL(address).searchParams.get('cursor');
}
