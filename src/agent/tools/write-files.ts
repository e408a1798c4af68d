import { z } from 'zod';
import { moveGuarded, readGuarded, removeGuarded, replaceGuarded } from '../../sandbox/guarded-files.ts';
import { type GuardedPath, guardEntry, guardPath } from '../../sandbox/path-guard.ts';
import type { WritableCheckout } from '../../workspace/workspace.ts';
import type { CheckChange } from './change-rules.ts';
import { CallRefused, defineTool, type ToolDefinition } from './definition.ts';
import { editBytes, fitText } from './fit-text.ts';

const filePath = z.string().min(1).describe('From the root of the repository, e.g. src/cache.ts');
const MAX_CONTENT = 1024 * 1024;
const MAX_FILE_BYTES = 4 * 1024 * 1024;

function requireFile(guarded: GuardedPath, asked: string): void {
  if (guarded.found === 'directory') throw new CallRefused(`expected a file, got the folder ${asked}`);
  if (guarded.found === null) throw new CallRefused(`expected a file that exists, got ${asked}`);
}

/** The whole file, as it is. */
function bytesOf(place: GuardedPath): Promise<Buffer> {
  return readGuarded(place, async (file) => {
    const { size } = await file.stat();
    if (size > MAX_FILE_BYTES) {
      throw new CallRefused(`expected a file of at most ${MAX_FILE_BYTES} bytes, got ${place.relative} of ${size}`);
    }
    return file.readFile();
  });
}

function writeTool(root: string, check: CheckChange): ToolDefinition {
  return defineTool({
    name: 'write',
    kind: 'resource',
    description: 'Write a whole text file. To change part of a file use edit.',
    input: z.object({ file_path: filePath, content: z.string().max(MAX_CONTENT) }),
    run: async ({ file_path, content }) => {
      const guarded = await guardPath(root, file_path);
      if (guarded.found === 'directory') throw new CallRefused(`expected a file, got the folder ${file_path}`);
      check(guarded.relative, guarded.found === null ? 'create' : 'modify');
      const bytes = fitText(guarded.found === null ? null : await bytesOf(guarded), content);
      await replaceGuarded(guarded, bytes);
      return `wrote ${bytes.length} bytes to ${guarded.relative}`;
    },
  });
}

function editTool(root: string, check: CheckChange): ToolDefinition {
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
    run: async ({ file_path, old_string, new_string, replace_all }) => {
      const guarded = await guardPath(root, file_path);
      requireFile(guarded, file_path);
      check(guarded.relative, 'modify');
      const passage = { old: old_string, new: new_string, all: replace_all === true };
      const { bytes, count } = editBytes(await bytesOf(guarded), passage);
      await replaceGuarded(guarded, bytes);
      return `edited ${guarded.relative} (${count} replacement(s))`;
    },
  });
}

function moveTool(root: string, check: CheckChange): ToolDefinition {
  return defineTool({
    name: 'move',
    kind: 'resource',
    description: 'Move or rename one file. Nothing may be at the new place.',
    input: z.object({ from: filePath, to: filePath }),
    run: async ({ from, to }) => {
      const source = await guardEntry(root, from);
      requireFile(source, from);
      const target = await guardEntry(root, to);
      if (target.found !== null) throw new CallRefused(`expected a free path, got ${to}; delete it first`);
      check(source.relative, 'move');
      check(target.relative, 'move');
      await moveGuarded(source, target);
      return `moved ${from} to ${to}`;
    },
  });
}

function deleteTool(root: string, check: CheckChange): ToolDefinition {
  return defineTool({
    name: 'delete',
    kind: 'resource',
    description: 'Delete one file.',
    input: z.object({ path: filePath }),
    run: async ({ path: asked }) => {
      const guarded = await guardEntry(root, asked);
      requireFile(guarded, asked);
      check(guarded.relative, 'delete');
      await removeGuarded(guarded);
      return `deleted ${asked}`;
    },
  });
}

/** Tools that change the checkout. They ask for a writable one: a phase that holds none cannot offer them. */
export function writeTools(checkout: WritableCheckout, check: CheckChange): readonly ToolDefinition[] {
  const root = checkout.path;
  return [writeTool(root, check), editTool(root, check), moveTool(root, check), deleteTool(root, check)];
}
