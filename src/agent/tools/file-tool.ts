import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import { ToolError } from '@anthropic-ai/sdk/lib/tools/ToolError';
import { CallRefused } from './definition.ts';

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
