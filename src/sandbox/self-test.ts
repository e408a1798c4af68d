import { randomBytes } from 'node:crypto';
import { access, mkdtemp, readlink, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import type { CommandPlace, RunCommand } from './command-runner.ts';

const PROBE_TIMEOUT_MS = 15_000;

interface Probe {
  readonly port: number;
  readonly secretFile: string;
  readonly secret: string;
  readonly marker: string;
  /** Files that must not come into being on the host. */
  readonly forbidden: readonly string[];
  readonly connections: () => number;
}

/** Those of the sandbox itself, and of the way to the hosts. */
const ownVariables: ReadonlySet<string> = new Set([
  ...['PATH', 'HOME', 'TMPDIR', 'LANG', 'TERM', 'SHLVL', 'CI', 'PWD', 'OLDPWD', '_'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
  ...['JAVA_TOOL_OPTIONS', 'NODE_USE_ENV_PROXY'],
]);

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('expected a port, got none'));
      else resolve(address.port);
    });
  });
}

async function probe(run: RunCommand, plan: Probe): Promise<string | null> {
  const writes = plan.forbidden.map((file) => `echo leaked > '${file.replaceAll("'", "'\\''")}'`);
  const command = [
    `cat '${plan.secretFile.replaceAll("'", "'\\''")}'`,
    ...writes,
    `timeout 3 bash -c 'exec 3<>/dev/tcp/127.0.0.1/${plan.port}' && echo connected`,
    `echo "sockets: $(socat -u OPEN:/dev/null UNIX-CONNECT:/ 2>&1 | grep -c 'not permitted')"`,
    'for name in $(cat /proc/[0-9]*/environ | tr "\\0" "\\n" | cut -d= -f1); do echo "variable: $name"; done',
    'echo "descriptors: $(ls /proc/self/fd | tr "\\n" " ")"',
    'grep -E "^(NoNewPrivs|Seccomp|CapEff):" /proc/self/status',
    'test ! -w /proc/sys/kernel/hostname || echo settings',
    'readlink /proc/self/ns/ipc',
    `echo ${plan.marker}`,
  ].join('\n');
  const result = await run(`exec 2>/dev/null\n${command}`, {
    timeoutMs: PROBE_TIMEOUT_MS,
    signal: new AbortController().signal,
  });
  if (!result.output.includes(plan.marker)) return result.exceeded ?? cutShort(result.output);
  if (result.output.includes(plan.secret)) return 'a file outside could be read';
  if (result.output.includes('connected') || plan.connections() > 0) return 'a connection could be made';
  if (!/NoNewPrivs:\s+1/.test(result.output)) return 'new privileges are not ruled out';
  if (!/Seccomp:\s+2/.test(result.output)) return 'the system-call filter is not in force';
  if (!/CapEff:\s+0+\n/.test(result.output)) return 'capabilities are left';
  for (const file of plan.forbidden) {
    if (await exists(file)) return 'a file outside could be written';
  }
  if (result.output.includes('settings\n')) return 'settings of the kernel can be written';
  if (result.output.includes(await readlink('/proc/self/ns/ipc'))) return 'memory is shared with other processes';
  if (!result.output.includes('sockets: 1\n')) return 'local sockets are not refused';
  const names = [...result.output.matchAll(/^variable: (.+)$/gm)].map(([, name = '']) => name);
  if (names.length === 0 || names.some((name) => !ownVariables.has(name))) return 'variables of the host are inside';
  // Input, two outputs, and the list itself.
  if (!result.output.includes('descriptors: 0 1 2 3 \n')) return 'open files of the host are inside';
  return null;
}

/** With what bubblewrap says, e.g. where the host gives it no user namespace. */
function cutShort(output: string): string {
  const said = /^bwrap: [ -~]{1,200}/m.exec(output)?.[0];
  return `a probe did not run to its end${said === undefined ? '' : ` (${said.trimEnd()})`}`;
}

/**
 * Tries what must fail: reading a planted secret, writing outside, connecting. Answers what got through, or `null`
 * where nothing did and a command that may run did run.
 */
export async function testSandbox(place: CommandPlace, run: RunCommand): Promise<string | null> {
  const outside = await mkdtemp(path.join(path.dirname(place.scratch), 'probe-'));
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  try {
    const name = `probe-${randomBytes(8).toString('hex')}`;
    const secret = randomBytes(16).toString('hex');
    const secretFile = path.join(outside, 'secret');
    await writeFile(secretFile, secret, { mode: 0o600 });
    const inTree = path.join(place.checkout, name);
    return await probe(run, {
      port: await listen(server),
      secretFile,
      secret,
      marker: `end-${randomBytes(8).toString('hex')}`,
      forbidden: [
        path.join(outside, name),
        path.join(place.checkout, '.git', name),
        ...(place.writable ? place.readOnly.slice(0, 1).map((held) => path.join(place.checkout, held, name)) : []),
        ...(place.writable ? [] : [inTree]),
      ],
      connections: () => connections,
    });
  } finally {
    server.close();
    await rm(outside, { recursive: true, force: true });
  }
}
