/** What git has told about things that cannot change, so that no process is started to ask again. */
import { open } from 'node:fs/promises';
import type { RawChange } from './raw-diff.ts';

/** What an index holds. Paths are byte strings. */
export interface IndexContent {
  readonly tracked: ReadonlySet<string>;
  readonly submodules: ReadonlySet<string>;
  /** The git tree that is written from it. */
  readonly tree: string;
}

/** How a git tree differs from the commits below it, and why it cannot be committed. */
export interface TreeDifference {
  readonly whole: readonly RawChange[];
  readonly step: readonly RawChange[];
  readonly faults: readonly string[];
}

export interface Memory {
  /** By the index's path and checksum. */
  readonly indexes: Recent<IndexContent>;
  /** By base, last commit and tree. */
  readonly differences: Recent<TreeDifference>;
  /** The tree of a commit. */
  readonly trees: Recent<string>;
}

export function createMemory(): Memory {
  return { indexes: createRecent(8), differences: createRecent(8), trees: createRecent(200) };
}

interface Recent<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

/** Keeps the last few. */
function createRecent<Value>(most: number): Recent<Value> {
  const kept = new Map<string, Value>();
  return {
    get: (key) => kept.get(key),
    set: (key, value) => {
      kept.delete(key);
      kept.set(key, value);
      for (const [oldest] of kept) {
        if (kept.size <= most) break;
        kept.delete(oldest);
      }
    },
  };
}

const checksumBytes = 20;

/** A key for the index as its file is now; `null` where it bears no checksum. Source: gitformat-index(5) */
export async function indexKey(index: string): Promise<string | null> {
  const file = await open(index);
  try {
    const { size } = await file.stat();
    const checksum = Buffer.alloc(checksumBytes);
    await file.read(checksum, 0, checksumBytes, Math.max(0, size - checksumBytes));
    return checksum.every((byte) => byte === 0) ? null : `${checksum.toString('hex')} ${size} ${index}`;
  } finally {
    await file.close();
  }
}
