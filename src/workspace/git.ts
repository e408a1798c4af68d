/** The one way to call git: through simple-git, with the settings of `git-settings.ts` and nothing of the machine's own. */
import { inspect } from 'node:util';
import { type SimpleGitOptions, simpleGit } from 'simple-git';
import { type GitHost, gitConfig, gitEnvironment } from './git-settings.ts';
import { WorkspaceError } from './workspace.ts';

export interface GitCall {
  /** Without the global options. A value from outside stands after `--` or has been checked not to be an option. */
  readonly args: readonly string[];
  readonly gitDir?: string;
  readonly workTree?: string;
  readonly index?: string;
  /** Author and committer. */
  readonly identity?: Identity;
  /** What git reads from its standard input; not empty. */
  readonly input?: string | Buffer;
  /** Present where the call talks to `url`; the token is sent there and nowhere else. A folder takes none: it is empty. */
  readonly remote?: { readonly url: string; readonly token: string };
  /** Whether symbolic links are made as links; default false: as small text files. */
  readonly symlinks?: boolean;
  /** Only for a command that knows no literal paths; such paths begin with `./`. */
  readonly literalPaths?: false;
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
}

export interface Identity {
  readonly name: string;
  readonly email: string;
}

export interface GitResult {
  /** `null` where git was ended by a signal. */
  readonly code: number | null;
  readonly stdout: Buffer;
  /** Free of the token. */
  readonly stderr: string;
  readonly stopped: 'time limit' | 'output limit' | 'shutdown' | null;
}

export interface Git {
  /** Runs git to its end, whatever that is. @throws {WorkspaceError} only where git could not be started. */
  attempt(call: GitCall): Promise<GitResult>;
  /** Standard output of a call that must end with 0. @throws {WorkspaceError} with git's own words. */
  bytes(call: GitCall): Promise<Buffer>;
  /** The same as text, without the last line ending. */
  text(call: GitCall): Promise<string>;
  /** Runs a command that ends with 0 or 1 where nothing went wrong. @throws {WorkspaceError} with git's own words. */
  answer(call: GitCall): Promise<GitResult & { readonly code: 0 | 1 }>;
}

const localTimeoutMs = 300_000;
const defaultMaxOutputBytes = 256 * 1024 * 1024;

/** Git on this machine. Nothing is checked here: see `probeGit`. */
export function createGit(host: GitHost): Git {
  const bytes = async (call: GitCall): Promise<Buffer> => {
    const result = await attempt(host, call);
    if (result.code !== 0 || result.stopped !== null) throw failure(call, result);
    return result.stdout;
  };
  return {
    attempt: (call) => attempt(host, call),
    bytes,
    text: async (call) => (await bytes(call)).toString('utf8').replace(/\n$/, ''),
    answer: async (call) => {
      const result = await attempt(host, call);
      const { code, stopped } = result;
      if (stopped !== null || (code !== 0 && code !== 1)) throw failure(call, result);
      return { ...result, code };
    },
  };
}

/** What went wrong, in git's own words. */
export function failure(call: GitCall, result: GitResult): WorkspaceError {
  const what = result.stopped === null ? `exit code ${result.code ?? 'none'}` : `stopped by the ${result.stopped}`;
  const words = result.stderr.trim().slice(0, 2000);
  return new WorkspaceError(`git ${call.args[0] ?? ''}: ${what}${words === '' ? '' : `: ${words}`}`);
}

async function attempt(host: GitHost, call: GitCall): Promise<GitResult> {
  if (call.input !== undefined && call.input.length === 0) {
    throw new WorkspaceError(`expected input for git ${call.args[0] ?? ''}, got none; leave the call out`);
  }
  const variables = environment(host, call);
  const output = collectOutput(call.maxOutputBytes ?? defaultMaxOutputBytes);
  const time = new AbortController();
  const timer = setTimeout(() => time.abort(), call.timeoutMs ?? localTimeoutMs);
  const abort = AbortSignal.any([time.signal, output.overflow, ...(host.signal === null ? [] : [host.signal])]);
  const ended: Ended = { code: 0, stderr: Buffer.alloc(0) };
  const raised = await runGit(options(host, call, { variables, abort, ended }), variables, call, output.take).finally(
    () => clearTimeout(timer),
  );
  const stopped =
    output.overflow.aborted || (abort.aborted && raised !== null) ? stoppedBy(time.signal, output.overflow) : null;
  const stderr = scrub(ended.stderr.toString('utf8'), call);
  if (raised !== null && stopped === null && (ended.code === 0 || (ended.code ?? 0) < 0)) {
    throw notStarted(ended.code === 0 ? raised : stderr);
  }
  return { code: ended.code, stdout: output.bytes(), stderr, stopped };
}

