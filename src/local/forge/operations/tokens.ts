import { randomBytes } from 'node:crypto';
import { type Forge, formatTime } from '../forge.ts';
import { ForgeError } from '../forge-error.ts';
import type { AccessToken, Account, Installation } from '../state.ts';

/** Source: https://docs.github.com/rest/apps/apps#create-an-installation-access-token-for-an-app */
const INSTALLATION_TOKEN_LIFE_MS = 60 * 60 * 1000;
const PERSON_TOKEN_LIFE_MS = 365 * 24 * 60 * 60 * 1000;

export interface TokenRequest {
  /** All of the installation's by default. */
  readonly repositoryIds?: readonly number[] | undefined;
  /** All of the installation's by default. */
  readonly permissions?: Readonly<Record<string, 'read' | 'write'>> | undefined;
}

/** @throws {ForgeError} 403 for a suspended installation; 422 for more than the installation has */
export function createInstallationToken(forge: Forge, installation: Installation, request: TokenRequest): AccessToken {
  if (installation.suspendedAt !== null) throw new ForgeError(403, 'This installation has been suspended');
  const permissions = request.permissions ?? installation.permissions;
  for (const [name, access] of Object.entries(permissions)) {
    const granted = installation.permissions[name];
    if (granted !== 'write' && granted !== access) {
      throw new ForgeError(422, 'The permissions requested are not granted to this installation.');
    }
  }
  const foreign = (request.repositoryIds ?? []).find((id) => !installation.repositoryIds.includes(id));
  if (foreign !== undefined) {
    throw new ForgeError(
      422,
      'There is at least one repository that does not exist or is not accessible to the parent installation.',
    );
  }
  const token: AccessToken = {
    token: longToken(installation),
    bearer: { kind: 'installation', installationId: installation.id },
    repositoryIds: request.repositoryIds ?? null,
    permissions: { ...permissions, metadata: 'read' },
    expiresAt: formatTime(forge.clock() + INSTALLATION_TOKEN_LIFE_MS),
  };
  forge.state.tokens.push(token);
  return token;
}

/** The form that GitHub announced on 2026-04-24: `ghs_APPID_JWT`, about 520 characters, with dots and dashes in it. */
function longToken(installation: Installation): string {
  const part = (claims: object) => Buffer.from(JSON.stringify(claims)).toString('base64url');
  const head = part({ alg: 'RS256', typ: 'JWT' });
  const claims = part({ installation: installation.id, id: randomBytes(24).toString('hex') });
  return `ghs_${installation.appId}_${head}.${claims}.${randomBytes(256).toString('base64url')}`;
}

/** A person's own token: may do what the person may. */
export function createPersonToken(forge: Forge, account: Account): AccessToken {
  const token: AccessToken = {
    token: `ghp_${randomBytes(27).toString('base64url').replace(/[-_]/g, '0')}`,
    bearer: { kind: 'person', login: account.login },
    repositoryIds: null,
    permissions: {},
    expiresAt: formatTime(forge.clock() + PERSON_TOKEN_LIFE_MS),
  };
  forge.state.tokens.push(token);
  return token;
}

/** It stays among the forge's tokens, as one that has expired. */
export function revokeToken(forge: Forge, token: AccessToken): void {
  const expiresAt = formatTime(forge.clock());
  forge.state.tokens = forge.state.tokens.map((each) => (each === token ? { ...each, expiresAt } : each));
}
