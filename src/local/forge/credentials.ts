/** Reads who sent a request from its `authorization` header. */
import { verify } from 'node:crypto';
import { actorOfToken } from './access.ts';
import type { Forge } from './forge.ts';
import { ForgeError } from './forge-error.ts';
import type { Credential } from './rest/call.ts';
import { isFields, readNumber } from './rest/fields.ts';
import type { ForgeApp } from './state.ts';

/** An app's JSON Web Token may not live longer. Source: https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app */
const MAX_LIFE_S = 600;
/** How far the sender's clock may be off. */
const DRIFT_S = 60;

/** `Bearer …`, `token …` or, for git, `Basic` with the token as the password. @throws {ForgeError} 401, 403 */
export function readCredential(forge: Forge, authorization: string | undefined): Credential {
  const secret = readSecret(authorization);
  if (secret === null) return { kind: 'none' };
  if (!secret.startsWith('ghs_') && secret.split('.').length === 3)
    return { kind: 'app', app: verifyAppToken(forge, secret) };
  const actor = actorOfToken(forge, secret);
  const token = forge.state.tokens.find((each) => each.token === secret);
  if (token === undefined) throw new ForgeError(401, 'Bad credentials');
  return { kind: 'token', actor, token };
}

function readSecret(authorization: string | undefined): string | null {
  const [, scheme = '', value = ''] = /^(\S+)\s+(.+)$/.exec(authorization ?? '') ?? [];
  if (/^(?:bearer|token)$/i.test(scheme)) return value;
  if (!/^basic$/i.test(scheme)) return null;
  const pair = Buffer.from(value, 'base64').toString();
  return pair.slice(pair.indexOf(':') + 1) || null;
}

/** RS256 by the app's key, issued for it, not expired, and not for longer than GitHub allows. */
function verifyAppToken(forge: Forge, token: string): ForgeApp {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const claims = readClaims(payload);
  const app = forge.state.apps.find(
    (each) => String(each.id) === String(claims.iss) || `Iv23${each.id}` === claims.iss,
  );
  const signed = Buffer.from(`${header}.${payload}`);
  const isRs256 = readClaims(header).alg === 'RS256';
  if (
    app === undefined ||
    !isRs256 ||
    !verify('RSA-SHA256', signed, app.publicKey, Buffer.from(signature, 'base64url'))
  ) {
    throw new ForgeError(401, 'A JSON web token could not be decoded');
  }
  const now = Math.floor(forge.clock() / 1000);
  const issued = readNumber(claims, 'iat') ?? Number.POSITIVE_INFINITY;
  const expires = readNumber(claims, 'exp') ?? 0;
  if (expires <= now) {
    throw new ForgeError(
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    );
  }
  if (expires > now + MAX_LIFE_S + DRIFT_S) {
    throw new ForgeError(401, "'Expiration time' claim ('exp') is too far in the future");
  }
  if (issued > now + DRIFT_S) {
    throw new ForgeError(
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    );
  }
  return app;
}

function readClaims(part: string) {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}

/** How the request log calls it. */
export function bearerKind(credential: Credential): 'app' | 'installation' | 'person' | 'none' {
  return credential.kind === 'token' ? credential.actor.kind : credential.kind;
}

/** One name for each bearer: what rate limits are counted by. */
export function bearerName(credential: Credential): string {
  if (credential.kind === 'none') return 'nobody';
  if (credential.kind === 'app') return `app ${credential.app.id}`;
  const { actor } = credential;
  return actor.kind === 'person' ? `person ${actor.account.id}` : `installation ${actor.installation.id}`;
}
