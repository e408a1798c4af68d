/** What a process and all beneath it use, in whatever namespace they are: read from outside, where nothing can hide. */
import { readdirSync, readFileSync, statfsSync, statSync } from 'node:fs';

/** Source: https://man7.org/linux/man-pages/man2/statfs.2.html */
const TMPFS_MAGIC = 0x01021994;

export interface TreeUse {
  readonly tasks: number;
  readonly memoryBytes: number;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process has ended meanwhile.
    return '';
  }
}

function tasksOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Whether the kernel tells who started whom (CONFIG_PROC_CHILDREN). */
export function tellsChildren(): boolean {
  try {
    readFileSync('/proc/thread-self/children');
    return true;
  } catch {
    return false;
  }
}

/** Bytes of memory that the machine can still give; of a kernel that does not tell, enough. */
export function memoryLeft(): number {
  const kib = kibibytes(read('/proc/meminfo'), 'MemAvailable');
  return kib === 0 ? Number.POSITIVE_INFINITY : 1024 * kib;
}

function kibibytes(status: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0);
}

/** @param maxTasks where there are more, the rest is not looked at. */
export function useOf(root: number, maxTasks: number): TreeUse {
  const found = [root];
  let tasks = 0;
  let memoryBytes = 0;
  for (const pid of found) {
    for (const task of tasksOf(pid)) {
      tasks += 1;
      const children = read(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean);
      found.push(...children.map(Number));
    }
    const status = read(`/proc/${pid}/status`);
    memoryBytes += 1024 * (kibibytes(status, 'RssAnon') + kibibytes(status, 'RssShmem'));
    if (tasks > maxTasks) return { tasks, memoryBytes };
  }
  return { tasks, memoryBytes: memoryBytes + memoryFilesOf(found.at(-1) ?? root) };
}

/**
 * What lies in the file systems in memory that a process may write. The last one found is inside the sandbox; before it is,
 * it sees those of the host, which do not count.
 */
function memoryFilesOf(pid: number): number {
  const own = memoryFileSystems('self');
  let bytes = 0;
  for (const [device, usedBytes] of memoryFileSystems(pid)) {
    if (!own.has(device)) bytes += usedBytes;
  }
  return bytes;
}

/** Bytes used, by device. */
function memoryFileSystems(pid: number | 'self'): ReadonlyMap<number, number> {
  const used = new Map<number, number>();
  for (const line of read(`/proc/${pid}/mounts`).split('\n')) {
    const [, place, type, options] = line.split(' ');
    if (type !== 'tmpfs' || place === undefined || !options?.startsWith('rw')) continue;
    try {
      const seen = `/proc/${pid}/root${unescapeSpaces(place)}`;
      const { type: magic, blocks, bfree, bsize } = statfsSync(seen);
      // Another may be mounted over it.
      if (magic === TMPFS_MAGIC) used.set(statSync(seen).dev, (blocks - bfree) * bsize);
    } catch {
      // The process has ended meanwhile.
    }
  }
  return used;
}

function unescapeSpaces(place: string): string {
  return place.replace(/\\([0-7]{3})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 8)));
}
