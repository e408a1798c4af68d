/** Git's smart HTTP protocol for the bare repositories, by git's own `http-backend`, with GitHub's rules of access. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type Actor, actingAccount, may, reaches } from './access.ts';
import type { Forge } from './forge.ts';
import { NO_WORKFLOWS_VARIABLE, PUSH_LOG_VARIABLE } from './git-hooks.ts';
import { GIT_ENVIRONMENT } from './git-repository.ts';
import { findRenamedRepository, findRepository, fullName } from './lookup.ts';
import { afterPush } from './operations.ts';
import type { Outgoing } from './outgoing.ts';
import type { Credential } from './rest/call.ts';
import type { Repository } from './state.ts';

export interface GitRequest {
  readonly method: string;
  readonly owner: string;
  readonly name: string;
  readonly action: 'info/refs' | 'git-upload-pack' | 'git-receive-pack';
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  readonly credential: Credential;
}

/** No name of a repository or owner begins with a dash or a dot: nothing here can be taken for an option or a parent. */
const PATH =
  /^\/([A-Za-z0-9_][\w.-]*)\/([A-Za-z0-9_][\w.-]*?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/;

const ACTIONS = ['info/refs', 'git-upload-pack', 'git-receive-pack'] as const;

/** The parts of a path that git asks for; `null` for any other path. */
export function parseGitPath(pathname: string): Pick<GitRequest, 'owner' | 'name' | 'action'> | null {
  const [, owner, name, word] = PATH.exec(pathname) ?? [];
  const action = ACTIONS.find((each) => each === word);
  if (owner === undefined || name === undefined || action === undefined) return null;
  return { owner, name, action };
}

function refuse(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Outgoing {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body: `${text}\n` };
}

/** The service that a request is part of; `null` for the dumb protocol. */
function serviceOf(request: GitRequest): 'git-upload-pack' | 'git-receive-pack' | null {
  if (request.action !== 'info/refs') return request.action;
  const service = new URLSearchParams(request.query).get('service');
  return service === 'git-upload-pack' || service === 'git-receive-pack' ? service : null;
}

/** Serves one request. A push has had its effect on pull requests before it is answered. */
export async function serveGit(forge: Forge, request: GitRequest): Promise<Outgoing> {
  const { credential } = request;
  const service = serviceOf(request);
  if (service === null) return refuse(403, 'Please upgrade your git client.');
  if (credential.kind !== 'token') {
    return refuse(401, 'Authentication required', { 'www-authenticate': 'Basic realm="GitHub"' });
  }
  const repository = findRepository(forge, request.owner, request.name);
  if (repository === null) return redirectOrMissing(forge, request);
  const refused = refuseAccess(credential.actor, repository, service);
  if (refused !== null) return refused;
  if (request.action !== 'git-receive-pack') return runBackend(forge, repository, request, {});
  return push(forge, credential.actor, repository, request);
}

function redirectOrMissing(forge: Forge, request: GitRequest): Outgoing {
  const renamed = findRenamedRepository(forge, request.owner, request.name);
  if (renamed === null) return refuse(404, 'Repository not found.');
  const query = request.query === '' ? '' : `?${request.query}`;
  return refuse(301, 'Moved', { location: `${forge.webUrl}/${fullName(renamed)}.git/${request.action}${query}` });
}

function refuseAccess(actor: Actor, repository: Repository, service: string): Outgoing | null {
  if (!reaches(actor, repository)) return refuse(404, 'Repository not found.');
  const isPush = service === 'git-receive-pack';
  const access = isPush ? 'write' : 'read';
  if (!may(actor, repository, { permissions: ['contents'], access, role: access })) {
    return refuse(403, isPush ? 'Write access to repository not granted.' : 'Repository access not granted.');
  }
  if (isPush && repository.archived) return refuse(403, 'This repository was archived so it is read-only.');
  return null;
}

async function push(forge: Forge, actor: Actor, repository: Repository, request: GitRequest): Promise<Outgoing> {
  const scratch = mkdtempSync(path.join(repository.gitDir, 'push-'));
  const log = path.join(scratch, 'refs');
  const workflows = { permissions: ['workflows'], access: 'write', role: 'write' } as const;
  try {
    const outgoing = await runBackend(forge, repository, request, {
      [PUSH_LOG_VARIABLE]: log,
      [NO_WORKFLOWS_VARIABLE]: may(actor, repository, workflows) ? '0' : '1',
    });
    for (const line of readLines(log)) {
      const [before = '', after = '', ref = ''] = line.split(' ');
      afterPush(forge, actor, repository, ref, before, after);
    }
    return outgoing;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** None where nothing was pushed: the hook did not run. */
function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}

function backendEnvironment(forge: Forge, repository: Repository, request: GitRequest): Record<string, string> {
  const { headers, credential } = request;
  return {
    ...GIT_ENVIRONMENT,
    GIT_PROJECT_ROOT: forge.gitRoot,
    GIT_HTTP_EXPORT_ALL: '1',
    GIT_PROTOCOL: headers['git-protocol'] ?? '',
    PATH_INFO: `/${path.basename(repository.gitDir)}/${request.action}`,
    QUERY_STRING: request.query,
    REQUEST_METHOD: request.method,
    CONTENT_TYPE: headers['content-type'] ?? '',
    CONTENT_LENGTH: String(request.body.length),
    HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
    REMOTE_ADDR: '127.0.0.1',
    REMOTE_USER: credential.kind === 'token' ? actingAccount(credential.actor).login : '',
  };
}

function runBackend(
  forge: Forge,
  repository: Repository,
  request: GitRequest,
  env: Readonly<Record<string, string>>,
): Promise<Outgoing> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['http-backend'], {
      env: { ...backendEnvironment(forge, repository, request), ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const output: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.on('error', reject);
    child.on('close', () => resolve(parseCgi(Buffer.concat(output))));
    child.stdin.on('error', () => child.stdin.destroy());
    child.stdin.end(request.body);
  });
}

/** A CGI answer: header lines, `Status` among them, a blank line, the body. */
function parseCgi(output: Buffer): Outgoing {
  const end = output.indexOf('\r\n\r\n');
  if (end < 0) return refuse(500, 'git gave no answer');
  const headers: Record<string, string> = {};
  let status = 200;
  for (const line of output.subarray(0, end).toString().split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === 'status') status = Number.parseInt(value, 10);
    else headers[name] = value;
  }
  return { status, headers, body: output.subarray(end + 4) };
}
