import pino, { type DestinationStream, type Logger } from 'pino';
import type { Environment } from '../config/environment.ts';
import { heldSecrets } from '../config/held-secrets.ts';
import { createKnownSecrets } from '../text/known-secrets.ts';
import { tokenPrefixes } from '../text/token-forms.ts';

export type { Logger } from 'pino';

/**
 * The log: one JSON line an entry. Every text in it passes `maskSecrets` on its way out, and errors are cut down to what says
 * what went wrong: GitHub's and Probot's carry whole requests and payloads. What the app holds is masked in every form.
 */
export function createLog(
  environment: Pick<Environment, 'logLevel' | 'privateKey' | 'webhookSecret'> & {
    readonly model: Pick<Environment['model'], 'apiKey'>;
  },
  destination: DestinationStream = pino.destination(1),
): Logger {
  const held = heldSecrets(environment);
  const secrets = held.map(({ value }) => value);
  const known = createKnownSecrets(held);
  const mask = (text: string) =>
    known.find(text).reduceRight((rest, { start, end }) => `${rest.slice(0, start)}[secret]${rest.slice(end)}`, text);
  const maskValue = (key: string, value: unknown) => {
    if (typeof value !== 'string') return value;
    return /^(?:proxy-)?authorization$/i.test(key) ? '[secret]' : mask(maskSecrets(value, secrets));
  };
  return pino(
    {
      name: 'planwright',
      level: environment.logLevel,
      serializers: { err: describeError, error: describeError },
      // Text by text: what is taken out of one is no part of what holds the line together.
      hooks: { streamWrite: (line) => `${JSON.stringify(JSON.parse(line), maskValue)}\n` },
    },
    destination,
  );
}

const tokenShapes = [
  // Shorter than any that is handed out: what was cut is masked as well.
  new RegExp(`(?:${tokenPrefixes.join('|')})[A-Za-z0-9_.-]{8,}`, 'g'),
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /(?<=x-access-token:)[^@\s"]+/g,
  /(?<=authorization["']?\s*[:=]\s*["']?(?:basic|bearer|token)\s+)[A-Za-z0-9+/=._-]+/gi,
];

/** Replaces every given secret, and everything in the shape of a token or private key, by `[secret]`. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  const known = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]).filter((s) => s.length >= 6);
  const masked = known.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
  return tokenShapes.reduce((rest, shape) => rest.replace(shape, '[secret]'), masked);
}

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return {
    type: error.name,
    message: error.message,
    ...('status' in error ? { status: error.status } : {}),
    ...('code' in error ? { code: error.code } : {}),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
    stack: error.stack,
  };
}
