import { mkdir, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { type AgentToolContext, betaEditTool, betaWriteTool } from '@anthropic-ai/sdk/tools/agent-toolset/node';
import { z } from 'zod';
import { type GuardedPath, guardEntry, guardPath } from '../../sandbox/path-guard.ts';
import type { WritableCheckout } from '../../workspace/workspace.ts';
import type { CheckChange } from './change-rules.ts';
import { CallRefused, defineTool, type ToolDefinition } from './definition.ts';
import { runFileTool } from './file-tool.ts';

const filePath = z.string().min(1).describe('From the root of the repository, e.g. src/cache.ts');
const MAX_CONTENT = 1024 * 1024;

function requireFile(guarded: GuardedPath, asked: string): void {
  if (guarded.found === 'directory') throw new CallRefused(`expected a file, got the folder ${asked}`);
  if (guarded.found === null) throw new CallRefused(`expected a file that exists, got ${asked}`);
}

function writeTool(context: AgentToolContext, check: CheckChange): ToolDefinition {
  const tool = betaWriteTool(context);
  return defineTool({
    name: 'write',
    kind: 'resource',
    description: 'Write a whole text file. To change part of a file use edit.',
    input: z.object({ file_path: filePath, content: z.string().max(MAX_CONTENT) }),
    run: async ({ file_path, content }, { signal }) => {
      const guarded = await guardPath(context.workdir, file_path);
      if (guarded.found === 'directory') throw new CallRefused(`expected a file, got the folder ${file_path}`);
      check(guarded.relative, guarded.found === null ? 'create' : 'modify');
      return runFileTool(tool, { file_path: guarded.relative, content }, context.workdir, signal);
    },
  });
}

function editTool(context: AgentToolContext, check: CheckChange): ToolDefinition {
  const tool = betaEditTool(context);
  return defineTool({
    name: 'edit',
    kind: 'resource',
    description: 'Replace a passage of a file. old_string must occur exactly once, unless replace_all is set.',
    input: z.object({
      file_path: filePath,
      old_string: z.string().min(1),
      new_string: z.string().max(MAX_CONTENT),
      replace_all: z.boolean().optional(),
    }),
    run: async ({ file_path, ...change }, { signal }) => {
      const guarded = await guardPath(context.workdir, file_path);
      requireFile(guarded, file_path);
      check(guarded.relative, 'modify');
      return runFileTool(tool, { file_path: guarded.relative, ...change }, context.workdir, signal);
    },
  });
}

function moveTool(context: AgentToolContext, check: CheckChange): ToolDefinition {
  return defineTool({
    name: 'move',
    kind: 'resource',
    description: 'Move or rename one file. Nothing may be at the new place.',
    input: z.object({ from: filePath, to: filePath }),
    run: async ({ from, to }) => {
      const source = await guardEntry(context.workdir, from);
      requireFile(source, from);
      const target = await guardEntry(context.workdir, to);
      if (target.found !== null) throw new CallRefused(`expected a free path, got ${to}; delete it first`);
      check(source.relative, 'move');
      check(target.relative, 'move');
      await mkdir(path.dirname(target.absolute), { recursive: true });
      await rename(source.absolute, target.absolute);
      return `moved ${from} to ${to}`;
    },
  });
}

function deleteTool(context: AgentToolContext, check: CheckChange): ToolDefinition {
  return defineTool({
    name: 'delete',
    kind: 'resource',
    description: 'Delete one file.',
    input: z.object({ path: filePath }),
    run: async ({ path: asked }) => {
      const guarded = await guardEntry(context.workdir, asked);
      requireFile(guarded, asked);
      check(guarded.relative, 'delete');
      await unlink(guarded.absolute);
      return `deleted ${asked}`;
    },
  });
}

/** Tools that change the checkout. They ask for a writable one: a phase that holds none cannot offer them. */
export function writeTools(checkout: WritableCheckout, check: CheckChange): readonly ToolDefinition[] {
  const context: AgentToolContext = { workdir: checkout.path };
  return [writeTool(context, check), editTool(context, check), moveTool(context, check), deleteTool(context, check)];
}
