import type { KnownSecret } from '../text/known-secrets.ts';
import type { Environment } from './environment.ts';

/** What the app is given to hold, and what may show nowhere. */
export function heldSecrets(
  environment: Pick<Environment, 'privateKey' | 'webhookSecret'> & {
    readonly model: Pick<Environment['model'], 'apiKey'>;
  },
): readonly KnownSecret[] {
  return [
    { value: environment.privateKey, what: 'private key of this app' },
    { value: environment.webhookSecret, what: 'webhook secret of this app' },
    { value: environment.model.apiKey, what: 'key of this app for the model' },
  ];
}
