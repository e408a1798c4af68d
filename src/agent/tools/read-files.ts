import { z } from 'zod';
import { readGuarded } from '../../sandbox/guarded-files.ts';
import type { ReadOnlyCheckout, WritableCheckout } from '../../workspace/workspace.ts';
import { CallRefused, defineTool, type ToolDefinition } from './definition.ts';
import { findPlace } from './file-tool.ts';
import { gitLogTool, type ReadHistory } from './git-log.ts';
import { findLines, readPiece } from './read-piece.ts';
import { searchTools } from './search-files.ts';

const readInput = z.object({
  file_path: z.string().min(1).describe('From the root of the repository, e.g. src/cache.ts'),
  view_range: z
    .array(z.int().min(1))
    .length(2)
    .optional()
    .describe('[first line, last line], counted from 1, both included'),
  from_byte: z.int().min(0).optional().describe('Where to read on, as a result that was cut says'),
});

function readTool(root: string): ToolDefinition {
  return defineTool({
    name: 'read',
    kind: 'data_source',
    description: 'Read a text file of the repository.',
    input: readInput,
    run: async ({ file_path, view_range, from_byte }) => {
      const place = await findPlace(root, file_path, 'file');
      const [first, last] = view_range ?? [];
      if (first !== undefined && from_byte !== undefined) {
        throw new CallRefused('expected view_range or from_byte, got both');
      }
      const text = await readGuarded(place, async (file) => {
        const isWhole = first === undefined || last === undefined;
        return readPiece(file, isWhole ? { from: from_byte ?? 0 } : await findLines(file, first, last));
      });
      if (text.includes('\0')) throw new CallRefused(`expected a text file, got ${file_path}, which is binary`);
      return text;
    },
  });
}

/** Tools that look at the repository and change nothing. The checkout's path is free of links. */
export function readTools(
  checkout: ReadOnlyCheckout | WritableCheckout,
  readHistory: ReadHistory,
): readonly ToolDefinition[] {
  return [readTool(checkout.path), ...searchTools(checkout.path), gitLogTool(readHistory)];
}
