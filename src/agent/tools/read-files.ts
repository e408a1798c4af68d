import {
  type AgentToolContext,
  betaGlobTool,
  betaGrepTool,
  betaReadTool,
} from '@anthropic-ai/sdk/tools/agent-toolset/node';
import { z } from 'zod';
import { type GuardedPath, guardPath, isGitName } from '../../sandbox/path-guard.ts';
import type { ReadOnlyCheckout, WritableCheckout } from '../../workspace/workspace.ts';
import { boundText, maxResultBytes } from './bounded-text.ts';
import { CallRefused, defineTool, type ToolDefinition } from './definition.ts';
import { runFileTool } from './file-tool.ts';
import { gitLogTool, type ReadHistory } from './git-log.ts';
import { readPiece } from './read-piece.ts';

const GLOB_LIMIT = 200;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_LINE_LENGTH = 1000;
/** A piece of a file says itself what was cut. */
const LONGEST_NOTICE = 200;

const readInput = z.object({
  file_path: z.string().min(1).describe('From the root of the repository, e.g. src/cache.ts'),
  view_range: z
    .array(z.int().min(1))
    .length(2)
    .optional()
    .describe('[first line, last line], counted from 1, both included'),
  from_byte: z.int().min(0).optional().describe('Where to read on, as a result that was cut says'),
});
const globInput = z.object({
  pattern: z.string().min(1).max(1000).describe('E.g. src/**/*.ts'),
  path: z.string().optional().describe('The folder to search in; the root by default'),
});
const grepInput = z.object({
  pattern: z.string().min(1).max(1000).describe('A regular expression'),
  path: z.string().optional().describe('The file or folder to search in; the root by default'),
});

async function place(root: string, asked: string, wanted: 'file' | 'any'): Promise<GuardedPath> {
  const guarded = await guardPath(root, asked);
  if (guarded.found === null) throw new CallRefused(`expected a path that exists, got ${asked}; look with glob`);
  if (wanted === 'file' && guarded.found !== 'file') throw new CallRefused(`expected a file, got the folder ${asked}`);
  return guarded;
}

/** Paths as the model gives them: from the root of the repository. Lines of git's own folder are left out. */
function fromRoot(text: string, root: string): string {
  const lines = text.split('\n').map((line) => (line.startsWith(`${root}/`) ? line.slice(root.length + 1) : line));
  return lines.filter((line) => !line.split(/[/:]/).some(isGitName)).join('\n');
}

function readTool(context: AgentToolContext): ToolDefinition {
  const tool = betaReadTool(context);
  return defineTool({
    name: 'read',
    kind: 'data_source',
    description: 'Read a text file of the repository.',
    input: readInput,
    run: async ({ file_path, view_range, from_byte }, { signal }) => {
      const { relative, absolute } = await place(context.workdir, file_path, 'file');
      if (view_range !== undefined && from_byte !== undefined) {
        throw new CallRefused('expected view_range or from_byte, got both');
      }
      const text =
        view_range === undefined
          ? await readPiece(absolute, from_byte ?? 0)
          : await runFileTool(tool, { file_path: relative, view_range }, context.workdir, signal);
      if (text.includes('\0')) throw new CallRefused(`expected a text file, got ${file_path}, which is binary`);
      return boundText(text, 'ask for fewer lines, or read with from_byte', maxResultBytes + LONGEST_NOTICE);
    },
  });
}

function globTool(context: AgentToolContext): ToolDefinition {
  const tool = betaGlobTool(context);
  return defineTool({
    name: 'glob',
    kind: 'data_source',
    description: 'List files of the repository by a glob pattern, newest first.',
    input: globInput,
    run: async ({ pattern, path }, { signal }) => {
      const { relative } = await place(context.workdir, path ?? '.', 'any');
      const text = await runFileTool(tool, { pattern, path: relative || '.' }, context.workdir, signal);
      const found = fromRoot(text, context.workdir);
      const isCut = text.split('\n').length >= GLOB_LIMIT;
      const notice = isCut ? `\n[cut: the first ${GLOB_LIMIT} files; narrow the pattern or give a folder]` : '';
      return `${boundText(found, 'narrow the pattern or give a folder')}${notice}`;
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

function grepTool(context: AgentToolContext): ToolDefinition {
  const tool = betaGrepTool(context);
  return defineTool({
    name: 'grep',
    kind: 'data_source',
    description: 'Search the files of the repository for a regular expression; hidden and ignored files are left out.',
    input: grepInput,
    run: async ({ pattern, path }, { signal }) => {
      const { relative } = await place(context.workdir, path ?? '.', 'any');
      const text = await runFileTool(tool, { pattern, path: relative || '.' }, context.workdir, signal);
      const found = fromRoot(text, context.workdir).split('\n').map(clipLine).join('\n');
      return boundText(found.replace(truncated, `[cut: there is more; ${narrower}]`), narrower);
    },
  });
}

/** Tools that look at the repository and change nothing. The checkout's path is free of links. */
export function readTools(
  checkout: ReadOnlyCheckout | WritableCheckout,
  readHistory: ReadHistory,
): readonly ToolDefinition[] {
  const context: AgentToolContext = {
    workdir: checkout.path,
    maxFileBytes: MAX_FILE_BYTES,
    ...(checkout.access === 'read-only' ? { readOnlyRoots: [checkout.path] } : {}),
  };
  return [readTool(context), globTool(context), grepTool(context), gitLogTool(readHistory)];
}
