/** One file's text at a commit. */
import type { Git } from './git.ts';
import { pathFault } from './path-rules.ts';

/** `null` where there is no file at the path, or it is a link, is no UTF-8 text, or is above `maxBytes`. A byte order mark is kept. */
export async function readText(
  git: Git,
  gitDir: string,
  commit: string,
  path: string,
  maxBytes: number,
): Promise<string | null> {
  if (pathFault(path) !== null) return null;
  const entry = await git.text({ args: ['ls-tree', '-z', '--long', '--full-tree', commit, '--', path], gitDir });
  const [, blob, size] = /^100\d{3} blob ([0-9a-f]{40}) +(\d+)\t/.exec(entry) ?? [];
  const isThere = entry.slice(entry.indexOf('\t') + 1) === `${path}\0`;
  if (blob === undefined || !isThere || Number(size) > maxBytes) return null;
  const bytes = await git.bytes({ args: ['cat-file', 'blob', blob], gitDir });
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
