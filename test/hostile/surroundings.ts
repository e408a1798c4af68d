/** What lies around a hostile agent's checkout: secrets of every kind, other runs, the host's git, processes and listeners. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { ReadOnlyCheckout, WritableCheckout } from '../../src/workspace/workspace.ts';
import { approvedWork } from '../engine/approved-work.ts';
import { useGitServer } from '../workspace/workspace-fixture.ts';
import { addressOfHost, type Listeners, openListeners } from './listeners.ts';

type Work = Awaited<ReturnType<typeof approvedWork>>;

export interface Surroundings extends Work {
  readonly folder: string;
  readonly own: ReadOnlyCheckout | WritableCheckout;
  readonly scratch: string;
  readonly listeners: Listeners;
  /** A process of the host that holds secrets in its environment and its arguments. */
  readonly victim: ChildProcess;
  readonly secrets: readonly string[];
  /** What a command prints where it got through. */
  readonly won: string;
  /** A word in the arguments of whatever an attempt leaves running. */
  readonly mark: string;
  readonly placeholders: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

/** Planted in the place of secrets; each is told from the others by where it lies. */
function newSecret(where: string): string {
  return `planted-${where}-${randomBytes(9).toString('hex')}`;
}

function write(place: string, text: string, mode = 0o600): void {
  mkdirSync(join(place, '..'), { recursive: true });
  writeFileSync(place, text, { mode });
}

/** What a repository, an earlier command or a mistake of the host could have left in the tree. */
function plantInTree(tree: string, outside: string, data: string): void {
  chmodSync(tree, 0o755);
  const planted = join(tree, 'planted');
  mkdirSync(planted);
  const links: readonly (readonly [string, string])[] = [
    ['file', join(outside, 'secret')],
    ['folder', outside],
    ['data', data],
    ['up', '../../..'],
    ['environ', '/proc/self/environ'],
    ['first-environ', '/proc/1/environ'],
    ['processes', '/proc'],
    ['root', '/proc/self/root'],
    ['chain', 'file'],
    ['dangling', '../../../escaped'],
    ['git', '../.git'],
    ['loop', 'loop'],
    ['zero', '/dev/zero'],
    ['passwords', '/etc/shadow'],
  ];
  for (const [name, target] of links) symlinkSync(target, join(planted, name));
  linkSync(join(outside, 'hard'), join(planted, 'hard'));
  execFileSync('mkfifo', [join(planted, 'pipe')]);
}

function startVictim(secret: { readonly environment: string; readonly argument: string }): Promise<ChildProcess> {
  const env = { ANTHROPIC_API_KEY: secret.environment };
  const victim = spawn('/bin/sleep', ['3600'], { argv0: `sleep ${secret.argument}`, env, stdio: 'ignore' });
  return new Promise((done, fail) => {
    victim.once('error', fail).once('spawn', () => done(victim));
  });
}

function plantSecrets(folder: string, work: Work) {
  const secret = {
    file: newSecret('file'),
    hard: newSecret('hard'),
    home: newSecret('home'),
    key: newSecret('key'),
    database: newSecret('database'),
    other: newSecret('other-run'),
    git: newSecret('git'),
    environment: newSecret('environment'),
    argument: newSecret('argument'),
    own: newSecret('own-environment'),
  };
  const [outside, home] = [join(folder, 'outside'), join(folder, 'home')];
  write(join(outside, 'secret'), `${secret.file}\n`, 0o644);
  write(join(outside, 'hard'), `${secret.hard}\n`, 0o644);
  write(join(home, '.ssh/id_ed25519'), `${secret.home}\n`);
  write(join(home, '.bashrc'), '# nothing\n');
  write(join(home, '.npmrc'), `//registry.example/:_authToken=${secret.home}\n`);
  write(join(work.root, 'private-key.pem'), `${secret.key}\n`);
  write(join(work.root, 'database/base/1'), `${secret.database}\n`);
  write(join(work.root, 'git/config.worktree'), `[http]\n\textraHeader = ${secret.git}\n`);
  return { secret, outside, home };
}

const appFolder = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const namespaceOf = (kind: string) => readlinkSync(`/proc/self/ns/${kind}`);
const namespaces = ['mnt', 'pid', 'net', 'ipc', 'uts', 'user'].map(namespaceOf);

