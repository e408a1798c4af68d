import type { RunSpec } from '../agent/run-protocol.ts';
import type { ThreadRef } from '../github/github.ts';
import { formatThreadKey } from '../github/identifiers.ts';
import type { Policy } from '../lifecycle/policy.ts';
import { type AuditPorts, auditNews } from './audit-log.ts';
import type { RunRecord } from './run-record.ts';

/** Of the hosts that a repository lists, those that the operator allows, and the others. */
export function splitHosts(
  listed: readonly string[],
  allowed: readonly string[],
): { readonly hosts: readonly string[]; readonly refused: readonly string[] } {
  const distinct = [...new Set(listed)];
  return {
    hosts: distinct.filter((host) => allowed.includes(host)),
    refused: distinct.filter((host) => !allowed.includes(host)),
  };
}

export interface HostsOrder {
  readonly thread: ThreadRef;
  readonly run: RunRecord;
  readonly policy: Policy;
  /** What the operator allows. */
  readonly allowed: readonly string[];
}

/** What commands of a run may reach: nothing while it plans. What the operator refuses goes to the audit log, once a thread. */
export async function hostsOf(ports: AuditPorts, order: HostsOrder): Promise<Pick<RunSpec, 'hosts'>> {
  const { thread, run, policy, allowed } = order;
  if (run.phase === 'plan') return {};
  const { hosts, refused } = splitHosts(policy.hosts, allowed);
  if (refused.length > 0) {
    const detail = `${refused.join(', ')}: not in PLANWRIGHT_SANDBOX_HOSTS; commands go on without`;
    await auditNews(ports, { thread: formatThreadKey(thread), run: run.id, event: 'hosts_refused', detail }, 'thread');
  }
  return hosts.length === 0 ? {} : { hosts };
}
