import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import { ToolError } from '@anthropic-ai/sdk/lib/tools/ToolError';
import { type GuardedPath, guardPath } from '../../sandbox/path-guard.ts';
import { CallRefused } from './definition.ts';

/** What is there. @throws CallRefused where nothing is, or a folder where a file is wanted */
export async function findPlace(root: string, asked: string, wanted: 'file' | 'any'): Promise<GuardedPath> {
  const guarded = await guardPath(root, asked);
  if (guarded.found === null) throw new CallRefused(`expected a path that exists, got ${asked}; look with glob`);
  if (wanted === 'file' && guarded.found !== 'file') throw new CallRefused(`expected a file, got the folder ${asked}`);
  return guarded;
}

/** Runs one of the vendor's file tools on a path that the guard has let through; no message names the host's folders. */
export async function runFileTool(
  tool: BetaRunnableTool,
  input: unknown,
  root: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    const toolUse = { type: 'tool_use' as const, id: '', name: tool.name, input };
    const result = await tool.run(tool.parse(input), { toolUse, toolUseBlock: toolUse, signal });
    return typeof result === 'string' ? result : JSON.stringify(result);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    throw new CallRefused(error.message.replaceAll(root, '.').slice(0, 1000));
  }
}
