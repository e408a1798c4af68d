/**
 * GitHub's REST API over the forge: routed and validated by the official description. A request that breaks it is
 * answered 422 and, like an answer of the forge that breaks it, recorded in `forge.violations`.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Context, type Document, OpenAPIBackend } from 'openapi-backend';
import type { Forge } from '../forge.ts';
import { ForgeError } from '../forge-error.ts';
import { findRenamedRepository, findRepository, findRepositoryById, fullName } from '../lookup.ts';
import type { Answer, Credential } from './call.ts';
import { type Fields, isFields } from './fields.ts';
import { HANDLERS } from './handlers.ts';
import { OPERATION_IDS, type OperationId } from './operation-ids.ts';

interface RestRequest {
  readonly method: string;
  /** Below `/api/v3`, still encoded, without the query. */
  readonly path: string;
  readonly query: string;
  /** Parsed JSON; `undefined` where there is none. */
  readonly body: unknown;
  readonly credential: Credential;
}

export type Rest = (request: RestRequest) => Promise<Answer>;

const DESCRIPTION = path.join(import.meta.dirname, '../schema/openapi.json');

const FORMATS = {
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/,
  uri: (text: string) => URL.canParse(text.replaceAll(/[{}]/g, '')),
  email: /@/,
  'repo.nwo': /^[\w.-]+\/[\w.-]+$/,
};

function isDescription(value: unknown): value is Document {
  return isFields(value) && typeof value.openapi === 'string' && isFields(value.paths);
}

function readDescription(): Document {
  const value: unknown = JSON.parse(readFileSync(DESCRIPTION, 'utf8'));
  if (isDescription(value)) return value;
  throw new Error(
    `expected an OpenAPI description in ${DESCRIPTION}, got something else; make it with trim-openapi.ts`,
  );
}

/** Answers requests; a refusal is an answer too. */
export async function createRest(forge: Forge): Promise<Rest> {
  const api = await loadApi();
  return async (request) => {
    const elsewhere = redirect(forge, request) ?? redirectIssue(forge, request);
    if (elsewhere !== null) return elsewhere;
    const routed = {
      method: request.method,
      path: routedPath(forge, request.path),
      query: request.query,
      headers: request.body === undefined ? {} : { 'content-type': 'application/json' },
      body: request.body,
    };
    const answer: Answer = await api.handleRequest(routed, forge, request);
    return answer;
  };
}

let loading: Promise<OpenAPIBackend> | null = null;

/** The description with its validators, which take seconds to compile: one for all forges of the process. */
function loadApi(): Promise<OpenAPIBackend> {
  loading ??= buildApi();
  return loading;
}

async function buildApi(): Promise<OpenAPIBackend> {
  const api = new OpenAPIBackend({
    definition: readDescription(),
    quick: true,
    // A validator is used a few times: making its code smaller first takes as long as making it.
    ajvOpts: { strict: false, logger: false, formats: FORMATS, code: { optimize: false } },
  });
  for (const id of OPERATION_IDS) {
    api.register(id, (context: Context, forge: Forge, request: RestRequest) => perform(forge, context, id, request));
  }
  api.register('validationFail', (context: Context, forge: Forge, request: RestRequest) =>
    refuseInvalid(forge, context, request),
  );
  api.register('notFound', (_: Context, forge: Forge, request: RestRequest) => refuseUnknown(forge, request));
  api.register('methodNotAllowed', (_: Context, forge: Forge, request: RestRequest) => refuseUnknown(forge, request));
  await api.init();
  return api;
}

function perform(forge: Forge, context: Context, id: OperationId, request: RestRequest): Answer {
  const { params, query, requestBody } = context.request;
  const answer = answerOf(() =>
    HANDLERS[id]({
      forge,
      credential: request.credential,
      params: isFields(params) ? params : {},
      query: isFields(query) ? query : {},
      body: readRequestBody(requestBody),
      path: request.path,
    }),
  );
  if (answer.body === null) return answer;
  const body: unknown = JSON.parse(JSON.stringify(answer.body));
  const checked = context.api.validateResponse(body, context.operation, answer.status);
  for (const error of checked.errors ?? []) {
    forge.violations.push(`${id} answered ${answer.status}: ${error.instancePath} ${error.message}`);
  }
  return answer;
}

