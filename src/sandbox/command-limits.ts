/** What commands may use up. The first group is the kernel's to hold, one process at a time; the second is watched. */
export interface CommandLimits {
  readonly processorSeconds: number;
  /** Memory that one process writes; address space that is only reserved does not count. */
  readonly memoryBytesOfOne: number;
  readonly fileBytes: number;
  readonly openFiles: number;

  /** Processes and threads of one command at a time. */
  readonly tasks: number;
  /** Memory of all processes of one command, with what they keep in file systems that lie in memory. */
  readonly memoryBytes: number;
  /** What the checkout and the run's own folder take on disk together, whichever command has written it. */
  readonly diskBytes: number;
  /** Files and folders in both. */
  readonly files: number;
  /** What is left of the host's memory and of its disk is no command's, by whatever way it takes them. */
  readonly memoryBytesLeft: number;
  readonly diskBytesLeft: number;
  /** What is lost of either while a command runs; less may be somebody else's doing. */
  readonly noticeableBytes: number;
  /** What a command may write to its two outputs before the middle is left out. */
  readonly outputBytes: number;
  readonly lookEveryMs: number;
}

const GIB = 1024 ** 3;

/** @param hostMemoryBytes half of what the host has is never a command's */
export function commandLimits(hostMemoryBytes: number): CommandLimits {
  return {
    processorSeconds: 1800,
    memoryBytesOfOne: 4 * GIB,
    fileBytes: GIB,
    openFiles: 4096,
    tasks: 1024,
    memoryBytes: Math.min(8 * GIB, Math.floor(hostMemoryBytes / 2)),
    diskBytes: 8 * GIB,
    files: 1_000_000,
    memoryBytesLeft: Math.min(2 * GIB, Math.floor(hostMemoryBytes / 8)),
    diskBytesLeft: GIB,
    noticeableBytes: GIB / 16,
    outputBytes: 256 * 1024,
    lookEveryMs: 200,
  };
}

/** The first group, as arguments of `prlimit`. As root `--nproc` holds nothing, so that the tasks are watched as well. */
export function limitArguments(limits: CommandLimits): readonly string[] {
  return [
    '--core=0',
    `--cpu=${limits.processorSeconds}`,
    `--data=${limits.memoryBytesOfOne}`,
    `--fsize=${limits.fileBytes}`,
    `--nofile=${limits.openFiles}`,
    `--nproc=${limits.tasks}`,
  ];
}

/** Whether too little is left of what the host had when a command began, and not by others alone. */
export function leavesTooLittle(begun: number, left: number, leastLeft: number, { noticeableBytes }: CommandLimits) {
  return left < leastLeft && begun - left > noticeableBytes;
}

/** Said of a limit that was passed, e.g. "it took more than 8 GiB of memory". */
export function tellBytes(bytes: number): string {
  const [divisor, unit] = bytes >= GIB ? ([GIB, 'GiB'] as const) : ([1024 ** 2, 'MiB'] as const);
  return `${Number((bytes / divisor).toFixed(1))} ${unit}`;
}

export function tellCount(count: number): string {
  return count.toLocaleString('en-US');
}
