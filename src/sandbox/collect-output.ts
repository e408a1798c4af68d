import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';

export interface CollectedOutput {
  readonly exitCode: number | null;
  readonly output: string;
  readonly isOutputCut: boolean;
}

/**
 * Waits for a process and keeps the first half and the last half of what it wrote, at most `maxBytes`. The rest is
 * read and dropped, so that a process never waits for a full pipe.
 */
export function collectOutput(
  child: ChildProcessByStdio<null, Readable, Readable>,
  maxBytes: number,
): Promise<CollectedOutput> {
  const half = Math.floor(maxBytes / 2);
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  let droppedBytes = 0;
  const take = (chunk: Buffer) => {
    const room = half - head.length;
    head = Buffer.concat([head, chunk.subarray(0, Math.max(0, room))]);
    const rest = Buffer.concat([tail, chunk.subarray(Math.max(0, room))]);
    droppedBytes += Math.max(0, rest.length - half);
    tail = rest.subarray(Math.max(0, rest.length - half));
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => {
      const gap = droppedBytes === 0 ? '' : `\n[… ${droppedBytes} bytes left out …]\n`;
      resolve({ exitCode, output: `${head}${gap}${tail}`, isOutputCut: droppedBytes > 0 });
    });
  });
}