/** Labels may come as a bare list. */
function readRequestBody(body: unknown): Fields {
  if (Array.isArray(body)) return { labels: body };
  return isFields(body) ? body : {};
}

function answerOf(handle: () => Answer): Answer {
  try {
    return handle();
  } catch (error) {
    if (error instanceof ForgeError) return refusal(error);
    throw error;
  }
}

/** GitHub's body of an error. */
export function refusal(error: ForgeError): Answer {
  const { status, message, errors, acceptedPermissions } = error;
  return {
    status,
    body: {
      message,
      ...(errors.length === 0 ? {} : { errors }),
      documentation_url: 'https://docs.github.com/rest',
      status: String(status),
    },
    ...(acceptedPermissions === null ? {} : { headers: { 'x-accepted-github-permissions': acceptedPermissions } }),
  };
}

function refuseInvalid(forge: Forge, context: Context, request: RestRequest): Answer {
  const reasons = (context.validation.errors ?? []).map((each) => `${each.instancePath} ${each.message}`.trim());
  forge.violations.push(`${context.operation.operationId} asked ${request.path}: ${reasons.join('; ')}`);
  return refusal(new ForgeError(422, `Invalid request.\n\n${reasons.join('\n')}`));
}

function refuseUnknown(forge: Forge, request: RestRequest): Answer {
  forge.violations.push(`${request.method} ${request.path}: expected an operation that the forge serves`);
  return refusal(new ForgeError(404, 'Not Found'));
}

/** Old names lead to the address by id, as GitHub does. */
function redirect(forge: Forge, request: RestRequest): Answer | null {
  const [, owner = '', name = '', rest = ''] = /^\/repos\/([^/]+)\/([^/]+)(.*)$/.exec(request.path) ?? [];
  if (owner === '' || findRepository(forge, owner, name) !== null) return null;
  const repository = findRenamedRepository(forge, owner, name);
  return repository === null ? null : moved(forge, request, `/repositories/${repository.id}${rest}`);
}

/** The number of a transferred issue leads to where it is now. */
function redirectIssue(forge: Forge, request: RestRequest): Answer | null {
  const [, owner = '', name = '', number = '', rest = ''] =
    /^\/repos\/([^/]+)\/([^/]+)\/issues\/(\d+)(.*)$/.exec(request.path) ?? [];
  const gone = findRepository(forge, owner, name)?.goneIssues.get(Number(number));
  if (gone?.kind !== 'transferred') return null;
  return moved(forge, request, `/repositories/${gone.repositoryId}/issues/${gone.number}${rest}`);
}

function moved(forge: Forge, request: RestRequest, path: string): Answer {
  const query = request.query === '' ? '' : `?${request.query}`;
  const location = `${forge.webUrl}/api/v3${path}${query}`;
  const status = request.method === 'GET' ? 301 : 307;
  return { status, body: { message: 'Moved Permanently', url: location }, headers: { location } };
}

/** Addresses by id become addresses by name, and a path that runs over slashes becomes one segment. */
function routedPath(forge: Forge, text: string): string {
  const [, id, rest = ''] = /^\/repositories\/(\d+)(.*)$/.exec(text) ?? [];
  const repository = id === undefined ? null : findRepositoryById(forge, Number(id));
  const named = repository === null ? text : `/repos/${fullName(repository)}${rest}`;
  const open =
    /^(\/repos\/[^/]+\/[^/]+\/(?:contents|git\/ref|git\/refs|git\/matching-refs|branches|compare)\/)(.+)$/.exec(named);
  if (open !== null) return `${open[1]}${(open[2] ?? '').replaceAll('/', '%2F')}`;
  const commit = /^(\/repos\/[^/]+\/[^/]+\/commits\/)(.+?)(\/check-runs)?$/.exec(named);
  return commit === null ? named : `${commit[1]}${(commit[2] ?? '').replaceAll('/', '%2F')}${commit[3] ?? ''}`;
}
