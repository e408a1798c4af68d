/** Turns HTTP requests to the API and to git into calls, and their results into HTTP answers. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { bearerKind, bearerName, readCredential } from './credentials.ts';
import type { Forge } from './forge.ts';
import { ForgeError } from './forge-error.ts';
import { parseGitPath, serveGit } from './git-http.ts';
import { executeGraphql } from './graphql/execute.ts';
import { jsonOutgoing, type Outgoing } from './outgoing.ts';
import { rateLimitHeaders } from './rate-limits.ts';
import type { RequestRecord } from './request-log.ts';
import { createRest, type Rest, refusal } from './rest/api.ts';
import type { Answer, Credential } from './rest/call.ts';
import { isFields, readFields, readText } from './rest/fields.ts';

const REST_ROOT = '/api/v3';

export interface ApiServer {
  /** The log's entry for a request. */
  record(request: IncomingMessage, body: Buffer): RequestRecord;
  answer(record: RequestRecord, request: IncomingMessage, body: Buffer): Promise<Outgoing>;
}

export async function createApiServer(forge: Forge): Promise<ApiServer> {
  const rest = await createRest(forge);
  return {
    record: (request, body) => recordOf(forge, request, body),
    async answer(record, request, body) {
      try {
        const credential = readCredential(forge, request.headers.authorization);
        if (record.kind === 'git') return await answerGit(forge, credential, request, body);
        return await answerApi(forge, rest, credential, record, body);
      } catch (error) {
        if (!(error instanceof ForgeError)) throw error;
        return refusalOf(record, error);
      }
    },
  };
}

function refusalOf(record: RequestRecord, error: ForgeError): Outgoing {
  const { status, body, headers } = refusal(error);
  if (record.kind !== 'git') return jsonOutgoing(status, body, headers);
  const challenge = status === 401 ? { 'www-authenticate': 'Basic realm="GitHub"' } : {};
  return { status, headers: { 'content-type': 'text/plain', ...challenge }, body: `${error.message}\n` };
}

function recordOf(forge: Forge, request: IncomingMessage, body: Buffer): RequestRecord {
  const path = request.url ?? '/';
  const { pathname } = new URL(path, 'http://forge');
  const kind = parseGitPath(pathname) !== null ? 'git' : pathname === '/api/graphql' ? 'graphql' : 'rest';
  return {
    kind,
    method: request.method ?? 'GET',
    path,
    token: tokenKind(forge, request.headers.authorization),
    body: kind === 'git' ? null : (parseJson(body) ?? null),
    at: forge.clock(),
    status: 0,
  };
}

function tokenKind(forge: Forge, authorization: string | undefined): RequestRecord['token'] {
  try {
    return bearerKind(readCredential(forge, authorization));
  } catch {
    return 'none';
  }
}

/** `undefined` for an empty body and for what is no JSON. */
function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

async function answerGit(
  forge: Forge,
  credential: Credential,
  request: IncomingMessage,
  body: Buffer,
): Promise<Outgoing> {
  const { pathname, search } = new URL(request.url ?? '/', 'http://forge');
  const place = parseGitPath(pathname);
  if (place === null) throw new ForgeError(404, 'Not Found');
  const header = (name: string): string | undefined => {
    const value = request.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  const headers = {
    'content-type': header('content-type'),
    'content-encoding': header('content-encoding'),
    'git-protocol': header('git-protocol'),
  };
  return serveGit(forge, {
    ...place,
    method: request.method ?? 'GET',
    query: search.slice(1),
    headers,
    body,
    credential,
  });
}

async function answerApi(
  forge: Forge,
  rest: Rest,
  credential: Credential,
  record: RequestRecord,
  body: Buffer,
): Promise<Outgoing> {
  const resource = record.kind === 'graphql' ? 'graphql' : 'core';
  const bearer = bearerName(credential);
  forge.rateLimits.count(bearer, resource);
  const answer = await dispatch(forge, rest, credential, record, body);
  return jsonOutgoing(answer.status, answer.body, {
    'x-github-request-id': randomUUID(),
    'x-github-media-type': 'github.v3; format=json',
    ...rateLimitHeaders(forge.rateLimits.read(bearer, resource), resource),
    ...answer.headers,
  });
}

async function dispatch(
  forge: Forge,
  rest: Rest,
  credential: Credential,
  record: RequestRecord,
  bytes: Buffer,
): Promise<Answer> {
  const body = parseJson(bytes);
  if (bytes.length > 0 && body === undefined) return badJson();
  if (record.kind === 'graphql') return answerGraphql(forge, credential, body);
  const { pathname, search } = new URL(record.path, 'http://forge');
  if (!pathname.startsWith(`${REST_ROOT}/`)) throw new ForgeError(404, 'Not Found');
  return rest({
    method: record.method,
    path: pathname.slice(REST_ROOT.length),
    query: search.slice(1),
    body,
    credential,
  });
}

function badJson(): Answer {
  const body = { message: 'Problems parsing JSON', documentation_url: 'https://docs.github.com/rest', status: '400' };
  return { status: 400, body };
}

async function answerGraphql(forge: Forge, credential: Credential, body: unknown): Promise<Answer> {
  if (credential.kind !== 'token') {
    const message = 'This endpoint requires you to be authenticated.';
    return { status: credential.kind === 'app' ? 403 : 401, body: { message } };
  }
  const query = isFields(body) ? readText(body, 'query') : undefined;
  if (!isFields(body) || query === undefined) {
    return { status: 400, body: { message: 'A query attribute must be specified and must be a string.' } };
  }
  return executeGraphql(forge, credential.actor, { query, variables: readFields(body, 'variables') ?? {} });
}
