/** A run's process that does nothing but run the command in its issue's request, with a host that it may reach. */
import type { HostMessage } from '../../src/agent/run-protocol.ts';
import { createCommandRunner } from '../../src/sandbox/command-runner.ts';

process.on('message', async (message: HostMessage) => {
  if (message.kind !== 'start') return;
  const { checkout, scratch, hosts = [], checks } = message.spec;
  const runner = await createCommandRunner({ checkout, scratch, writable: true, readOnly: ['AGENTS.md'], hosts });
  if (!runner.available) throw new Error(runner.reason);
  for (const check of checks) await runner.run(check, { timeoutMs: 60_000, signal: new AbortController().signal });
});
