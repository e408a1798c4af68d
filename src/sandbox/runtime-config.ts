import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SandboxRuntimeConfig } from '@anthropic-ai/sandbox-runtime';
import type { CommandPlace } from './command-runner.ts';
import { findProgram } from './programs.ts';

/** What programs need of the system; no key, no account's secret, no home folder, no data of this app. */
const SYSTEM: readonly string[] = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/etc/alternatives',
  '/etc/group',
  '/etc/hosts',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/localtime',
  '/etc/nsswitch.conf',
  '/etc/passwd',
  '/etc/ssl/certs',
];

const relay = fileURLToPath(new URL('./relay-bound-to-parent.sh', import.meta.url));

/** Runs the sandbox's program with what the runtime does not ask of it. */
const bwrapApart = fileURLToPath(new URL('./bwrap-apart.sh', import.meta.url));

/** What no command may write in a checkout that it may write. */
export function heldIn(place: CommandPlace): readonly string[] {
  return place.writable ? ['.git', ...place.readOnly] : [];
}

/** The filter that the sandbox loads inside itself: it must be readable there, or every command ends with 127. */
function seccompFolder(): string {
  const entry = createRequire(import.meta.url).resolve('@anthropic-ai/sandbox-runtime');
  return path.join(path.dirname(entry), '..', 'vendor', 'seccomp');
}

/** The runtime would let every command of every sandbox write there. As if it held credentials, it is shown to none. */
const SHARED = '/tmp/claude';

/**
 * No allowed name may lead into the operator's own networks, or by a tunnel to an address that an address holds; loopback,
 * link-local, multicast, the known metadata services and the host's own addresses the runtime refuses of itself. The
 * address that was looked at is the one that is dialled.
 * Sources: https://www.iana.org/assignments/iana-ipv4-special-registry, https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const PRIVATE_NETWORKS: readonly string[] = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '240.0.0.0/4',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fec0::/10',
];

/** Those of HTTPS and HTTP: what package registries are reached by. */
const PORTS = [443, 80] as const;

/**
 * The one configuration of a process. Reads are an allow-list, writes reach the run's own folders but for what is held
 * there, and the network list is strict. `.git` is denied by name because the runtime's own protection looks at the
 * working directory of this process, not at the checkout.
 * @param sockets folders of the proxy's sockets, where there is one.
 */
export function runtimeConfig(place: CommandPlace, sockets: readonly string[]): SandboxRuntimeConfig {
  const literal = (folder: string) => ({ path: folder, literal: true as const });
  const own = [literal(place.checkout), literal(place.scratch)];
  const readable = [...SYSTEM, path.dirname(process.execPath), seccompFolder(), relay, ...sockets];
  return {
    network: {
      allowedDomains: place.hosts.flatMap((host) => PORTS.map((port) => `${host}:${port}`)),
      deniedDomains: [],
      strictAllowlist: true,
      deniedResolvedAddresses: [...PRIVATE_NETWORKS],
    },
    filesystem: {
      denyRead: ['/'],
      allowRead: [...own, ...readable.map(literal)],
      allowWrite: place.writable ? own : [literal(place.scratch)],
      denyWrite: heldIn(place).map((name) => literal(path.join(place.checkout, name))),
    },
    credentials: { files: [{ path: SHARED, mode: 'deny' }] },
    ripgrep: { command: findProgram('rg') ?? 'rg' },
    socatPath: relay,
    bwrapPath: bwrapApart,
  };
}
