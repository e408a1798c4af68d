import type { HostedRun, RunEnd } from './run-host.ts';

/** A run that this process works on, from the moment it is taken up: also before its child process exists. */
export interface RunSlot extends HostedRun {
  /** Starts the child, unless the run was told to end meanwhile. */
  host(start: () => HostedRun): Promise<RunEnd>;
  /** Says that nothing of the run is at work any more. */
  close(end: RunEnd): void;
}

/** A slot without a child. */
export function createRunSlot(): RunSlot {
  const { promise: end, resolve } = Promise.withResolvers<RunEnd>();
  let told: RunEnd | null = null;
  let child: HostedRun | null = null;
  const tell = async (word: RunEnd, childOrder: (hosted: HostedRun) => Promise<void>) => {
    told ??= word;
    // Without a child there is nothing to end, and there will be none: what is being prepared is left to itself.
    if (child !== null) {
      await childOrder(child);
      await end;
    }
  };
  return {
    end,
    kill: () => tell({ kind: 'killed' }, (hosted) => hosted.kill()),
    suspend: () => tell({ kind: 'suspended' }, (hosted) => hosted.suspend()),
    drain: (graceMs) => tell({ kind: 'suspended' }, (hosted) => hosted.drain(graceMs)),
    host: async (start) => {
      if (told !== null) return told;
      child = start();
      return child.end;
    },
    close: resolve,
  };
}
