import { z } from 'zod';
import type { CommandResult, RunCommand } from '../../sandbox/command-runner.ts';
import type { ReadOnlyCheckout, WritableCheckout } from '../../workspace/workspace.ts';
import { maxResultBytes } from './bounded-text.ts';
import { defineTool, type ToolCall, type ToolDefinition } from './definition.ts';

/** A longer command is refused before anybody looks at what it holds. */
export const maxCommandCharacters = 20_000;

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;

/** Where both ends of an output do not fit, its middle is left out: the end says how it went. */
function shorten(output: string, maxBytes: number): string {
  const bytes = Buffer.from(output, 'utf8');
  if (bytes.length <= maxBytes) return output;
  const half = Math.floor(maxBytes / 2);
  const left = bytes.length - 2 * half;
  return `${bytes.subarray(0, half)}\n[cut: ${left} bytes left out; filter the output to see them]\n${bytes.subarray(-half)}`;
}

/** One line on how a command ended, then what it wrote. */
export function describeCommand(result: CommandResult, timeoutMs: number, maxBytes = maxResultBytes): string {
  const end = result.exceeded
    ? `stopped: ${result.exceeded}`
    : result.hasTimedOut
      ? `stopped after ${timeoutMs} ms`
      : result.exitCode === null
        ? 'killed'
        : `exit code ${result.exitCode}`;
  return `${end}\n${shorten(result.output, maxBytes)}`;
}

const input = z.object({
  command: z
    .string()
    .min(1)
    .max(maxCommandCharacters)
    .refine((text) => !text.includes('\0'), 'expected no NUL'),
  timeout_ms: z.int().min(1).max(MAX_TIMEOUT_MS).optional().describe(`${DEFAULT_TIMEOUT_MS} by default`),
});

const runWith =
  (run: RunCommand) =>
  async ({ command, timeout_ms }: z.infer<typeof input>, { signal }: ToolCall): Promise<string> => {
    const timeoutMs = timeout_ms ?? DEFAULT_TIMEOUT_MS;
    return describeCommand(await run(command, { timeoutMs, signal }), timeoutMs);
  };

/** A shell whose commands run in the sandbox, which proves itself before the first of them. */
export function bashTool(_checkout: WritableCheckout, run: RunCommand, hosts: readonly string[]): ToolDefinition {
  const network = hosts.length === 0 ? 'no network' : `no network but HTTP and HTTPS to ${hosts.join(', ')},`;
  return defineTool({
    name: 'bash',
    kind: 'resource',
    description:
      `Run a command with bash in the root of the repository. There is ${network} and no git; ` +
      'only the repository and $TMPDIR can be written. Each call is a new shell.',
    input,
    run: runWith(run),
  });
}

/**
 * The shell of a plan run: what makes it a tool that only looks is the kernel, which lets it write nothing but a folder of its
 * own. Made only with a runner of which that is proved.
 */
export function planBashTool(_checkout: ReadOnlyCheckout, run: RunCommand): ToolDefinition {
  const tool = defineTool({
    name: 'bash',
    kind: 'data_source',
    description:
      'Run a command with bash in the root of the repository, to find something out. There is no network and no git, and the ' +
      'repository cannot be written; only $TMPDIR can. Each call is a new shell.',
    input,
    run: runWith(run),
  });
  return { ...tool, isAlone: true };
}
