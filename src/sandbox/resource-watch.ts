/** Ends a command that takes more than its share of the host, as all its processes together. */
import { type CommandLimits, leavesTooLittle, tellBytes, tellCount } from './command-limits.ts';
import type { DiskWatch } from './disk-watch.ts';
import { memoryLeft, useOf } from './process-tree.ts';

export interface ResourceWatch {
  /** Ends the watch, after a last look at the disk. Answers with the limit that was passed; `null` where none was. */
  end(): Promise<string | null>;
}

/** Memory that no process has mapped, and that of the kernel for sockets and pipes, is seen by what is left alone. */
function passedBy(pid: number, limits: CommandLimits, begun: number): string | null {
  const { tasks, memoryBytes, memoryBytesLeft } = limits;
  if (leavesTooLittle(begun, memoryLeft(), memoryBytesLeft, limits)) {
    return `it left the host less than ${tellBytes(memoryBytesLeft)} of memory`;
  }
  const use = useOf(pid, tasks);
  if (use.tasks > tasks) return `it had more than ${tellCount(tasks)} processes and threads`;
  return use.memoryBytes > memoryBytes ? `it took more than ${tellBytes(memoryBytes)} of memory` : null;
}

/** @param kill ends all processes of the command; called once, where a limit is passed. */
export function watchResources(pid: number, limits: CommandLimits, disk: DiskWatch, kill: () => void): ResourceWatch {
  const begun = memoryLeft();
  let passed: string | null = null;
  let hasEnded = false;
  let looking: Promise<void> = Promise.resolve();
  const look = async (): Promise<void> => {
    passed ??= passedBy(pid, limits, begun) ?? (await disk.look());
    if (passed !== null) kill();
    else if (!hasEnded) lookLater();
  };
  const fail = (): void => {
    passed ??= 'what it takes of the host could not be measured';
    kill();
  };
  let timer: NodeJS.Timeout | undefined;
  const lookLater = (): void => {
    timer = setTimeout(() => {
      looking = look().catch(fail);
    }, limits.lookEveryMs);
  };
  lookLater();
  return {
    end: async () => {
      hasEnded = true;
      clearTimeout(timer);
      await looking;
      clearTimeout(timer);
      passed ??= await disk.look();
      if (passed !== null) await disk.settle();
      return passed;
    },
  };
}
