const minSecretCharacters = 16;

/** Defaults and examples of frameworks and documentation, as they are and as people lengthen them. Without case, digits and marks. */
const wellKnownSecrets = new Set([
  'development',
  'developmentsecret',
  'secret',
  'secrets',
  'mysecret',
  'mysecretkey',
  'supersecret',
  'supersecretkey',
  'topsecret',
  'changeme',
  'changemeplease',
  'pleasechangeme',
  'replaceme',
  'password',
  'webhook',
  'webhooksecret',
  'yourwebhooksecret',
  'yoursecret',
  'yoursecrethere',
  'githubwebhooksecret',
  'itsasecrettoeverybody',
  'planwright',
  'planwrightsecret',
  'test',
  'testsecret',
  'example',
  'default',
]);

/** Why a webhook secret protects nothing, without telling it; `null` for one that does. */
export function findSecretFault(secret: string): string | null {
  const remedy = 'make one, e.g. with "openssl rand -hex 32", and give it to the app on GitHub as well';
  const letters = secret.toLowerCase().replaceAll(/[^a-z]/g, '');
  if (wellKnownSecrets.has(letters) || new Set(secret).size < 5) {
    return `expected a secret that nobody can guess, got a well-known one; ${remedy}`;
  }
  if (secret.length >= minSecretCharacters) return null;
  return `expected at least ${minSecretCharacters} characters, got ${secret.length}; ${remedy}`;
}
