import { z } from 'zod';
import { boundText } from './bounded-text.ts';
import { defineTool, type ToolDefinition } from './definition.ts';

/** Asks the host, which holds the git directory: one line a commit, newest first. `null` asks for every path. */
export type ReadHistory = (path: string | null, limit: number) => Promise<string>;

const input = z.object({
  path: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('A file or folder, from the root; the whole repository by default'),
  limit: z.int().min(1).max(100).optional().describe('How many commits; 20 by default'),
});

export function gitLogTool(readHistory: ReadHistory): ToolDefinition {
  return defineTool({
    name: 'git_log',
    kind: 'data_source',
    description: 'List the commits that changed a path, newest first.',
    input,
    run: async ({ path, limit }) => {
      const text = await readHistory(path ?? null, limit ?? 20);
      return text === '' ? 'No commit changed that.' : boundText(text, 'ask for one path, or for fewer commits');
    },
  });
}
