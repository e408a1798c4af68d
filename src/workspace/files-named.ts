/** Text files of given names anywhere in a commit's tree. */
import type { Git } from './git.ts';
import { pathFault } from './path-rules.ts';
import { diffArguments, parseRawDiff, type RawChange } from './raw-diff.ts';
import { readBlobs } from './read-blobs.ts';
import { asText } from './tree-scan.ts';
import type { NamedFile } from './workspace.ts';

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
/** Files of packages that a repository has taken over whole. */
const foreign = /(?:^|\/)(?:node_modules|vendor|third_party)\//;
const mostFiles = 1000;
const maxListBytes = 64 * 1024 * 1024;

export interface ReadLimits {
  /** Largest file that is read, in bytes. */
  readonly maxFileBytes: number;
  /** Most bytes of all of them together; outer folders come first. */
  readonly maxBytes: number;
}

/** Outermost first, in a folder in the order of `names`. Links, nested repositories, folders and what is not UTF-8 text are left out. */
export async function filesNamed(
  git: Git,
  gitDir: string,
  commit: string,
  names: readonly string[],
  limits: ReadLimits,
): Promise<readonly NamedFile[]> {
  const patterns = names.map((name) => `:(glob)**/${name}`);
  const args = [...diffArguments(emptyTree, commit, ['--no-renames', '--raw', '-z']), ...patterns];
  const output = await git.bytes({ args, gitDir, literalPaths: false, maxOutputBytes: maxListBytes });
  const isFile = ({ newMode, path }: RawChange) =>
    newMode.startsWith('100') && !foreign.test(path) && pathFault(asText(path)) === null;
  const order = (one: RawChange, other: RawChange) =>
    depthOf(one) - depthOf(other) ||
    compare(folderOf(one), folderOf(other)) ||
    names.indexOf(nameOf(one)) - names.indexOf(nameOf(other));
  const files = parseRawDiff(output, 'latin1').filter(isFile).toSorted(order).slice(0, mostFiles);
  return readTexts(git, gitDir, files, limits);
}

async function readTexts(
  git: Git,
  gitDir: string,
  files: readonly RawChange[],
  { maxFileBytes, maxBytes }: ReadLimits,
): Promise<readonly NamedFile[]> {
  const sizes = await readSizes(git, gitDir, files);
  let room = maxBytes;
  const fits = files.map(({ newId }) => {
    const size = sizes.get(newId) ?? Number.POSITIVE_INFINITY;
    if (size > Math.min(maxFileBytes, room)) return false;
    room -= size;
    return true;
  });
  const ids = files.filter((_, index) => fits[index]).map(({ newId }) => newId);
  const blob = await readBlobs(git, gitDir, ids, maxBytes + 100 * mostFiles);
  return files.flatMap(({ path, newId }, index): readonly NamedFile[] => {
    if (!fits[index] || blob === null) return [{ path: asText(path), text: null }];
    const text = decode(blob(newId));
    return text === null ? [] : [{ path: asText(path), text }];
  });
}

async function readSizes(git: Git, gitDir: string, files: readonly RawChange[]): Promise<ReadonlyMap<string, number>> {
  if (files.length === 0) return new Map();
  const input = `${files.map(({ newId }) => newId).join('\n')}\n`;
  const output = await git.text({ args: ['cat-file', '--batch-check'], gitDir, input });
  return new Map([...output.matchAll(/^([0-9a-f]+) blob (\d+)$/gm)].map(([, id, size]) => [id ?? '', Number(size)]));
}

function decode(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function depthOf({ path }: RawChange): number {
  return path.split('/').length;
}

function folderOf({ path }: RawChange): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

function nameOf({ path }: RawChange): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
