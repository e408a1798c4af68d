import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { betaGlobTool, betaGrepTool } from '@anthropic-ai/sdk/tools/agent-toolset/node';
import { z } from 'zod';
import { isGitName } from '../../workspace/path-rules.ts';
import { boundText } from './bounded-text.ts';
import { CallRefused, defineTool, type ToolDefinition } from './definition.ts';
import { findPlace, runFileTool } from './file-tool.ts';

const GLOB_LIMIT = 200;
const MAX_LINE_LENGTH = 1000;

const globInput = z.object({
  pattern: z.string().min(1).max(1000).describe('E.g. src/**/*.ts'),
  path: z.string().optional().describe('The folder to search in; the root by default'),
});
const grepInput = z.object({
  pattern: z.string().min(1).max(1000).describe('A regular expression'),
  path: z.string().optional().describe('The file or folder to search in; the root by default'),
});

/** Most of each that is matched in no time: braces multiply, and stars in one name are tried against each other. */
const limits = { braces: 3, alternatives: 30, stars: 4 };

/** @throws CallRefused for a pattern that would keep the run busy for minutes, whatever the tree holds */
function requireModest(pattern: string): void {
  const count = (what: RegExp, text = pattern) => text.match(what)?.length ?? 0;
  const isModest =
    count(/\{/g) <= limits.braces &&
    count(/,/g) <= limits.alternatives &&
    pattern.split('/').every((part) => count(/\*+/g, part) <= limits.stars && count(/[+@!?*]\(|\.\./g, part) === 0);
  if (isModest) return;
  throw new CallRefused(
    `expected a glob pattern of at most ${limits.stars} stars in a name, ${limits.braces} braces and ${limits.alternatives} commas, without "(" behind a sign and without "..", got another; list more with a simpler one`,
  );
}

function isOutOfReach(place: string): boolean {
  return place.split('/').some(isGitName);
}

/** The path as the model gives it: from the root of the repository. */
function fromRoot(place: string, root: string): string {
  return place.startsWith(`${root}/`) ? place.slice(root.length + 1) : place;
}

function globTool(root: string): ToolDefinition {
  const tool = betaGlobTool({ workdir: root });
  return defineTool({
    name: 'glob',
    kind: 'data_source',
    description: 'List files of the repository by a glob pattern, newest first.',
    input: globInput,
    run: async ({ pattern, path: asked }, { signal }) => {
      requireModest(pattern);
      const { relative } = await findPlace(root, asked ?? '.', 'any');
      const lines = (await runFileTool(tool, { pattern, path: relative || '.' }, root, signal)).split('\n');
      const found = lines.map((line) => fromRoot(line, root)).filter((line) => !isOutOfReach(line));
      const isCut = lines.length >= GLOB_LIMIT;
      const notice = isCut ? `\n[cut: the first ${GLOB_LIMIT} files; narrow the pattern or give a folder]` : '';
      return `${boundText(found.join('\n'), 'narrow the pattern or give a folder')}${notice}`;
    },
  });
}

const narrower = 'search one folder or use a narrower expression';
/** How the vendor's tool says that it has stopped. */
const truncated = /\[output truncated at \d+ bytes\]$/;

/** One line must not take the place of all other hits. */
function clipLine(line: string): string {
  if (line.length <= MAX_LINE_LENGTH) return line;
  return `${line.slice(0, MAX_LINE_LENGTH).toWellFormed()} [cut: the line is longer; read the file with from_byte]`;
}

/** A hit is `path:line:text`, or `line:text` where one file is searched. What the text says is no path. */
function placeOfHit(line: string): string {
  return /^(.*?):\d+:/.exec(line)?.[1] ?? '';
}

/** Whether a file that was searched may be read: the bytes of one with a second name may be those of a file elsewhere. */
async function mayBeSearched(root: string, place: string): Promise<boolean> {
  const stats = await lstat(path.join(root, place)).catch(() => null);
  return stats?.nlink === 1;
}

async function withinReach(root: string, lines: readonly string[]): Promise<readonly string[]> {
  const places = [...new Set(lines.map(placeOfHit))].filter((place) => place !== '');
  const kept = await Promise.all(places.map(async (place) => !isOutOfReach(place) && mayBeSearched(root, place)));
  const leftOut = new Set(places.filter((_, index) => kept[index] === false));
  return lines.filter((line) => !leftOut.has(placeOfHit(line)));
}

function grepTool(root: string): ToolDefinition {
  const tool = betaGrepTool({ workdir: root });
  return defineTool({
    name: 'grep',
    kind: 'data_source',
    description: 'Search the files of the repository for a regular expression; hidden and ignored files are left out.',
    input: grepInput,
    run: async ({ pattern, path: asked }, { signal }) => {
      const { relative, found } = await findPlace(root, asked ?? '.', 'any');
      const text = await runFileTool(tool, { pattern, path: relative || '.' }, root, signal);
      const lines = text.split('\n').map((line) => fromRoot(line, root));
      const within = found === 'file' ? lines : await withinReach(root, lines);
      const clipped = within.map(clipLine).join('\n');
      return boundText(clipped.replace(truncated, `[cut: there is more; ${narrower}]`), narrower);
    },
  });
}

/** Tools that search the repository, by the vendor's own: they follow no link out of it and open only files. */
export function searchTools(root: string): readonly ToolDefinition[] {
  return [globTool(root), grepTool(root)];
}
