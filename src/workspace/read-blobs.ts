/** The content of many blobs in one call of git. */
import { failure, type Git, type GitCall } from './git.ts';
import { WorkspaceError } from './workspace.ts';

/**
 * The content by id; `null` where all of them together are above `maxBytes`.
 * @throws {WorkspaceError} where one is missing; the function that is given back, on an id that was not asked for
 */
export async function readBlobs(
  git: Git,
  gitDir: string,
  ids: readonly string[],
  maxBytes: number,
): Promise<((id: string) => Buffer) | null> {
  const wanted = [...new Set(ids)];
  const blobs = new Map<string, Buffer>();
  if (wanted.length > 0) {
    const input = `${wanted.join('\n')}\n`;
    const call: GitCall = { args: ['cat-file', '--batch'], gitDir, input, maxOutputBytes: maxBytes };
    const result = await git.attempt(call);
    if (result.stopped === 'output limit') return null;
    if (result.code !== 0 || result.stopped !== null) throw failure(call, result);
    readBatch(result.stdout, wanted, blobs);
  }
  return (id) => {
    const blob = blobs.get(id);
    if (blob === undefined) throw new WorkspaceError(`expected blob ${id} to have been read, got none`);
    return blob;
  };
}

/** `<id> blob <size>`, a line feed, the content and a line feed, for each. Source: git-cat-file(1), "Batch output" */
function readBatch(output: Buffer, wanted: readonly string[], blobs: Map<string, Buffer>): void {
  let at = 0;
  for (const id of wanted) {
    const end = output.indexOf(10, at);
    const head = output.toString('latin1', at, end < 0 ? output.length : end);
    const [, found, size] = /^([0-9a-f]+) blob (\d+)$/.exec(head) ?? [];
    if (found !== id) throw new WorkspaceError(`expected blob ${id}, got ${JSON.stringify(head)}`);
    const start = end + 1;
    at = start + Number(size) + 1;
    blobs.set(id, output.subarray(start, at - 1));
  }
}
