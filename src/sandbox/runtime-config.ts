import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SandboxRuntimeConfig } from '@anthropic-ai/sandbox-runtime';
import type { CommandPlace } from './command-runner.ts';

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

/** The filter that the sandbox loads inside itself: it must be readable there, or every command ends with 127. */
function seccompFolder(): string {
  const entry = createRequire(import.meta.url).resolve('@anthropic-ai/sandbox-runtime');
  return path.join(path.dirname(entry), '..', 'vendor', 'seccomp');
}

/**
 * The one configuration of a process. Reads are an allow-list, writes reach the run's own folders, the network list is
 * empty and strict. `.git` is denied by name because the runtime's own protection looks at the working directory of
 * this process, not at the checkout.
 */
export function runtimeConfig(place: CommandPlace, findProgram: (name: string) => string | null): SandboxRuntimeConfig {
  const literal = (folder: string) => ({ path: folder, literal: true as const });
  const own = [literal(place.checkout), literal(place.scratch)];
  const readable = [...SYSTEM, path.dirname(process.execPath), seccompFolder(), relay];
  const bwrapPath = findProgram('bwrap');
  return {
    network: { allowedDomains: [], deniedDomains: [], strictAllowlist: true },
    filesystem: {
      denyRead: ['/'],
      allowRead: [...own, ...readable.map(literal)],
      allowWrite: place.writable ? own : [literal(place.scratch)],
      denyWrite: [literal(path.join(place.checkout, '.git'))],
    },
    ripgrep: { command: findProgram('rg') ?? 'rg' },
    socatPath: relay,
    ...(bwrapPath === null ? {} : { bwrapPath }),
  };
}
