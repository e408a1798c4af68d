/**
 * Entry of a run's own process, forked by the host with an environment built from nothing. It waits for `start`, works,
 * says its result and ends. When it is told to stop, or its host is gone, it ends at once and takes its processes along.
 */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openHostChannel, type Port } from './host-channel.ts';
import { describeCrash, runAgent } from './run-agent.ts';
import { type RunSpec, temporaryPrefix } from './run-protocol.ts';

// A host that is killed cannot remove it.
process.once('exit', () => {
  const own = tmpdir();
  if (path.basename(own).startsWith(temporaryPrefix)) rmSync(own, { recursive: true, force: true });
});

const stopping = new AbortController();

const port: Port = {
  send: (message) => {
    if (process.connected) process.send?.(message);
  },
  onMessage: (listener) => process.on('message', listener),
  onDisconnect: (listener) => process.on('disconnect', listener),
};

async function work(spec: RunSpec): Promise<void> {
  try {
    const { result, spent } = await runAgent(spec, host, stopping.signal);
    await host.ended(result, spent);
  } catch (error) {
    if (stopping.signal.aborted) return;
    const detail = describeCrash(error, spec.model.apiKey);
    await host.ended({ kind: 'failed', reason: 'crashed', detail }, spec.spent);
  }
  process.exit(0);
}

let isStarted = false;

const host = openHostChannel(port, {
  start: (spec) => {
    if (isStarted) return;
    isStarted = true;
    void work(spec);
  },
  stop: () => {
    stopping.abort(new Error('the run was stopped'));
    process.exit(0);
  },
});
