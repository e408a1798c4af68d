import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type CommandLimits, leavesTooLittle, tellBytes, tellCount } from './command-limits.ts';
import { commandPath } from './programs.ts';

const run = promisify(execFile);

/** Folders are counted anew only after their file system has lost this much, so that a look costs next to nothing. */
const RECOUNT_SHARE = 1 / 64;
/** Others write to the file system as well: a command is held to more than its own share of what is lost there. */
const NAMELESS_SHARE = 4;
/** Where too much is there already, a command that takes it away needs some room: places are held by folders of their own. */
const ROOM_SHARE = 1 / 16;
/** Each takes a little more before it is seen: what all of them together take is bounded by their number. */
const MAX_EXCESSES = 5;
const COUNT_TIMEOUT_MS = 60_000;

interface Amount {
  readonly bytes: number;
  readonly files: number;
}

export interface DiskWatch {
  /** Before a command. Tells why none may run any more; `null` where one may. */
  begin(): Promise<string | null>;
  /** Tells which limit the folders have passed together; `null` where none. */
  look(): Promise<string | null>;
  /** After a command that was killed: what it has left counts as what is there. */
  settle(): Promise<void>;
}

/**
 * Watches what folders on one file system take. What the file system itself loses during a command is held against it too:
 * a file that has no name any more is counted nowhere else. Where they take too much already, a command may make it less.
 */
export async function watchDisk(folders: readonly string[], limits: CommandLimits): Promise<DiskWatch> {
  const [folder = '/'] = folders;
  const first = await readFree(folder);
  let counted = first;
  let begun = first;
  let taken: Amount = { bytes: 0, files: 0 };
  let allowed: Amount = { bytes: limits.diskBytes, files: limits.files };
  let excesses = 0;
  const recount = async (now: Amount): Promise<void> => {
    counted = now;
    taken = (await count(folders)) ?? loss(first, now);
  };
  const find = async (): Promise<string | null> => {
    const now = await readFree(folder);
    if (leavesTooLittle(begun.bytes, now.bytes, limits.diskBytesLeft, limits)) {
      return `it left the host less than ${tellBytes(limits.diskBytesLeft)} of disk`;
    }
    if (loss(begun, now).bytes > NAMELESS_SHARE * limits.diskBytes) return tellDisk(limits);
    const grown = loss(counted, now);
    if (grown.bytes < limits.diskBytes * RECOUNT_SHARE && grown.files < limits.files * RECOUNT_SHARE) return null;
    await recount(now);
    if (taken.bytes > allowed.bytes) return tellDisk(limits);
    return taken.files > allowed.files ? `it left more than ${tellCount(limits.files)} files` : null;
  };
  return {
    begin: async () => {
      if (excesses >= MAX_EXCESSES) return `commands of this run have taken too much of the disk ${excesses} times`;
      begun = await readFree(folder);
      // Never more than before: what is taken in small steps would have no end.
      const room = roomFor(taken, limits);
      allowed = { bytes: Math.min(allowed.bytes, room.bytes), files: Math.min(allowed.files, room.files) };
      return null;
    },
    look: async () => {
      const passed = await find();
      if (passed !== null) excesses += 1;
      return passed;
    },
    settle: async () => {
      await recount(await readFree(folder));
      allowed = roomFor(taken, limits);
    },
  };
}

/** The limits, or what is there already and a little more. */
function roomFor({ bytes, files }: Amount, limits: CommandLimits): Amount {
  return {
    bytes: Math.max(limits.diskBytes, bytes + limits.diskBytes * ROOM_SHARE),
    files: Math.max(limits.files, files + limits.files * ROOM_SHARE),
  };
}

function tellDisk({ diskBytes }: CommandLimits): string {
  return `it took more than ${tellBytes(diskBytes)} of disk`;
}

async function readFree(folder: string): Promise<Amount> {
  const { bavail, bsize, ffree } = await statfs(folder);
  return { bytes: bavail * bsize, files: ffree };
}

function loss(from: Amount, to: Amount): Amount {
  return { bytes: from.bytes - to.bytes, files: from.files - to.files };
}

/** `null` where a folder cannot be looked into. */
async function count(folders: readonly string[]): Promise<Amount | null> {
  const total = async (what: string): Promise<number> => {
    const options = { env: { PATH: commandPath }, timeout: COUNT_TIMEOUT_MS, maxBuffer: 1024 * 1024 };
    const { stdout } = await run(
      'du',
      ['--one-file-system', '--summarize', '--total', what, '--', ...folders],
      options,
    );
    return Number(/^(\d+)\ttotal$/m.exec(stdout)?.[1] ?? Number.NaN);
  };
  try {
    const [bytes, files] = await Promise.all([total('--block-size=1'), total('--inodes')]);
    return Number.isNaN(bytes + files) ? null : { bytes, files };
  } catch {
    return null;
  }
}