/** What simple-git raised; `null` where git ended with 0. */
async function runGit(
  settings: Partial<SimpleGitOptions>,
  variables: Record<string, string>,
  call: GitCall,
  take: (chunk: Buffer) => void,
): Promise<unknown> {
  const git = simpleGit(settings).env(variables);
  git.outputHandler((_command, stdout) => {
    stdout.on('data', take);
    // simple-git waits 50 ms for late output where a call printed none; at the stream's end there is none to come.
    stdout.once('end', () => stdout.emit('data', Buffer.alloc(0)));
  });
  return git.raw(argumentsOf(call)).then(
    () => null,
    (error: unknown) => error,
  );
}

interface Ended {
  code: number | null;
  stderr: Buffer;
}

function options(
  host: GitHost,
  call: GitCall,
  { variables, abort, ended }: { variables: Record<string, string>; abort: AbortSignal; ended: Ended },
): Partial<SimpleGitOptions> {
  return {
    baseDir: host.home,
    abort,
    config: [...gitConfig(host), ...callConfig(call)],
    // A helper that outlives git holds the pipes; it must not hold the call.
    completion: { onClose: true, onExit: 500 },
    ...(call.input === undefined ? {} : { input: () => call.input }),
    errors: (error, result) => {
      ended.code = result.exitCode;
      ended.stderr = Buffer.concat(result.stdErr);
      return result.exitCode === 0 ? error : new Error(`exit code ${result.exitCode}`);
    },
    ...guards(variables),
  };
}

/** The helper that speaks HTTP is not ended with git; it gives a silent server up by itself. */
function callConfig(call: GitCall): string[] {
  const silenceSeconds = Math.min(30, Math.ceil((call.timeoutMs ?? localTimeoutMs) / 1000));
  return [`core.symlinks=${call.symlinks ?? false}`, `http.lowSpeedTime=${silenceSeconds}`, 'http.lowSpeedLimit=1'];
}

function argumentsOf(call: GitCall): string[] {
  return [
    ...(call.gitDir === undefined ? [] : [`--git-dir=${call.gitDir}`]),
    ...(call.workTree === undefined ? [] : [`--work-tree=${call.workTree}`]),
    ...call.args,
  ];
}

/** simple-git tells of what it is given where the variable DEBUG asks for that: of the token it must not. */
const untold = { [inspect.custom]: () => '[the environment]' };

function environment(host: GitHost, call: GitCall): Record<string, string> {
  return {
    ...untold,
    ...gitEnvironment(host),
    ...(call.literalPaths === undefined ? {} : { GIT_LITERAL_PATHSPECS: '0' }),
    ...(call.index === undefined ? {} : { GIT_INDEX_FILE: call.index }),
    ...(call.identity === undefined ? {} : identityVariables(call.identity)),
    ...(call.remote === undefined || call.remote.token === '' ? {} : tokenVariables(call.remote)),
  };
}

function identityVariables({ name, email }: Identity): Record<string, string> {
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
}

/** Configuration by environment: neither in a command line, which every user of the machine can read, nor in a file. */
function tokenVariables({ url, token }: { url: string; token: string }): Record<string, string> {
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${originOf(url)}/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${credentials(token)}`,
  };
}

function originOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username === '' && parsed.password === '') {
    return parsed.origin;
  }
  throw new WorkspaceError('expected an http(s) address of a repository without credentials, got another; see gitUrl');
}

function credentials(token: string): string {
  return Buffer.from(`x-access-token:${token}`).toString('base64');
}

/** The text without the call's token in any form that is sent. */
export function scrub(text: string, call: GitCall): string {
  if (call.remote === undefined || call.remote.token === '') return text;
  const { token } = call.remote;
  return text.replaceAll(token, '[token]').replaceAll(credentials(token), '[token]');
}

/** simple-git refuses most of the settings above unless each is named; all values are this module's own. */
function guards(variables: Record<string, string>) {
  return {
    allowEnvironment: Object.keys(variables),
    unsafe: {
      allowUnsafeAskPass: true,
      allowUnsafeConfigEnvCount: true,
      allowUnsafeConfigPaths: true,
      allowUnsafeCredentialHelper: true,
      allowUnsafeEditor: true,
      allowUnsafeFsMonitor: true,
      allowUnsafeHooksPath: true,
      allowUnsafeProtocolOverride: true,
      allowUnsafeTemplateDir: true,
    },
  };
}

function collectOutput(maxBytes: number) {
  const chunks: Buffer[] = [];
  const overflow = new AbortController();
  let size = 0;
  return {
    overflow: overflow.signal,
    take(chunk: Buffer): void {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else overflow.abort();
    },
    bytes: () => Buffer.concat(chunks),
  };
}

function stoppedBy(time: AbortSignal, overflow: AbortSignal): 'time limit' | 'output limit' | 'shutdown' {
  if (overflow.aborted) return 'output limit';
  return time.aborted ? 'time limit' : 'shutdown';
}

function notStarted(raised: unknown): WorkspaceError {
  const words = (raised instanceof Error ? raised.message : String(raised)).split('\n')[0];
  return new WorkspaceError(`expected git to start, got: ${words}; install git 2.39 or later`);
}
