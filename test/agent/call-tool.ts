import assert from 'node:assert/strict';
import type { ToolDefinition } from '../../src/agent/tools/definition.ts';

/** What a tool answers; `refused: …` where it refuses. */
export async function callTool(tools: readonly ToolDefinition[], name: string, input: unknown): Promise<string> {
  const tool = tools.find((candidate) => candidate.name === name);
  assert.ok(tool !== undefined, `expected a tool ${name}`);
  try {
    return await tool.execute(input, { id: 'c', signal: new AbortController().signal });
  } catch (error) {
    return `refused: ${error instanceof Error ? error.message : error}`;
  }
}
