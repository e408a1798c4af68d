/** The specification of an implementation, and what its scripts are made of. */
import type { RunBrief } from '../../src/agent/brief.ts';
import type { RunSpec } from '../../src/agent/run-protocol.ts';
import { type Answer, blocksOf, type Part, type SentRequest } from './model-server.ts';
import { type Drive, planText } from './run-driver.ts';

const files = {
  'src/cache.js': 'export const cache = 1;\n',
  'src/other.js': 'export {};\n',
  'test/cache.test.js':
    "import assert from 'node:assert/strict';\nimport { cache } from '../src/cache.js';\nassert.equal(cache, 2);\n",
  'package.json': '{"type":"module"}\n',
  'plan.md': planText(),
};

const approved: RunBrief = {
  kind: 'approved',
  plan: planText(),
  commit: 'c'.repeat(40),
  approvers: ['bob'],
  feedback: { bodies: [], remarks: [] },
  issue: { number: 7, title: 'Cache it', body: { author: 'ada', trust: 'issue author', text: 'It is slow.' } },
};

export const done: Answer = { say: [{ text: 'Done.' }] };

export function implement(
  script: Drive['script'],
  spec: Partial<RunSpec> = {},
  rest: Partial<Pick<Drive, 'prepare' | 'inspect' | 'onMessage' | 'onStart' | 'answer'>> = {},
): Drive {
  return { script, files, spec: { phase: 'implement', plan: planText(), brief: approved, ...spec }, ...rest };
}

/** One call of a tool. */
export function tool(name: string, input: unknown): Part {
  return { tool: name, input };
}

/** What the calls before a request were answered; an error begins with `!`. */
export function results(request: SentRequest | undefined): readonly string[] {
  return blocksOf(request?.messages.at(-1)).flatMap((block) =>
    block.type === 'tool_result' ? [`${block.is_error ? '! ' : ''}${block.content}`] : [],
  );
}

export const setTo = (from: number, to: number): Answer => ({
  say: [tool('edit', { file_path: 'src/cache.js', old_string: `cache = ${from}`, new_string: `cache = ${to}` })],
});