/** Those of a test file: made by its first test, as the git server is there once a test begins, and closed before it. */
export function useSurroundings(phase: 'plan' | 'implement'): () => Promise<Surroundings> {
  let made: Promise<Surroundings> | null = null;
  after(async () => (await made)?.close());
  useGitServer();
  return () => {
    made ??= surround(phase);
    return made;
  };
}

/** @param phase in `plan` the agent's checkout is read-only; the run of the other phase is another run's */
async function surround(phase: 'plan' | 'implement'): Promise<Surroundings> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hostile-')));
  const work = await approvedWork();
  const { workspaces, repository, head, root, forge, server } = work;
  const { secret, outside, home } = plantSecrets(folder, work);
  const plan = await workspaces.readOnlyCheckout(repository, head, 'r3');
  const [own, other] = phase === 'plan' ? [plan, 'r1'] : [work.checkout, 'r3'];
  const scratch = await workspaces.scratch(phase === 'plan' ? 'r3' : 'r1');
  write(join(await workspaces.scratch(other), 'secret'), `${secret.other}\n`);
  plantInTree(own.path, outside, root);
  if (phase === 'plan') chmodSync(own.path, 0o555);
  const abstract = `planwright-${randomBytes(6).toString('hex')}`;
  const sockets = [join(outside, 'agent.sock'), join(scratch, 'agent.sock')];
  const listeners = await openListeners(sockets, abstract);
  const victim = await startVictim(secret);
  process.env.ANTHROPIC_API_KEY = secret.own;
  const [won, mark] = [`got-${randomBytes(6).toString('hex')}`, `77.${randomInt(1e9, 9e9)}`];
  const placeholders = {
    ...{ folder, outside, home, data: root, checkout: own.path, scratch, forge, forgeUrl: `${server.url}/octo/` },
    ...{ otherRun: join(root, 'runs', other), mirror: join(root, 'mirrors', `${repository.id}.git`) },
    ...{ port: String(listeners.port), udpPort: String(listeners.udpPort), address: addressOfHost() },
    ...{ socket: sockets[0] ?? '', nearSocket: sockets[1] ?? '', abstract, realHome: homedir() },
    ...{ pid: String(victim.pid), host: String(process.pid), won, mark, temporary: tmpdir(), head },
    ...{ app: appFolder, namespaces: namespaces.join(' '), ns_net: namespaceOf('net'), ns_ipc: namespaceOf('ipc') },
  };
  return {
    ...{ ...work, folder, own, scratch, listeners, victim, won, mark },
    secrets: [...Object.values(secret), server.token],
    placeholders: new Map([...Object.entries(placeholders), ...systemCalls()]),
    close: async () => {
      delete process.env.ANTHROPIC_API_KEY;
      victim.kill('SIGKILL');
      await listeners.close();
      for (const run of ['r1', 'r3']) await workspaces.remove(run);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Numbers of system calls that have no program of their own, on x86-64 and on arm64; `{call_ptrace}` and so on. */
function systemCalls(): readonly (readonly [string, string])[] {
  const numbers: readonly (readonly [name: string, x64: number, arm64: number])[] = [
    ['ptrace', 101, 117],
    ['process_vm_readv', 310, 270],
    ['pidfd_open', 434, 434],
    ['io_uring_setup', 425, 425],
    ['bpf', 321, 280],
    ['userfaultfd', 323, 282],
    ['keyctl', 250, 219],
    ['add_key', 248, 217],
    ['mount', 165, 40],
    ['fsopen', 430, 430],
    ['pivot_root', 155, 41],
    ['unshare', 272, 97],
    ['setns', 308, 268],
    ['init_module', 175, 105],
    ['kexec_load', 246, 104],
    ['perf_event_open', 298, 241],
    ['open_by_handle_at', 304, 265],
    ['reboot', 169, 142],
    ['settimeofday', 164, 170],
    ['acct', 163, 89],
    ['setuid', 105, 146],
    ['socket', 41, 198],
    ['socketpair', 53, 199],
  ];
  return numbers.map(([name, x64, arm64]) => [`call_${name}`, String(process.arch === 'arm64' ? arm64 : x64)]);
}
