/** A forge's git over smart HTTP: `git http-backend` behind Basic authentication, over real bare repositories. */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly body?: string; readonly location?: string }
  /** Never answers. */
  | { readonly kind: 'hang' }
  /** Lets the repository do its work and cuts the connection instead of answering. */
  | { readonly kind: 'cut' };

export interface GitServer {
  readonly folder: string;
  readonly url: string;
  readonly token: string;
  /** `GET /o/r.git/info/refs?service=…` and the like, in order. */
  readonly requests: string[];
  /** What to do instead of answering well; asked for each request. */
  fault: (request: IncomingMessage) => Fault | null;
  /** Called before a push's pack reaches the repository. */
  beforeReceive: () => void;
  repository(path: string): string;
  close(): Promise<void>;
}

export async function startGitServer(): Promise<GitServer> {
  const folder = mkdtempSync(join(tmpdir(), 'forge-'));
  const template = join(folder, 'template.git');
  git(folder, ['init', '--quiet', '--bare', '-b', 'main', template]);
  git(template, ['config', 'http.receivepack', 'true']);
  const token = 'ghs_CANARY0123456789';
  const server = createServer((request, response) => answer(request, response));
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const self: GitServer = {
    folder,
    url: `http://127.0.0.1:${port}`,
    token,
    requests: [],
    fault: () => null,
    beforeReceive: () => undefined,
    repository(path) {
      const gitDir = join(folder, path);
      cpSync(template, gitDir, { recursive: true });
      return gitDir;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return self;

  function answer(request: IncomingMessage, response: ServerResponse): void {
    self.requests.push(`${request.method} ${request.url}`);
    const expected = `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
    const fault = self.fault(request);
    if (fault?.kind === 'hang') return;
    if (fault?.kind === 'status') {
      response
        .writeHead(fault.status, { 'content-type': 'text/plain', location: fault.location ?? '' })
        .end(fault.body ?? '');
      return;
    }
    if (request.headers.authorization !== expected) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    if (request.url?.endsWith('/git-receive-pack')) self.beforeReceive();
    backend(folder, request, response, fault?.kind === 'cut');
  }
}

function backend(root: string, request: IncomingMessage, response: ServerResponse, isCut: boolean): void {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: path,
      QUERY_STRING: query,
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_USER: 'x-access-token',
    },
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => undefined);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => {
    if (isCut) return response.destroy();
    const output = Buffer.concat(chunks);
    const end = output.indexOf('\r\n\r\n');
    const headers = output.subarray(0, end).toString('latin1').split('\r\n');
    for (const line of headers) {
      const [name = '', value = ''] = line.split(/: (.*)/s);
      if (name === 'Status') response.statusCode = Number(value.slice(0, 3));
      else response.setHeader(name, value);
    }
    response.end(output.subarray(end + 4));
  });
}

/** Git as a maintainer runs it. */
export function git(cwd: string, args: readonly string[], input?: string | Buffer): string {
  const env = {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Maintainer',
    GIT_AUTHOR_EMAIL: 'maintainer@example.com',
    GIT_COMMITTER_NAME: 'Maintainer',
    GIT_COMMITTER_EMAIL: 'maintainer@example.com',
  };
  return execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'], input }).trim();
}

type File = string | Buffer | readonly [mode: string, content: string];

/** Commits files on a branch of a bare repository and returns the commit. `null` deletes; `[mode, content]` sets the mode. */
export function commitFiles(gitDir: string, files: Readonly<Record<string, File | null>>, branch = 'main'): string {
  const ref = `refs/heads/${branch}`;
  const known = git(gitDir, ['for-each-ref', '--format=%(objectname)', ref]);
  const parts: Buffer[] = [
    Buffer.from(`commit ${ref}\ncommitter Maintainer <maintainer@example.com> 1767225600 +0000\n`),
    data('a change'),
    Buffer.from(known === '' ? '' : `from ${known}\n`),
    ...Object.entries(files).flatMap(([path, file]) => fileCommand(path, file)),
  ];
  git(gitDir, ['fast-import', '--quiet'], Buffer.concat(parts));
  return git(gitDir, ['for-each-ref', '--format=%(objectname)', ref]);
}

/** Adds so many commits, each of a file of its own, to `main`, and returns the last. */
export function commitMany(gitDir: string, count: number): string {
  const ref = 'refs/heads/main';
  const parent = git(gitDir, ['rev-parse', ref]);
  const commits = Array.from({ length: count }, (_, at) => {
    const from = at === 0 ? `from ${parent}\n` : '';
    const head = `commit ${ref}\ncommitter Maintainer <maintainer@example.com> 1767225600 +0000\ndata 1\nx\n`;
    return `${head}${from}M 100644 inline many/${at}\ndata 2\nx\n\n`;
  });
  git(gitDir, ['fast-import', '--quiet'], commits.join(''));
  return git(gitDir, ['rev-parse', ref]);
}

function fileCommand(path: string, file: File | null): Buffer[] {
  if (file === null) return [Buffer.from(`D ${path}\n`)];
  const [mode, content] = typeof file === 'string' || Buffer.isBuffer(file) ? ['100644', file] : file;
  if (mode === '160000') return [Buffer.from(`M ${mode} ${content.toString()} ${path}\n`)];
  return [Buffer.from(`M ${mode} inline ${path}\n`), data(content)];
}

function data(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')]);
}
